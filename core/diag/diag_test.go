package diag_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

func TestSuggestWritesAFix(t *testing.T) {
	f := source.NewFile("a", "tread = 1")
	d := diag.New(&diag.Code{ID: "x/y"}, f.Span(0, 5), "unknown").Suggest(true, "thread", "team")
	text, err := source.Apply(f, d.Fixes[0].Edits)
	if err != nil || text != "thread = 1" {
		t.Fatalf("after the fix: %q, %v", text, err)
	}
}

func TestLimitKeepsErrorsAndCounts(t *testing.T) {
	f := source.NewFile("a", strings.Repeat("x\n", 500))
	code := &diag.Code{ID: "x/y"}
	var l diag.List
	for i := range 150 {
		l.Report(code, f.Span(2*i, 2*i+1), "n").As(diag.Warning)
	}
	l.Report(code, f.Span(900, 901), "the error at the end")
	got := l.Limit()
	if len(got) != diag.MaxPerFile+1 {
		t.Fatalf("%d findings kept, want %v", len(got), diag.MaxPerFile+1)
	}
	if got.Count(diag.Error) != 1 {
		t.Error("the error was dropped in favour of warnings")
	}
	if last := got[len(got)-1]; !strings.Contains(last.Message, "51 more") {
		t.Errorf("last finding: %s; want %q in it", last.Message, "51 more")
	}
	if got.Total() != 151 || got.Limit().Total() != 151 || len(got.Limit()) != len(got) {
		t.Errorf("of 151 findings %d are counted, then %d; want got.Total() = 151, got.Limit().Total() = 151 and len(got.Limit()) = %v", got.Total(), got.Limit().Total(), len(got))
	}
}

// TestFullListOnlyCounts: a full list counts findings without storing them, and the count is right.
func TestFullListOnlyCounts(t *testing.T) {
	const n = 200_000
	f := source.NewFile("a", strings.Repeat("x\n", n))
	warning := &diag.Code{ID: "x/w", Severity: diag.Warning}
	var l diag.List
	for i := range n {
		d := l.Report(warning, f.Span(2*i, 2*i+1), "`%s` is wrong", "x").Helped("so").Note("so").Suggest(true, "y").At(f.Span(0, 1), "here").Labelled("so")
		if held := i < 10_000; held != (len(d.Help)+len(d.Notes)+len(d.Labels)+len(d.Label) > 0) {
			t.Fatalf("finding %d is described: %v, want %v", i, !held, (len(d.Help)+len(d.Notes)+len(d.Labels)+len(d.Label) > 0))
		}
	}
	l.Add(diag.New(&diag.Code{ID: "x/e"}, f.Span(0, 1), "an error at the end"))
	if len(l) > 20_000 {
		t.Fatalf("%d findings are held, want at most 20_000", len(l))
	}
	if !l.HasErrors() {
		t.Error("the error that only counts is lost")
	}
	got := l.Limit()
	last := got[len(got)-1]
	if len(got) != diag.MaxPerFile+1 || !strings.HasPrefix(last.Message, "199901 more findings") || last.Severity != diag.Error {
		t.Errorf("%d shown, the last: %s %s; want len(got) = %v, last.Message = %q at the start and last.Severity = %v", len(got), last.Severity, last.Message, diag.MaxPerFile+1, "199901 more findings", diag.Error)
	}
}

func TestSort(t *testing.T) {
	a, b := source.NewFile("a", "0123456789"), source.NewFile("b", "0123456789")
	code := &diag.Code{ID: "x/y"}
	var l diag.List
	l.Report(code, b.Span(5, 6), "1")
	l.Report(code, a.Span(3, 4), "2")
	l.Report(code, b.Span(1, 2), "3")
	l.Sort()
	if l[0].Message+l[1].Message+l[2].Message != "312" {
		t.Errorf("order: %s %s %s; want %q", l[0].Message, l[1].Message, l[2].Message, "312")
	}
}

func TestMessagesStayReadable(t *testing.T) {
	f := source.NewFile("a", "x")
	junk := strings.Repeat("\x1b[31m\xff", 1000)
	d := diag.New(&diag.Code{ID: "x/y"}, f.Span(0, 1), "`%s` is not a key; there are %s", junk, strings.Repeat("é", 500)).Note("%s\n%s", "two", "lines")
	if strings.Contains(d.Message, "\x1b") || !utf8.ValidString(d.Message) || len(d.Message) > 1500 {
		t.Errorf("%d bytes: %q; want at most 1500 of valid UTF-8 without an escape", len(d.Message), d.Message)
	}
	if d.Notes[0] != "two\nlines" {
		t.Errorf("the format's own line break is gone: %q, want %q", d.Notes[0], "two\nlines")
	}
}

// TestNilListTakesNothing checks that a finding reported to a nil list can be completed as usual
// and is dropped.
func TestNilListTakesNothing(t *testing.T) {
	var none *diag.List
	d := none.Report(&diag.Code{ID: "x/y"}, source.NewFile("a", "onn").Span(0, 3), "not a word").Helped("help").Suggest(true, "on")
	if len(d.Help) > 0 || len(d.Fixes) > 0 {
		t.Errorf("it was kept: %+v, want len(d.Help) at most 0 and len(d.Fixes) at most 0", d)
	}
}

// TestOf: a problem of an engine keeps its place, severity, advice and related places.
func TestOf(t *testing.T) {
	f := source.NewFile("a", "one two")
	d := diag.Of(&diag.Code{ID: "x/y"}, &problem.Problem{
		Severity: problem.Warning, Span: f.Span(0, 3), Message: "wrong", Suggestion: "once",
		Related: []problem.Related{{Span: f.Span(4, 7), Message: "there"}},
	})
	if d.Severity != diag.Warning || d.Span.Text() != "one" || d.Message != "wrong" || strings.Join(d.Help, "") != "did you mean `once`?" {
		t.Errorf("%+v, want d.Severity = %v, d.Span.Text() = %q, d.Message = %q and strings.Join(d.Help, \"\") = %q", d, diag.Warning, "one", "wrong", "did you mean `once`?")
	}
	if len(d.Labels) != 1 || d.Labels[0].Span.Text() != "two" || d.Labels[0].Message != "there" {
		t.Errorf("other places %+v", d.Labels)
	}
	if bare := diag.Of(&diag.Code{ID: "x/y"}, &problem.Problem{Message: "wrong"}); len(bare.Help)+len(bare.Labels) != 0 {
		t.Errorf("%+v, want 0", bare)
	}
}

// TestReplace checks that Replace gives the fix a message that describes it.
func TestReplace(t *testing.T) {
	f := source.NewFile("a", "one two")
	for text, want := range map[string]string{"": "remove it", "1": "write `1`"} {
		d := diag.New(&diag.Code{ID: "x/y"}, f.Span(0, 3), "wrong").Replace(true, text)
		if fix := d.Fixes[0]; fix.Message != want || !fix.Safe || fix.Spelling {
			t.Errorf("%q: %+v; want %q, safe and no matter of spelling", text, fix, want)
		}
	}
}

// TestLimitLeavesFew: a list that does not exceed the limit stays as it is.
func TestLimitLeavesFew(t *testing.T) {
	a, b := source.NewFile("a", "x"), source.NewFile("b", "x")
	var l diag.List
	for range diag.MaxPerFile {
		l.Report(&diag.Code{ID: "x/y"}, a.Span(0, 1), "n")
		l.Report(&diag.Code{ID: "x/y"}, b.Span(0, 1), "n")
	}
	if got := l.Limit(); len(got) != 2*diag.MaxPerFile || got.Total() != len(got) {
		t.Errorf("of %d findings %d are kept, %d counted; want len(got) = %v and got.Total() = %v", len(l), len(got), got.Total(), 2*diag.MaxPerFile, len(got))
	}
	l.Report(&diag.Code{ID: "x/y"}, b.Span(0, 1), "n")
	if got := l.Limit(); len(got) != 2*diag.MaxPerFile+1 || got.Total() != len(l) {
		t.Errorf("of %d findings %d are kept, %d counted; want len(got) = %v and got.Total() = %v", len(l), len(got), got.Total(), 2*diag.MaxPerFile+1, len(l))
	}
}

// TestListAsError: a list with an error is an error whose text names the first one.
func TestListAsError(t *testing.T) {
	f := source.NewFile("a.pipe", "one\ntwo\n")
	code := &diag.Code{ID: "x/y"}
	var l diag.List
	l.Report(code, f.Span(0, 3), "a doubt").As(diag.Warning)
	if err := l.Err(); err != nil {
		t.Errorf("a warning is the error %q", err)
	}
	l.Report(code, f.Span(4, 7), "no port `two`")
	if got, want := l.Err().Error(), "a.pipe:2:1: no port `two`"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	l.Report(code, source.Span{}, "nothing runs")
	if got, want := l.Err().Error(), "a.pipe:2:1: no port `two` (and 1 more)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := l[2:].Err().Error(), "nothing runs"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var carried diag.List
	if !errors.As(fmt.Errorf("cannot run: %w", l.Err()), &carried) || len(carried) != 3 {
		t.Errorf("the error carries %d findings, want 3", len(carried))
	}
}
