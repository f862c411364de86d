package live

import (
	"fmt"
	"strconv"
	"time"
)

// none stands where a figure would make no sense.
const none = "–"

// Quantity is a number in short form: 40, 1.2k, 20.0M.
func Quantity(n float64) string {
	for _, unit := range []struct {
		size   float64
		letter string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.size {
			return strconv.FormatFloat(n/unit.size, 'f', 1, 64) + unit.letter
		}
	}
	if n > 0 && n < 10 && n != float64(int64(n)) {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}

const day = 24 * time.Hour

// seconds is a time that is only known roughly.
func seconds(d time.Duration) string {
	if d = max(d.Round(time.Second), time.Second); d < time.Minute {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	if d >= 4*day {
		return Grouped(uint64(d.Round(day)/day)) + " days"
	}
	return d.String()
}

// Grouped is a number with its thousands apart: 20,000,000.
func Grouped(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	var b []byte
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, digits[i])
	}
	return string(b)
}

// Duration is a time with as many digits as matter.
func Duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// percent is a part of 1.
func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
