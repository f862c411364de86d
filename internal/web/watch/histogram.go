package watch

import (
	"time"

	"github.com/pentode-dev/pentode/core/downsample"
)

// Sizes of histograms. The first bins are as wide as those of Paradyn.
const (
	maxBins  = 240
	firstBin = 200 * time.Millisecond
	maxSpan  = time.Duration(1) << 61 // later times count as this one
)

// timeAxis is the time of a run in bins of one width, for many histograms. When the run is longer than the bins reach, two
// neighbours become one and all are twice as wide: what is kept is bounded, and nothing is lost but detail.
type timeAxis struct {
	width time.Duration
	all   []*histogram
}

// histogram is a quantity over the time of a run.
type histogram struct {
	sum     []float64 // of each bin: the quantity times the seconds that it was known, so that a count is itself
	seconds []float64
}

// histogram adds one to the axis.
func (a *timeAxis) histogram() *histogram {
	h := &histogram{}
	a.all = append(a.all, h)
	return h
}

// add spreads a sum evenly over a time since the beginning of the run, which becomes known with it.
func (a *timeAxis) add(h *histogram, from, to time.Duration, sum float64) {
	a.spread(h, from, to, sum, 1)
}

// more spreads a sum evenly over a time that is known already.
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

// reach makes bins up to i.
func (h *histogram) reach(i int) {
	for len(h.sum) <= i {
		h.sum, h.seconds = append(h.sum, 0), append(h.seconds, 0)
	}
}

// fold makes one bin of two.
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

// means are the bins as they are drawn; where nothing is known a bin is no number.
func (h *histogram) means() downsample.Numbers {
	list := make(downsample.Numbers, len(h.sum))
	for i := range list {
		list[i] = h.sum[i] / h.seconds[i]
	}
	return list
}

// total is the sum of all bins, and the seconds that they stand for.
func (h *histogram) total() (sum, seconds float64) {
	for i := range h.sum {
		sum += h.sum[i]
		seconds += h.seconds[i]
	}
	return sum, seconds
}
