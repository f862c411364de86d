// Package downsample makes many numbers few enough to be drawn, as a curve or as a map of colours, and writes them as JSON.
package downsample

import (
	"encoding/json"
	"math"
	"strconv"
)

// Number is a number in JSON; one that JSON has no word for is null.
type Number float64

func (n Number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n), -1), nil }

// UnmarshalJSON reads what MarshalJSON writes. Null is no number.
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

// JSONForm returns a number, for the schema of answers.
func (n Number) JSONForm() any { return float64(n) }

// Numbers are many of them, with as many digits as their differences need.
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

// UnmarshalJSON reads what MarshalJSON writes.
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

// JSONForm returns a list of numbers, for the schema of answers.
func (n Numbers) JSONForm() any { return []float64(n) }

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

// MaxCells is how many cells are drawn along an axis.
const MaxCells = 512

// Drawing is numbers over two axes, made small enough to be drawn.
type Drawing struct {
	Shape [2]uint64 `json:"shape"` // elements along the slow and the fast axis
	Cells [2]int    `json:"cells"` // what is drawn of them
	Low   Numbers   `json:"low,omitempty"`
	High  Numbers   `json:"high,omitempty"` // the smallest and the largest element of each cell of a curve
	Mean  Numbers   `json:"mean,omitempty"` // of the elements of each cell of a map
	Min   Number    `json:"min"`
	Max   Number    `json:"max"`  // of all elements that were read
	Read  uint64    `json:"read"` // elements; fewer than there are: evenly chosen ones
	Odd   uint64    `json:"odd"`  // elements that are no finite numbers, and not drawn
}

// Sums is what becomes of the elements of each cell.
type Sums struct {
	low, high, sum, count []float64
	read, odd             uint64
}

// NewSums has no elements yet.
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

// Into gives what was found: the mean of each cell, or its smallest and largest element.
func (s *Sums) Into(out *Drawing, mean bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range s.low {
		low, high = min(low, s.low[i]), max(high, s.high[i])
		s.sum[i] /= s.count[i] // of no elements: no number
	}
	out.Min, out.Max, out.Read, out.Odd = Number(low), Number(high), s.read, s.odd
	if mean {
		out.Mean = s.sum
	} else {
		out.Low, out.High = s.low, s.high
	}
}
