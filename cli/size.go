package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// byteSize is the value of a flag: a number of bytes, with KB, MB or GB behind
// it, each 1024 times the one before.
type byteSize int64

var sizeUnits = []struct {
	name string
	size int64
}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"B", 1}, {"", 1}}

// Set reads a size.
func (b *byteSize) Set(text string) error {
	for _, u := range sizeUnits {
		number, ok := strings.CutSuffix(strings.ToUpper(text), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err == nil && n >= 0 && n <= 1<<50/u.size {
			*b = byteSize(n * u.size)
			return nil
		}
		break
	}
	return fmt.Errorf("expected a size such as 64MB")
}

// String writes the size in the largest unit that divides it.
func (b *byteSize) String() string {
	for _, u := range sizeUnits {
		if n := int64(*b); n > 0 && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return "0"
}

// Type is the word for the value in help texts.
func (b *byteSize) Type() string { return "SIZE" }
