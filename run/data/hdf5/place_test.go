package hdf5

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestPlace lets other processes write parts of datasets with special needs: elements in a header, and fill values in
// unwritten parts. Data that a killed program left after the end must not appear.
func TestPlace(t *testing.T) {
	need.Slow(t)
	path := filepath.Join(t.TempDir(), "a.h5")
	f, err := Create(path)
	must(t, err)
	for name, o := range map[string]Options{"plain": {Fill: []byte{7}}, "tiles": {Chunk: []uint64{3}, Fill: []byte{7}}, "zero": {}, "packed": {Chunk: []uint64{4}, Fill: []byte{7}, Deflate: 1}} {
		_, err := f.Root().CreateDataset(name, Uint(1), dims(10), o)
		must(t, err)
	}
	d, err := f.Root().CreateDataset("compact", Uint(1), dims(10), Options{})
	must(t, err)
	d.data.class, d.data.compact = layoutCompact, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	d.object.set(msgLayout, 0, d.data.encode())
	must(t, f.Close())
	left, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = left.Write(bytes.Repeat([]byte{0xee}, 5000))
	must(t, err)
	must(t, left.Close())

	f, err = OpenRW(path)
	must(t, err)
	other, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer other.Close()
	// The second of two processes comes first; elements 0 and 7 to 9 are not written.
	slabs := []Slab{{[]uint64{1}, []uint64{4}}, {[]uint64{5}, []uint64{2}}}
	for name, want := range map[string][]byte{
		"plain":   {7, 100, 100, 100, 100, 101, 101, 7, 7, 7},
		"tiles":   {7, 100, 100, 100, 100, 101, 101, 7, 7, 7},
		"packed":  {7, 100, 100, 100, 100, 101, 101, 7, 7, 7},
		"zero":    {0, 100, 100, 100, 100, 101, 101, 0, 0, 0},
		"compact": {1, 100, 100, 100, 100, 101, 101, 8, 9, 10},
	} {
		d, err := f.Root().Dataset(name)
		must(t, err)
		p, err := d.MakeRoom(slabs)
		must(t, err)
		there, err := p.Open(other)
		must(t, err)
		for rank, at := range slabs {
			elements := bytes.Repeat([]byte{byte(100 + rank)}, int(at.Count[0]))
			if d.Filtered() {
				must(t, there.Cut(elements, Memory{}, at, func(number uint64, piece []byte) error { return there.Join(number, at, piece) }))
			} else {
				must(t, there.Write(elements, Memory{}, at))
			}
		}
		must(t, there.Pack(func(number uint64, stored []byte) {
			must(t, there.WriteChunk(d.PlaceChunk(number, len(stored)), stored))
		}))
		must(t, f.Flush())
		again, err := NewReader(other, f.disk.Size)
		must(t, err)
		r, err := again.Root().Dataset(name)
		must(t, err)
		if got, err := r.ReadAll(Type{}); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is %v, want %v (%v)", name, got, want, err)
		}
	}
	must(t, f.Close())
}

// TestCut cuts a block of multi-byte elements along chunks; it covers several rows of each chunk.
func TestCut(t *testing.T) {
	f, err := Create(filepath.Join(t.TempDir(), "a.h5"))
	must(t, err)
	d, err := f.Root().CreateDataset("d", Uint(2), dims(4, 6), Options{Chunk: []uint64{2, 4}, Deflate: 1})
	must(t, err)
	var block []byte // elements 1 to 12
	for i := range 12 {
		block = append(block, byte(i+1), 0)
	}
	at := Slab{[]uint64{1, 1}, []uint64{3, 4}}
	pieces := map[uint64]string{}
	must(t, d.Cut(block, Memory{}, at, func(number uint64, piece []byte) error {
		pieces[number] = fmt.Sprintf("%x", piece)
		return nil
	}))
	want := map[uint64]string{0: "010002000300", 1: "0400", 2: "0500060007000900" + "0a000b00", 3: "08000c00"}
	if !maps.Equal(pieces, want) {
		t.Errorf("have %v, want %v", pieces, want)
	}
	must(t, f.Close())
}

// TestCovered distinguishes parts that fill a block from parts that overlap or leave a gap.
func TestCovered(t *testing.T) {
	box := func(a, b, c, d uint64) Slab { return Slab{[]uint64{a, b}, []uint64{c, d}} }
	for _, c := range []struct {
		parts []Slab
		want  bool
	}{
		{nil, false},
		{[]Slab{box(0, 0, 4, 6)}, true},
		{[]Slab{box(0, 0, 9, 9)}, true},
		{[]Slab{box(0, 0, 2, 6), box(2, 0, 2, 3), box(2, 3, 2, 3)}, true},
		{[]Slab{box(0, 0, 2, 6), box(2, 0, 2, 3)}, false},
		{[]Slab{box(0, 0, 3, 6), box(0, 0, 1, 6)}, false}, // the right number of elements, but some of them twice
		{[]Slab{box(0, 0, 4, 6), box(8, 8, 1, 1)}, true},  // one lies outside
		{[]Slab{box(2, 0, 2, 6), box(0, 3, 2, 3), box(0, 0, 2, 3)}, true},
	} {
		if got := covered([]uint64{0, 0}, []uint64{4, 6}, c.parts); got != c.want {
			t.Errorf("%v: %v, want %v", c.parts, got, c.want)
		}
	}
	if !covered(nil, nil, []Slab{{}}) || covered(nil, nil, []Slab{{}, {}}) {
		t.Error("a scalar is written by one process or by several")
	}
}
