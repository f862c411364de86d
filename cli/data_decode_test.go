package cli

import (
	"math"
	"testing"
)

// TestJSONNumbers checks that infinities and NaN become null, because JSON cannot express them.
func TestJSONNumbers(t *testing.T) {
	for _, x := range []float64{0, -1.5, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		if have := jsonNumber(x); have != x {
			t.Errorf("%v becomes %v, want %v", x, have, x)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if have := jsonNumber(x); have != nil {
			t.Errorf("%v becomes %v, want none", x, have)
		}
	}
}
