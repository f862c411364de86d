package field

import (
	"fmt"
	"testing"
)

// TestNarrowAddresses checks that a narrow address is undefined if all of its bits are set.
func TestNarrowAddresses(t *testing.T) {
	c := &Cursor{Rest: []byte("\xff\xff\xff\xff\xfe\xff\xff\xff"), Widths: &Widths{OffsetSize: 4, LengthSize: 4}}
	if a, b := c.Addr(), c.Addr(); a != Undefined || b != 0xfffffffe {
		t.Errorf("%#x, %#x; want a = %v and b = 0xfffffffe", a, b, Undefined)
	}
}

// BenchmarkChecksum computes the checksum of headers.
func BenchmarkChecksum(b *testing.B) {
	for _, n := range []int{64, 4096} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := make([]byte, n)
			b.SetBytes(int64(n))
			for b.Loop() {
				Checksum(p)
			}
		})
	}
}
