package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
)

// rawFile returns a file with the given bytes.
func rawFile(b []byte) *disk.File { return disk.New(bytes.NewReader(b), 0, uint64(len(b))) }

// refused fails the test if an error is not the expected one.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestGlobalHeap finds the objects of a global heap after its header by their numbers.
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
	f := rawFile(b)
	values := Values{File: f}
	heap, err := values.heap(at)
	must(t, err)
	if len(heap) != 2 || string(heap[1]) != "first" || string(heap[7]) != "another one" {
		t.Errorf("the heap has %v, want len(heap) = 2, heap[1] = %q and heap[7] = %q", heap, "first", "another one")
	}
}

// TestExtensibleArrayHole checks that a block that was never written still counts, so that
// later elements keep their numbers.
func TestExtensibleArrayHole(t *testing.T) {
	a := &extArray{array: array{f: rawFile(nil)}, used: 20, next: 4}
	must(t, a.dataBlock(field.Undefined, 8, nil))
	if a.next != 12 {
		t.Errorf("the element after a hole of 8 from 4 on has number %d, want 12", a.next)
	}
	a.used = 12
	must(t, a.dataBlock(0, 8, nil)) // nothing is read after the last element
	if a.next != 20 {
		t.Errorf("the element after the unused block has number %d, want 20", a.next)
	}
}

// TestFractalHeapBlocks finds an object through nested blocks, each with as many rows as its
// size needs, even a single one.
func TestFractalHeapBlocks(t *testing.T) {
	b := make([]byte, 16)
	indirect := func(blocks ...uint64) (at uint64) {
		at = uint64(len(b))
		b = append(b, "FHIB\x00"...)
		b = append(b, make([]byte, 8+2)...) // the heap, and the offset of the block
		for _, block := range blocks {
			b = binary.LittleEndian.AppendUint64(b, block)
		}
		b = binary.LittleEndian.AppendUint32(b, field.Checksum(b[at:]))
		return at
	}
	direct := uint64(len(b))
	b = append(b, "FHDB....an object....."...)
	inner := indirect(field.Undefined, direct)
	root := indirect(field.Undefined, field.Undefined, field.Undefined, field.Undefined, inner, field.Undefined)
	f := rawFile(b)
	// Rows of two blocks: of 16 bytes, of 16 bytes, and of 32 bytes, which consist of two of 16
	// bytes again.
	h := &FractalHeap{f: f, width: 2, start: 16, maxDirect: 16, offBytes: 2, root: root, rows: 3, indirect: map[uint64]*field.Cursor{}}
	if p, err := h.managed(64+16+8, 9); err != nil || string(p) != "an object" {
		t.Errorf("%q, %v", p, err)
	}
	for _, at := range []uint64{0, 64, 96, 128} {
		if p, err := h.managed(at, 9); err == nil {
			t.Errorf("there is %q at %d, want one", p, at)
		}
	}
}

// TestExtensibleArrayPages reads a large block, which is divided into pages with checksums.
// Pages that were never written are holes.
func TestExtensibleArrayPages(t *testing.T) {
	const block = 8
	b := make([]byte, block)
	sum := func(from int) { b = binary.LittleEndian.AppendUint32(b, field.Checksum(b[from:])) }
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
	b = append(b, 0b10100000) // the second of three pages was never written
	b = binary.LittleEndian.AppendUint64(b, block)
	sum(super)
	var have []string
	put := func(number, addr, _ uint64, _ uint32) { have = append(have, fmt.Sprint(number, " at ", addr)) }
	read := func(damage int) (*extArray, error) {
		raw := bytes.Clone(b)
		if damage >= 0 {
			raw[damage] ^= 1
		}
		a := &extArray{array: array{f: rawFile(raw), size: 8, put: put}, used: 6, pageBits: 1, offBytes: 2}
		return a, a.superBlock(uint64(super), 1, 6)
	}
	a, err := read(-1)
	must(t, err)
	if want := []string{"0 at 0", "1 at 1", "4 at 2000", "5 at 2001"}; !slices.Equal(have, want) || a.next != 6 {
		t.Errorf("got %q, want %q; the next is %d", have, want, a.next)
	}
	for what, at := range map[string]int{"the head of the block": block + 6, "a page": block + 20, "the last page": super - 10, "the block of blocks": super + 6} {
		if _, err := read(at); err == nil {
			t.Errorf("%s is damaged, and read; want one", what)
		}
	}
	a, _ = read(-1)
	refused(t, a.superBlock(uint64(super), 1<<40, 6), "extensible array is larger than the file")
}

// TestFractalHeapObjects checks that small objects are stored in their ID, and large ones
// outside the heap's blocks.
func TestFractalHeapObjects(t *testing.T) {
	f := rawFile([]byte("........a huge object..."))
	short := &FractalHeap{f: f, idLen: 18, root: field.Undefined}
	long := &FractalHeap{f: f, idLen: 30, root: field.Undefined}
	huge := append([]byte{1 << 4}, "\x08\x00\x00\x00\x00\x00\x00\x00\x0d\x00\x00\x00\x00\x00\x00\x00"...)
	far := append([]byte{1 << 4}, "\x08\x00\x00\x00\x00\x00\x00\x00\x0d\x01\x00\x00\x00\x00\x00\x00"...)
	for _, c := range []struct {
		heap       *FractalHeap
		id         string
		want, fail string
	}{
		{short, string([]byte{2<<4 | 2}) + "abcdef", "abc", ""},
		{long, string([]byte{2 << 4, 3}) + "abcdef", "abcd", ""},
		{short, string([]byte{2<<4 | 9}) + "abc", "", "structure ends too early"},
		{short, string(huge), "a huge object", ""},
		{short, string(far), "", "object is larger than the file"},
		{short, string(huge[:9]), "", "structure ends too early"},
		{&FractalHeap{f: f, idLen: 18, filtered: true}, string(huge), "", "fractal heap has filters, which is not supported"},
		{short, "\x30abc", "", "fractal heap has an object of unknown kind"},
		{short, "", "", "structure ends too early"},
		{short, "\x00", "", "object is outside its fractal heap"},
	} {
		p, err := c.heap.Object([]byte(c.id))
		if c.fail != "" {
			refused(t, err, c.fail)
		} else if err != nil || string(p) != c.want {
			t.Errorf("%q is %q, %v, want %q", c.id, p, err, c.want)
		}
	}
	greedy := &FractalHeap{f: f, idLen: 18, root: field.Undefined}
	var err error
	for range 3 {
		_, err = greedy.Object(huge)
	}
	refused(t, err, "objects of a fractal heap overlap")
}
