package array

import (
	"errors"
	"math"

	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A folder reduces an array along some of its axes. It reuses its buffers for the next array.
type folder struct {
	floats fold[float64]
	whole  fold[int64] // for 64-bit integers, which float64 cannot represent exactly
}

// reduce returns the array without the axes in gone.
func (f *folder) reduce(t *tensor.Tensor, gone []bool, by string) (*tensor.Tensor, error) {
	out := tensor.New(resultKind(by, t.Kind), left(t.Shape, gone)...)
	each := 1 // number of elements that make one result
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
		turn := int64(0) // turn has the sign bit set for unsigned numbers: XOR with it makes them compare as signed numbers
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

// A run is a group of adjacent axes that are either all reduced or all kept. It counts as one
// axis.
type run struct {
	count int
	gone  bool
	step  int // distance of its elements in the results; 0 if it is reduced
}

// joined combines the axes of a shape into runs, slowest first. An array without axes has one
// run with one element.
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

// A fold computes with one type of number. It has the results and a buffer for a part of the
// array.
type fold[T int64 | float64] struct {
	results []T
	piece   [1024]T
}

// over reduces an array to n results, each of which starts as first. The results are valid
// until the next call.
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

// walk reduces the elements of the runs. The first of them is element from of the array and
// belongs to result to. It returns the index after the last element.
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

// one reduces a previous result and all numbers of a list to a single number.
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

// each combines each result with the element of the list at the same index.
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
