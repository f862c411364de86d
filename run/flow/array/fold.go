package array

import (
	"errors"
	"math"

	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A folder reduces many numbers to one. It keeps its buffers for the next array.
type folder struct {
	floats fold[float64]
	whole  fold[int64] // for 64-bit integers, which a float64 would round
}

// reduce returns an array without the removed axes.
func (f *folder) reduce(t *tensor.Tensor, gone []bool, by string) (*tensor.Tensor, error) {
	out := tensor.New(resultKind(by, t.Kind), left(t.Shape, gone)...)
	each := 1 // elements of one result
	for i, n := range t.Shape {
		if gone[i] {
			each *= n
		}
	}
	if each == 0 && by != "sum" {
		return nil, errors.New("an array of " + tensor.Extents(t.Shape) + " has no elements along these axes, and so no " + by)
	}
	runs := joined(t.Shape, gone)
	if out.Kind == tensor.Int64 || out.Kind == tensor.Uint64 {
		turn := int64(0) // makes unsigned numbers compare like signed ones
		if out.Kind == tensor.Uint64 {
			turn = math.MinInt64
		}
		first := int64(math.MaxInt64)
		if by == "max" {
			first = math.MinInt64
		}
		load := func(dst []int64, i int) {
			for j := range dst {
				dst[j] = t.Int(i+j) ^ turn
			}
		}
		for i, v := range f.whole.over(runs, out.Count(), first, by, load) {
			out.SetInt(i, v^turn)
		}
		return out, nil
	}
	first := map[string]float64{"min": math.Inf(1), "max": math.Inf(-1)}[by]
	sums := f.floats.over(runs, out.Count(), first, by, t.Floats)
	if by == "mean" {
		for i := range sums {
			sums[i] /= float64(each)
		}
	}
	out.SetFloats(0, sums)
	return out, nil
}

// A run is a group of adjacent axes that are all removed or all kept.
type run struct {
	count int
	gone  bool
	step  int // distance between elements in the results; 0 if the run is removed
}

// joined returns the runs of a shape, slowest first. An array without axes has one run with one
// element.
func joined(shape []int, gone []bool) []run {
	var runs []run
	for i, n := range shape {
		if k := len(runs) - 1; k >= 0 && runs[k].gone == gone[i] {
			runs[k].count *= n
		} else {
			runs = append(runs, run{count: n, gone: gone[i]})
		}
	}
	if runs == nil {
		runs = []run{{count: 1, gone: true}}
	}
	step := 1
	for i := len(runs) - 1; i >= 0; i-- {
		if !runs[i].gone {
			runs[i].step = step
			step *= runs[i].count
		}
	}
	return runs
}

// A fold has the results and a piece of the array, in the type of number it computes with.
type fold[T int64 | float64] struct {
	results []T
	piece   [1024]T
}

// over returns the n results of an array. They are valid until the next call.
func (f *fold[T]) over(runs []run, n int, first T, by string, load func(dst []T, i int)) []T {
	if cap(f.results) < n {
		f.results = make([]T, n)
	}
	f.results = f.results[:n]
	for i := range f.results {
		f.results[i] = first
	}
	f.walk(runs, 0, 0, by, load)
	return f.results
}

// walk visits the elements of the runs, starting at element from; their results begin at to. It
// returns the index after the last element.
func (f *fold[T]) walk(runs []run, from, to int, by string, load func([]T, int)) int {
	r := runs[0]
	if len(runs) > 1 {
		for i := range r.count {
			from = f.walk(runs[1:], from, to+i*r.step, by, load)
		}
		return from
	}
	for at := 0; at < r.count; at += len(f.piece) {
		piece := f.piece[:min(len(f.piece), r.count-at)]
		load(piece, from+at)
		if r.gone {
			f.results[to] = one(f.results[to], piece, by)
		} else {
			each(f.results[to+at:], piece, by)
		}
	}
	return from + r.count
}

// one reduces a previous result and a list to one number.
func one[T int64 | float64](have T, list []T, by string) T {
	switch by {
	case "min":
		for _, v := range list {
			have = min(have, v)
		}
	case "max":
		for _, v := range list {
			have = max(have, v)
		}
	default:
		for _, v := range list {
			have += v
		}
	}
	return have
}

// each reduces results and a list element by element.
func each[T int64 | float64](have, list []T, by string) {
	have = have[:len(list)]
	switch by {
	case "min":
		for i, v := range list {
			have[i] = min(have[i], v)
		}
	case "max":
		for i, v := range list {
			have[i] = max(have[i], v)
		}
	default:
		for i, v := range list {
			have[i] += v
		}
	}
}
