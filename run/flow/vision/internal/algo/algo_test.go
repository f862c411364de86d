package algo_test

import (
	"math"
	"testing"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
)

// TestNumbers: numbers are decimal, and end where upstream stops reading them.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text     string
		whole    int
		fraction float64
	}{
		{"10", 10, 10}, {"010", 10, 10}, {"-08", -8, -8}, {"+7", 7, 7}, {"0x10", 0, 0}, {"1_000", 1, 1}, {" 5 ", 5, 5},
		{"5th", 5, 5}, {"2.75", 2, 2.75}, {".5", 0, .5}, {"3.", 3, 3}, {"1e3", 1, 1000}, {"1.5E-2", 1, .015}, {"2em", 2, 2}, {"4e+", 4, 4}, {"", 0, 0}, {"-", 0, 0}, {".", 0, 0}, {"inf", 0, math.Inf(1)},
	} {
		s := algo.Of(pipe.ValuesOf(pipe.Set("n", c.text), nil))
		if got := s.Int("n"); got != c.whole {
			t.Errorf("`%s` is the whole number %d, want %d", c.text, got, c.whole)
		}
		if got := s.Float("n"); got != c.fraction {
			t.Errorf("`%s` is the number %g, want %g", c.text, got, c.fraction)
		}
	}
}
