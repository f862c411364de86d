// Package quantity writes figures for people, each kind in the same way everywhere:
//
//	counts     20,000,000   1 event   2 events
//	rates      1.2k   20.0M
//	durations  450 ns   12.3 ms   3.28 s   1m20s   2h5m   9 days
//	shares     0.03 %   4.5 %   71 %
//
// Package bytesize writes sizes. Values from a flag, a file or a query are repeated as they were written: `10s`, `64MB`.
package quantity

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// None is shown in a table in place of a figure that would make no sense.
const None = "–"

// Number returns a number with thousands separators: 20,000,000.
func Number[T int | int64 | uint32 | uint64](n T) string {
	digits := strconv.FormatUint(magnitude(n), 10)
	var b []byte
	if n < 0 {
		b = append(b, '-')
	}
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, digits[i])
	}
	return string(b)
}

// magnitude returns the absolute value of a number, also for the smallest one, whose negation overflows to itself.
func magnitude[T int | int64 | uint32 | uint64](n T) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// Count returns a number with its noun: "1 byte", "2,000 bytes".
func Count[T int | int64 | uint64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Short returns a rounded number, for figures such as rates: 40, 1.2k, 20.0M.
func Short(n float64) string {
	for _, unit := range []struct {
		size   float64
		letter string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.size {
			return strconv.FormatFloat(n/unit.size, 'f', 1, 64) + unit.letter
		}
	}
	if n > 0 && n < 10 && n != math.Trunc(n) {
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}

// Share returns a part of 1 in percent, with two digits below ten percent.
func Share(part float64) string {
	percent := 100 * part
	if math.Abs(percent) >= 9.95 {
		return strconv.FormatFloat(percent, 'f', 0, 64) + " %"
	}
	two, _ := strconv.ParseFloat(strconv.FormatFloat(percent, 'g', 2, 64), 64) // the text was just written by FormatFloat
	return strconv.FormatFloat(two, 'f', -1, 64) + " %"
}

// ShareOf returns a part of a whole in percent; 0 if the whole is 0.
func ShareOf[T int | int64 | uint64](part, whole T) string {
	if whole == 0 {
		return Share(0)
	}
	return Share(float64(part) / float64(whole))
}

// Duration returns a duration with its significant digits: three below a minute, the two largest units above.
func Duration(d time.Duration) string {
	if d < 0 && d != math.MinInt64 {
		return "-" + Duration(-d)
	}
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Nanosecond, " ns"}, {time.Microsecond, " µs"}, {time.Millisecond, " ms"}, {time.Second, " s"}} {
		limit := 1000 * float64(unit.size)
		if unit.size == time.Second {
			limit = float64(time.Minute)
		}
		text, n := three(float64(d) / float64(unit.size))
		switch {
		case d == 0:
			return "0 s"
		case n*float64(unit.size) < limit:
			return text + unit.name
		}
	}
	return long(d)
}

// three returns a number with three digits, as text and as rounded number.
func three(n float64) (string, float64) {
	digits := 2
	for limit := 9.995; digits > 0 && n >= limit; limit *= 10 {
		digits--
	}
	text := trimmed(strconv.FormatFloat(n, 'f', digits, 64))
	rounded, _ := strconv.ParseFloat(text, 64) // the text was written by FormatFloat
	return text, rounded
}

// trimmed returns a decimal number without trailing zeros.
func trimmed(text string) string {
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

const day = 24 * time.Hour

// long returns a duration of a minute or more.
func long(d time.Duration) string {
	switch {
	case d.Round(time.Second) < time.Hour:
		d = d.Round(time.Second)
		return two(int64(d/time.Minute), "m", int64(d%time.Minute/time.Second), "s")
	case d.Round(time.Minute) < 4*day:
		d = d.Round(time.Minute)
		return two(int64(d/time.Hour), "h", int64(d%time.Hour/time.Minute), "m")
	}
	return Number(int64(d.Round(day)/day)) + " days"
}

func two(n int64, unit string, rest int64, smaller string) string {
	return strconv.FormatInt(n, 10) + unit + strconv.FormatInt(rest, 10) + smaller
}
