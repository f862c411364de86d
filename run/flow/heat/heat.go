package heat

import (
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// maxCells limits the memory of a plate.
const maxCells = 1 << 26

func heatType() *pipe.Type {
	return &pipe.Type{
		Name: "heat",
		New:  func() pipe.Process { return &solver{} },
		Doc: "Solves the heat equation on a plate: heat spreads from hot spots, the border is insulated. " +
			"Several processes can share a plate: each computes all of it but outputs only its part, so the parts fit together without communication.",
		Out: []pipe.Port{
			{Name: "field", Type: "array:float64:2", Flags: pipe.Shared, Doc: "The temperatures, row by row."},
			{Name: "step", Type: "integer", Doc: "The number of the time step, counted from 0."},
			{Name: "time", Type: "double", Doc: "The simulated time in seconds."},
		},
		Keys: []pipe.Key{
			{Name: "rows", Kind: pipe.Unsigned, Default: "96", Doc: "Rows of the plate."},
			{Name: "cols", Kind: pipe.Unsigned, Default: "128", Doc: "Columns of a part."},
			{Name: "steps", Kind: pipe.Unsigned, Default: "400", Doc: "Time steps to compute."},
			{Name: "every", Kind: pipe.Unsigned, Default: "20", Doc: "Output the field every n-th step."},
			{Name: "conductivity", Kind: pipe.Double, Default: "0.2", Tunable: true, Doc: "How fast heat spreads, in cells² per step; stable up to 0.25."},
			{Name: "heat", Kind: pipe.Double, Default: "100", Tunable: true, Doc: "Temperature of the hot spots."},
			{Name: "part", Kind: pipe.Unsigned, Default: "0", Doc: "Part of the plate that this process outputs; parts are side by side."},
			{Name: "parts", Kind: pipe.Unsigned, Default: "1", Doc: "Number of parts of the plate."},
		},
		Judge: judgePlate,
		Tell: func(output string, v pipe.Values, _ func(string) pipe.Facts) (pipe.Facts, error) {
			if output == "field" {
				return pipe.Facts{Shape: []int{int(v.Int("rows")), int(v.Int("cols"))}}, nil
			}
			return pipe.Facts{Low: 0, High: float64(v.Int("steps")) * map[string]float64{"step": 1, "time": 0.1}[output], Ranged: true}, nil
		},
	}
}

func judgePlate(v pipe.Values) error {
	parts, part := v.Int("parts"), v.Int("part")
	if parts < 1 || part >= parts {
		return v.Errorf("part", "part %d is not one of %d, counted from 0", part, parts)
	}
	if rows, cols := v.Int("rows"), v.Int("cols"); rows < 3 || cols < 3 || parts > maxCells/cols || rows > maxCells/(cols*parts) {
		return v.Errorf("rows", "a plate of %d parts of %d by %d cells cannot be computed: a part must have at least 3 by 3 cells, a plate at most %d cells", parts, rows, cols, maxCells)
	}
	if c := v.Float("conductivity"); !(c > 0) || c > 0.25 {
		return v.Errorf("conductivity", "a conductivity of %v makes the scheme unstable: it must be larger than 0 and at most 0.25", c)
	}
	return nil
}

// solver computes the plate with an explicit scheme. It has two fields, which swap roles after
// each time step.
type solver struct {
	now, next    *plate // fields of the whole plate: the current one and the next one
	from, cols   int    // this part computes cols columns, starting at from
	step, steps  int64
	every        int64
	conductivity float64
	heat         float64
	spots        []int
	field        *flow.Out
	number, time *flow.Out
}

func (h *solver) Setup(s *flow.Setup) error {
	rows, cols, parts := int(s.Int("rows")), int(s.Int("cols")), int(s.Int("parts"))
	h.steps, h.every = s.Int("steps"), max(1, s.Int("every"))
	h.from, h.cols = cols*int(s.Int("part")), cols
	h.now, h.next = newPlate(rows, cols*parts), newPlate(rows, cols*parts)
	h.field, h.number, h.time = s.Out("field"), s.Out("step"), s.Out("time")
	for part := range parts {
		h.spots = append(h.spots, spots(rows, cols, part, parts)...)
	}
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

// A plate is a grid of temperatures, row by row.
type plate struct {
	rows, cols int
	cells      []float64
}

func newPlate(rows, cols int) *plate { return &plate{rows, cols, make([]float64, rows*cols)} }

// spots returns the indices of the cells that are kept hot. They are at a different place in every
// part.
func spots(rows, cols, part, parts int) []int {
	var cells []int
	for i := range 3 {
		row := (rows*(2*i+1)/6 + 7*part) % rows
		col := (cols*(5*i+2)/17 + cols*part/5) % cols
		for dr := range max(1, rows/16) {
			for dc := range max(1, cols/16) {
				cells = append(cells, ((row+dr)%rows*parts+part)*cols+(col+dc)%cols)
			}
		}
	}
	return cells
}

// warm sets the hot cells to their temperature.
func (h *solver) warm() {
	for _, cell := range h.spots {
		h.now.cells[cell] = h.heat
	}
}

// Step makes time steps until the next field that is to be sent.
func (h *solver) Step(s pipe.Step) error {
	shown := tensor.New(tensor.Float64, h.now.rows, h.cols)
	for r := range h.now.rows {
		shown.SetFloats(r*h.cols, h.now.cells[r*h.now.cols+h.from:][:h.cols])
	}
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

// advance makes one time step. At the border, the missing neighbour of a cell is the cell itself,
// so no heat crosses the border.
func (h *solver) advance() {
	rows, cols := h.now.rows, h.now.cols
	u, v := h.now.cells, h.next.cells
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
