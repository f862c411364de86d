package watch

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// near reports whether two sums are equal except for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)+math.Abs(b)) }

// TestFolding: whatever is added, at most maxBins bins are kept, the total and the known time are correct, and the bins equal
// those of an axis that was as wide from the beginning.
func TestFolding(t *testing.T) {
	rounds := 200
	if n, err := strconv.Atoi(os.Getenv("PENTODE_ROUNDS")); err == nil {
		rounds = n
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(uint64(round), 1))
		axis := timeAxis{width: firstBin}
		type piece struct {
			series   int
			from, to time.Duration
			sum      float64
		}
		var added []piece
		list := []*histogram{axis.histogram(), axis.histogram(), axis.histogram()}
		for range r.IntN(60) {
			from := time.Duration(r.Int64N(int64(time.Second) << r.IntN(24)))
			p := piece{r.IntN(len(list)), from, from + time.Duration(r.Int64N(int64(time.Second)<<r.IntN(14))) - time.Millisecond, r.Float64()*100 - 20}
			added = append(added, p)
			axis.add(list[p.series], p.from, p.to, p.sum)
		}
		wide := timeAxis{width: axis.width}
		var whole []*histogram
		for range list {
			whole = append(whole, wide.histogram())
		}
		sums, seconds := make([]float64, len(list)), make([]float64, len(list))
		for _, p := range added {
			wide.add(whole[p.series], p.from, p.to, p.sum)
			if p.to > p.from {
				sums[p.series] += p.sum
				seconds[p.series] += (p.to - p.from).Seconds()
			}
		}
		if wide.width != axis.width {
			t.Fatalf("round %d: the bins are %s wide, those that were wide from the beginning %s; want %v", round, axis.width, wide.width, axis.width)
		}
		for k, h := range list {
			if sum, known := h.total(); !near(sum, sums[k]) || !near(known, seconds[k]) {
				t.Fatalf("round %d: %g in %g s were added, the total is %g in %g s; want the same", round, sums[k], seconds[k], sum, known)
			}
			if n := len(h.sum); n > maxBins || n != len(whole[k].sum) || n != len(h.seconds) {
				t.Fatalf("round %d: %d bins, %d of an axis that was wide from the beginning; want as many, as many seconds, and at most %d", round, n, len(whole[k].sum), maxBins)
			}
			for i := range h.sum {
				if !near(h.sum[i], whole[k].sum[i]) || !near(h.seconds[i], whole[k].seconds[i]) {
					t.Fatalf("round %d: bin %d is %g in %g s, and %g in %g s where it was wide from the beginning; want the same", round, i, h.sum[i], h.seconds[i], whole[k].sum[i], whole[k].seconds[i])
				}
			}
		}
	}
}

// TestHistogramEdges: empty intervals add nothing, and the longest possible time does not loop forever.
func TestHistogramEdges(t *testing.T) {
	axis := timeAxis{width: firstBin}
	h := axis.histogram()
	axis.add(h, time.Second, time.Second, 5)
	axis.add(h, 2*time.Second, time.Second, 5)
	axis.add(h, -2*time.Second, -time.Second, 5)
	if len(h.sum) != 0 || axis.width != firstBin {
		t.Errorf("%v, want no bins, and the axis %v wide", h, firstBin)
	}
	axis.add(h, -time.Second, time.Second, 5) // time before the start of the run is not drawn
	if sum, seconds := h.total(); !near(sum, 5) || !near(seconds, 1) {
		t.Errorf("%g in %g s, want 5 in 1 s", sum, seconds)
	}
	if text, err := h.means().MarshalJSON(); err != nil || string(text) != "[5,5,5,5,5]" {
		t.Errorf("%v: %s; want %s", err, text, "[5,5,5,5,5]")
	}
	axis.add(h, math.MaxInt64-1, math.MaxInt64, 1)
	axis.add(h, 0, math.MaxInt64, 1)
	if sum, _ := h.total(); !near(sum, 6) || len(h.sum) > maxBins {
		t.Errorf("%g in %d bins, want 6 in at most %d", sum, len(h.sum), maxBins)
	}
}

func BenchmarkHistogram(b *testing.B) {
	axis := timeAxis{width: firstBin}
	h := axis.histogram()
	for i := 0; b.Loop(); i++ {
		at := time.Duration(i) * time.Second / 2
		axis.add(h, at, at+time.Second/2, 1)
	}
}
