package golden

import (
	"errors"
	"testing"
)

// TestPatiently checks that a goroutine that ends soon is not reported, and that one that
// keeps running is.
func TestPatiently(t *testing.T) {
	left, late := errors.New("left"), 3
	if err := patiently(Patience, func() error {
		if late--; late > 0 {
			return left
		}
		return nil
	}); err != nil || late != 0 {
		t.Errorf("%v, %d", err, late)
	}
	if err := patiently(-1, func() error { return left }); err != left {
		t.Errorf("what stays: %v", err)
	}
}
