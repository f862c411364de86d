package cli

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/bytesize"
)

// byteSize is the value of a flag: a number of bytes.
type byteSize int64

// Set reads a size.
func (b *byteSize) Set(text string) error {
	n, ok := bytesize.Parse(text)
	if !ok {
		return fmt.Errorf("expected a size such as 64MB")
	}
	*b = byteSize(n)
	return nil
}

// String writes the size as it can be read again.
func (b *byteSize) String() string { return bytesize.Format(int64(*b)) }

// Type is the word for the value in help texts.
func (b *byteSize) Type() string { return "SIZE" }
