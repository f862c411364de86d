package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
)

var errDisk = errors.New("the disk fails")

// failingDisk fails once, at one of the accesses to a file.
type failingDisk struct {
	disk.Writer
	io.ReaderAt
	left   int  // accesses before it fails
	always bool // all later accesses fail too
}

func (d *failingDisk) fails() bool {
	d.left--
	return d.left == -1 || d.always
}

func (d *failingDisk) WriteAt(p []byte, off int64) (int, error) {
	if d.fails() {
		return 0, errDisk
	}
	return d.Writer.WriteAt(p, off)
}

func (d *failingDisk) Truncate(size int64) error {
	if d.fails() {
		return errDisk
	}
	return d.Writer.Truncate(size)
}

func (d *failingDisk) ReadAt(p []byte, off int64) (int, error) {
	if d.fails() {
		return 0, errDisk
	}
	return d.ReaderAt.ReadAt(p, off)
}

// TestEveryFailedWriteIsReported makes each write of a file fail in turn. A call, or
// Close at the latest, must return the error.
func TestEveryFailedWriteIsReported(t *testing.T) {
	fill := func(f *File) error {
		var all []error
		add := func(err error) { all = append(all, err) }
		put := func(path string, n int, o Options) {
			d, err := f.Root().CreateDataset(path, Int(8), dims(uint64(n)), o)
			if add(err); err == nil {
				add(d.Write(iota64(n), Memory{}, Slab{}))
				add(d.SetAttribute("unit", Text(2, NullPad), Space{}, []byte("kg")))
				add(d.SetStrings("words", VarText(), dims(2), []string{"one", "two"}))
			}
		}
		put("plain", 4, Options{})
		put("group/chunks", 70, Options{Chunk: []uint64{1}})
		put("group/packed", 40, Options{Chunk: []uint64{8}, Deflate: 1, Shuffle: true, Fletcher32: true})
		put("holes", 4, Options{Chunk: []uint64{3}, Fill: ints(8, 7)})
		add(f.Flush())
		put("group/late", 4, Options{})
		add(f.Root().Delete("plain"))
		add(f.Close())
		return errors.Join(all...)
	}
	path := filepath.Join(t.TempDir(), "a.h5")
	for k := 0; ; k++ {
		f, err := Create(path)
		must(t, err)
		failing := &failingDisk{Writer: f.disk.W, left: k}
		f.disk.W = failing
		err = fill(f)
		if failing.left >= 0 { // all writes have been tried
			must(t, err)
			if k < 20 {
				t.Errorf("only %d writes", k)
			}
			return
		}
		if !errors.Is(err, errDisk) {
			t.Errorf("write %d failed, and nothing but %v was reported", k, err)
		}
	}
}

// TestEveryFailedReadIsReported makes each read of a file fail in turn. Either the
// content is the same, or an error is returned.
func TestEveryFailedReadIsReported(t *testing.T) {
	need.Slow(t)
	path := filepath.Join(t.TempDir(), "a.h5")
	f := create(t, path)
	writeSample(t, f)
	must(t, f.Close())
	raw, err := os.ReadFile(path)
	must(t, err)
	from := bytes.NewReader(raw)
	read := func(r io.ReaderAt) (all []byte, err error) {
		f, err := NewReader(r, from.Size())
		if err != nil {
			return nil, err
		}
		err = f.Root().Walk(func(path string, g *Group, d *Dataset) error {
			all = append(all, path...)
			o := f.Root().Object
			if d != nil {
				o = d.Object
				if d.Type().Class == VarLen {
					texts, err := d.Strings(Slab{})
					if err != nil {
						return err
					}
					all = fmt.Append(all, texts)
				} else {
					data, err := d.ReadAll(Type{})
					if err != nil {
						return err
					}
					all = append(all, data...)
				}
			} else if g != nil {
				o = g.Object
			}
			attributes, err := o.Attributes()
			all = fmt.Append(all, len(attributes))
			return err
		})
		return all, err
	}
	want, err := read(from)
	must(t, err)
	for k := 0; ; k++ {
		disk := &failingDisk{ReaderAt: from, left: k}
		got, err := read(disk)
		if disk.left >= 0 { // all reads have been tried
			must(t, err)
			return
		}
		if err == nil && !bytes.Equal(got, want) {
			t.Errorf("read %d failed, and nothing was reported", k)
		}
	}
}
