package web

import (
	"math"

	"github.com/pentode-dev/pentode/core/thin"
)

// fold keeps the smallest and the largest of neighbouring numbers, of which it is not known before how many there are.
type fold struct {
	low, high   []float64
	step, count uint64 // numbers that a cell stands for, and all
}

func (f *fold) add(v float64) {
	if f.step == 0 {
		f.step = 1
	}
	cell := int(f.count / f.step)
	f.count++
	if cell == thin.MaxCells { // two become one
		for i := range thin.MaxCells / 2 {
			f.low[i], f.high[i] = min(f.low[2*i], f.low[2*i+1]), max(f.high[2*i], f.high[2*i+1])
		}
		f.low, f.high = f.low[:thin.MaxCells/2], f.high[:thin.MaxCells/2]
		f.step *= 2
		cell /= 2
	}
	if cell == len(f.low) {
		f.low, f.high = append(f.low, math.Inf(1)), append(f.high, math.Inf(-1))
	}
	if v-v == 0 {
		f.low[cell], f.high[cell] = min(f.low[cell], v), max(f.high[cell], v)
	}
}
