package golden

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// outline lists the symbols of a document, one on each line.
func outline(b *strings.Builder, list []lang.Symbol, indent string) {
	for _, s := range list {
		line := fmt.Sprintf("%s%s %s %s", indent, s.Kind, s.Name, s.Detail)
		fmt.Fprintf(b, "%s  %s-%s %s\n", strings.TrimRight(line, " "), place(s.Span, s.Span.Start), place(s.Span, s.Span.End), place(s.Head, s.Head.Start))
		outline(b, s.Children, indent+"  ")
	}
}

func place(s source.Span, offset int) string {
	p := s.File.Position(offset)
	return fmt.Sprintf("%d:%d", p.Line, p.Column)
}

// names lists every occurrence of a name in a configuration, one on each line. The first
// occurrence is followed by the description that an editor shows.
func names(c *lang.Config) string {
	var b strings.Builder
	described := map[string]bool{}
	for _, o := range c.Occurrences() {
		fmt.Fprintf(&b, "%s %s %s", o.Span, o.Span.Text(), o.Kind)
		if o.Def {
			b.WriteString(" declared")
		}
		for _, more := range [][2]string{{"is", o.Symbol}, {"key", o.Key}, {"type", o.Type}} {
			if more[1] != "" {
				fmt.Fprintf(&b, " %s=%s", more[0], more[1])
			}
		}
		b.WriteByte('\n')
		text := c.Describe(o)
		if text == "" || described[text] {
			continue
		}
		described[text] = true
		for line := range strings.Lines(text) {
			b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
		}
	}
	return b.String()
}

// hints lists the hints that an editor shows inside the document, one on each line.
func hints(c *lang.Config) string {
	var b strings.Builder
	for h := range c.Hints(c.Document.File) {
		fmt.Fprintf(&b, "%s %s %s %s\n", h.At, h.At.Text(), h.Kind, h.Text)
	}
	return b.String()
}

// complete replaces a line of the document by a text and lists the completions at the `^` in
// that text. arg is `LINE TEXT`, as in the section `complete LINE TEXT`.
func (c *Case) complete(t *testing.T, l *lang.Language, arg string) string {
	number, text, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(number)
	before, after, ok := strings.Cut(text, "^")
	lines := strings.SplitAfter(c.File.Text(), "\n")
	if err != nil || !ok || n < 1 || n > len(lines) {
		t.Fatalf("`complete %s` is not a line and a text with `^`", arg)
	}
	head := strings.Join(lines[:n-1], "") + before
	f := source.NewFile(c.File.Path(), head+after+"\n"+strings.Join(lines[n:], ""))
	var b strings.Builder
	for _, item := range l.Parse(f).Resolve(c.Env).Complete(f, len(head)) {
		fmt.Fprintf(&b, "%s %s", item.Label, item.Kind)
		if item.Later {
			b.WriteString(", later")
		}
		for _, more := range [][2]string{{"detail", item.Detail}, {"insert", item.Insert}, {"for", item.Replace.Text()}} {
			if more[1] != "" {
				fmt.Fprintf(&b, ", %s `%s`", more[0], strings.ReplaceAll(more[1], "\n", `\n`))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// FixedNames checks which names of a text the editor refuses to rename, and which it renames.
// Both lists are in the order of the text.
func FixedNames(t *testing.T, l *lang.Language, path, text, fixed, free string) {
	t.Helper()
	got := map[bool][]string{}
	for _, o := range l.Parse(source.NewFile(path, text)).Resolve(&load.Env{}).Occurrences() {
		if o.Symbol != "" {
			got[o.Fixed] = append(got[o.Fixed], o.Symbol)
		}
	}
	for is, want := range map[bool]string{true: fixed, false: free} {
		if have := strings.Join(got[is], ", "); have != want {
			t.Errorf("fixed %v\n got %s\nwant %s", is, have, want)
		}
	}
}

// Sniffs checks that each text is recognised, or not, as the language by its content alone.
func Sniffs(t *testing.T, l *lang.Language, texts map[string]bool) {
	t.Helper()
	for text, want := range texts {
		if got := l.Sniffs(text); got != want {
			t.Errorf("%q looks like it: %v, want %v", text, got, want)
		}
	}
}
