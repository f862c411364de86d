package config

import (
	"math"
	"strconv"
	"strings"
)

// units are what may stand behind a number of bytes, each 1024 times the one before, as in
// the flags of the program.
var units = map[string]float64{"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}

// ParseBytes reads a number of bytes with a unit, such as `512MB`.
func ParseBytes(text string) (int64, bool) {
	digits := strings.TrimRightFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	unit, known := units[strings.ToUpper(strings.TrimSpace(text[len(digits):]))]
	n, err := strconv.ParseFloat(digits, 64)
	n *= unit
	if err != nil || !known || !(n >= 1 && n < math.MaxInt64) {
		return 0, false
	}
	return int64(n), true
}
