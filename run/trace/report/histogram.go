package report

import (
	"math"
	"math/bits"
)

// fineBits is the number of bits that a histogram keeps of a duration: buckets are less than 1 % wide.
const fineBits = 7

// histogram counts durations by size. It only allocates the buckets that are used.
type histogram struct {
	sum     int64
	squares float64
	count   uint64
	ranges  [64]*[1 << fineBits]uint64
}

func (h *histogram) add(d int64) {
	d = max(d, 0)
	h.sum += d
	h.squares += float64(d) * float64(d)
	h.count++
	exponent, fine := bucket(uint64(d))
	if h.ranges[exponent] == nil {
		h.ranges[exponent] = new([1 << fineBits]uint64)
	}
	h.ranges[exponent][fine]++
}

// bucket returns where a duration is counted: by the position of its highest bit, and by the bits after it.
func bucket(d uint64) (exponent, fine int) {
	exponent = bits.Len64(d) // 0 for 0
	if exponent <= fineBits {
		return 0, int(d)
	}
	shift := exponent - 1 - fineBits
	return exponent, int(d>>shift) & (1<<fineBits - 1)
}

// middle returns the duration in the middle of a bucket.
func middle(exponent, fine int) int64 {
	if exponent == 0 {
		return int64(fine)
	}
	shift := exponent - 1 - fineBits
	low := int64(1<<fineBits|fine) << shift
	return low + int64(1)<<shift/2
}

// quantile returns the duration that the given part of the durations does not exceed.
func (h *histogram) quantile(part float64) int64 {
	want := uint64(part * float64(h.count))
	seen := uint64(0)
	for exponent, fines := range h.ranges {
		if fines == nil {
			continue
		}
		for fine, n := range fines {
			if seen += n; seen > want || seen == h.count {
				return middle(exponent, fine)
			}
		}
	}
	return 0
}

// spread returns the standard deviation of the durations; 0 for a single one.
func (h *histogram) spread() int64 {
	if h.count < 2 {
		return 0
	}
	n, sum := float64(h.count), float64(h.sum)
	return int64(math.Sqrt(max(0, (h.squares-sum*sum/n)/(n-1))))
}
