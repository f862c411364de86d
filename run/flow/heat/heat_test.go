package heat

import (
	"math"
	"strconv"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func TestTypesKeepTheRules(t *testing.T) {
	flowtest.Verify(t, flowtest.Case{Type: heatType(), Config: pipe.Set("rows", "12", "cols", "16", "steps", "20", "every", "5")})
}

// alone returns a solver without a pipeline.
func alone(rows, cols int, hot []int) *solver {
	h := &solver{now: newPlate(rows, cols), next: newPlate(rows, cols), conductivity: 0.2, heat: 100, spots: hot}
	h.warm()
	return h
}

// TestHeatIsKept checks that an insulated plate without a heat source neither gains nor
// loses heat.
func TestHeatIsKept(t *testing.T) {
	h := alone(20, 30, []int{5, 6, 200, 599})
	h.spots = nil
	before := sum(h.now)
	for range 500 {
		h.advance()
	}
	if after := sum(h.now); math.Abs(after-before) > 1e-9*before {
		t.Errorf("the plate had %v and has %v, want at most %v", before, after, 1e-9*before)
	}
}

// TestPartsFit checks that the outputs of the processes that share a plate together are
// the whole plate.
func TestPartsFit(t *testing.T) {
	const rows, cols, parts = 12, 10, 3
	var hot []int
	for part := range parts {
		hot = append(hot, spots(rows, cols, part, parts)...)
	}
	whole := alone(rows, cols*parts, hot)
	for range 40 {
		whole.advance()
	}
	for part := range parts {
		got, err := flowtest.Feed(heatType(), pipe.Set("rows", "12", "cols", "10", "steps", "40", "every", "40", "parts", "3", "part", strconv.Itoa(part)),
			nil, []string{"field"}, 10, flow.Options{})
		if err != nil || len(got["field"]) != 2 {
			t.Fatalf("part %d gave %d fields: %v", part, len(got["field"]), err)
		}
		field := got["field"][1].Array()
		for i := range field.Count() {
			have := field.At(i)
			if want := whole.now.cells[i/cols*cols*parts+part*cols+i%cols]; have != want {
				t.Fatalf("part %d has %v in cell %d, the plate %v", part, have, i, want)
			}
		}
	}
}

// TestSpots checks that each part of a plate has its hot spots at different places.
func TestSpots(t *testing.T) {
	const rows, cols, parts = 12, 20, 3
	for part, want := range []int{2, 6, 10} {
		first := spots(rows, cols, part, parts)[0]
		if row, col := first/(cols*parts), first%cols; row != 2+7*part%rows || col != want {
			t.Errorf("part %d begins in row %d and column %d, want %d and %d", part, row, col, 2+7*part%rows, want)
		}
	}
}

// TestNothingGetsHotterThanItsSource checks the maximum principle.
func TestNothingGetsHotterThanItsSource(t *testing.T) {
	h := alone(20, 30, spots(20, 30, 0, 1))
	for range 300 {
		h.advance()
		for i, v := range h.now.cells {
			if v < 0 || v > h.heat+1e-9 {
				t.Fatalf("cell %d is at %v, want v at least 0 and v at most %v", i, v, h.heat+1e-9)
			}
		}
	}
	if mean := sum(h.now) / 600; mean < 10 {
		t.Errorf("the plate has hardly become warm: %v, want at least 10", mean)
	}
}

func sum(p *plate) float64 {
	s := 0.0
	for _, v := range p.cells {
		s += v
	}
	return s
}

func BenchmarkAdvance(b *testing.B) {
	h := alone(96, 128, spots(96, 128, 0, 1))
	b.ReportAllocs()
	b.SetBytes(96 * 128 * 8)
	for b.Loop() {
		h.advance()
	}
}
