package suite

import (
	"io"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/core/graph/svg"
)

// TestDamagedRuns cuts random texts out of the example's files and inserts them elsewhere: checks must report errors and never
// panic.
func TestDamagedRuns(t *testing.T) {
	whole := example(t)
	names := slices.Sorted(maps.Keys(whole))
	rapid.Check(t, func(rt *rapid.T) {
		files := maps.Clone(whole)
		for range rapid.IntRange(1, 4).Draw(rt, "damages") {
			name := rapid.SampledFrom(names).Draw(rt, "file")
			text := files[name]
			from := rapid.IntRange(0, len(text)).Draw(rt, "from")
			to := min(len(text), from+rapid.IntRange(0, 60).Draw(rt, "length"))
			piece := text[from:to]
			files[name] = text[:from] + text[to:]
			other := rapid.SampledFrom(names).Draw(rt, "other")
			at := rapid.IntRange(0, len(files[other])).Draw(rt, "at")
			files[other] = files[other][:at] + piece + files[other][at:]
		}
		run := open(t, files)
		for _, d := range Diagnostics(run, fixedHost()) {
			if d.Span.File == nil {
				rt.Fatalf("%s has no place: %s", d.Code.ID, d.Message)
			}
			for _, l := range d.Labels {
				if l.Span.File == nil || l.Span.End > len(l.Span.File.Text()) {
					rt.Fatalf("%s has a label without a place", d.Code.ID)
				}
			}
		}
		if err := svg.Write(io.Discard, Graph(run)); err != nil {
			rt.Fatal(err)
		}
		Summary(run)
	})
}
