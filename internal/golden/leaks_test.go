package golden

import (
	"errors"
	"testing"
)

// TestPatiently: a goroutine that ends soon is not reported; a goroutine that stays is.
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
