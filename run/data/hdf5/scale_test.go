package hdf5

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestScale writes enough chunks, links and attributes for every index to grow beyond its
// first block, and reads h5repack's conversions.
func TestScale(t *testing.T) {
	need.Slow(t)
	chunks, names := 2_000, 400
	if need.FullSize() {
		chunks, names = 20_000, 3_000
	}
	dir := t.TempDir()
	from := filepath.Join(dir, "from.h5")
	f := create(t, from)
	data := make([]byte, chunks)
	for i := range data {
		data[i] = byte(i*7 + i>>8)
	}
	long := bytes.Repeat(data, 7)
	for _, d := range []struct {
		name string
		Space
		chunk []uint64
		data  []byte
	}{
		{"fixed", Space{Dims: []uint64{uint64(chunks)}}, []uint64{1}, data},
		{"growing", Space{Dims: []uint64{2, uint64(7 * chunks / 2)}, MaxDims: []uint64{2, Unlimited}}, []uint64{1, 1}, long},
		{"free", Space{Dims: []uint64{100, uint64(chunks / 100)}, MaxDims: []uint64{Unlimited, Unlimited}}, []uint64{1, 1}, data},
		{"packed", Space{Dims: []uint64{uint64(chunks)}}, []uint64{4}, data},
	} {
		o := Options{Chunk: d.chunk}
		if d.name == "packed" {
			o.Deflate = 1
		}
		ds, err := f.Root().CreateDataset(d.name, Uint(1), d.Space, o)
		must(t, err)
		must(t, ds.Write(d.data, Memory{}, Slab{}))
	}
	for i := range names {
		g, err := f.Root().CreateGroup(fmt.Sprintf("names/a rather long name of a group %d", i))
		must(t, err)
		if i < names/10 {
			parent, err := f.Root().Group("names")
			must(t, err)
			must(t, parent.SetAttribute(fmt.Sprintf("attribute %d", i), Int(4), dims(100), make([]byte, 400)))
		}
		if i == 0 {
			must(t, g.SetAttribute("large", Int(1), dims(60000), bytes.Repeat([]byte{7}, 60000)))
			// Next to many others, such an attribute is too large for the blocks of their heap.
			for k := range 10 {
				must(t, g.SetAttribute(fmt.Sprint("other ", k), Int(1), dims(6000), bytes.Repeat([]byte{byte(k)}, 6000)))
			}
		}
	}
	must(t, f.Close())
	want := content(t, reopen(t, from))
	for _, args := range []string{"", "-L -c 0 -d 0 -f SHUF", "-L -l fixed:CHUNK=2 -l growing:CHUNK=1x1 -l free:CHUNK=1x2"} {
		t.Run(strings.TrimSpace("repack "+args), func(t *testing.T) {
			to := filepath.Join(dir, "to"+strings.ReplaceAll(args, " ", "")+".h5")
			tool(t, "h5repack", append(strings.Fields(args), from, to)...)
			got := content(t, reopen(t, to))
			if len(got) != len(want) {
				t.Fatalf("%d lines, expected %d", len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("got %s, expected %s", got[i], want[i])
				}
			}
		})
	}
}
