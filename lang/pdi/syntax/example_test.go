package syntax_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

// Every node knows its place in the text.
func ExampleParse() {
	t := syntax.Parse(source.NewFile("tree.yml", "metadata: {n: int}\ndata:\n  field: double\n"))
	data, _ := t.Root.Find("data")
	field, _ := data.Value.Find("field")
	fmt.Println(field.Value.Value, t.NodeSpan(field.Value))
	// Output:
	// double tree.yml:3:10
}
