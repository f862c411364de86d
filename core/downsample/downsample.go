// Package downsample reduces many numbers to few enough to draw, as a curve or a colour map, and writes them as
// JSON.
package downsample

import (
	"encoding/json"
	"math"
	"strconv"
)

// Number is a number in JSON. NaN and infinities, which JSON does not have, are written as null.
type Number float64

func (n Number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n), -1), nil }

// UnmarshalJSON reads the output of MarshalJSON. Null becomes NaN.
func (n *Number) UnmarshalJSON(text []byte) error {
	var v *float64
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	*n = Number(math.NaN())
	if v != nil {
		*n = Number(*v)
	}
	return nil
}

// JSONForm returns the value as a plain number, for the schema of answers.
func (n Number) JSONForm() any { return float64(n) }

// Numbers is a list of numbers. They are written with as many digits as their differences need.
type Numbers []float64

func (n Numbers) MarshalJSON() ([]byte, error) {
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

// UnmarshalJSON reads the output of MarshalJSON.
func (n *Numbers) UnmarshalJSON(text []byte) error {
	var list []Number
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*n = make(Numbers, len(list))
	for i, v := range list {
		(*n)[i] = float64(v)
	}
	return nil
}

// JSONForm returns the values as a plain list, for the schema of answers.
func (n Numbers) JSONForm() any { return []float64(n) }

func appendNumber(text []byte, v float64, digits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(text, "null"...)
	}
	return strconv.AppendFloat(text, v, 'g', digits, 64)
}

// digitsOf returns how many digits distinguish numbers that differ by a millionth of the range from the smallest
// to the largest.
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

// MaxCells is the largest number of cells along an axis.
const MaxCells = 512

// Drawing is numbers over two axes, reduced to cells.
type Drawing struct {
	Shape [2]uint64 `json:"shape"` // elements along the slow and the fast axis
	Cells [2]int    `json:"cells"` // cells along the two axes
	Low   Numbers   `json:"low,omitempty"`
	High  Numbers   `json:"high,omitempty"` // the smallest and the largest element of each cell of a curve
	Mean  Numbers   `json:"mean,omitempty"` // the mean of the elements of each cell of a map
	Min   Number    `json:"min"`
	Max   Number    `json:"max"`  // the largest of all elements that were read
	Read  uint64    `json:"read"` // number of elements that were read; if fewer than all, evenly chosen ones
	Odd   uint64    `json:"odd"`  // number of elements that are NaN or infinite, which are not drawn
}

// Sums collects the elements of each cell.
type Sums struct {
	low, high, sum, count []float64
	read, odd             uint64
}

// NewSums returns Sums without elements.
func NewSums(cells int) *Sums {
	s := &Sums{low: make([]float64, cells), high: make([]float64, cells), sum: make([]float64, cells), count: make([]float64, cells)}
	for i := range cells {
		s.low[i], s.high[i] = math.Inf(1), math.Inf(-1)
	}
	return s
}

// Add adds an element to a cell.
func (s *Sums) Add(cell int, v float64) {
	s.read++
	if v-v != 0 { // not finite
		s.odd++
		return
	}
	s.low[cell], s.high[cell] = min(s.low[cell], v), max(s.high[cell], v)
	s.sum[cell] += v
	s.count[cell]++
}

// Into stores the results in out: the mean of each cell, or its smallest and largest element.
func (s *Sums) Into(out *Drawing, mean bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range s.low {
		low, high = min(low, s.low[i]), max(high, s.high[i])
		s.sum[i] /= s.count[i] // NaN without elements
	}
	out.Min, out.Max, out.Read, out.Odd = Number(low), Number(high), s.read, s.odd
	if mean {
		out.Mean = s.sum
	} else {
		out.Low, out.High = s.low, s.high
	}
}
