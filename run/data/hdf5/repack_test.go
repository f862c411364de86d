package hdf5

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestRepack converts our file to other layouts with h5repack and reads each of them.
func TestRepack(t *testing.T) {
	need.Slow(t)
	dir := t.TempDir()
	from := filepath.Join(dir, "from.h5")
	f := create(t, from)
	writeSample(t, f)
	must(t, f.Close())
	block := filepath.Join(dir, "block.txt")
	must(t, os.WriteFile(block, []byte(strings.Repeat("user block. ", 100)[:1024]), 0o666))
	want := content(t, reopen(t, from))
	changed := filepath.Join(dir, "changed.h5")
	bytes, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(changed, bytes, 0o666))
	update(t, changed)
	wantChanged := content(t, reopen(t, changed))
	for i, c := range []struct{ name, args string }{
		{"same", ""},
		{"latest", "-L"},
		{"v18", "--low=1 --high=1"},
		{"v110", "--low=2 --high=2"},
		{"old", "--low=0 --high=1"},
		{"gzip", "-f GZIP=5"},
		{"gzip latest", "-L -f GZIP=5"},
		{"shuffle", "-f SHUF -f GZIP=1"},
		{"fletcher latest", "-L -f FLET"},
		{"contiguous", "-l /chunk/plain,/chunk/checked:CONTI"},
		{"compact", "-l /int/32/s,/float/double,/record/plain,/other/array:COMPA"},
		{"compact latest", "-L -l /int/32/s,/float/double,/record/plain,/other/array:COMPA"},
		{"chunks", "-l /chunk/plain,/chunk/deflate,/chunk/many:CHUNK=1x2"},
		{"chunks latest", "-L -l /chunk/plain,/chunk/deflate,/chunk/many,/chunk/checked:CHUNK=1x1"},
		{"indexed", "-L -c 0 -d 0"},
		{"dense old", "-c 2 -d 1"},
		{"user block", "-b 1024 -u " + block},
		{"shared", "-s 8"},
		{"shared latest", "-L -s 8:dtype -s 8:attr"},
		{"paged", "-S PAGE -P 1 -G 512"},
		{"persist", "-L -S FSM_AGGR -P 1"},
		{"aligned", "-t 1 -a 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if i%4 != 0 {
				need.Slow(t) // runs four programs
			}
			to := filepath.Join(dir, strings.ReplaceAll(c.name, " ", "_")+".h5")
			args := strings.Fields(c.args)
			tool(t, "h5repack", append(args, from, to)...)
			if diff := cmp.Diff(want, content(t, reopen(t, to))); diff != "" {
				t.Fatalf("%v; want nothing", diff)
			}
			update(t, to)
			if diff := cmp.Diff(wantChanged, content(t, reopen(t, to))); diff != "" {
				t.Fatal("after an update: ", diff)
			}
			tool(t, "h5copy", "-i", from, "-o", to, "-s", "/int/32/s", "-d", "/copy")
			added := openRW(t, to)
			must(t, added.Root().Delete("/copy"))
			must(t, added.Close())
			if diff := cmp.Diff(wantChanged, content(t, reopen(t, to))); diff != "" {
				t.Fatal("after h5copy into the update: ", diff)
			}
			again := filepath.Join(dir, "again.h5")
			tool(t, "h5repack", append(args, to, again)...)
			defer os.Remove(again)
			if diff := cmp.Diff(wantChanged, content(t, reopen(t, again))); diff != "" {
				t.Fatal("after h5repack of the update: ", diff)
			}
		})
	}
}

// update changes some of everything in an existing sample.
func update(t *testing.T, path string) {
	t.Helper()
	f := openRW(t, path)
	root := f.Root()
	for _, name := range []string{"/chunk/plain", "/chunk/deflate", "/chunk/checked", "/chunk/many"} {
		d, err := root.Dataset(name)
		must(t, err)
		must(t, d.Write(ints(8, 77), Memory{}, Slab{[]uint64{2, 1}, []uint64{1, 1}}))
	}
	d, err := root.Dataset("/chunk/many")
	must(t, err)
	must(t, d.Extend([]uint64{25, 30}))
	must(t, d.Write(ints(8, 1, 2, 3), Memory{}, Slab{[]uint64{24, 7}, []uint64{1, 3}}))
	d, err = root.Dataset("/chunk/cube")
	must(t, err)
	must(t, d.Extend([]uint64{5, 6, 9}))
	must(t, d.Write(ints(8, 5, 6, 7), Memory{}, Slab{[]uint64{3, 4, 5}, []uint64{1, 1, 3}}))
	d, err = root.Dataset("/int/32/s")
	must(t, err)
	must(t, d.Write(ints(4, 5), Memory{}, Slab{[]uint64{1}, []uint64{1}}))
	d, err = root.Dataset("/float/double")
	must(t, err)
	must(t, d.SetAttribute("steps", Int(4), Space{}, ints(4, 8)))
	many, err := root.Group("/many")
	must(t, err)
	must(t, many.SetAttribute("attribute 03", Int(8), dims(2), ints(8, 1, 1)))
	must(t, many.Delete("group 00"))
	d, err = many.CreateDataset("/many/new", Int(1), dims(2), Options{})
	must(t, err)
	must(t, d.Write([]byte{1, 2}, Memory{}, Slab{}))
	must(t, root.Delete("/hard"))
	must(t, f.Close())
}
