package float16

import (
	"math"
	"testing"
)

// A 16-bit number is the nearest one, ties go to even, and too large numbers become infinite.
func TestBits(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want uint16
	}{
		{0, 0}, {math.Copysign(0, -1), 0x8000}, {1, 0x3c00}, {-2, 0xc000}, {65504, 0x7bff},
		{65519.99, 0x7bff}, {65520, 0x7c00}, {-65520, 0xfc00}, {math.Inf(1), 0x7c00}, {math.Inf(-1), 0xfc00},
		{1 + 1.0/2048, 0x3c00}, {1 + 3.0/2048, 0x3c02}, {1 + 1.0/2048 + 1e-9, 0x3c01}, {1 + 3.0/2048 - 1e-9, 0x3c01}, // ties and their neighbours
		{2047.5, 0x6800}, // a tie that carries into the exponent
		{1.0 / (1 << 14), 0x0400}, {1.0 / (1 << 24), 1}, {1.5 / (1 << 24), 2}, {0.5 / (1 << 24), 0}, {0.51 / (1 << 24), 1},
	} {
		if got := Bits(c.x); got != c.want {
			t.Errorf("Bits(%v) = %#04x, want %#04x", c.x, got, c.want)
		}
	}
	if got := Bits(math.NaN()); got&0x7c00 != 0x7c00 || got&0x3ff == 0 {
		t.Errorf("Bits(NaN) = %#04x, want got & 0x7c00 = 0x7c00 and got & 0x3ff other than 0", got)
	}
}

// Every 16-bit number is converted to float64 and back without change.
func TestFloat(t *testing.T) {
	for b := range 1 << 16 {
		bits := uint16(b)
		f := Float(bits)
		if nan := bits&0x7c00 == 0x7c00 && bits&0x3ff != 0; nan != math.IsNaN(f) || !nan && Bits(f) != bits {
			t.Fatalf("%#04x is %v, whose bits are %#04x; want the same bits, or NaN where these are one", bits, f, Bits(f))
		}
	}
}
