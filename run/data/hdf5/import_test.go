package hdf5

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestImport reads files that h5import makes from texts.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, input, config string
		typ                 Type
		space               Space
		want                []byte
	}{
		{"int32", "1 2 3\n-4 5 6\n",
			"PATH g/values\nINPUT-CLASS TEXTIN\nINPUT-SIZE 32\nRANK 2\nDIMENSION-SIZES 2 3\nOUTPUT-CLASS IN\nOUTPUT-SIZE 32\nOUTPUT-ARCHITECTURE STD\nOUTPUT-BYTE-ORDER LE\n",
			Int(4), Space{Dims: []uint64{2, 3}}, ints(4, 1, 2, 3, -4, 5, 6)},
		{"int16 big chunked", "1 2 3\n-4 5 6\n",
			"PATH values\nINPUT-CLASS TEXTIN\nINPUT-SIZE 16\nRANK 2\nDIMENSION-SIZES 2 3\nOUTPUT-CLASS IN\nOUTPUT-SIZE 16\nOUTPUT-ARCHITECTURE STD\nOUTPUT-BYTE-ORDER BE\nCHUNKED-DIMENSION-SIZES 2 2\nMAXIMUM-DIMENSIONS -1 3\nCOMPRESSION-TYPE GZIP\nCOMPRESSION-PARAM 7\n",
			Int(2).Big(), Space{Dims: []uint64{2, 3}, MaxDims: []uint64{Unlimited, 3}}, ints(2, 1, 2, 3, -4, 5, 6)},
		{"unsigned", "1 2 3 4\n",
			"PATH values\nINPUT-CLASS TEXTUIN\nINPUT-SIZE 8\nRANK 1\nDIMENSION-SIZES 4\nOUTPUT-CLASS UIN\nOUTPUT-SIZE 8\nOUTPUT-ARCHITECTURE STD\nOUTPUT-BYTE-ORDER LE\n",
			Uint(1), Space{Dims: []uint64{4}}, ints(1, 1, 2, 3, 4)},
		{"double", "1.5 -2.25 1e10\n",
			"PATH deep/er/values\nINPUT-CLASS TEXTFP\nINPUT-SIZE 64\nRANK 1\nDIMENSION-SIZES 3\nOUTPUT-CLASS FP\nOUTPUT-SIZE 64\nOUTPUT-ARCHITECTURE IEEE\nOUTPUT-BYTE-ORDER BE\n",
			IEEE(8).Big(), Space{Dims: []uint64{3}}, doubles(1.5, -2.25, 1e10)},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, config, out := filepath.Join(dir, "in.txt"), filepath.Join(dir, "in.cfg"), filepath.Join(dir, strings.ReplaceAll(c.name, " ", "_")+".h5")
			must(t, os.WriteFile(text, []byte(c.input), 0o666))
			must(t, os.WriteFile(config, []byte(c.config), 0o666))
			tool(t, "h5import", text, "-c", config, "-o", out)
			d, err := reopen(t, out).Root().Dataset(strings.Fields(c.config)[1])
			must(t, err)
			if !d.Type().Equal(c.typ) || !slices.Equal(d.Space().Dims, c.space.Dims) {
				t.Errorf("got %s %v, expected %s %v", d.Type(), d.Space().Dims, c.typ, c.space.Dims)
			}
			if c.space.MaxDims != nil && !slices.Equal(d.Space().MaxDims, c.space.MaxDims) {
				t.Errorf("got maximum %v, expected %v", d.Space().MaxDims, c.space.MaxDims)
			}
			native := c.typ
			native.Order = LittleEndian
			got, err := d.ReadAll(native)
			must(t, err)
			if !slices.Equal(got, c.want) {
				t.Errorf("got % x, expected % x", got, c.want)
			}
		})
	}
	t.Run("strings", func(t *testing.T) {
		text, config, out := filepath.Join(dir, "s.txt"), filepath.Join(dir, "s.cfg"), filepath.Join(dir, "s.h5")
		must(t, os.WriteFile(text, []byte("hello\n\nlonger line\n"), 0o666))
		must(t, os.WriteFile(config, []byte("PATH words\nINPUT-CLASS STR\n"), 0o666))
		tool(t, "h5import", text, "-c", config, "-o", out)
		d, err := reopen(t, out).Root().Dataset("words")
		must(t, err)
		got, err := d.Strings(Slab{})
		must(t, err)
		if want := []string{"hello", "", "longer line"}; !slices.Equal(got, want) {
			t.Errorf("got %q, expected %q", got, want)
		}
	})
}

// TestNetCDF reads a file of ncgen, and checks with ncdump what we add to it.
func TestNetCDF(t *testing.T) {
	dir := t.TempDir()
	cdl, path := filepath.Join(dir, "in.cdl"), filepath.Join(dir, "in.nc")
	must(t, os.WriteFile(cdl, []byte(`netcdf in {
types:
  compound point { int x ; float y ; } ;
dimensions: time = UNLIMITED ; lat = 3 ;
variables:
  double temperature(time, lat) ;
    temperature:units = "K" ;
    temperature:valid = 1.5, 2.5 ;
    temperature:_DeflateLevel = 3 ;
  string name(lat) ;
  point p ;
data:
  temperature = 1, 2, 3, 4, 5, 6 ;
  name = "a", "bb", "ccc" ;
  p = {7, 2.5} ;
}
`), 0o666))
	tool(t, "ncgen", "-4", "-o", path, cdl)
	f := openRW(t, path)
	d, err := f.Root().Dataset("temperature")
	must(t, err)
	got, err := d.ReadAll(IEEE(8))
	must(t, err)
	if want := doubles(1, 2, 3, 4, 5, 6); !slices.Equal(got, want) {
		t.Errorf("temperature: got % x, want %v", got, want)
	}
	units, err := d.Attribute("units")
	must(t, err)
	if s, err := units.Strings(); err != nil || len(s) != 1 || s[0] != "K" {
		t.Errorf("units: got %q, %v", s, err)
	}
	names, err := f.Root().Dataset("name")
	must(t, err)
	if s, err := names.Strings(Slab{}); err != nil || fmt.Sprint(s) != "[a bb ccc]" {
		t.Errorf("name: got %q, %v", s, err)
	}
	p, err := f.Root().Dataset("p")
	must(t, err)
	y, err := p.ReadAll(Struct(8, Member{"y", 0, IEEE(8)}))
	must(t, err)
	if !slices.Equal(y, doubles(2.5)) {
		t.Errorf("p.y: got % x, want % x", y, doubles(2.5))
	}
	if want := Struct(8, Member{"x", 0, Int(4)}, Member{"y", 4, IEEE(4)}); !p.Type().Equal(want) {
		t.Errorf("point: got %+v, want %+v", p.Type(), want)
	}
	if found, err := f.Root().Exists("temperature"); !found || err != nil {
		t.Errorf("temperature: exists %v, %v", found, err)
	}
	if found, err := f.Root().Exists("humidity/x"); found || err != nil {
		t.Errorf("humidity: exists %v, %v", found, err)
	}
	_, err = f.Root().CreateGroup("added")
	must(t, err)
	must(t, d.Write(doubles(10, 20), Memory{}, Slab{[]uint64{1, 1}, []uint64{1, 2}}))
	must(t, d.SetAttribute("scale", IEEE(8), dims(1), doubles(0.5)))
	must(t, f.Close())
	out := tool(t, "ncdump", path)
	for _, want := range []string{"1, 2, 3,", "4, 10, 20 ;", "temperature:scale = 0.5 ;", `temperature:units = "K" ;`, `name = "a", "bb", "ccc" ;`, "p = {7, 2.5} ;", "group: added {"} {
		if !strings.Contains(out, want) {
			t.Errorf("ncdump does not say `%s`:\n%s", want, out)
		}
	}
}
