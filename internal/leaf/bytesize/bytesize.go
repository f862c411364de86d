// Package bytesize reads and writes numbers of bytes as people do: `512MB`, `2GiB`.
//
// Each unit is 1024 times the one before, with or without an i, for reading and for writing: 40,960 bytes are `40KB`, and 1,000 bytes are `1000B`.
// There are no units of 1000.
package bytesize

import (
	"math"
	"strconv"
	"strings"
)

// units are the first letters of the units, the smallest unit first.
const units = "BKMGT"

// Parse reads a number of bytes, such as `1.5 GB`, `512MiB`, `2k` or `100`. It reports whether the text is a valid number below 1<<60.
func Parse(text string) (int64, bool) {
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.ToUpper(strings.TrimSpace(text[len(number):]))
	power := 0
	if unit != "" && unit != "B" {
		power = strings.IndexByte(units, unit[0])
		if rest := unit[1:]; power < 1 || rest != "" && rest != "B" && rest != "IB" {
			return 0, false
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if bytes := math.Ldexp(n, 10*power); err == nil && strings.Trim(number, "0123456789.") == "" && bytes < 1<<60 {
		return int64(bytes), true
	}
	return 0, false
}

// Text returns a size rounded to three digits: `1.46KB`, `64MB`. Parse reads the text as about the same size.
func Text(n int64) string {
	size, power := float64(n), 0
	for size >= 999.5 && power+1 < len(units) && (power > 0 || size >= 1024) {
		size /= 1024
		power++
	}
	if power == 0 {
		return strconv.FormatInt(n, 10) + "B"
	}
	digits := 2
	for limit := 9.995; digits > 0 && size >= limit; limit *= 10 {
		digits--
	}
	text := strconv.FormatFloat(size, 'f', digits, 64)
	if digits > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + units[power:power+1] + "B"
}

// Format returns a size exactly, in the largest unit that divides it: `64MB`, `1000B`.
func Format(n int64) string {
	power := 0
	for n > 0 && n%1024 == 0 && power+1 < len(units) {
		n /= 1024
		power++
	}
	unit := units[power : power+1]
	switch {
	case n == 0:
		return "0"
	case power > 0:
		unit += "B"
	}
	return strconv.FormatInt(n, 10) + unit
}
