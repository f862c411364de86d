package web

import (
	"math"
	"strconv"
)

// number is a number in JSON; one that JSON has no word for is null.
type number float64

func (n number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n), -1), nil }

// numbers are many of them, with as many digits as their differences need.
type numbers []float64

func (n numbers) MarshalJSON() ([]byte, error) {
	digits := digitsOf(n)
	text := []byte{'['}
	for i, v := range n {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendNumber(text, v, digits)
	}
	return append(text, ']'), nil
}

func appendNumber(text []byte, v float64, digits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(text, "null"...)
	}
	return strconv.AppendFloat(text, v, 'g', digits, 64)
}

// digitsOf is how many digits tell numbers apart by a millionth of what lies between the smallest and the largest.
func digitsOf(list []float64) int {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range list {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	if !(high > low) || math.IsInf(high-low, 0) {
		return -1
	}
	before := math.Log10(max(math.Abs(low), math.Abs(high)) / (high - low))
	if digits := 7 + int(math.Ceil(max(0, before))); digits < 16 {
		return digits
	}
	return -1
}

// sums is what becomes of the elements of each cell.
type sums struct {
	low, high, sum, count []float64
	read, odd             uint64
}

func newSums(cells int) *sums {
	s := &sums{low: make([]float64, cells), high: make([]float64, cells), sum: make([]float64, cells), count: make([]float64, cells)}
	for i := range cells {
		s.low[i], s.high[i] = math.Inf(1), math.Inf(-1)
	}
	return s
}

func (s *sums) add(cell int, v float64) {
	s.read++
	if v-v != 0 { // not finite
		s.odd++
		return
	}
	s.low[cell], s.high[cell] = min(s.low[cell], v), max(s.high[cell], v)
	s.sum[cell] += v
	s.count[cell]++
}

// into gives what was found: the mean of each cell, or its smallest and largest element.
func (s *sums) into(out *drawing, mean bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range s.low {
		low, high = min(low, s.low[i]), max(high, s.high[i])
		s.sum[i] /= s.count[i] // of no elements: no number
	}
	out.Min, out.Max, out.Read, out.Odd = number(low), number(high), s.read, s.odd
	if mean {
		out.Mean = s.sum
	} else {
		out.Low, out.High = s.low, s.high
	}
}

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
	if cell == maxCells { // two become one
		for i := range maxCells / 2 {
			f.low[i], f.high[i] = min(f.low[2*i], f.low[2*i+1]), max(f.high[2*i], f.high[2*i+1])
		}
		f.low, f.high = f.low[:maxCells/2], f.high[:maxCells/2]
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
