package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/image/tiff"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// written returns the sum of a file with these bytes.
func written(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return summed(t, path)
}

func summed(t *testing.T, path string) string {
	t.Helper()
	sum, err := Sum(path)
	if err != nil || len(sum) != 64 {
		t.Fatalf("%q, %v", sum, err)
	}
	return sum
}

// picture is a small picture whose first point has a brightness.
func picture(first uint8) image.Image {
	img := image.NewGray(image.Rect(0, 0, 16, 8))
	img.Set(0, 0, color.Gray{first})
	return img
}

// TestSumPictures: the seal of a picture does not count, every other byte does.
func TestSumPictures(t *testing.T) {
	var plain, other bytes.Buffer
	if err := png.Encode(&plain, picture(1)); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&other, picture(2)); err != nil {
		t.Fatal(err)
	}
	// A chunk goes before the last one, which has 12 bytes.
	chunk := func(body string) []byte {
		c := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
		c = append(append(c, "tEXt"...), body...)
		c = binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
		return slices.Insert(slices.Clone(plain.Bytes()), plain.Len()-12, c...)
	}
	sum := written(t, plain.Bytes())
	for i, sealed := range []string{"pentode_seal\x00{}", "pentode_seal\x00{\"run\":\"a longer one\"}"} {
		if written(t, chunk(sealed)) != sum {
			t.Errorf("seal %d changes the sum, want %v", i, sum)
		}
	}
	if written(t, chunk("Title\x00pentode_seal")) == sum || written(t, other.Bytes()) == sum || written(t, plain.Bytes()[:plain.Len()-20]) == sum {
		t.Error("another picture has the same sum")
	}

	plain.Reset()
	if err := jpeg.Encode(&plain, picture(1), nil); err != nil {
		t.Fatal(err)
	}
	sum = written(t, plain.Bytes())
	comment := func(body string) []byte {
		c := binary.BigEndian.AppendUint16([]byte{0xff, 0xfe}, uint16(len(body)+2))
		return slices.Insert(slices.Clone(plain.Bytes()), 2, append(c, body...)...)
	}
	if written(t, comment(`{"pentode_seal":1}`)) != sum {
		t.Error("the seal of a JPEG changes its sum")
	}
	if written(t, comment("a comment")) == sum {
		t.Error("a comment of another does not count")
	}
}

// TestSumHDF5: in an HDF5 file the data and the attributes count, but not its seal, even if the seal moves other parts.
func TestSumHDF5(t *testing.T) {
	file := func(value byte, attributes ...string) string {
		path := filepath.Join(t.TempDir(), "x.h5")
		f, err := hdf5.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range attributes {
			if err := f.Root().SetAttribute(name, hdf5.Text(len(name), hdf5.NullPad), hdf5.Space{}, []byte(name)); err != nil {
				t.Fatal(err)
			}
		}
		d, err := f.Root().CreateDataset("a/b", hdf5.Int(1), hdf5.Space{Dims: []uint64{3}}, hdf5.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Write([]byte{1, 2, value}, hdf5.Memory{}, hdf5.Slab{}); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return summed(t, path)
	}
	sum := file(3)
	if file(3, seal.Name) != sum {
		t.Error("the seal changes the sum")
	}
	if file(4) == sum || file(3, "units") == sum || file(3, seal.Name, "units") == sum {
		t.Error("other data have the same sum")
	}
}

// TestSumLarge: a file that is too large has no sum.
func TestSumLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(MaxHashed + 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if sum, err := Sum(path); sum != "" || err != nil {
		t.Errorf("%q, %v", sum, err)
	}
}

// TestSumDamaged: a file that only begins like a format is treated as bytes.
func TestSumDamaged(t *testing.T) {
	for _, text := range []string{"", "\x89HDF\r\n\x1a\n", "\x89PNG\r\n\x1a\n", "\x89PNG\r\n\x1a\n\xff\xff\xff\xfftEXt....", "\xff\xd8\xff", "\xff\xd8\xff\xe0\xff\xff"} {
		if written(t, []byte(text)) == written(t, []byte(text+"x")) {
			t.Errorf("%q: a byte more has the same sum", text)
		}
	}
}

// TestSumSealed: two runs that write the same data have the same sums, in every format that can contain a seal.
func TestSumSealed(t *testing.T) {
	for name, encode := range map[string]func(io.Writer) error{
		"a.gif": func(w io.Writer) error { return gif.Encode(w, picture(1), nil) },
		"a.tif": func(w io.Writer) error { return tiff.Encode(w, picture(1), nil) },
		"trace.json": func(w io.Writer) error {
			_, err := io.WriteString(w, `{"displayTimeUnit":"ns","traceEvents":[`+"\n]}\n")
			return err
		},
	} {
		var sums []string
		for _, run := range []string{"a", "another"} {
			dir := t.TempDir()
			f, err := outfile.Folder{Dir: dir, Seal: seal.New(seal.Seal{Run: run})}.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(encode(f), f.Close()); err != nil {
				t.Fatal(err)
			}
			sums = append(sums, summed(t, filepath.Join(dir, name)))
		}
		if sums[0] != sums[1] {
			t.Errorf("%s: the seal changes the sum, want %v", name, sums[1])
		}
	}
}
