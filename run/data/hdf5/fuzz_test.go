package hdf5

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
)

// smallFiles returns small files with some of everything, written by us and by h5repack.
func smallFiles(t testing.TB) [][]byte {
	dir := t.TempDir()
	path := filepath.Join(dir, "small.h5")
	f := create(t, path)
	root := f.Root()
	put := func(name string, typ Type, s Space, o Options, data []byte) {
		d, err := root.CreateDataset(name, typ, s, o)
		must(t, err)
		must(t, d.Write(data, Memory{}, Slab{}))
	}
	put("g/packed", Int(2), Space{Dims: []uint64{5}, MaxDims: []uint64{Unlimited}}, Options{Chunk: []uint64{2}, Deflate: 1, Shuffle: true, Fletcher32: true}, ints(2, 1, 2, 3, 4, 5))
	put("fixed", Int(1), dims(4, 2), Options{Chunk: []uint64{2, 2}}, ints(1, 1, 2, 3, 4, 5, 6, 7, 8))
	put("free", Int(1), Space{Dims: []uint64{2, 2}, MaxDims: []uint64{Unlimited, Unlimited}}, Options{Chunk: []uint64{1, 1}}, ints(1, 1, 2, 3, 4))
	put("record", particle(), dims(1), Options{}, particleBytes(1))
	d, err := root.CreateDataset("text", VarText(), dims(2), Options{})
	must(t, err)
	must(t, d.WriteStrings([]string{"a", "bc"}, Slab{}))
	must(t, root.CreateSoftLink("soft", "g"))
	must(t, root.SetAttribute("a", Int(4), dims(2), ints(4, 1, 2)))
	must(t, f.Close())
	files := []string{path}
	if need.Has(t, "h5repack") {
		for _, args := range [][]string{{"--low=0", "--high=0"}, {"-f", "SHUF"}, {"-L", "-c", "0", "-d", "0", "-f", "SHUF"}, {"-L", "-l", "CHUNK=1x1"}, {"-s", "8"}, {"-l", "record:COMPA"}} {
			to := filepath.Join(dir, "to"+string(rune('0'+len(files)))+".h5")
			if exec.Command("h5repack", append(args, path, to)...).Run() == nil {
				files = append(files, to)
			}
		}
	}
	var out [][]byte
	for _, name := range files {
		p, err := os.ReadFile(name)
		must(t, err)
		out = append(out, p)
	}
	return out
}

// readEverything reads as much of a file as it can and returns the number of objects.
func readEverything(p []byte, trust bool) int {
	d, err := disk.NewReader(bytes.NewReader(p), int64(len(p)), trust)
	if err != nil {
		return 0
	}
	f, err := start(d)
	if err != nil {
		return 0
	}
	n := 0
	attributes := func(o Object) {
		list, _ := o.Attributes()
		for _, a := range list {
			n++
			_, _ = a.Strings()
			_, _ = a.Read(IEEE(8))
		}
	}
	attributes(f.Root().Object)
	_, _ = f.Root().Dataset("soft")
	_ = f.Root().Walk(func(_ string, g *Group, d *Dataset) error {
		n++
		if g != nil {
			attributes(g.Object)
			return nil
		}
		attributes(d.Object)
		part := Slab{Count: append([]uint64{}, d.Space().Dims...)}
		for i, c := range part.Count {
			part.Count[i] = min(c, 4)
		}
		part.Start = make([]uint64, len(part.Count))
		count, _ := product(part.Count)
		if size := count * uint64(d.Type().Size); size < 1<<20 {
			_ = d.Read(make([]byte, size), Memory{}, part)
		}
		if count < 1<<12 && d.Type().Size < 1<<12 {
			_, _ = d.Strings(part)
		}
		return nil
	})
	return n
}

// FuzzRead checks that reading a file gives the same result each time, and at least as much
// without checksums.
func FuzzRead(f *testing.F) {
	for _, p := range smallFiles(f) {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		checked, trusted := readEverything(p, false), readEverything(p, true)
		if again := readEverything(p, false); again != checked {
			t.Errorf("%d objects, and another time %d; want %v", checked, again, checked)
		}
		if checked > trusted {
			t.Errorf("%d objects with checksums, %d without", checked, trusted)
		}
	})
}

// TestDamage changes every byte of small files: nothing may panic or hang.
func TestDamage(t *testing.T) {
	step := 7 // damage every n-th byte
	if need.FullSize() {
		step = 1
	}
	for _, p := range smallFiles(t) {
		if n := readEverything(p, false); n < 6 {
			t.Fatalf("undamaged file has %d readable objects, want at least 6", n)
		}
		zeros := 0
		for i := range p {
			// Long runs of zero bytes are unused space.
			if p[i] == 0 {
				if zeros++; zeros > 8 {
					continue
				}
			} else {
				zeros = 0
			}
			if i%step != 0 {
				continue
			}
			old := p[i]
			if p[i] = 0xff; i%2 == 0 {
				p[i] = old ^ 1
			}
			readEverything(p, true)
			p[i] = old
		}
		for n := 0; n < len(p); n += 101 {
			readEverything(p[:n], true)
		}
	}
}
