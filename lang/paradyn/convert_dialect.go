package paradyn

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
	"github.com/pentode-dev/pentode/run/launch"
)

// translation writes a configuration in the other dialect.
type translation struct {
	*Model
	out  strings.Builder
	lost diag.List
}

// toPCL writes the definitions as PCL, as named blocks.
func toPCL(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	t := &translation{Model: m}
	t.tunables()
	names := t.names()
	for _, b := range m.Daemons {
		t.open(daemon, names[b])
		t.field("command", quoteText(t.daemonLine(b)))
		t.field("flavor", b.flavor())
		t.field("host", quoteText(b.Text("host")))
		t.out.WriteString("}\n\n")
	}
	daemons := map[[2]string]string{}
	for _, b := range m.Daemons {
		daemons[[2]string{m.host(b), b.Text("command")}] = names[b]
		if name := b.Text("name"); name != "" {
			daemons[[2]string{m.host(b), name}] = names[b]
		}
	}
	for _, b := range append(m.Processes[:len(m.Processes):len(m.Processes)], m.Visis...) {
		if b.Replaced {
			continue
		}
		t.open(b.Kind, names[b])
		t.field("command", quoteText(t.commandLine(b)))
		if b.Kind == process {
			id := [2]string{m.host(b), b.Text(daemon)}
			if daemons[id] == "" {
				t.lose(b.Head, "no daemon `%s` is declared on `%s`; PCL starts only declared daemons", id[1], id[0])
				daemons[id] = identifier(id[1])
			}
			t.field(daemon, daemons[id])
			if f := b.field("flavor"); f != nil {
				t.lose(f.last().Place.Span, "a process of PCL has no flavor; the flavor of its daemon counts")
			}
		}
		if host := b.Text("host"); host != "" {
			t.field("host", quoteText(host))
		}
		t.out.WriteString("}\n\n")
	}
	t.lists(identifier)
	return t.end(w)
}

// toPSDL writes named blocks in the form of July 1994, as PSDL.
func toPSDL(_ *syntax.Tree, m *Model, w io.Writer) diag.List {
	t := &translation{Model: m}
	t.tunables()
	commands := map[string]string{}
	for _, b := range m.Daemons {
		if !b.Replaced && !m.pcl.IsZero() {
			commands[b.Text("name")] = quotedLine(b.Text("command"))
		}
	}
	for kind, blocks := range m.kinds {
		for _, b := range blocks {
			if b.Replaced {
				continue
			}
			t.open(kind, "")
			words := []string{b.Text("command")}
			switch split := strings.Fields(words[0]); { // split as PCL does, which has no quotes in commands
			case m.pcl.IsZero() || len(split) == 0:
			case kind == daemon:
				words[0] = quotedLine(words[0])
			case b.field("args") == nil:
				words = split
			}
			t.field("command", quoteText(words[0]))
			t.kept(b, commands)
			if args := append(words[1:], b.Args()...); len(args) > 0 {
				t.field("args", `{ "`+strings.Join(args, `" "`)+`" }`)
			}
			t.out.WriteString("}\n\n")
		}
	}
	for _, s := range m.opaque {
		t.lose(s, "the definition of `%s` is left out", s.Text())
	}
	t.lists(quoteText)
	return t.end(w)
}

// quotedLine returns a command of PCL, which splits commands at blanks, with
// the quotes that make PSDL split it into the same words.
func quotedLine(command string) string {
	words := strings.Fields(command)
	if split, err := launch.Split(command); err == nil && slices.Equal(split, words) {
		return command
	}
	return launch.QuoteAll(words)
}

// kept writes the fields that both dialects have, and reports the others.
func (t *translation) kept(b *Block, commands map[string]string) {
	if name := b.Text("name"); name != "" {
		t.field("name", quoteText(name))
	}
	host := b.Text("host")
	if host == "" && b.Kind != visi {
		host = "localhost"
	}
	if host != "" {
		t.field("host", quoteText(host))
	}
	if d := b.Text(daemon); d != "" {
		command, ok := commands[d]
		if !ok {
			command = d
		}
		t.field(daemon, quoteText(command))
	} else if b.Kind == process {
		t.lose(b.Head, "the process `%s` has no daemon, which PSDL requires", b.Text("name")).As(diag.Error)
	}
	for _, f := range b.Fields {
		switch {
		case f.Name == "flavor" && f.last().Text != "pvm" && f.last().Text != "cm5":
			t.lose(f.last().Place.Span, "the flavor `%s` is left out", f.last().Text)
		case f.Name == "flavor":
			t.field("flavor", f.last().Text)
		case section(b.Kind).Key(f.Name).Extension:
			t.lose(f.last().Place.Span, "`%s` is left out", f.Name)
		}
	}
}

func (t *translation) lose(span source.Span, format string, args ...any) *diag.Diagnostic {
	return t.lost.Report(lossCode, span, format, args...)
}

func (t *translation) open(kind, name string) {
	t.out.WriteString(kind)
	if name != "" {
		t.out.WriteString(" " + name)
	}
	t.out.WriteString(" {\n")
}

func (t *translation) field(name, value string) { fmt.Fprintf(&t.out, "    %s %s;\n", name, value) }

// tunables writes the tunable constants. Booleans become numbers, which both
// dialects have.
func (t *translation) tunables() {
	for _, c := range t.Tunables {
		value := c.Value
		switch strings.ToLower(value) {
		case "true":
			value = "1"
		case "false":
			value = "0"
		}
		fmt.Fprintf(&t.out, "tunable_constant \"%s\" %s;\n", c.Name, value)
	}
	if len(t.Tunables) > 0 {
		t.out.WriteByte('\n')
	}
}

func (t *translation) lists(name func(string) string) {
	for i := range t.Lists {
		l := &t.Lists[i]
		if l.Replaced {
			continue
		}
		fmt.Fprintf(&t.out, "list %s {", name(l.Name))
		for _, it := range l.Items {
			t.out.WriteString(" " + quoteText(it.Text))
		}
		t.out.WriteString(" }\n\n")
	}
}

// end formats the collected text and writes it.
func (t *translation) end(w io.Writer) diag.List {
	_, _ = io.WriteString(w, syntax.Print(syntax.Parse(source.NewFile("", t.out.String())))) // writing errors are reported by the caller's writer
	return t.lost
}

// daemonLine returns the command of a daemon without its quotes.
func (t *translation) daemonLine(b *Block) string {
	words, err := launch.Split(b.Text("command"))
	if err != nil || strings.Join(words, "") == "" {
		return b.Text("command") // this loss is reported
	}
	return t.joined(b, words)
}

// commandLine joins a command with its arguments.
func (t *translation) commandLine(b *Block) string {
	return t.joined(b, append([]string{b.Text("command")}, b.Args()...))
}

// joined joins words with blanks, because PCL splits a command at blanks.
func (t *translation) joined(b *Block, words []string) string {
	for _, word := range words {
		if word == "" || strings.ContainsAny(word, " \t") {
			t.lose(b.Head, "PCL splits commands at blanks and has no quotes; it cannot express the word `%s`", word).As(diag.Error)
		}
	}
	return strings.Join(words, " ")
}

// names gives every block a unique name.
func (t *translation) names() map[*Block]string {
	names := map[*Block]string{}
	for kind, blocks := range t.kinds {
		used := map[string]bool{}
		for i, b := range blocks {
			name := identifier(b.Text("name"))
			if name == "" || used[name] && !b.Replaced && kind != visi {
				name = fmt.Sprintf("%s_%d", kind, i+1)
			}
			if given := b.Text("name"); given != "" && given != name {
				t.lose(b.Head, "the name `%s` becomes `%s`", given, name)
			}
			used[name] = true
			names[b] = name
		}
	}
	return names
}

// identifier turns a text into a single word.
func identifier(s string) string {
	s = launch.Word(s)
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		s = "_" + s
	}
	return s
}
