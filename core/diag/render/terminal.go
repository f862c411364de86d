package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// Terminal writes each diagnostic with the piece of source it is about.
//
//	error[pinsight/unknown-event]: `omp_taks_create` is not an event of OpenMP
//	 --> trace_config.txt:3:5
//	  |
//	3 |     omp_taks_create = on
//	  |     ^^^^^^^^^^^^^^^
//	  = help: did you mean `omp_task_create`?
//
// Control characters of the file are shown as marks: only the styles reach the terminal
// as escape sequences.
func Terminal(w io.Writer, list diag.List, colour bool) error {
	t := terminal{colour: colour}
	for i, d := range list {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		t.diagnostic(d)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// maxLine is how many bytes of a long line are shown around the place.
const maxLine = 120

type terminal struct {
	b      strings.Builder
	colour bool
	margin int // width of the line numbers
}

// The escape sequences of the styles.
const (
	bold   = "1"
	red    = "1;31"
	yellow = "1;33"
	cyan   = "1;36"
	blue   = "1;34"
)

func (t *terminal) paint(style, s string) string {
	if !t.colour || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func severityStyle(s diag.Severity) string { return [...]string{red, yellow, cyan}[s] }

func (t *terminal) diagnostic(d *diag.Diagnostic) {
	style := severityStyle(d.Severity)
	fmt.Fprintf(&t.b, "%s%s\n", t.paint(style, d.Severity.String()+"["+d.Code.ID+"]"), t.paint(bold, ": "+visible.Text(d.Message)))
	t.margin = 1
	if !d.Span.IsZero() {
		t.excerpts(d, style)
	}
	for _, h := range d.Help {
		t.remark("help", h+fixHint(d, h))
	}
	for _, n := range d.Notes {
		t.remark("note", n)
	}
}

// fixHint returns the sentence that tells the user about --fix, or "" if --fix would
// not do what the first line of help says.
func fixHint(d *diag.Diagnostic, help string) string {
	if help != d.Help[0] || !slices.ContainsFunc(d.Fixes, func(f diag.Fix) bool { return f.Safe }) {
		return ""
	}
	return " (--fix writes it)"
}

func (t *terminal) remark(kind, text string) {
	indent := strings.Repeat(" ", t.margin+len(" = : ")+len(kind))
	fmt.Fprintf(&t.b, "%*s %s %s: %s\n", t.margin, "", t.paint(blue, "="), t.paint(bold, kind), strings.ReplaceAll(visible.Text(text), "\n", "\n"+indent))
}

// mark is a marked piece of a line, with the text to show at it.
type mark struct {
	span    source.Span
	message string
	primary bool
}

// excerpts shows the file of the primary place first, then every other file that labels
// point to.
func (t *terminal) excerpts(d *diag.Diagnostic, style string) {
	marks := []mark{{d.Span, d.Label, true}}
	for _, l := range d.Labels {
		marks = append(marks, mark{l.Span, l.Message, false})
	}
	var files []*source.File
	last := 0
	for _, m := range marks {
		if !slices.Contains(files, m.span.File) {
			files = append(files, m.span.File)
		}
		last = max(last, m.span.Position().Line)
	}
	t.margin = len(strconv.Itoa(last))
	for i, f := range files {
		var mine []mark
		for _, m := range marks {
			if m.span.File == f {
				mine = append(mine, m)
			}
		}
		arrow := "-->"
		if i > 0 {
			arrow = ":::"
		}
		if f.Len() == 0 {
			fmt.Fprintf(&t.b, "%*s%s %s\n", t.margin, "", t.paint(blue, arrow), visible.Line(f.Path()))
			continue
		}
		fmt.Fprintf(&t.b, "%*s%s %s\n", t.margin, "", t.paint(blue, arrow), visible.Line(mine[0].span.String()))
		t.lines(f, mine, style)
	}
}

// lines shows the marked lines in order, and ⋮ in place of lines that are left out.
func (t *terminal) lines(f *source.File, marks []mark, style string) {
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.span.Start, b.span.Start) })
	t.gutter("")
	t.b.WriteByte('\n')
	shown := 0
	for i := 0; i < len(marks); {
		n := marks[i].span.Position().Line
		if shown > 0 && n > shown+1 {
			if n == shown+2 {
				t.source(f, n-1, 0)
			} else {
				fmt.Fprintf(&t.b, "%*s %s\n", t.margin, "", t.paint(blue, "⋮"))
			}
		}
		column := func(m mark) int { return m.span.Start - f.LineStart(n) }
		from := t.source(f, n, column(marks[i]))
		t.underline(f, n, from, marks[i], style)
		for i++; i < len(marks) && marks[i].span.Position().Line == n && column(marks[i]) < from+maxLine; i++ {
			t.underline(f, n, from, marks[i], style)
		}
		shown = n // the other marks on this line, further right, are shown later
	}
}

func (t *terminal) gutter(number string) {
	fmt.Fprintf(&t.b, "%s", t.paint(blue, fmt.Sprintf("%*s |", t.margin, number)))
}

// source shows line n. Of a long line it shows the part around the byte at, and returns
// the byte at which that part begins.
func (t *terminal) source(f *source.File, n, at int) (from int) {
	line := f.Line(n)
	if len(line) > maxLine {
		if at > maxLine/2 {
			from = at - maxLine/4
			for from > 0 && !utf8.RuneStart(line[from]) {
				from--
			}
		}
		line = line[from:]
		if len(line) > maxLine {
			end := maxLine
			for end > 0 && !utf8.RuneStart(line[end]) {
				end--
			}
			line = line[:end] + "…"
		}
		if from > 0 {
			line = "…" + line
		}
	}
	t.gutter(strconv.Itoa(n))
	if line = oneCellEach(line); line != "" {
		t.b.WriteString(" " + line)
	}
	t.b.WriteByte('\n')
	return from
}

func (t *terminal) underline(f *source.File, n, from int, m mark, style string) {
	line := f.Line(n)
	start := min(m.span.Start-f.LineStart(n), len(line))
	end := min(max(m.span.End-f.LineStart(n), start), len(line), from+maxLine)
	pad := 0
	if from > 0 {
		pad = 1
	}
	pad += width(line[from:max(start, from)])
	char, paint := "^", style
	if !m.primary {
		char, paint = "-", blue
	}
	text := strings.Repeat(char, max(1, width(line[max(start, from):max(end, start, from)])))
	if m.message != "" {
		text += " " + visible.Text(m.message)
	}
	t.gutter("")
	t.b.WriteString(" " + strings.Repeat(" ", pad) + t.paint(paint, text) + "\n")
}

func width(s string) int { return runewidth.StringWidth(oneCellEach(s)) }

// oneCellEach replaces a tab by four blanks, and each control character or invalid byte
// by one replacement character, so that a file cannot send commands to the terminal.
func oneCellEach(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case r == utf8.RuneError && s[i] != 0xef, !visible.Shows(r):
			b.WriteRune('�')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
