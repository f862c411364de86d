package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// writer prints random trees in random styles, together with the values that a reader should find.
type writer struct {
	t    *rapid.T
	text strings.Builder
	want strings.Builder
	n    int // anchors so far
}

func (w *writer) pick(n int) int { return rapid.IntRange(0, n-1).Draw(w.t, "pick") }

func (w *writer) of(choices ...string) string { return choices[w.pick(len(choices))] }

// words returns text that never needs quotes.
func (w *writer) words() string {
	return rapid.StringMatching(`[a-zé$][a-z0-9é$_.]{0,6}( [a-z0-9é$+*/]{1,4}){0,2}`).Draw(w.t, "words")
}

// inline writes a scalar or a collection in brackets on one line.
func (w *writer) inline(depth int) {
	switch k := w.pick(8); {
	case k == 0 && depth > 0:
		w.text.WriteString("[" + w.of("", " "))
		w.want.WriteString("[ ")
		for i := range w.pick(3) {
			if i > 0 {
				w.text.WriteString(w.of(", ", ",", " , "))
			}
			w.inline(depth - 1)
		}
		w.text.WriteString(w.of("", " ") + "]")
		w.want.WriteString("] ")
	case k == 1 && depth > 0:
		w.text.WriteString("{")
		w.want.WriteString("{ ")
		for i := range w.pick(3) {
			if i > 0 {
				w.text.WriteString(w.of(", ", " ,  "))
			}
			w.scalar()
			w.text.WriteString(w.of(": ", " : ", ":   "))
			w.inline(depth - 1)
		}
		w.text.WriteString(" }")
		w.want.WriteString("} ")
	default:
		w.scalar()
	}
}

// scalar writes text that may be a key.
func (w *writer) scalar() {
	switch w.pick(4) {
	case 0:
		v := rapid.StringMatching(`[ -~é]{0,8}`).Draw(w.t, "single")
		w.text.WriteString("'" + strings.ReplaceAll(v, "'", "''") + "'")
		fmt.Fprintf(&w.want, "%q ", v)
	case 1:
		v := rapid.StringMatching("[ -~é\n\t\u2028]{0,8}").Draw(w.t, "double")
		w.text.WriteByte('"')
		for _, r := range v {
			switch {
			case r == '"' || r == '\\':
				w.text.WriteString("\\" + string(r))
			case r == '\n':
				w.text.WriteString(w.of("\\n", "\\x0a", "\\u000A"))
			case r == '\t' || r == '\u2028':
				fmt.Fprintf(&w.text, "\\u%04x", r)
			default:
				w.text.WriteRune(r)
			}
		}
		w.text.WriteByte('"')
		fmt.Fprintf(&w.want, "%q ", v)
	default:
		v := w.words()
		w.text.WriteString(v)
		fmt.Fprintf(&w.want, "%q ", v)
	}
}

// lines returns the lines of a block scalar.
func (w *writer) lines() []string {
	return rapid.SliceOfN(rapid.StringMatching(`([!-~é][ -~é]{0,6})?`), 1, 4).Draw(w.t, "lines")
}

// value writes the value of a key or a dash, with its line end.
func (w *writer) value(indent, depth int) {
	if w.pick(5) == 0 {
		w.n++
		w.text.WriteString(w.of(" ", "  ") + fmt.Sprintf("&n%d", w.n))
	}
	pad := strings.Repeat(" ", indent+1+w.pick(4))
	switch k := w.pick(7); {
	case k == 0:
		lines := w.lines()
		lines[0] = "x" + lines[0]
		w.text.WriteString(" " + w.of("|", "|-", "|+") + w.of("\n", " \n", " # c\n", "\r\n"))
		chomp := w.text.String()
		chomp = chomp[strings.LastIndex(chomp, "|")+1:]
		for _, l := range lines {
			if l != "" {
				w.text.WriteString(pad)
			}
			w.text.WriteString(l + "\n")
		}
		v := strings.Join(lines, "\n") + "\n"
		if chomp[0] != '+' {
			v = strings.TrimRight(v, "\n")
			if chomp[0] != '-' {
				v += "\n"
			}
		}
		fmt.Fprintf(&w.want, "%q ", v)
	case k == 1:
		a, b, c := w.words(), w.words(), w.words()
		form := w.of("%s\n%s%s\n\n%s%s", "'%s \n%s%s\n \n%s%s'", "\"%s\n%s%s\n\n%s%s\"", ">-\n%[2]s%[1]s\n%[2]s%[3]s\n\n%[2]s%[5]s")
		fmt.Fprintf(&w.text, " "+form, a, pad, b, pad, c)
		if form[0] == '>' {
			w.text.WriteString("\n")
		} else {
			w.text.WriteString(w.end())
		}
		fmt.Fprintf(&w.want, "%q ", a+" "+b+"\n"+c)
	case k == 2 && depth > 0:
		w.text.WriteString(w.end())
		w.mapping(len(pad), depth-1)
	case k == 3 && depth > 0:
		w.text.WriteString(w.end())
		w.sequence(len(pad), depth-1)
	case k == 4:
		w.text.WriteString(w.end())
		w.want.WriteString(`"" `)
	case k == 5 && w.n > 0 && !strings.HasSuffix(w.text.String(), fmt.Sprint("&n", w.n)):
		fmt.Fprintf(&w.text, " *gone%s", w.end())
		w.want.WriteString("*gone ")
	default:
		w.text.WriteString(w.of(" ", "   "))
		w.inline(2)
		w.text.WriteString(w.end())
	}
}

// end ends a line.
func (w *writer) end() string { return w.of("\n", "\n", " # c\n", "  \n", "\n\n", "\n\n# c\n", "\r\n") }

func (w *writer) mapping(indent, depth int) {
	w.want.WriteString("{ ")
	for range 1 + w.pick(3) {
		w.text.WriteString(strings.Repeat(" ", indent))
		if w.pick(8) == 0 {
			w.text.WriteString("? ")
			w.inline(1)
			w.text.WriteString("\n" + strings.Repeat(" ", indent) + ":")
		} else {
			w.scalar()
			w.text.WriteString(w.of(":", " :"))
		}
		w.value(indent, depth)
	}
	w.want.WriteString("} ")
}

func (w *writer) sequence(indent, depth int) {
	w.want.WriteString("[ ")
	for range 1 + w.pick(3) {
		w.text.WriteString(strings.Repeat(" ", indent) + "-")
		if depth > 0 && w.pick(4) == 0 {
			// A mapping that begins on the line of its dash.
			w.text.WriteString("   ")
			w.want.WriteString("{ ")
			w.scalar()
			w.text.WriteString(":")
			w.value(indent+4, 0)
			w.text.WriteString(strings.Repeat(" ", indent+4))
			w.scalar()
			w.text.WriteString(": x\n")
			w.want.WriteString(`"x" } `)
			continue
		}
		w.value(indent, depth)
	}
	w.want.WriteString("] ")
}

// TestGenerated reads random trees in random styles.
func TestGenerated(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := &writer{t: r}
		w.text.WriteString("head: &gone x\n")
		w.want.WriteString(`{ "head" "x" `)
		for range 1 + w.pick(3) {
			fmt.Fprintf(&w.text, "'k%d':", w.pick(9))
			fmt.Fprintf(&w.want, "%q ", w.text.String()[w.text.Len()-4:w.text.Len()-2])
			w.value(0, 3)
		}
		w.want.WriteString("} ")
		text := w.text.String()
		tree := parse(text)
		if tree.Problems().HasErrors() {
			r.Fatalf("%s\n%q\n%s", text, text, problems(tree))
		}
		if got, want := outline(tree.Root), w.want.String(); got != want {
			r.Fatalf("%s\n%q\ngot  %s\nwant %s", text, text, got, want)
		}
		laws(t, tree)
		if want, err := reference(text); err == nil && want != w.want.String() {
			r.Fatalf("the reference reads %q\nas   %s\nwant %s", text, want, w.want.String())
		}
	})
}
