package filter

import (
	"math"
	"slices"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// percentileNorm has three names: its C++ name, and two that its Python version had.
func percentileNorm(name string) algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: name,
		Doc:  "Stretches the levels between two percentiles over the whole range.",
		Keys: []pipe.Key{
			{Name: "lower_percentile", Kind: pipe.Double, Default: "1.0", Doc: "Percentage of the pixels that become black."},
			{Name: "upper_percentile", Kind: pipe.Double, Default: "100.0", Doc: "Percentage of the pixels below white."},
			{Name: "output_format", Kind: pipe.String, Default: "8-bit", Choices: []string{"8-bit", "native"}, Doc: "Whether the result has 8 bits, or the kind of pixels of the input."},
		},
		New: func(s algo.Settings) (Filter, error) {
			p := &percentiles{low: s.Float("lower_percentile"), high: s.Float("upper_percentile"), native: s.Value("output_format") == "native"}
			if !(p.low >= 0 && p.low < p.high && p.high <= 100) {
				return nil, s.Errorf("lower_percentile", "%v and `upper_percentile` %v must be in increasing order, from 0 to 100", p.low, p.high)
			}
			return p, nil
		},
	}
}

type percentiles struct {
	low, high float64
	native    bool
	counts    []int
	sorted    []float64 // scratch, for kinds that cannot be counted
}

func (p *percentiles) Filter(t *tensor.Tensor) (*tensor.Tensor, error) {
	switch t.Kind {
	case tensor.Uint8, tensor.Uint16, tensor.Int16, tensor.Float32, tensor.Float64:
	default:
		return nil, errKind("percentile_norm", t, "whole numbers of 8 or 16 bits, float32 or float64")
	}
	if t.Count() == 0 {
		return t, nil
	}
	kind, low, high := tensor.Uint8, 0.0, 255.0
	if p.native {
		if kind = t.Kind; kind.IsFloat() {
			high = 1
		} else {
			low, high = kind.Range()
		}
	}
	from, to := p.levels(t)
	span := to - from
	if span <= 0 {
		span = 1
	}
	out := tensor.New(kind, t.Shape...)
	eachRow(out, t, func(row []float64) {
		for i, v := range row {
			row[i] = min(max((v-from)/span, 0), 1)*(high-low) + low
			if !kind.IsFloat() {
				row[i] = math.Trunc(row[i])
			}
		}
	})
	return out, nil
}

// levels returns the two percentiles, interpolated between two pixels.
func (p *percentiles) levels(t *tensor.Tensor) (low, high float64) {
	n := t.Count()
	at := p.ranked(t)
	between := func(percent float64) float64 {
		index := percent / 100 * float64(n-1)
		lower := math.Floor(index)
		a, b := at(int(lower)), at(min(int(lower)+1, n-1))
		return a + (b-a)*(index-lower)
	}
	return between(p.low), between(p.high)
}

// ranked returns a function for the pixel of a rank: integers are counted, others sorted.
func (p *percentiles) ranked(t *tensor.Tensor) func(rank int) float64 {
	n := t.Count()
	if t.Kind.IsFloat() {
		p.sorted = slices.Grow(p.sorted[:0], n)[:n]
		t.Floats(p.sorted, 0)
		slices.Sort(p.sorted)
		return func(rank int) float64 { return p.sorted[rank] }
	}
	low, high := t.Kind.Range()
	size := int(high-low) + 1
	p.counts = slices.Grow(p.counts[:0], size)[:size]
	clear(p.counts)
	for i := range n {
		p.counts[int(t.Int(i))-int(low)]++
	}
	return func(rank int) float64 {
		for level, count := range p.counts {
			if rank -= count; rank < 0 {
				return float64(level) + low
			}
		}
		return high
	}
}
