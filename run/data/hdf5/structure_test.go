package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
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

// An index that has the same node twice is damaged: what one of them stood for is lost.
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

// A filter that was left out for one chunk leaves those before it in place.
func TestFilterLeftOut(t *testing.T) {
	l := pipeline{{id: filterShuffle, params: []uint32{4}}, {id: filterDeflate, optional: true, params: []uint32{6}}}
	want := ints(4, 1, 2, 3)
	got, err := l.undo(shuffle(want, 4), 1<<1, len(want))
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("got % x, want % x", got, want)
	}
}

// A header has the size that it says, however few bytes are left behind its messages.
func TestHeaderGap(t *testing.T) {
	for _, flags := range []uint8{0, 4} {
		for n := range 40 {
			o := &object{flags: flags}
			var b builder
			if o.fillGap(&b, n); len(b) != n {
				t.Errorf("a gap of %d bytes is filled with %d", n, len(b))
			}
		}
	}
}

// The room in front of a header that begins on the next line is used.
func TestRoomBeforeHeader(t *testing.T) {
	f := rawFile(nil)
	f.end = lineSize - 8
	if e := f.allocHeader(64); e.addr != lineSize {
		t.Errorf("the header is at %d", e.addr)
	}
	if addr := f.alloc(8); addr != lineSize-8 {
		t.Errorf("8 bytes are put at %d, and the line has as many left", addr)
	}
}

// rawFile is a file of bytes that a test wrote itself.
func rawFile(b []byte) *File {
	f := newFile(bytes.NewReader(b), int64(len(b)))
	f.sb = superblock{offsetSize: 8, lengthSize: 8}
	f.end = uint64(len(b))
	return f
}

// refused fails the test where an error is not the one expected.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The chunks of a dataset that was allocated at once lie behind each other, as many
// as its largest shape has; those outside of the present one are not used.
func TestImplicitIndex(t *testing.T) {
	f := rawFile(make([]byte, 1000))
	s := &storage{o: &object{f: f}, typ: Int(4), class: layoutChunked, index: indexImplicit, addr: 100,
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
	single := &storage{o: &object{f: f}, typ: Int(4), class: layoutChunked, index: indexSingle, addr: 100, single: chunkRef{size: undefined},
		space: Space{Dims: []uint64{2, 2}}, chunk: []uint64{2, 2}, grid: []uint64{1, 1}}
	must(t, single.loadChunks())
	if ref := single.chunks[0]; len(single.chunks) != 1 || ref.addr != 100 || ref.size != 16 {
		t.Errorf("the chunk is %+v", single.chunks)
	}
}

// A large block of an extensible array is cut into pages, each with its checksum; those
// that were never written are holes.
func TestExtensibleArrayPages(t *testing.T) {
	const block = 8
	b := make([]byte, block)
	sum := func(from int) { b = binary.LittleEndian.AppendUint32(b, lookup3(b[from:])) }
	b = append(b, "EADB\x00\x00........\x00\x00"...) // the array, and the offset of the block
	sum(block)
	for page := range 3 {
		at := len(b)
		for i := range 2 {
			b = binary.LittleEndian.AppendUint64(b, uint64(1000*page+i))
		}
		sum(at)
	}
	super := len(b)
	b = append(b, "EASB\x00\x00........\x00\x00"...)
	b = append(b, 0b10100000) // of three pages the second was never written
	b = binary.LittleEndian.AppendUint64(b, block)
	sum(super)
	read := func(damage int) (*extArray, error) {
		raw := bytes.Clone(b)
		if damage >= 0 {
			raw[damage] ^= 1
		}
		f := rawFile(raw)
		s := &storage{o: &object{f: f}, typ: Int(4), chunks: map[uint64]chunkRef{}, space: Space{Dims: []uint64{5}, MaxDims: []uint64{Unlimited}}, chunk: []uint64{1}, grid: []uint64{5}}
		a := &extArray{s: s, used: 6, size: 8, pageBits: 1, offBytes: 2}
		must(t, a.number())
		return a, a.superBlock(uint64(super), 1, 6)
	}
	a, err := read(-1)
	must(t, err)
	var have []string
	for n, ref := range a.s.chunks {
		have = append(have, fmt.Sprint(n, " at ", ref.addr))
	}
	slices.Sort(have)
	if want := []string{"0 at 0", "1 at 1", "4 at 2000"}; !slices.Equal(have, want) || a.next != 6 {
		t.Errorf("got %q, want %q; the next is %d", have, want, a.next)
	}
	for what, at := range map[string]int{"the head of the block": block + 6, "a page": block + 20, "the last page": super - 10, "the block of blocks": super + 6} {
		if _, err := read(at); err == nil {
			t.Errorf("%s is damaged, and read", what)
		}
	}
	a, _ = read(-1)
	refused(t, a.superBlock(uint64(super), 1<<40, 6), "extensible array is larger than the file")
	refused(t, (&extArray{s: &storage{space: Space{MaxDims: []uint64{4}}}}).number(), "extensible array for a dataset without unlimited dimension")
}

// Small objects of a fractal heap are in their own number, and large ones have a place
// of their own in the file.
func TestFractalHeapObjects(t *testing.T) {
	f := rawFile([]byte("........a huge object..."))
	short := &fractalHeap{f: f, idLen: 18, root: undefined}
	long := &fractalHeap{f: f, idLen: 30, root: undefined}
	huge := append([]byte{1 << 4}, "\x08\x00\x00\x00\x00\x00\x00\x00\x0d\x00\x00\x00\x00\x00\x00\x00"...)
	far := append([]byte{1 << 4}, "\x08\x00\x00\x00\x00\x00\x00\x00\x0d\x01\x00\x00\x00\x00\x00\x00"...)
	for _, c := range []struct {
		heap       *fractalHeap
		id         string
		want, fail string
	}{
		{short, string([]byte{2<<4 | 2}) + "abcdef", "abc", ""},
		{long, string([]byte{2 << 4, 3}) + "abcdef", "abcd", ""},
		{short, string([]byte{2<<4 | 9}) + "abc", "", "structure ends too early"},
		{short, string(huge), "a huge object", ""},
		{short, string(far), "", "object is larger than the file"},
		{short, string(huge[:9]), "", "structure ends too early"},
		{&fractalHeap{f: f, idLen: 18, filtered: true}, string(huge), "", "fractal heap has filters, which is not supported"},
		{short, "\x30abc", "", "fractal heap has an object of unknown kind"},
		{short, "", "", "structure ends too early"},
		{short, "\x00", "", "object is outside its fractal heap"},
	} {
		p, err := c.heap.object([]byte(c.id))
		if c.fail != "" {
			refused(t, err, c.fail)
		} else if err != nil || string(p) != c.want {
			t.Errorf("%q is %q, %v, want %q", c.id, p, err, c.want)
		}
	}
	greedy := &fractalHeap{f: f, idLen: 18, root: undefined}
	var err error
	for range 3 {
		_, err = greedy.object(huge)
	}
	refused(t, err, "objects of a fractal heap overlap")
}

// A message that is shared is in the header of another object, wherever its version says so.
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
		"shared message has version 3 and place 7, which is not known":    append([]byte{3, 7}, at...),
		"shared message has version 4 and place 2, which is not known":    append([]byte{4, 2}, at...),
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

// Arrays of the second version have a permutation of their dimensions, which nothing uses.
func TestOldArrayType(t *testing.T) {
	number := "\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00"
	decode := func(text string) (Type, error) {
		c := &cursor{b: []byte(text), sb: &superblock{offsetSize: 8, lengthSize: 8}}
		typ := decodeType(c, maxTypeDepth)
		return typ, c.err
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

// An address of a file with narrow addresses is undefined where all of its bits are set.
func TestNarrowAddresses(t *testing.T) {
	c := &cursor{b: []byte("\xff\xff\xff\xff\xfe\xff\xff\xff"), sb: &superblock{offsetSize: 4, lengthSize: 4}}
	if a, b := c.addr(), c.addr(); a != undefined || b != 0xfffffffe {
		t.Errorf("%#x, %#x", a, b)
	}
}
