package heat

import (
	"fmt"

	"github.com/pentode-dev/pentode/run/flow"
)

// maxCells bounds the memory that a pipeline can ask for.
const maxCells = 1 << 26

func heatType() *flow.Type {
	return &flow.Type{
		Name: "heat",
		New:  func() flow.Process { return &solver{} },
		Doc: "Solves the heat equation on a plate: heat spreads from hot spots, the border is insulated. " +
			"A plate can be one part of several; each part has its own hot spots.",
		Out: []flow.Port{
			{Name: "field", Type: FieldType, Flags: flow.Shared, Here: true, Doc: "The temperatures."},
			{Name: "step", Type: "integer", Doc: "The number of the time step, counted from 0."},
			{Name: "time", Type: "double", Doc: "The simulated time in seconds."},
		},
		Keys: []flow.Key{
			{Name: "rows", Kind: flow.Unsigned, Default: "96", Doc: "Rows of the plate."},
			{Name: "cols", Kind: flow.Unsigned, Default: "128", Doc: "Columns of the plate."},
			{Name: "steps", Kind: flow.Unsigned, Default: "400", Doc: "Time steps to compute."},
			{Name: "every", Kind: flow.Unsigned, Default: "20", Doc: "Give the field every so many steps."},
			{Name: "conductivity", Kind: flow.Double, Default: "0.2", Tunable: true, Doc: "How fast heat spreads, in cells² per step; stable up to 0.25."},
			{Name: "heat", Kind: flow.Double, Default: "100", Tunable: true, Doc: "Temperature of the hot spots."},
			{Name: "part", Kind: flow.Unsigned, Default: "0", Doc: "Which part of the plate this is."},
			{Name: "parts", Kind: flow.Unsigned, Default: "1", Doc: "How many parts the plate has."},
		},
		Judge: judgePlate,
	}
}

func judgePlate(v flow.Values) error {
	if rows, cols := v.Int("rows"), v.Int("cols"); rows < 3 || cols < 3 || rows > maxCells/cols {
		return v.Errorf("rows", "a plate of %d by %d cells cannot be computed: it has at least 3 by 3 and at most %d cells", rows, cols, maxCells)
	}
	if parts, part := v.Int("parts"), v.Int("part"); parts < 1 || part >= parts {
		return v.Errorf("part", "part %d is not one of %d, counted from 0", part, parts)
	}
	if c := v.Float("conductivity"); !(c > 0) || c > 0.25 {
		return v.Errorf("conductivity", "a conductivity of %v makes the scheme unstable: it must be larger than 0 and at most 0.25", c)
	}
	return nil
}

// solver is an explicit scheme with two fields that take turns.
type solver struct {
	now, next    *Field
	step, steps  int64
	every        int64
	conductivity float64
	heat         float64
	spots        []int
	field        *flow.Out
	number, time *flow.Out
}

func (h *solver) Setup(s *flow.Setup) error {
	rows, cols := s.Int("rows"), s.Int("cols")
	h.steps, h.every = s.Int("steps"), max(1, s.Int("every"))
	h.now, h.next = newField(int(rows), int(cols)), newField(int(rows), int(cols))
	h.field, h.number, h.time = s.Out("field"), s.Out("step"), s.Out("time")
	h.spots = spots(int(rows), int(cols), int(s.Int("part")))
	if err := h.Reconfigure(s); err != nil {
		return err
	}
	h.warm()
	s.Expect((h.steps+h.every-1)/h.every + 1)
	return nil
}

func (h *solver) Reconfigure(s *flow.Setup) error {
	h.conductivity, h.heat = s.Float("conductivity"), s.Float("heat")
	return nil
}

func newField(rows, cols int) *Field {
	return &Field{Rows: rows, Cols: cols, Values: make([]float64, rows*cols)}
}

// spots are the cells that are kept hot, in another place for every part.
func spots(rows, cols, part int) []int {
	var cells []int
	for i := range 3 {
		row := (rows*(2*i+1)/6 + 7*part) % rows
		col := (cols*(5*i+2)/17 + cols*part/5) % cols
		for dr := range max(1, rows/16) {
			for dc := range max(1, cols/16) {
				cells = append(cells, (row+dr)%rows*cols+(col+dc)%cols)
			}
		}
	}
	return cells
}

// warm keeps the hot spots hot.
func (h *solver) warm() {
	for _, cell := range h.spots {
		h.now.Values[cell] = h.heat
	}
}

// Step computes up to the next field that is given away.
func (h *solver) Step(s *flow.Step) error {
	shown := &Field{Rows: h.now.Rows, Cols: h.now.Cols, Values: append([]float64(nil), h.now.Values...)}
	h.field.Push(flow.Of(shown))
	h.number.Push(flow.OfInt(h.step))
	h.time.Push(flow.OfFloat(float64(h.step) * 0.1))
	if h.step >= h.steps {
		s.Complete()
		return nil
	}
	for range min(h.every, h.steps-h.step) {
		h.advance()
		h.step++
	}
	return nil
}

// advance is one time step. A cell at the border has itself as the neighbour
// that is not there, so no heat passes.
func (h *solver) advance() {
	rows, cols := h.now.Rows, h.now.Cols
	u, v := h.now.Values, h.next.Values
	for r := range rows {
		up, down := max(r-1, 0)*cols, min(r+1, rows-1)*cols
		row := r * cols
		for c := range cols {
			left, right := max(c-1, 0), min(c+1, cols-1)
			i := row + c
			v[i] = u[i] + h.conductivity*(u[up+c]+u[down+c]+u[row+left]+u[row+right]-4*u[i])
		}
	}
	h.now, h.next = h.next, h.now
	h.warm()
}

// String names the plate in messages.
func (f *Field) String() string { return fmt.Sprintf("field of %d by %d", f.Rows, f.Cols) }
