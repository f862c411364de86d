package syntax_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pinsight/syntax"
)

// A broken text gives a tree too: it has the parts that could be read, problems for the rest, and tokens for every byte.
func ExampleParse() {
	tree := syntax.Parse(source.NewFile("t.pinsight", "[OpenMP.default\n  omp_work = off # quiet\n"))
	for _, section := range tree.Sections {
		fmt.Println(tree.Of(section.Target))
		for _, entry := range section.Entries {
			fmt.Println(" ", tree.Of(entry.Key), "is", tree.Of(entry.Value))
		}
	}
	for _, p := range tree.Problems() {
		fmt.Println(p.Span, p.Message)
	}
	fmt.Println(tree.Tokens().Text() == tree.File().Text())
	// Output:
	// OpenMP.default
	//   omp_work is off
	// t.pinsight:1:1 the section header has no `]`
	// true
}
