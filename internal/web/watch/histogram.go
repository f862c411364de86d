package watch

import (
	"time"

	"github.com/pentode-dev/pentode/core/downsample"
)

// Sizes of histograms. The first bins are as wide as in Paradyn.
const (
	maxBins  = 240
	firstBin = 200 * time.Millisecond
	maxSpan  = time.Duration(1) << 61 // later times count as this one
)

// timeAxis divides the time of a run into bins of one width, for many histograms. When the run gets longer than the bins reach,
// neighbouring bins are merged and all become twice as wide: the size is bounded, and only detail is lost.
type timeAxis struct {
	width time.Duration
	all   []*histogram
}

// histogram is a quantity over the time of a run.
type histogram struct {
	sum     []float64 // of each bin: the quantity times the seconds for which it is known, so that the sum of a count is the count
	seconds []float64
}

// histogram adds a histogram to the axis.
func (a *timeAxis) histogram() *histogram {
	h := &histogram{}
	a.all = append(a.all, h)
	return h
}

// add spreads a sum evenly over an interval since the beginning of the run, and marks the interval as known.
func (a *timeAxis) add(h *histogram, from, to time.Duration, sum float64) {
	a.spread(h, from, to, sum, 1)
}

// more spreads a sum evenly over an interval that is already known.
func (a *timeAxis) more(h *histogram, from, to time.Duration, sum float64) {
	a.spread(h, from, to, sum, 0)
}

func (a *timeAxis) spread(h *histogram, from, to time.Duration, sum, known float64) {
	to = min(to, maxSpan)
	from = max(0, from)
	if to <= from {
		return
	}
	for to > maxBins*a.width {
		a.width *= 2
		for _, h := range a.all {
			h.fold()
		}
	}
	for at := from; at < to; {
		i := int(at / a.width)
		end := min(to, time.Duration(i+1)*a.width)
		h.reach(i)
		h.sum[i] += sum * float64(end-at) / float64(to-from)
		h.seconds[i] += known * (end - at).Seconds()
		at = end
	}
}

// reach extends the bins up to index i.
func (h *histogram) reach(i int) {
	for len(h.sum) <= i {
		h.sum, h.seconds = append(h.sum, 0), append(h.seconds, 0)
	}
}

// fold merges pairs of bins.
func (h *histogram) fold() {
	n := (len(h.sum) + 1) / 2
	for _, list := range [][]float64{h.sum, h.seconds} {
		for i := range n {
			v := list[2*i]
			if 2*i+1 < len(list) {
				v += list[2*i+1]
			}
			list[i] = v
		}
	}
	h.sum, h.seconds = h.sum[:n], h.seconds[:n]
}

// means returns the bins as drawn; a bin without known time is NaN.
func (h *histogram) means() downsample.Numbers {
	list := make(downsample.Numbers, len(h.sum))
	for i := range list {
		list[i] = h.sum[i] / h.seconds[i]
	}
	return list
}

// total returns the sum of all bins, and the seconds that they cover.
func (h *histogram) total() (sum, seconds float64) {
	for i := range h.sum {
		sum += h.sum[i]
		seconds += h.seconds[i]
	}
	return sum, seconds
}
