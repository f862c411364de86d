package workspace

import (
	"math/rand/v2"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
)

// TestNear checks the results of near against a scan of all findings, and that
// it visits no other findings.
func TestNear(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const size = 2000
	file := source.NewFile("a", string(make([]byte, size)))
	code := &diag.Code{ID: "a/a", Severity: diag.Error}
	var all diag.List
	for range 300 {
		start := random.IntN(size)
		all.Report(code, file.Span(start, min(size, start+random.IntN(4)*random.IntN(4))), "wrong")
	}
	all.Report(code, file.Span(0, size), "the whole file")
	index := newFoundIn(all)
	for range 500 {
		at, length := place{"a", random.IntN(size)}, random.IntN(5)
		want := 0
		for _, d := range all {
			if touches(placeOf(d.Span), d.Span.Len(), at, length) {
				want++
			}
		}
		got := 0
		index.near(at, length, func(d *diag.Diagnostic) {
			if d.Span.End < at.start || d.Span.Start > at.start+length {
				t.Errorf("%d+%d: looked at %d-%d, want d.Span.End at least %v and d.Span.Start at most %v", at.start, length, d.Span.Start, d.Span.End, at.start, at.start+length)
			}
			if touches(placeOf(d.Span), d.Span.Len(), at, length) {
				got++
			}
		})
		if got != want {
			t.Errorf("%d+%d: %d findings, want %d", at.start, length, got, want)
		}
	}
}

// TestEdited checks the results of edited against a scan of all edits.
func TestEdited(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const size = 2000
	file := source.NewFile("a", string(make([]byte, size)))
	var edits []source.Edit
	for at := 3; at < size-5; at += 6 {
		edits = append(edits, source.Edit{Span: file.Span(at, at+random.IntN(5)), Text: "abcdefg"[:random.IntN(7)]})
	}
	random.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
	moved := newEdited(edits)
	for at := range size - 3 {
		want, touched := at, false
		span := file.Span(at, at+random.IntN(3))
		for _, e := range edits {
			if e.Span.End <= at {
				want += len(e.Text) - e.Span.Len()
			}
			touched = touched || e.Span.Start <= span.End && span.Start <= e.Span.End
		}
		if got := moved.after(place{"a", at}); got.start != want {
			t.Errorf("%d is at %d, want %d", at, got.start, want)
		}
		if moved.touch(span) != touched {
			t.Errorf("%d-%d: touched is %t, want %v", span.Start, span.End, !touched, touched)
		}
	}
	if other := (place{"b", 7}); moved.after(other) != other || moved.touch(source.NewFile("b", "text").Span(3, 4)) {
		t.Error("edits of another file have an effect")
	}
}
