package timeline

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"sync"
)

// An index file consists of the leaves, the nodes of the leaves for each lane, the arrows, the head as JSON, and the offsets of these parts.
//
//	leaf … │ nodes │ arrows │ head │ nodesAt arrowsAt headAt magic
const (
	magic       = 0x3230_454c_5445_4950 // includes the version of the format
	trailerSize = 4 * 8
	nodeSize    = 6*8 + 4*4
	arrowSize   = 3*8 + 2*4 + 4
	maxHead     = 256 << 20
	maxArea     = 1 << 96 // more than the largest value multiplied by the longest time
)

// ErrDamaged is the error if a file is not a complete index in this format.
var ErrDamaged = errors.New("the index of the time line is damaged")

// source is a file opened for reading.
type source interface {
	io.ReaderAt
	io.Closer
}

// writer appends to a file; several goroutines may use it.
type writer struct {
	mu  sync.Mutex
	to  *bufio.Writer
	at  int64
	err error
}

func (w *writer) write(b []byte) (at int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at = w.at
	if w.err == nil {
		var n int
		n, w.err = w.to.Write(b)
		w.at += int64(n)
	}
	return at, w.err
}

// leaf writes spans, each relative to the previous one, and returns their node.
func (w *writer) leaf(spans []Span, values bool, room []byte) (node, []byte, error) {
	n := node{begin: spans[0].Begin, end: spans[len(spans)-1].End, spans: uint32(len(spans))}
	room = room[:0]
	last := n.begin
	for i := range spans {
		s := &spans[i]
		room = binary.AppendUvarint(room, uint64(s.Begin-last))
		room = binary.AppendUvarint(room, uint64(s.End-s.Begin))
		room = binary.AppendUvarint(room, uint64(s.Label))
		last = s.End
	}
	if values {
		n.measure(spans)
	} else {
		n.weigh(spans)
	}
	n.size = uint32(len(room))
	var err error
	n.at, err = w.write(room)
	return n, room, err
}

// weigh sums up frames, and finds the label with the most time. Few leaves have many different labels.
func (n *node) weigh(spans []Span) {
	var found [leafSize]uint32
	var sums [leafSize]int64
	labels, best := 0, 0
	for _, s := range spans {
		n.busy += s.End - s.Begin
		n.labels |= bit(s.Label)
		i := 0
		for i < labels && found[i] != s.Label {
			i++
		}
		if i == labels {
			found[i] = s.Label
			labels++
		}
		if sums[i] += s.End - s.Begin; sums[i] > sums[best] {
			best = i
		}
	}
	n.label = found[best]
}

// measure sums up values, and finds the smallest and the largest.
func (n *node) measure(values []Span) {
	n.low = math.MaxUint32
	for _, s := range values {
		n.area += float64(s.Label) * float64(s.End-s.Begin)
		n.low, n.label = min(n.low, s.Label), max(n.label, s.Label)
	}
}

// end writes the parts after the leaves.
func (w *writer) end(h *Head, arrows []Arrow) error {
	var places []uint64
	var room []byte
	begin := func() { places = append(places, uint64(w.at)) }
	begin()
	for _, t := range h.Tracks {
		for _, l := range t.Lanes {
			room = room[:0]
			for i := range l.levels[0] {
				room = l.levels[0][i].append(room)
			}
			w.write(room) // the last write returns the error of any write
		}
	}
	begin()
	room = room[:0]
	for i := range arrows {
		room = arrows[i].append(room)
	}
	w.write(room)
	begin()
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	w.write(head)
	room = room[:0]
	for _, v := range append(places, magic) {
		room = binary.LittleEndian.AppendUint64(room, v)
	}
	if _, err := w.write(room); err != nil {
		return err
	}
	return w.to.Flush()
}

func (n *node) append(b []byte) []byte {
	for _, v := range [...]uint64{uint64(n.begin), uint64(n.end), uint64(n.busy), n.labels, uint64(n.at), math.Float64bits(n.area)} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, v := range [...]uint32{n.spans, n.label, n.size, n.low} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func (n *node) read(b []byte) {
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	small := func(i int) uint32 { return binary.LittleEndian.Uint32(b[48+4*i:]) }
	*n = node{begin: number(0), end: number(1), busy: number(2), labels: uint64(number(3)), at: number(4), spans: small(0), label: small(1), size: small(2), low: small(3),
		area: math.Float64frombits(uint64(number(5)))}
}

// Open opens an index with the given number of bytes. Closing the index closes the file.
func Open(file interface {
	io.ReaderAt
	io.Closer
}, size int64) (*Index, error) {
	x := &Index{file: file}
	trailer := make([]byte, trailerSize)
	if _, err := file.ReadAt(trailer, size-trailerSize); size < trailerSize || err != nil {
		return nil, ErrDamaged
	}
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(trailer[8*i:])) }
	nodes, arrows, head, end := number(0), number(1), number(2), size-trailerSize
	if number(3) != magic || nodes < 0 || arrows < nodes || head < arrows || end < head || end-head > maxHead {
		return nil, ErrDamaged
	}
	text := make([]byte, end-head)
	if _, err := file.ReadAt(text, head); err != nil || json.Unmarshal(text, &x.Head) != nil {
		return nil, ErrDamaged
	}
	in := bufio.NewReaderSize(io.NewSectionReader(file, nodes, head-nodes), 1<<18)
	left := (arrows - nodes) / nodeSize
	for _, t := range x.Tracks {
		for _, l := range t.Lanes {
			if left -= int64(l.Leaves); l.Leaves <= 0 || left < 0 {
				return nil, ErrDamaged
			}
			if err := l.read(in, nodes, len(x.Labels)); err != nil {
				return nil, err
			}
		}
	}
	if left != 0 || int64(x.Messages.Arrows)*arrowSize != head-arrows {
		return nil, ErrDamaged
	}
	return x, x.readArrows(in)
}

// read reads the nodes of a lane's leaves, which must be before end, and makes the levels above them.
func (l *Lane) read(in io.Reader, end int64, labels int) error {
	if l.Counter != nil {
		if int(l.Counter.Label) >= labels {
			return ErrDamaged
		}
		labels = math.MaxUint32 + 1
	}
	leaves := make([]node, l.Leaves)
	b := make([]byte, nodeSize)
	spans, last := uint64(0), int64(math.MinInt64)
	for i := range leaves {
		if _, err := io.ReadFull(in, b); err != nil {
			return ErrDamaged
		}
		n := &leaves[i]
		n.read(b)
		full := n.spans == leafSize || i == len(leaves)-1 && n.spans > 0 && n.spans < leafSize
		if !full || n.begin < last || n.end < n.begin || n.at < 0 || n.size > 30*leafSize || n.at > end-int64(n.size) || int(n.label) >= labels || !(n.area >= 0 && n.area < maxArea) {
			return ErrDamaged
		}
		spans, last = spans+uint64(n.spans), n.end
	}
	if spans != l.Spans {
		return ErrDamaged
	}
	l.levels = [][]node{leaves}
	l.grow()
	return nil
}

// Close closes the file of the index.
func (x *Index) Close() error { return x.file.Close() }

// leaf reads the spans of a leaf.
func (x *Index) leaf(l *Lane, n *node, room *[]byte, spans *[leafSize]Span) ([]Span, error) {
	if cap(*room) < int(n.size) {
		*room = make([]byte, 30*leafSize)
	}
	b := (*room)[:n.size]
	if _, err := x.file.ReadAt(b, n.at); err != nil {
		return nil, ErrDamaged
	}
	labels := uint64(len(x.Labels))
	if l.Counter != nil {
		labels = math.MaxUint32 + 1
	}
	list := spans[:n.spans]
	last := n.begin
	for i := range list {
		for field := range 3 {
			v, size := uint64(b0(b)), 1
			if v >= 0x80 {
				v, size = binary.Uvarint(b)
			}
			if size <= 0 || len(b) == 0 {
				return nil, ErrDamaged
			}
			b = b[size:]
			switch field {
			case 0:
				list[i].Begin = last + int64(v)
			case 1:
				last = list[i].Begin + int64(v)
				list[i].End = last
			default:
				if v >= labels {
					return nil, ErrDamaged
				}
				list[i].Label = uint32(v)
			}
		}
	}
	return list, nil
}

func b0(b []byte) byte {
	if len(b) == 0 {
		return 0
	}
	return b[0]
}
