package sprokit

import "testing"

func TestDigit(t *testing.T) {
	for c := range 256 {
		if want := c >= '0' && c <= '9'; digit(byte(c)) != want {
			t.Errorf("digit(%q) = %v", rune(c), !want)
		}
	}
}
