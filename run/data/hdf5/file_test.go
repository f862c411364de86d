package hdf5

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

func TestMessages(t *testing.T) {
	path := inTemp(t, "m.h5")
	f := create(t, path)
	root := f.Root()
	d, err := root.CreateDataset("g/d", Int(4), dims(2, 3), Options{})
	must(t, err)
	fixed, err := root.CreateDataset("text", Text(4, NullTerm), dims(2), Options{})
	must(t, err)
	v, err := root.CreateDataset("var", VarText(), dims(2), Options{})
	must(t, err)
	buf := make([]byte, 24)
	_, missing := root.Dataset("g/x")
	_, notGroup := root.Group("g/d")
	_, notData := root.Dataset("g")
	_, through := root.Dataset("g/d/x")
	_, taken := root.CreateGroup("g")
	_, unchunked := root.CreateDataset("e", Int(4), Space{Dims: []uint64{1}, MaxDims: []uint64{Unlimited}}, Options{})
	_, filters := root.CreateDataset("e", Int(4), dims(1), Options{Deflate: 3})
	_, wide := root.CreateDataset("e", Int(9), dims(1), Options{})
	_, tall := root.CreateDataset("e", Int(4), dims(3), Options{Chunk: []uint64{5}})
	_, scalar := root.CreateDataset("e", Int(4), Space{}, Options{Chunk: []uint64{}})
	_, noAttr := d.Attribute("a")
	for _, c := range []struct {
		err  error
		want string
	}{
		{missing, "`x` does not exist in `/g`"},
		{notGroup, "`/g/d` is not a group"},
		{notData, "`/g` is not a dataset"},
		{through, "`/g/d` is not a group"},
		{taken, "`/g` exists already"},
		{unchunked, "dataset `e`: a shape that can grow needs `Chunk`"},
		{filters, "dataset `e`: filters need `Chunk`"},
		{wide, "dataset `e`: integer of 9 bytes, expected 1 to 8"},
		{tall, "dataset `e`: chunk dimension 5 is larger than dimension 3, which cannot grow"},
		{scalar, "dataset `e`: a scalar cannot be chunked"},
		{noAttr, "attribute `a` does not exist on `/g/d`"},
		{d.Write(buf[:20], Memory{}, Slab{}), "`/g/d`: memory of shape [2 3] needs 24 bytes, but has 20"},
		{d.Write(buf, Memory{}, Slab{[]uint64{0, 2}, []uint64{1, 2}}), "`/g/d`: selection of 2 from 2 on does not fit in dimension 1, which has 3"},
		{d.Write(buf, Memory{}, Slab{[]uint64{0}, nil}), "`/g/d`: selection has 1 dimensions, expected 2"},
		{d.Read(buf, Memory{Dims: []uint64{5}}, Slab{}), "`/g/d`: 5 elements are selected in memory and 6 in the file"},
		{d.Read(buf, Memory{Type: Text(4, NullPad)}, Slab{}), "`/g/d`: 4-byte integer cannot become 4-byte string"},
		{d.Extend([]uint64{3, 3}), "`/g/d` has the shape [2 3] and cannot be extended to [3 3]"},
		{v.Read(make([]byte, 32), Memory{}, Slab{}), "`/var`: variable-length has no bytes in memory"},
		{fixed.WriteStrings([]string{"a", "long"}, Slab{}), "`/text`: `long` has 4 bytes, at most 3 fit"},
		{d.SetAttribute("a", Int(1), dims(70000), make([]byte, 70000)), "`/g/d`: attribute `a` takes 70035 bytes, at most 65535 fit; make it a dataset"},
		{d.SetAttribute("a", Int(4), dims(2), make([]byte, 4)), "attribute `a` on `/g/d`: value has 4 bytes, expected 8"},
		{root.Delete("g/x"), "`x` does not exist in `/g`"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
	if !errors.Is(missing, ErrNotFound) || !errors.Is(taken, ErrExists) || !errors.Is(noAttr, ErrNotFound) {
		t.Error("errors do not wrap ErrNotFound and ErrExists")
	}
	must(t, f.Close())
	r := reopen(t, path)
	if _, err := r.Root().CreateGroup("new"); !errors.Is(err, ErrReadOnly) {
		t.Errorf("got %v, expected ErrReadOnly", err)
	}
	d, err = r.Root().Dataset("g/d")
	must(t, err)
	for _, err := range []error{d.Write(buf, Memory{}, Slab{}), d.SetAttribute("a", Int(4), Space{}, ints(4, 1)), r.Root().Delete("g")} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("got %v, expected ErrReadOnly", err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, expected fs.ErrNotExist", err)
	}
	text := inTemp(t, "text")
	must(t, os.WriteFile(text, []byte("this is no HDF5 file"), 0o666))
	if _, err := Open(text); err == nil || !strings.HasSuffix(err.Error(), "not an HDF5 file: its signature is missing") {
		t.Errorf("got %v", err)
	}
}

func TestOptions(t *testing.T) {
	path := inTemp(t, "o.h5")
	f := create(t, path)
	want := Options{Chunk: []uint64{2, 3}, Deflate: 4, Shuffle: true, Fletcher32: true, Fill: ints(4, 7)}
	_, err := f.Root().CreateDataset("a/d", Int(4), dims(4, 3), want)
	must(t, err)
	must(t, f.Close())
	d, err := reopen(t, path).Root().Dataset("a/d")
	must(t, err)
	s := d.data
	var filters []uint16
	for _, x := range s.filters {
		filters = append(filters, x.id)
	}
	if !slices.Equal(s.chunk, want.Chunk) || !slices.Equal(s.fill, want.Fill) || !slices.Equal(filters, []uint16{filterShuffle, filterDeflate, filterFletcher}) {
		t.Errorf("chunk %v, fill % x, filters %v; want s.chunk = %v, s.fill = %v and filters = %v", s.chunk, s.fill, filters, want.Chunk, want.Fill, []uint16{filterShuffle, filterDeflate, filterFletcher})
	}
	if got, err := d.ReadAll(Type{}); err != nil || !slices.Equal(got[:8], ints(4, 7, 7)) {
		t.Errorf("got % x, %v", got, err)
	}
}

// TestReplace deletes a dataset and makes another in its place, as the collision policy
// `replace` does.
func TestReplace(t *testing.T) {
	path := inTemp(t, "r.h5")
	for i := range 4 {
		var f *File
		if i == 0 {
			f = create(t, path)
		} else {
			f = openRW(t, path)
			must(t, f.Root().Delete("a/b"))
		}
		d, err := f.Root().CreateDataset("a/b", Int(4), dims(uint64(i+1)), Options{})
		must(t, err)
		must(t, d.Write(ints(4, make([]int64, i+1)...), Memory{}, Slab{}))
		must(t, f.Close())
		d, err = reopen(t, path).Root().Dataset("a/b")
		must(t, err)
		if got := d.Space().Len(); got != uint64(i+1) {
			t.Errorf("round %d has %d elements, want %v", i, got, uint64(i+1))
		}
	}
	if out := tool(t, "h5dump", path); !strings.Contains(out, "(0): 0, 0, 0, 0") {
		t.Errorf("%v; want %q in it", out, "(0): 0, 0, 0, 0")
	}
}

// TestGrowth adds datasets, each in a separate run or as one program continues a file. The
// size of the file must not grow with the square of their number.
func TestGrowth(t *testing.T) {
	n := 400
	if need.FullSize() {
		n = 2000
	}
	for name, again := range map[string]func(*File) (*File, error){
		"OpenRW": func(f *File) (*File, error) { return OpenRW(f.Path()) },
		"Reopen": (*File).Reopen,
	} {
		perDataset := map[string]int64{"OpenRW": 700, "Reopen": 400}[name]
		t.Run(name, func(t *testing.T) {
			path := inTemp(t, "g.h5")
			f := create(t, path)
			must(t, f.Pause())
			for i := range n {
				var err error
				f, err = again(f)
				must(t, err)
				_, err = f.Root().CreateDataset(fmt.Sprintf("step %04d", i), Int(4), Space{}, Options{})
				must(t, err)
				must(t, f.Root().SetAttribute("last", Int(4), Space{}, ints(4, int64(i))))
				if name == "Reopen" && i < n-1 {
					must(t, f.Pause())
				} else {
					must(t, f.Close())
				}
			}
			st, err := os.Stat(path)
			must(t, err)
			if t.Logf("%d datasets take %d bytes", n, st.Size()); st.Size() > int64(n)*perDataset {
				t.Errorf("%d datasets take %d bytes, want at most %v", n, st.Size(), int64(n)*perDataset)
			}
			if got := strings.Count(tool(t, "h5ls", path), "Dataset {SCALAR}"); got != n {
				t.Errorf("h5ls sees %d datasets, expected %d", got, n)
			}
		})
	}
}

// TestRoomIsUsedAgain checks that data written again and again (chunks with filters, their
// index, attributes that do not fit in the header, whole datasets) does not make the file
// grow with the number of steps.
func TestRoomIsUsedAgain(t *testing.T) {
	path := inTemp(t, "u.h5")
	f := create(t, path)
	noise := rand.New(rand.NewPCG(3, 4))
	_, err := f.Root().CreateDataset("packed", Int(8), dims(800), Options{Chunk: []uint64{20}, Deflate: 1})
	must(t, err)
	var early int64
	for i := range 100 {
		d, err := f.Root().Dataset("packed")
		must(t, err)
		values := make([]byte, 8*800)
		for k := 0; k < len(values); k += 1 + noise.IntN(40) {
			values[k] = byte(noise.Uint32())
		}
		must(t, d.Write(values, Memory{}, Slab{}))
		must(t, d.SetAttribute("state", Int(1), dims(5000), make([]byte, 5000)))
		if i > 0 {
			must(t, f.Root().Delete("replaced"))
		}
		d, err = f.Root().CreateDataset("replaced", Int(8), dims(1000), Options{})
		must(t, err)
		must(t, d.Write(iota64(1000), Memory{}, Slab{}))
		must(t, f.Pause())
		if f, err = f.Reopen(); err != nil {
			t.Fatal(err)
		}
		if i == 10 {
			early = int64(f.disk.End)
		}
	}
	must(t, f.Close())
	if t.Logf("%d bytes after 10 steps, %d after 100", early, f.disk.Size); f.disk.Size > early*5/4 {
		t.Errorf("%d bytes after 10 steps, %d after 100", early, f.disk.Size)
	}
	tool(t, "h5dump", path)
}

// TestReopen continues with the state in memory if the file is unchanged, and reads the
// file again if another program has changed it, even without changing its length.
func TestReopen(t *testing.T) {
	path := inTemp(t, "r.h5")
	f := create(t, path)
	must(t, f.Root().SetAttribute("n", Int(4), Space{}, ints(4, 1)))
	must(t, f.Pause())
	again, err := f.Reopen()
	must(t, err)
	if again != f {
		t.Error("a file that is as it was is read again")
	}
	must(t, f.Pause())
	other := openRW(t, path)
	must(t, other.Root().SetAttribute("n", Int(4), Space{}, ints(4, 2)))
	must(t, other.Close())
	again, err = f.Reopen()
	must(t, err)
	a, err := again.Root().Attribute("n")
	must(t, err)
	if again == f || !slices.Equal(a.Data, ints(4, 2)) {
		t.Errorf("the change of another program is not seen: % x", a.Data)
	}
	if _, err := f.Reopen(); !errors.Is(err, ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
	must(t, again.Close())
	must(t, os.Remove(path))
	if _, err := again.Reopen(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// TestUnclosed checks a file whose writer was killed: everything flushed before must be there.
func TestUnclosed(t *testing.T) {
	t.Setenv("HDF5_USE_FILE_LOCKING", "FALSE") // to read it before it is closed
	path := inTemp(t, "u.h5")
	f := create(t, path)
	writeSample(t, f)
	must(t, f.Close())
	want := content(t, reopen(t, path))
	f = openRW(t, path)
	for i := range 50 {
		d, err := f.Root().CreateDataset(fmt.Sprint("new/", i), Int(8), dims(100), Options{Chunk: []uint64{10}, Deflate: 1})
		must(t, err)
		must(t, d.Write(iota64(100), Memory{}, Slab{}))
	}
	defer f.Close()
	if got := content(t, reopen(t, path)); !slices.Equal(got, want) {
		t.Errorf("the file changed before it was closed: %v", got)
	}
	tool(t, "h5dump", path)
}

func TestCycles(t *testing.T) {
	f := create(t, inTemp(t, "c.h5"))
	defer f.Close()
	a, err := f.Root().CreateGroup("a")
	must(t, err)
	must(t, a.CreateHardLink("up", f.Root().Object))
	must(t, a.CreateHardLink("self", a.Object))
	must(t, f.Root().CreateSoftLink("x", "y"))
	must(t, f.Root().CreateSoftLink("y", "/x"))
	must(t, f.Root().CreateSoftLink("there", "a/up/a"))
	count := 0
	must(t, f.Root().Walk(func(string, *Group, *Dataset) error { count++; return nil }))
	if count != 1 {
		t.Errorf("Walk saw %d objects, expected 1", count)
	}
	if _, err := f.Root().Group("x"); err == nil || !strings.Contains(err.Error(), "more than 32 soft links") {
		t.Errorf("got %v", err)
	}
	if _, err := f.Root().Group("a/up/there/self/self"); err != nil {
		t.Error(err)
	}
}

// TestFilters checks that the error names an unsupported filter.
func TestFilters(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from.h5"), filepath.Join(dir, "to.h5")
	f := create(t, from)
	d, err := f.Root().CreateDataset("d", Int(4), dims(100), Options{Chunk: []uint64{50}})
	must(t, err)
	must(t, d.Write(make([]byte, 400), Memory{}, Slab{}))
	must(t, f.Close())
	tool(t, "h5repack", "-f", "SOFF=0,IN", from, to)
	d, err = reopen(t, to).Root().Dataset("d")
	must(t, err)
	if err := d.Read(make([]byte, 400), Memory{}, Slab{}); err == nil || err.Error() != "`/d`: filter 6 (scaleoffset) is not supported" {
		t.Errorf("got %v", err)
	}
}
