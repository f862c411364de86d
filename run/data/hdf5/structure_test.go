package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// TestChunkIndexSiblings checks that the nodes of each level of a chunk index form a chain: each node refers to its
// neighbours, and the first has no left neighbour.
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
		t.Fatalf("the index has %d leaves, want at least 3", len(nodes))
	}
	first, last := 0, 0
	for at, n := range nodes {
		if n.left == field.Undefined {
			first++
		} else if nodes[n.left].right != at {
			t.Errorf("the node at %d has %d before it, which has %d after it", at, n.left, nodes[n.left].right)
		}
		if n.right == field.Undefined {
			last++
		} else if nodes[n.right].left != at {
			t.Errorf("the node at %d has %d after it, which has %d before it", at, n.right, nodes[n.right].left)
		}
	}
	if first != 1 || last != 1 {
		t.Errorf("%d nodes are the first and %d the last, want first = 1 and last = 1", first, last)
	}
}

// TestChunkIndexTwice checks that an index with the same node twice counts as damaged, because the chunks of a node are lost.
func TestChunkIndexTwice(t *testing.T) {
	path := inTemp(t, "c.h5")
	f := create(t, path)
	d, err := f.Root().CreateDataset("d", Int(8), dims(400), Options{Chunk: []uint64{1}})
	must(t, err)
	must(t, d.Write(iota64(400), Memory{}, Slab{}))
	must(t, f.Close())
	raw, err := os.ReadFile(path)
	must(t, err)
	const key, head = 4 + 4 + 2*8, 8 + 2*8
	root := bytes.Index(raw, []byte("TREE\x01\x01"))
	copy(raw[root+head+key+8+key:][:8], raw[root+head+key:])
	must(t, os.WriteFile(path, raw, 0o600))
	r, err := Open(path)
	must(t, err)
	defer r.Close()
	d, err = r.Root().Dataset("d")
	must(t, err)
	if err := d.Read(make([]byte, 400*8), Memory{}, Slab{}); err == nil || !strings.Contains(err.Error(), "leads back into itself") {
		t.Errorf("have %v", err)
	}
}

// TestOldCompound reads a compound of the first version, where each member has room for four dimensions but need not
// use them all.
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
	c := &field.Cursor{Rest: []byte(text), Widths: &field.Widths{OffsetSize: 8, LengthSize: 8}}
	got := nestedType(c, maxTypeDepth)
	must(t, c.Err)
	var have []string
	for _, m := range got.Members {
		have = append(have, fmt.Sprintf("%s at %d: %v %v of %d bytes", m.Name, m.Offset, m.Type.Class, m.Type.Dims, m.Type.Size))
	}
	want := []string{"a at 0: integer [] of 4 bytes", "b at 4: array [2] of 8 bytes", "c at 12: array [3 4] of 48 bytes"}
	if !slices.Equal(have, want) {
		t.Errorf("got %q, want %q", have, want)
	}
}

// TestOldFilters reads filters of the first version, which have names, and parameters padded to an even number.
func TestOldFilters(t *testing.T) {
	var b field.Builder
	b.U8(1, 6, 0, 0, 0, 0, 0, 0)
	for id := range uint16(6) {
		for _, v := range []uint16{id + 1, 8, id % 2, id} {
			b.U16(v)
		}
		b = append(b, "filter\x00\x00"...)
		for i := range uint32(id) {
			b.U32(10*uint32(id) + i)
		}
		if id%2 == 1 {
			b.U32(0)
		}
	}
	list, err := decodeFilters(&field.Cursor{Rest: b})
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

// TestFilterLeftOut checks that the other filters are undone if one was skipped for a chunk.
func TestFilterLeftOut(t *testing.T) {
	l := pipeline{{id: filterShuffle, params: []uint32{4}}, {id: filterDeflate, optional: true, params: []uint32{6}}}
	want := ints(4, 1, 2, 3)
	got, err := l.undo(shuffle(want, 4), 1<<1, len(want))
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("got % x, want % x", got, want)
	}
}

// TestHeaderGap checks that a header has its declared size, however few bytes are left after its messages.
func TestHeaderGap(t *testing.T) {
	for _, flags := range []uint8{0, 4} {
		for n := range 40 {
			o := &object{flags: flags}
			var b field.Builder
			if o.fillGap(&b, n); len(b) != n {
				t.Errorf("a gap of %d bytes is filled with %d, want %v", n, len(b), n)
			}
		}
	}
}

// rawFile returns a file with the given bytes.
func rawFile(b []byte) *File {
	return newFile(disk.New(bytes.NewReader(b), 0, uint64(len(b))))
}

// refused fails the test if an error is not the expected one.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestImplicitIndex checks that the chunks of a dataset allocated at once are contiguous and cover its largest shape;
// chunks outside the current shape are not used.
func TestImplicitIndex(t *testing.T) {
	f := rawFile(make([]byte, 1000))
	s := &storage{o: &object{f: f, disk: f.disk}, typ: Int(4), class: layoutChunked, index: indexImplicit, addr: 100,
		space: Space{Dims: []uint64{5, 3}, MaxDims: []uint64{6, 6}}, chunk: []uint64{2, 3}, grid: []uint64{3, 1}}
	must(t, s.loadChunks())
	var have []string
	for n, ref := range s.chunks {
		have = append(have, fmt.Sprint(n, " at ", ref.addr, " ", ref.size, " ", ref.mask))
	}
	slices.Sort(have)
	if want := []string{"0 at 100 24 0", "1 at 148 24 0", "2 at 196 24 0"}; !slices.Equal(have, want) {
		t.Errorf("got %q, want %q", have, want)
	}
	for _, c := range []struct {
		max  uint64
		want string
	}{{1 << 20, "chunks are outside the file"}, {1 << 63, "dataset has too many chunks"}} {
		s.chunks, s.space.MaxDims = nil, []uint64{6, c.max}
		refused(t, s.loadChunks(), c.want)
		if s.chunks != nil {
			t.Error("a broken index is kept")
		}
	}
	s.grid = []uint64{1 << 40, 1 << 40}
	refused(t, s.loadChunks(), "dataset has too many chunks")

	// A single chunk may be written without its size.
	single := &storage{o: &object{f: f, disk: f.disk}, typ: Int(4), class: layoutChunked, index: indexSingle, addr: 100, single: chunkRef{size: field.Undefined},
		space: Space{Dims: []uint64{2, 2}}, chunk: []uint64{2, 2}, grid: []uint64{1, 1}}
	must(t, single.loadChunks())
	if ref := single.chunks[0]; len(single.chunks) != 1 || ref.addr != 100 || ref.size != 16 {
		t.Errorf("the chunk is %+v, want len(single.chunks) = 1, ref.addr = 100 and ref.size = 16", single.chunks)
	}
}

// TestExtensibleIndex checks that an extensible array numbers chunks by the shape without its unlimited dimension;
// chunks outside the current shape are not used.
func TestExtensibleIndex(t *testing.T) {
	const head = 8 // where the array begins
	b := make(field.Builder, head)
	sum := func(from int) { b.U32(field.Checksum(b[from:])) }
	b.Str("EAHD")
	b.U8(0, 0, 8, 1, 6, 1, 1, 0) // six elements of 8 bytes in the first block, and no other block
	b.Zeros(4 * 8)
	b.U64(6)
	b.Zeros(8)
	block := len(b) + 8 + 4
	b.U64(uint64(block))
	sum(head)
	b.Str("EAIB")
	b.U8(0, 0)
	b.U64(head)
	for i := range uint64(6) {
		b.U64(1000 + i)
	}
	b.Zeros(2 * 8)
	sum(block)
	f := rawFile(b)
	s := &storage{o: &object{f: f, disk: f.disk}, typ: Int(4), class: layoutChunked, index: indexExtensibleArray, addr: head,
		space: Space{Dims: []uint64{5}, MaxDims: []uint64{Unlimited}}, chunk: []uint64{1}, grid: []uint64{5}}
	must(t, s.loadChunks())
	for n := range uint64(5) {
		if ref := s.chunks[n]; len(s.chunks) != 5 || ref.addr != 1000+n || ref.size != 4 {
			t.Errorf("chunk %d of %d is %+v, want len(s.chunks) = 5, ref.addr = %v and ref.size = 4", n, len(s.chunks), ref, 1000+n)
		}
	}
	s.chunks, s.space.MaxDims = nil, []uint64{5}
	refused(t, s.loadChunks(), "extensible array for a dataset without unlimited dimension")
}

// TestSharedMessages reads a message shared from the header of another object, in each version of the message.
func TestSharedMessages(t *testing.T) {
	path := inTemp(t, "s.h5")
	w := create(t, path)
	_, err := w.Root().CreateDataset("d", Int(4), dims(2), Options{})
	must(t, err)
	must(t, w.Close())
	f := reopen(t, path)
	o := mustObject(t, f.Root(), "d")
	want, _, err := o.find(msgDatatype)
	must(t, err)
	at := binary.LittleEndian.AppendUint64(nil, o.addr)
	for _, body := range [][]byte{
		append([]byte{1, 0, 0, 0, 0, 0, 0, 0}, at...),
		append([]byte{2, 0}, at...),
		append([]byte{3, 2}, at...),
	} {
		if got, err := f.unshare(msgDatatype, flagShared, body); err != nil || !bytes.Equal(got, want) {
			t.Errorf("version %d: % x, %v", body[0], got, err)
		}
	}
	if got, err := f.unshare(msgDatatype, 0, []byte("own")); err != nil || string(got) != "own" {
		t.Errorf("%q, %v", got, err)
	}
	for want, body := range map[string][]byte{
		"shared message has version 3 and place 7, which are unknown":     append([]byte{3, 7}, at...),
		"shared message has version 4 and place 2, which are unknown":     append([]byte{4, 2}, at...),
		"message is shared, but the file has no table of shared messages": append([]byte{3, 1}, at...),
		"structure ends too early":                                        {2, 0, 1},
		"outside the file":                                                append([]byte{2, 0}, "\xff\xff\xff\x00\x00\x00\x00\x00"...),
	} {
		_, err := f.unshare(msgDatatype, flagShared, body)
		refused(t, err, want)
	}
	_, err = f.unshare(msgAttribute, flagShared, append([]byte{2, 0}, at...))
	refused(t, err, "message is shared from an object that does not have it")
	for _, kind := range []uint16{msgLayout, msgDatatype, msgDataspace, msgFilters, msgFill} {
		f := reopen(t, path)
		o := mustObject(t, f.Root(), "d")
		o.set(kind, flagShared, append([]byte{3, 7}, at...))
		refused(t, o.load(), "shared message has version 3 and place 7")
	}
}

// TestOldArrayType reads arrays of the second version, which have an unused permutation of their dimensions.
func TestOldArrayType(t *testing.T) {
	number := "\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00"
	decode := func(text string) (Type, error) {
		c := &field.Cursor{Rest: []byte(text), Widths: &field.Widths{OffsetSize: 8, LengthSize: 8}}
		typ := nestedType(c, maxTypeDepth)
		return typ, c.Err
	}
	old := "\x2a\x00\x00\x00\x18\x00\x00\x00" + "\x02\x00\x00\x00" + "\x02\x00\x00\x00\x03\x00\x00\x00" + "\x00\x00\x00\x00\x01\x00\x00\x00" + number
	if got, err := decode(old); err != nil || !got.Equal(ArrayOf(Int(4), 2, 3)) {
		t.Errorf("%v, %v", got, err)
	}
	for want, text := range map[string]string{
		"array type has 0 dimensions":          "\x3a\x00\x00\x00\x18\x00\x00\x00\x00" + number,
		"array type has 33 dimensions":         "\x3a\x00\x00\x00\x18\x00\x00\x00\x21" + number,
		"array type has 20 bytes, expected 24": "\x3a\x00\x00\x00\x14\x00\x00\x00" + "\x02" + "\x02\x00\x00\x00\x03\x00\x00\x00" + number,
		"type is of unknown class 11":          "\x1b\x00\x00\x00\x18\x00\x00\x00",
		"structure ends too early":             old[:20],
	} {
		_, err := decode(text)
		refused(t, err, want)
	}
}
