package diag_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
)

var noAddress = &diag.Code{ID: "hosts/no-address", Severity: diag.Error, Title: "a host without an address"}

// A finding has a place, a message and what to do.
func ExampleNew() {
	f := source.NewFile("list.hosts", "deck 127.0.0.1\ngpu\n")
	d := diag.New(noAddress, f.Span(15, 18), "`gpu` has no address").Helped("write it after the name")
	fmt.Printf("%s: %s: %s (%s)\n", d.Span, d.Severity, d.Message, d.Help[0])
	fmt.Println(diag.List{d}.HasErrors())
	// Output:
	// list.hosts:2:1: error: `gpu` has no address (write it after the name)
	// true
}
