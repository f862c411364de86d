package catalog_test

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A type of another program is declared in JSON: pipelines that use it can be checked, but not run
// here.
func ExampleAddTypes() {
	types := catalog.Standard()
	err := catalog.AddTypes(types, strings.NewReader(`[
		{"name": "smooth", "doc": "Smooths numbers.",
		 "in": [{"name": "number", "type": "integer", "flags": ["required"]}],
		 "out": [{"name": "number", "type": "integer"}]}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	smooth, _ := types.Lookup("smooth")
	fmt.Println(smooth.Doc, smooth.Missing())
	var g pipe.Graph
	g.Processes = []pipe.Node{{Name: "s", Type: "smooth"}}
	for _, p := range pipe.Check(&g, types) {
		fmt.Println(p.Message)
	}
	// Output:
	// expected an array of process types at line 3
}
