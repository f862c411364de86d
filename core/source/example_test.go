package source_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/source"
)

// Pentode names every place by a span of a file, and makes every change by an edit of a
// span.
func Example() {
	f := source.NewFile("count.pipe", "process count :: numbrs\n")
	name := f.Span(17, 23)
	fmt.Println(name, name.Text())
	text, err := source.Apply(f, []source.Edit{{Span: name, Text: "numbers"}})
	fmt.Print(text, err)
	// Output:
	// count.pipe:1:18 numbrs
	// process count :: numbers
	// <nil>
}
