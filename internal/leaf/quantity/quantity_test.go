package quantity_test

import (
	"math"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
)

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 20_000_000: "20,000,000", -1234: "-1,234", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if have := quantity.Number(n); have != want {
			t.Errorf("Number(%d) is %q, want %q", n, have, want)
		}
	}
	if have, want := quantity.Number(uint64(math.MaxUint64)), "18,446,744,073,709,551,615"; have != want {
		t.Errorf("the largest number is %q, want %q", have, want)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 bytes", 1: "1 byte", 2: "2 bytes", 40_960: "40,960 bytes"} {
		if have := quantity.Count(n, "byte", "bytes"); have != want {
			t.Errorf("Count(%d) is %q, want %q", n, have, want)
		}
	}
}

func TestShort(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 0.5: "0.5", 4: "4", 40: "40", 999: "999", 1234: "1.2k", 20e6: "20.0M", 3e9: "3.0G", 7e12: "7.0T"} {
		if have := quantity.Short(n); have != want {
			t.Errorf("Short(%v) is %q, want %q", n, have, want)
		}
	}
}

func TestShare(t *testing.T) {
	for part, want := range map[float64]string{
		0: "0 %", 1: "100 %", 0.714: "71 %", 0.0996: "10 %", 0.0448: "4.5 %", 0.04: "4 %", 0.00996: "1 %", 0.0012: "0.12 %", 0.0003: "0.03 %",
		0.00001: "0.001 %", 0.0000126: "0.0013 %", 12.5: "1250 %", -0.25: "-25 %", -0.0123: "-1.2 %",
	} {
		if have := quantity.Share(part); have != want {
			t.Errorf("Share(%v) is %q, want %q", part, have, want)
		}
	}
	if have := quantity.ShareOf(1, 3); have != "33 %" {
		t.Errorf("one of three is %q, want 33 %%", have)
	}
	if have := quantity.ShareOf(0, 0); have != "0 %" {
		t.Errorf("nothing of nothing is %q, want 0 %%", have)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 1: "1 ns", 450: "450 ns", 999: "999 ns", 1000: "1 µs", 1234: "1.23 µs", 12_345: "12.3 µs", 999_400: "999 µs", 999_600: "1 ms",
		12 * time.Millisecond: "12 ms", 12_345 * time.Microsecond: "12.3 ms", 3284 * time.Millisecond: "3.28 s", 4 * time.Second: "4 s",
		59_940 * time.Millisecond: "59.9 s", 59_960 * time.Millisecond: "1m0s", 80 * time.Second: "1m20s", 3599_600 * time.Millisecond: "1h0m",
		2*time.Hour + 5*time.Minute + 20*time.Second: "2h5m", 50 * time.Hour: "50h0m", 40 * 24 * time.Hour: "40 days",
		-2 * time.Second: "-2 s",
	} {
		if have := quantity.Duration(d); have != want {
			t.Errorf("Duration(%d) is %q, want %q", d, have, want)
		}
	}
}
