package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// change is one change of a file on disk.
type change struct {
	at   int64
	data []byte // nil: set the length of the file to at
}

func (c change) apply(image []byte) []byte {
	size := c.at + int64(len(c.data))
	if grow := size - int64(len(image)); grow > 0 {
		image = append(image, make([]byte, grow)...)
	}
	if c.data == nil {
		return image[:size]
	}
	copy(image[c.at:], c.data)
	return image
}

// pageSize is the largest piece of a file that a write changes atomically: a program that is killed
// during a write has changed only whole pages.
const pageSize = 4096

// torn returns the partial changes that a kill can leave: the first pages of the change.
func (c change) torn() []change {
	var parts []change
	for n := int64(1); n < int64(len(c.data)); n++ {
		if (c.at+n)%pageSize == 0 {
			parts = append(parts, change{c.at, c.data[:n]})
		}
	}
	return parts
}

// recorder records the changes of a file.
type recorder struct {
	disk.Writer
	changes []change
}

func (r *recorder) WriteAt(p []byte, at int64) (int, error) {
	r.changes = append(r.changes, change{at, bytes.Clone(p)})
	return r.Writer.WriteAt(p, at)
}

func (r *recorder) Truncate(size int64) error {
	r.changes = append(r.changes, change{size, nil})
	return r.Writer.Truncate(size)
}

// steps returns functions that change a file as simulations do, one for each time that the file is flushed.
func steps(n int) []func(*File) error {
	noise := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(noise.Uint32())
		}
		return b
	}
	put := func(f *File, path string, n int, o Options) error {
		d, err := f.Root().CreateDataset(path, Int(8), dims(uint64(n)), o)
		if err != nil {
			return err
		}
		return errors.Join(d.Write(random(8*n), Memory{}, Slab{}), d.SetAttribute("unit", Text(2, NullPad), Space{}, []byte("kg")))
	}
	packed := Options{Chunk: []uint64{40}, Deflate: 1, Shuffle: true, Fletcher32: true}
	list := []func(*File) error{
		func(f *File) error {
			_, err := f.Root().CreateDataset("grid/grow", Int(8), dims(200), Options{Chunk: []uint64{1}})
			return errors.Join(err, put(f, "plain", 1200, Options{}), put(f, "grid/packed", 400, packed), put(f, "mixed", 1200, Options{}),
				put(f, "tile", 100, Options{Chunk: []uint64{7}}), addSeries(f))
		},
		func(f *File) error { // the group and the attribute become larger than a page
			g, err := f.Root().CreateGroup("many/of/them")
			for i := range 100 {
				err = errors.Join(err, put(f, fmt.Sprintf("many/of/them/%03d", i), 1, Options{}))
			}
			return errors.Join(err, g.SetAttribute("large", Int(1), dims(9000), random(9000)))
		},
		func(f *File) error {
			return errors.Join(f.Root().Delete("plain"), put(f, "plain", 500, packed), f.Root().Delete("many/of/them/050"), f.Root().Delete("many/of/them/099"))
		},
		func(f *File) error {
			d, err := f.Root().Dataset("mixed")
			if err == nil {
				err = d.Write(random(8*1200), Memory{}, Slab{})
			}
			return err
		},
	}
	for i := range n {
		list = append(list, func(f *File) error {
			d, err := f.Root().Dataset("grid/packed")
			if err == nil {
				err = d.Write(random(8*90), Memory{}, Slab{[]uint64{uint64(30 * i % 300)}, []uint64{90}})
			}
			grow, e := f.Root().Dataset("grid/grow")
			if e == nil {
				e = grow.Write(random(8*5), Memory{}, Slab{[]uint64{uint64(5 * i % 195)}, []uint64{5}})
			}
			g, e2 := f.Root().Group("many/of/them")
			if e2 == nil {
				e2 = g.SetAttribute("large", Int(1), dims(9000), random(9000))
			}
			return errors.Join(err, e, e2, growSeries(f, i), put(f, fmt.Sprintf("step %03d/values", i), 600, Options{}),
				put(f, fmt.Sprintf("series/step %03d", i), 3, packed.small()), f.Root().SetAttribute("last", Int(4), Space{}, ints(4, int64(i))))
		})
	}
	return list
}

// addSeries adds a growing dataset with a scale that it refers to.
func addSeries(f *File) error {
	growing := Space{Dims: []uint64{0}, MaxDims: []uint64{Unlimited}}
	scale, err := f.Root().CreateDataset("scale", IEEE(4), growing, Options{Chunk: []uint64{1}})
	if err != nil {
		return err
	}
	d, err := f.Root().CreateDataset("record", Int(8), growing, Options{Chunk: []uint64{3}, Fill: ints(8, -1), Deflate: 1})
	if err != nil {
		return err
	}
	return d.SetSequences("scales", Ref(), [][]byte{scale.Reference()})
}

// growSeries adds an element in one step; in one of the steps the scale becomes numbers.
func growSeries(f *File, i int) error {
	d, err := f.Root().Dataset("record")
	if err != nil {
		return err
	}
	scale, err := f.Root().Dataset("scale")
	if err != nil {
		return err
	}
	n := uint64(i + 1)
	err = errors.Join(d.Extend([]uint64{n}), d.Write(ints(8, int64(i)), Memory{}, Slab{[]uint64{n - 1}, []uint64{1}}))
	if i == 3 {
		growing := Space{Dims: []uint64{n}, MaxDims: []uint64{Unlimited}}
		return errors.Join(err, scale.Redefine(Int(4), growing, Options{Chunk: []uint64{2}}), scale.Write(ints(4, 1, 2, 3, 4), Memory{}, Slab{}))
	}
	return errors.Join(err, scale.Extend([]uint64{n}), d.SetSequences("scales", Ref(), [][]byte{scale.Reference()}))
}

func (o Options) small() Options {
	o.Chunk = []uint64{2}
	return o
}

// objects describes each object of a file. It omits the contents that a kill may change.
func objects(f *File) (map[string]string, error) {
	out := map[string]string{}
	add := func(path string, o Object, d *Dataset) error {
		var b strings.Builder
		list, err := o.Attributes()
		for _, a := range list {
			fmt.Fprintf(&b, "@%s %s %v %x\n", a.Name, a.Type, a.Space.Dims, field.Checksum(a.Data))
			if a.Type.Class == VarLen && err == nil {
				_, err = a.Sequences()
			}
		}
		if d != nil && err == nil {
			var data []byte
			data, err = d.ReadAll(Type{})
			if path == "/mixed" || path == "/tile" {
				data = nil // elements are overwritten in place
			}
			fmt.Fprintf(&b, "%s %v %x\n", d.Type(), d.Space().Dims, field.Checksum(data))
		}
		out[path] = b.String()
		return err
	}
	err := add("/", f.Root().Object, nil)
	if err != nil {
		return nil, err
	}
	return out, f.Root().Walk(func(path string, g *Group, d *Dataset) error {
		if d != nil {
			return add(path, d.Object, d)
		}
		return add(path, g.Object, nil)
	})
}

// survives checks a file whose writer was killed between two states.
func survives(image []byte, before, after map[string]string) error {
	f, err := NewReader(bytes.NewReader(image), int64(len(image)))
	if err != nil {
		return err
	}
	// HDF5's own library reads nothing after the end given in the superblock.
	image = image[:f.disk.Announced]
	if f, err = NewReader(bytes.NewReader(image), int64(len(image))); err != nil {
		return err
	}
	got, err := objects(f)
	if err != nil {
		return err
	}
	for path, want := range before {
		now, there := got[path]
		if _, stays := after[path]; stays && !there {
			return fmt.Errorf("`%s` is gone", path)
		}
		if there && now != want && now != after[path] {
			return fmt.Errorf("`%s` is neither the old nor the new one:\n%s\nold %s\nnew %s", path, now, want, after[path])
		}
	}
	for path, now := range got {
		if _, old := before[path]; !old && now != after[path] {
			return fmt.Errorf("`%s` is new, and not complete", path)
		}
	}
	return nil
}

// goOn continues the file as a later run does.
func goOn(path string) error {
	f, err := OpenRW(path)
	if err != nil {
		return err
	}
	d, err := f.Root().CreateDataset("later/run", Int(8), dims(2000), Options{})
	if err == nil {
		err = d.Write(iota64(2000), Memory{}, Slab{})
	}
	if packed, none := f.Root().Dataset("grid/packed"); none == nil {
		err = errors.Join(err, packed.Write(iota64(90), Memory{}, Slab{[]uint64{30}, []uint64{90}}))
	}
	return errors.Join(err, f.Root().SetAttribute("last", Int(4), Space{}, ints(4, 0)), f.Close())
}

// record runs steps on a file. It calls each for every step, with the changes of the step, with the
// file before them, and with its objects before and after.
func record(t *testing.T, n int, each func(before []byte, changes []change, old, after map[string]string)) {
	path := inTemp(t, "a.h5")
	first, err := CreateOrdered(path)
	must(t, err)
	must(t, first.Close())
	f := openRW(t, path)
	old := map[string]string{"/": ""}
	for i, step := range steps(n) {
		var err error
		switch i % 4 {
		case 1, 2:
			must(t, f.Pause())
			f, err = f.Reopen()
		case 3:
			must(t, f.Close())
			f = openRW(t, path)
		}
		must(t, err)
		before, err := os.ReadFile(path)
		must(t, err)
		r := &recorder{Writer: f.disk.W}
		f.disk.W = r
		must(t, step(f))
		must(t, f.Flush())
		after, err := objectsOf(path)
		must(t, err)
		each(before, r.changes, old, after)
		old = after
	}
	must(t, f.Close())
}

// TestKilledAtEveryWrite checks the file after every prefix of a run's writes, and after every
// partial write that a kill can leave. Each object must be either the old or the new one, and a
// later run must be able to continue.
func TestKilledAtEveryWrite(t *testing.T) {
	need.Slow(t)
	n, tools := 5, 60 // number of steps, and every n-th image that h5dump reads
	if need.FullSize() {
		n, tools = 16, 15
	}
	path, images := inTemp(t, "killed.h5"), 0
	record(t, n, func(image []byte, changes []change, old, after map[string]string) {
		for i, c := range changes {
			for _, part := range append(c.torn(), c) { // each includes the one before
				image = part.apply(image)
				if err := survives(image, old, after); err != nil {
					t.Fatalf("write %d of %d, %d of %d bytes at %#x: %v", i, len(changes), len(part.data), len(c.data), c.at, err)
				}
				if images++; images%tools == 0 {
					must(t, os.WriteFile(path, image, 0o666))
					tool(t, "h5dump", path)
					must(t, goOn(path))
					_, err := objectsOf(path)
					must(t, err)
					tool(t, "h5dump", path)
				}
			}
		}
	})
	if images < 100 {
		t.Errorf("only %d images", images)
	}
}

// TestHeadersInOneLine checks that writes over an existing header stay within one cache line, so
// that neither a kill nor a reader sees half a write.
func TestHeadersInOneLine(t *testing.T) {
	rewritten := 0
	record(t, 10, func(image []byte, changes []change, _, _ map[string]string) {
		headers := map[int64]bool{} // of objects that are in the file
		f, err := NewReader(bytes.NewReader(image), int64(len(image)))
		must(t, err)
		must(t, f.Root().Walk(func(string, *Group, *Dataset) error { return nil }))
		for addr := range f.objects {
			headers[int64(addr)] = true
		}
		for _, c := range changes {
			if !headers[c.at] || !bytes.HasPrefix(c.data, []byte("OHDR")) {
				continue
			}
			if rewritten++; c.at/64 != (c.at+int64(len(c.data))-1)/64 {
				t.Errorf("a header of %d bytes at %#x, want %v", len(c.data), c.at, (c.at+int64(len(c.data))-1)/64)
			}
		}
	})
	if rewritten < 20 {
		t.Errorf("only %d headers were written again", rewritten)
	}
}

// TestGoesOnAfterFailedWrite makes each write of a run fail, once or from then on. The file under
// its name must be readable, with every completed step.
func TestGoesOnAfterFailedWrite(t *testing.T) {
	need.Slow(t)
	n, stride := 1, 17 // every n-th write fails
	if need.FullSize() {
		stride = 1
	}
	dir := t.TempDir()
	var states []map[string]string // of the file after each step
	f := create(t, filepath.Join(dir, "whole.h5"))
	for _, step := range steps(n) {
		must(t, errors.Join(step(f), f.Flush()))
		state, err := objectsOf(f.Path())
		must(t, err)
		states = append(states, state)
	}
	must(t, f.Close())
	for _, once := range []bool{true, false} {
		for k := 0; ; k += stride {
			path := filepath.Join(dir, fmt.Sprint(k, once, ".h5"))
			failed, err := failingRun(path, states, k, once)
			must(t, err)
			if !failed {
				if k < 50 {
					t.Errorf("only %d writes", k)
				}
				break
			}
			must(t, os.RemoveAll(path))
		}
	}
}

// failingRun performs the steps on a new file. Write number k fails, once or with all later ones.
func failingRun(path string, states []map[string]string, k int, once bool) (failed bool, err error) {
	f, err := Create(path)
	if err != nil {
		return false, err
	}
	failing := &failingDisk{Writer: f.disk.W, left: k}
	f.disk.W = failing
	for i, step := range steps(len(states) - len(steps(0))) {
		reported := errors.Join(step(f), f.Flush())
		if failing.left >= 0 {
			if reported != nil {
				return false, reported
			}
			continue
		}
		if !errors.Is(reported, errDisk) {
			return true, fmt.Errorf("step %d: the failure is not reported: %v", i, reported)
		}
		failing.always = !once
		if f.Close() == nil {
			return true, fmt.Errorf("step %d: the file was closed as if nothing had happened", i)
		}
		if i == 0 {
			if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
				return true, fmt.Errorf("%v stays of a file that was never complete", left)
			}
			return true, nil
		}
		image, err := os.ReadFile(path)
		if err == nil {
			err = survives(image, states[i-1], states[i])
		}
		if err == nil {
			if f, err = f.Reopen(); err == nil {
				err = errors.Join(f.Root().SetAttribute("later", Int(4), Space{}, ints(4, 1)), f.Close())
			}
		}
		if err == nil {
			_, err = objectsOf(path)
		}
		return true, err
	}
	reported := f.Close()
	if failing.left >= 0 {
		return false, reported
	}
	if !errors.Is(reported, errDisk) { // the reserved length is not returned
		return true, fmt.Errorf("the end: the failure is not reported: %v", reported)
	}
	image, err := os.ReadFile(path)
	if err == nil {
		last := states[len(states)-1]
		err = survives(image, last, last)
	}
	return true, err
}

func objectsOf(path string) (map[string]string, error) {
	image, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := NewReader(bytes.NewReader(image), int64(len(image)))
	if err != nil {
		return nil, err
	}
	return objects(f)
}

// TestCreate checks that a new file gets its name when it is complete, keeps the permissions and
// links of the file that it replaces, and is not hindered by the remains of a killed program.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.h5"), filepath.Join(dir, "link.h5")
	partial := path + ".partial"
	names := func() []string {
		t.Helper()
		list, err := os.ReadDir(dir)
		must(t, err)
		var out []string
		for _, e := range list {
			out = append(out, e.Name())
		}
		return out
	}
	secret := filepath.Join(dir, "secret")
	must(t, os.WriteFile(secret, []byte("secret"), 0o600))
	must(t, os.Symlink(secret, partial))
	f := create(t, path)
	if got, want := names(), []string{"a.h5.partial", "secret"}; !slices.Equal(got, want) {
		t.Errorf("before Close there are %q, want %q", got, want)
	}
	must(t, f.Close())
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret" {
		t.Errorf("what a link led to is %q, %v", text, err)
	}
	must(t, os.Chmod(path, 0o640))
	must(t, os.Symlink("a.h5", link))
	must(t, os.WriteFile(partial, []byte("of a killed program"), 0o666))
	f = create(t, link)
	_, err := f.Root().CreateGroup("new")
	must(t, err)
	if got, err := objectsOf(path); err != nil || len(got) != 1 {
		t.Errorf("before Close the old file has %v, %v", got, err)
	}
	must(t, f.Close())
	if got, err := objectsOf(path); err != nil || len(got) != 2 {
		t.Errorf("the new file has %v, %v", got, err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != 0o640 {
		t.Errorf("the new file has the mode %v, %v", info.Mode(), err)
	}
	if got, want := names(), []string{"a.h5", "link.h5", "secret"}; !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "none", "a.h5")} {
		if f, err := Create(bad); err == nil {
			f.Close()
			t.Errorf("%s was made, want one", bad)
		}
	}
}
