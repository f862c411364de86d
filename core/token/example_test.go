package token_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Every byte is in exactly one token.
func ExampleCursor() {
	const (
		word token.Kind = iota + 1
		blank
	)
	blanks := token.NewSet(" \n")
	f := source.NewFile("list.hosts", "deck  gpu\n")
	c := token.NewCursor(f, 4)
	for c.More() {
		if blanks[c.Text[c.Pos]] {
			c.While(blanks)
			c.Emit(blank)
			continue
		}
		for c.Pos < len(c.Text) && !blanks[c.Text[c.Pos]] {
			c.Pos++
		}
		c.Emit(word)
	}
	list := c.Done()
	for i := range list.Len() {
		fmt.Printf("%q ", list.At(i))
	}
	// Output:
	// "deck" "  " "gpu" "\n"
}
