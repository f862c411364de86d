package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
)

// large returns a tree like the ones in the original's measurements: many arrays.
func large(n int) string {
	var b strings.Builder
	b.WriteString("# generated\nmetadata:\n  n: int\n  m: {type: int, kind: 4}\ndata:\n")
	for i := range n {
		fmt.Fprintf(&b, "  array_%d: # the field %d\n    type: array\n    subtype: double\n    size: [ '$n + 2', \"$m\", %d ]\n", i, i, i)
	}
	b.WriteString("plugins:\n  decl_hdf5:\n    - file: data_${rank:05d}.h5\n      write: [array_1, array_2]\n")
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	f := source.NewFile("large.yml", large(10_000))
	b.SetBytes(int64(f.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if syntax.Parse(f).Problems().HasErrors() {
			b.Fatal("the text has errors, want none")
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	t := syntax.Parse(source.NewFile("large.yml", large(10_000)))
	b.SetBytes(int64(t.File().Len()))
	b.ReportAllocs()
	for b.Loop() {
		syntax.Print(t)
	}
}
