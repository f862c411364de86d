package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"
)

// The nodes of one level of a chunk index are a chain: each knows its neighbours,
// and the first has none before it.
func TestChunkIndexSiblings(t *testing.T) {
	path := inTemp(t, "c.h5")
	f := create(t, path)
	d, err := f.Root().CreateDataset("d", Int(8), dims(400), Options{Chunk: []uint64{1}})
	must(t, err)
	must(t, d.Write(iota64(400), Memory{}, Slab{}))
	must(t, f.Close())
	raw, err := os.ReadFile(path)
	must(t, err)
	type node struct{ left, right uint64 }
	nodes := map[uint64]node{}
	for at := range raw {
		if bytes.HasPrefix(raw[at:], []byte("TREE\x01\x00")) {
			nodes[uint64(at)] = node{binary.LittleEndian.Uint64(raw[at+8:]), binary.LittleEndian.Uint64(raw[at+16:])}
		}
	}
	if len(nodes) < 3 {
		t.Fatalf("the index has %d leaves", len(nodes))
	}
	first, last := 0, 0
	for at, n := range nodes {
		if n.left == undefined {
			first++
		} else if nodes[n.left].right != at {
			t.Errorf("the node at %d has %d before it, which has %d behind it", at, n.left, nodes[n.left].right)
		}
		if n.right == undefined {
			last++
		} else if nodes[n.right].left != at {
			t.Errorf("the node at %d has %d behind it, which has %d before it", at, n.right, nodes[n.right].left)
		}
	}
	if first != 1 || last != 1 {
		t.Errorf("%d nodes are the first and %d the last", first, last)
	}
}

// The objects of a global heap are found behind its header, each by its number.
func TestGlobalHeap(t *testing.T) {
	const at = 16
	b := append(make([]byte, at), "GCOL\x01\x00\x00\x00"...)
	b = binary.LittleEndian.AppendUint64(b, 128)
	object := func(number uint16, text string) {
		b = binary.LittleEndian.AppendUint16(b, number)
		b = append(b, 1, 0, 0, 0, 0, 0)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(text)))
		b = append(b, text...)
		for len(b)%8 != 0 {
			b = append(b, 0)
		}
	}
	object(1, "first")
	object(7, "another one")
	b = append(b, make([]byte, at+128-len(b))...)
	f := newFile(bytes.NewReader(b), int64(len(b)))
	f.sb = superblock{offsetSize: 8, lengthSize: 8}
	f.end = uint64(len(b))
	heap, err := f.globalHeap(at)
	must(t, err)
	if len(heap) != 2 || string(heap[1]) != "first" || string(heap[7]) != "another one" {
		t.Errorf("the heap has %v", heap)
	}
}

// A block of an extensible array that was never written takes its place in the
// count of elements, so that those behind it keep their numbers.
func TestExtensibleArrayHole(t *testing.T) {
	f := create(t, inTemp(t, "c.h5"))
	a := &extArray{s: &storage{o: f.Root().object}, used: 20, next: 4}
	must(t, a.dataBlock(undefined, 8, nil))
	if a.next != 12 {
		t.Errorf("the element behind a hole of 8 from 4 on has number %d", a.next)
	}
	a.used = 12
	must(t, a.dataBlock(0, 8, nil)) // behind the last element nothing is read
	if a.next != 20 {
		t.Errorf("the element behind the unused block has number %d", a.next)
	}
}

// An object of a fractal heap is found through blocks of blocks, each as many rows
// high as its size needs, be it one.
func TestFractalHeapBlocks(t *testing.T) {
	b := make([]byte, 16)
	indirect := func(blocks ...uint64) (at uint64) {
		at = uint64(len(b))
		b = append(b, "FHIB\x00"...)
		b = append(b, make([]byte, 8+2)...) // the heap, and the offset of the block
		for _, block := range blocks {
			b = binary.LittleEndian.AppendUint64(b, block)
		}
		b = binary.LittleEndian.AppendUint32(b, lookup3(b[at:]))
		return at
	}
	direct := uint64(len(b))
	b = append(b, "FHDB....an object....."...)
	inner := indirect(undefined, direct)
	root := indirect(undefined, undefined, undefined, undefined, inner, undefined)
	f := newFile(bytes.NewReader(b), int64(len(b)))
	f.sb = superblock{offsetSize: 8, lengthSize: 8}
	f.end = uint64(len(b))
	// Rows of two blocks: of 16 bytes, of 16 bytes, and of 32 bytes, which are two of 16 again.
	h := &fractalHeap{f: f, width: 2, start: 16, maxDirect: 16, offBytes: 2, root: root, rows: 3, indirect: map[uint64]*cursor{}}
	if p, err := h.managed(64+16+8, 9); err != nil || string(p) != "an object" {
		t.Errorf("%q, %v", p, err)
	}
	for _, at := range []uint64{0, 64, 96, 128} {
		if p, err := h.managed(at, 9); err == nil {
			t.Errorf("there is %q at %d", p, at)
		}
	}
}

// In the first version of compounds each member has room for four dimensions, of
// which it uses some.
func TestOldCompound(t *testing.T) {
	number := "\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00" // a signed number of 4 bytes
	member := func(name string, offset byte, dims ...byte) string {
		rest := make([]byte, 4*4)
		for i, d := range dims {
			rest[4*i] = d
		}
		return name + "\x00\x00\x00\x00\x00\x00\x00" + string([]byte{offset, 0, 0, 0, byte(len(dims))}) + "\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + string(rest) + number
	}
	text := "\x16\x03\x00\x00\x3c\x00\x00\x00" + member("a", 0) + member("b", 4, 2) + member("c", 12, 3, 4)
	c := &cursor{b: []byte(text), sb: &superblock{offsetSize: 8, lengthSize: 8}}
	got := decodeType(c, maxTypeDepth)
	must(t, c.err)
	var have []string
	for _, m := range got.Members {
		have = append(have, fmt.Sprintf("%s at %d: %v %v of %d bytes", m.Name, m.Offset, m.Type.Class, m.Type.Dims, m.Type.Size))
	}
	want := []string{"a at 0: integer [] of 4 bytes", "b at 4: array [2] of 8 bytes", "c at 12: array [3 4] of 48 bytes"}
	if !slices.Equal(have, want) {
		t.Errorf("got %q, want %q", have, want)
	}
}

// In the first version of filters each has a name, and its parameters are padded to
// an even number.
func TestOldFilters(t *testing.T) {
	var b builder
	b.u8(1, 6, 0, 0, 0, 0, 0, 0)
	for id := range uint16(6) {
		for _, v := range []uint16{id + 1, 8, id % 2, id} {
			b.u16(v)
		}
		b = append(b, "filter\x00\x00"...)
		for i := range uint32(id) {
			b.u32(10*uint32(id) + i)
		}
		if id%2 == 1 {
			b.u32(0)
		}
	}
	list, err := newFile(bytes.NewReader(nil), 0).decodeFilters(b)
	must(t, err)
	var have []string
	for _, x := range list {
		have = append(have, fmt.Sprint(x.id, x.optional, x.params))
	}
	want := []string{"1 false []", "2 true [10]", "3 false [20 21]", "4 true [30 31 32]", "5 false [40 41 42 43]", "6 true [50 51 52 53 54]"}
	if !slices.Equal(have, want) {
		t.Errorf("got %q, want %q", have, want)
	}
}
