package results

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/pentode-dev/pentode/core/downsample"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// Limits on the parts of a dataset read for one answer.
const (
	maxRead    = 8 << 20   // elements to read
	maxPiece   = 1 << 20   // elements in memory at a time
	maxStored  = 128 << 20 // bytes of a chunk: reading any element reads its whole chunk
	maxPieces  = 1 << 20   // chunks of a dataset, because their addresses are read first
	runLength  = 4 << 10   // elements read at once from a dataset without chunks
	apart      = 16        // how much more reading an isolated element costs than reading one of many consecutive elements
	tableRows  = 100
	tableCells = 25
)

// Slice is a box of a dataset that is longer than one element along at most two axes.
type Slice struct {
	set    *hdf5.Dataset
	member string // a member of a record; empty: the element itself
	at     hdf5.Slab
	axes   [2]int // the slow and the fast axis; -1: none
}

func newSlice(d *hdf5.Dataset, member, at, count string) (*Slice, error) {
	dims := d.Space().Dims
	x := &Slice{set: d, member: member, axes: [2]int{-1, -1}}
	if d.Space().Null {
		return nil, fmt.Errorf("the dataset has no elements")
	}
	var ok, counted bool
	x.at.Start, ok = indexes(at, len(dims))
	x.at.Count, counted = indexes(count, len(dims))
	if !ok || !counted {
		return nil, guard.BadRequest(fmt.Sprintf("`at` and `count` take %d whole numbers with commas between them, one for each axis", len(dims)))
	}
	long := 0
	for i, n := range x.at.Count {
		if n == 0 || x.at.Start[i] >= dims[i] || n > dims[i]-x.at.Start[i] {
			return nil, guard.BadRequest(fmt.Sprintf("axis %d has the elements 0 to %d, but %d from %d on were requested", i, int64(dims[i])-1, n, x.at.Start[i]))
		}
		if n > 1 {
			long++
			x.axes[0], x.axes[1] = x.axes[1], i
		}
	}
	if long > 2 {
		return nil, guard.BadRequest(fmt.Sprintf("%d axes are longer than one element, but only two can be shown", long))
	}
	return x, x.readable()
}

// readable refuses a dataset if reading a single element takes too much memory.
func (x *Slice) readable() error {
	chunk := x.set.Chunk()
	if chunk == nil {
		return nil
	}
	size, pieces := uint64(x.set.Type().Size), uint64(1)
	for i, n := range x.set.Space().Dims {
		size *= chunk[i] // at most 1 GiB, else the file would have been refused
		along := (n + chunk[i] - 1) / chunk[i]
		if along > maxPieces {
			along = maxPieces + 1
		}
		pieces = min(pieces*along, maxPieces+1)
	}
	if size > maxStored {
		return fmt.Errorf("the dataset is stored in chunks of %d bytes, and the page reads chunks of at most %d", size, maxStored)
	}
	if pieces > maxPieces {
		return fmt.Errorf("the dataset is stored in more than %d chunks, too many for the page", maxPieces)
	}
	return nil
}

// long returns the number of elements along the slow (0) or the fast (1) axis.
func (x *Slice) long(axis int) uint64 {
	if x.axes[axis] < 0 {
		return 1
	}
	return x.at.Count[x.axes[axis]]
}

// begin returns the first element along an axis.
func (x *Slice) begin(axis int) uint64 {
	if x.axes[axis] < 0 {
		return 0
	}
	return x.at.Start[x.axes[axis]]
}

// box returns a part of the slice, given by its elements along both axes.
func (x *Slice) box(slow, fast span) hdf5.Slab {
	s := hdf5.Slab{Start: slices.Clone(x.at.Start), Count: slices.Clone(x.at.Count)}
	for i, part := range [2]span{slow, fast} {
		if axis := x.axes[i]; axis >= 0 {
			s.Start[axis], s.Count[axis] = x.at.Start[axis]+part.from, part.to-part.from
		}
	}
	return s
}

// drawable reports whether elements can be converted to floats.
func drawable(t hdf5.Type) bool {
	switch t.Class {
	case hdf5.Integer, hdf5.Float, hdf5.Enum:
		return t.Size <= 8
	}
	return false
}

// number returns the type in memory of elements to draw.
func (x *Slice) number() (hdf5.Memory, error) {
	t := x.set.Type()
	if x.member == "" && drawable(t) {
		return hdf5.Memory{Type: hdf5.IEEE(8)}, nil
	}
	for _, m := range t.Members {
		if m.Name == x.member && drawable(m.Type) {
			return hdf5.Memory{Type: hdf5.Struct(8, hdf5.Member{Name: m.Name, Type: hdf5.IEEE(8)})}, nil
		}
	}
	if x.member != "" {
		return hdf5.Memory{}, fmt.Errorf("elements have no numeric member `%s`", x.member)
	}
	return hdf5.Memory{}, fmt.Errorf("elements of %s cannot be drawn as numbers", typeText(t))
}

// read reads a part of the slice as numbers.
func (x *Slice) read(mem hdf5.Memory, slow, fast span, into []float64, room []byte) error {
	n := len(into)
	if err := x.set.Read(room[:8*n], mem, x.box(slow, fast)); err != nil {
		return fmt.Errorf("the elements cannot be read: %w", err)
	}
	for i := range into {
		into[i] = math.Float64frombits(binary.LittleEndian.Uint64(room[8*i:]))
	}
	return nil
}

// span is a range of elements along an axis, counted from the beginning of the slice.
type span struct{ from, to uint64 }

// stored describes how the slice is stored: block is the number of elements along each axis that are read at a time, and cost is the
// cost of reading them, in elements.
func (x *Slice) stored() (block [2]uint64, cost uint64) {
	if chunk := x.set.Chunk(); chunk != nil {
		block, cost = [2]uint64{1, 1}, 1
		for _, n := range chunk {
			cost *= n
		}
		for i, axis := range x.axes {
			if axis >= 0 {
				block[i] = chunk[axis]
			}
		}
		return block, cost
	}
	n := min(x.long(1), runLength)
	block = [2]uint64{min(x.long(0), runLength/n), n}
	for _, n := range x.set.Space().Dims[x.axes[1]+1:] {
		if n > 1 {
			return block, block[0] * block[1] * apart
		}
	}
	return block, block[0] * block[1]
}

// picks are the blocks to read along an axis, and the number of cells to make from them.
type picks struct {
	spans []span
	cells int
	all   bool
	long  uint64
}

// cell returns the cell of an element of a block.
func (p *picks) cell(block int, at uint64) int {
	if p.all {
		return int(at * uint64(p.cells) / p.long)
	}
	return block * p.cells / len(p.spans)
}

// blocksOf divides an axis into the blocks of the file, and picks at most `most` of them, evenly spaced.
func blocksOf(begin, long, block, most uint64) picks {
	first := begin / block
	count := (begin+long-1)/block - first + 1
	taken := min(count, most)
	p := picks{all: taken == count, long: long, cells: int(min(long, downsample.MaxCells))}
	if !p.all {
		p.cells = int(min(taken, downsample.MaxCells))
	}
	for i := range taken {
		b := first + i*count/taken
		from, to := max(b*block, begin), min((b+1)*block, begin+long)
		p.spans = append(p.spans, span{from - begin, to - begin})
	}
	return p
}

// plan chooses the blocks of a slice to read: all of them, or, if that is too much, evenly spaced ones.
func plan(begin, long, block [2]uint64, cost uint64) (slow, fast picks) {
	count := func(i int) uint64 { return (begin[i]+long[i]-1)/block[i] - begin[i]/block[i] + 1 }
	rows, columns := count(0), count(1)
	budget := max(1, maxRead/cost) // blocks
	if rows > budget || columns > budget || rows*columns > budget {
		side := max(1, uint64(math.Sqrt(float64(budget))))
		switch {
		case rows <= side:
			columns = budget / rows
		case columns <= side:
			rows = budget / columns
		default:
			rows, columns = side, side
		}
	}
	return blocksOf(begin[0], long[0], block[0], rows), blocksOf(begin[1], long[1], block[1], columns)
}

// Draw reads a slice, or the difference of two slices of the same shape, as a curve or a map.
func Draw(ctx context.Context, a, b *Slice, as string) (*downsample.Drawing, error) {
	if as != "curve" && as != "map" {
		return nil, guard.BadRequest("`as` takes `curve`, `map` or `table`")
	}
	out := &downsample.Drawing{Shape: [2]uint64{a.long(0), a.long(1)}}
	if as == "curve" && out.Shape[0] > 1 {
		return nil, guard.BadRequest("a curve needs one axis, but two axes are longer than one element")
	}
	mem, err := a.number()
	if err != nil {
		return nil, err
	}
	block, cost := a.stored()
	begin := [2]uint64{a.begin(0), a.begin(1)}
	var minus hdf5.Memory
	if b != nil {
		if b.long(0) != a.long(0) || b.long(1) != a.long(1) {
			return nil, fmt.Errorf("the two slices have %d × %d and %d × %d elements", a.long(0), a.long(1), b.long(0), b.long(1))
		}
		if minus, err = b.number(); err != nil {
			return nil, err
		}
		if block, cost, err = together(a, b); err != nil {
			return nil, err
		}
	}
	slow, fast := plan(begin, out.Shape, block, cost)
	out.Cells = [2]int{slow.cells, fast.cells}
	sum := downsample.NewSums(slow.cells * fast.cells)
	var values, others []float64
	var room []byte
	var cells []int // of the columns of a portion
	for i, rows := range slow.spans {
		for j, columns := range fast.spans {
			for part, across := range portions(rows, columns) {
				if err := ctx.Err(); err != nil {
					return nil, err // the client is gone
				}
				n := int((part.to - part.from) * (across.to - across.from))
				values, others, room = grown(values, n), grown(others, n), grown(room, 8*n)
				if err := a.read(mem, part, across, values, room); err != nil {
					return nil, err
				}
				if b != nil {
					if err := b.read(minus, part, across, others, room); err != nil {
						return nil, err
					}
					for k, v := range others {
						values[k] -= v
					}
				}
				cells = cells[:0]
				for column := across.from; column < across.to; column++ {
					cells = append(cells, fast.cell(j, column))
				}
				rest := values
				for row := part.from; row < part.to; row++ {
					line := slow.cell(i, row) * fast.cells
					for k, cell := range cells {
						sum.Add(line+cell, rest[k])
					}
					rest = rest[len(cells):]
				}
			}
		}
	}
	sum.Into(out, as == "map")
	return out, nil
}

// Table holds the first elements of a slice as texts, with all their digits.
type Table struct {
	Shape [2]uint64  `json:"shape"`
	Heads []string   `json:"heads,omitempty"` // the members of a record; none: columns are elements
	Rows  [][]string `json:"rows"`
}

// Table reads elements as a table. Elements along a single axis are rows, with the members of a record as columns.
func (x *Slice) Table() (*Table, error) {
	out := &Table{Shape: [2]uint64{x.long(0), x.long(1)}, Rows: [][]string{}}
	slow, fast := span{0, min(x.long(0), tableRows)}, span{0, min(x.long(1), tableCells)}
	line := x.axes[0] < 0
	if line {
		fast.to = min(x.long(1), tableRows)
	}
	t, p, err := x.elements(x.box(slow, fast), int(slow.to*fast.to))
	if err != nil {
		return nil, fmt.Errorf("the elements cannot be read: %w", err)
	}
	if line && t.Class == hdf5.Compound {
		for _, m := range t.Members[:min(len(t.Members), tableCells)] {
			out.Heads = append(out.Heads, m.Name)
		}
	}
	for i := range slow.to * fast.to {
		element := p[i*uint64(t.Size):]
		switch {
		case out.Heads != nil:
			var row []string
			for _, m := range t.Members[:len(out.Heads)] {
				row = append(row, valueText(m.Type, element[m.Offset:], 1))
			}
			out.Rows = append(out.Rows, row)
		case line || i%fast.to == 0:
			out.Rows = append(out.Rows, []string{valueText(t, element, 0)})
		default:
			last := len(out.Rows) - 1
			out.Rows[last] = append(out.Rows[last], valueText(t, element, 0))
		}
	}
	return out, nil
}

// elements reads some elements in a plain type.
func (x *Slice) elements(at hdf5.Slab, n int) (hdf5.Type, []byte, error) {
	t := plainly(x.set.Type())
	if !t.VarText() {
		if uint64(n)*uint64(t.Size) > maxStored || t.Size <= 0 {
			return t, nil, fmt.Errorf("each has %d bytes, too many to show", t.Size)
		}
		p := make([]byte, n*t.Size)
		return t, p, x.set.Read(p, hdf5.Memory{Type: t}, at)
	}
	var err error
	for size := 64; size <= 16<<10; size *= 16 { // their length is not known in advance
		t = hdf5.Text(size, hdf5.NullTerm)
		p := make([]byte, n*size)
		if err = x.set.Read(p, hdf5.Memory{Type: t}, at); err == nil {
			return t, p, nil
		}
	}
	return t, nil, err
}

// together returns the blocks for reading two slices at once: each block has whole chunks of both, so that no chunk is read twice.
func together(a, b *Slice) (block [2]uint64, cost uint64, err error) {
	one, first := a.stored()
	two, second := b.stored()
	if one == two && a.begin(0)%one[0] == b.begin(0)%one[0] && a.begin(1)%one[1] == b.begin(1)%one[1] {
		return one, first + second, nil
	}
	block = [2]uint64{max(one[0], two[0]), max(one[1], two[1])}
	if block[0] > maxPiece || block[1] > maxPiece || block[0]*block[1] > maxPiece {
		return block, 0, fmt.Errorf("the chunks of the two datasets differ too much in shape to read them together")
	}
	chunks := func(x [2]uint64) uint64 { return (block[0]/x[0] + 1) * (block[1]/x[1] + 1) }
	return block, chunks(one)*first + chunks(two)*second, nil
}

// portions divides a block into parts that fit into memory.
func portions(rows, columns span) func(func(span, span) bool) {
	return func(yield func(span, span) bool) {
		wide := min(columns.to-columns.from, maxPiece)
		high := max(1, maxPiece/wide)
		for r := rows.from; r < rows.to; r += high {
			for c := columns.from; c < columns.to; c += wide {
				if !yield(span{r, min(r+high, rows.to)}, span{c, min(c+wide, columns.to)}) {
					return
				}
			}
		}
	}
}

func grown[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}
