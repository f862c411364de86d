package sprokit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

// chain is a pipeline of n processes in a row with ten entries each, some of
// them with macros.
func chain(n int) *source.File {
	var b strings.Builder
	b.WriteString("config common\n  scale = 3\n\n")
	for i := range n {
		fmt.Fprintf(&b, "process step_%d\n  :: image_filter\n", i)
		b.WriteString("  :filter:type vxl\n  filter:vxl:scale = $CONFIG{common:scale}\n  block filter:vxl\n")
		for k := range 8 {
			fmt.Fprintf(&b, "    option_%d = value of option %d\n", k, k)
		}
		b.WriteString("  endblock\n\n")
	}
	b.WriteString("process first :: frame_list_input\n  image_list_file = list.txt\nprocess end :: sink\n\n")
	last := "first"
	for i := range n {
		fmt.Fprintf(&b, "connect from %s.image\n        to   step_%d.image\n", last, i)
		last = fmt.Sprintf("step_%d", i)
	}
	fmt.Fprintf(&b, "connect from %s.image\n        to   end.sink\n", last)
	return source.NewFile("bench.pipe", b.String())
}

func BenchmarkParse(b *testing.B) {
	f := chain(10_000)
	b.SetBytes(int64(f.Len()))
	b.ReportAllocs()
	for b.Loop() {
		syntax.Parse(f)
	}
}

func BenchmarkFormat(b *testing.B) {
	f := chain(10_000)
	tree := syntax.Parse(f)
	b.SetBytes(int64(f.Len()))
	for b.Loop() {
		syntax.Print(tree)
	}
}

// BenchmarkCheck is parse, resolve and check; n processes have 10 n entries.
func BenchmarkCheck(b *testing.B) {
	language := New(Options{})
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := chain(n)
			b.ReportAllocs()
			for b.Loop() {
				if found := language.Parse(f).Resolve(&load.Env{Opener: source.Map{}, Dir: "."}).Diagnostics(); len(found) > 0 {
					b.Fatal(found[0].Span, found[0].Message)
				}
			}
		})
	}
}
