package paradyn

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/launch"
)

// check returns what resolving found, and what the definitions mean together.
func check(m *Model) diag.List {
	c := &checker{Model: m}
	c.tunables()
	c.lists()
	if m.pcl.IsZero() {
		c.daemons()
		c.processes()
		c.visis()
	}
	return append(m.problems[:len(m.problems):len(m.problems)], c.found...)
}

type checker struct {
	*Model
	found diag.List
}

func (c *checker) report(code *diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	const most = 10_000
	if len(c.found) >= most {
		return diag.New(code, span, format, args...)
	}
	return c.found.Report(code, span, format, args...)
}

func (c *checker) tunables() {
	last := map[string]Place{}
	variables := map[string]string{}
	var names []string
	for _, k := range tunables.Keys {
		names = append(names, k.Name)
	}
	for _, t := range c.Tunables {
		before, again := last[t.Name]
		if again && before.Span.File == t.Place.Span.File && !t.Place.Override {
			c.report(tunableAgain, t.Place.Span, "`%s` is set again; this value counts", clip(t.Name)).At(before.Span, "set here before")
		}
		last[t.Name] = t.Place
		c.knownTunable(t, names)
		v := variable(t.Name)
		if other, ok := variables[v]; ok && other != t.Name {
			c.report(tunableClash, t.Place.Span, "`%s` and `%s` share the variable `PARADYN_TUNABLE_%s`, which gets the last value", clip(other), clip(t.Name), clip(v))
		}
		variables[v] = t.Name
	}
}

// variable is the part of an environment variable's name that a tunable constant gives.
func variable(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// knownTunable compares a setting with the table. The number is read as a
// float64 here only; everywhere else it is its digits.
func (c *checker) knownTunable(t Tunable, names []string) {
	k := tunables.Key(t.Name)
	if k == nil {
		d := c.report(unknownTunable, t.Place.Span, "`%s` is not a tunable constant that Paradyn had", clip(t.Name))
		if near, ok := diag.Nearest(t.Name, names); ok {
			d.Helped("did you mean `%s`?", near)
		}
		return
	}
	v, err := strconv.ParseFloat(t.Value, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return // a truth value of PCL
	}
	if v < k.Min.Value || v > k.Max.Value {
		c.report(tunableRange, t.Place.Span, "`%s` is from %s, not %s", t.Name, k.Range(), clip(t.Value))
	}
}

func (c *checker) lists() {
	last := map[string]*List{}
	for i := range c.Lists {
		l := &c.Lists[i]
		if before := last[l.Name]; before != nil {
			c.report(sameList, l.Place.Span, "the list `%s` is declared again; this one counts", clip(l.Name)).At(before.Place.Span, "declared here before")
		}
		last[l.Name] = l
	}
}

func (c *checker) daemons() {
	seen := map[[2]string]*Block{}
	for _, b := range c.Daemons {
		id := [2]string{c.host(b), b.Text("command")}
		if before := seen[id]; before != nil {
			c.report(sameDaemon, b.Head, "this daemon is declared already; it is started once").At(before.Head, "declared here before")
			continue
		}
		seen[id] = b
		c.daemonCommand(b, "command")
	}
}

// daemonCommand checks that a command can be split into words.
func (c *checker) daemonCommand(b *Block, field string) {
	f := b.field(field).last()
	words, err := launch.Split(f.Text)
	switch {
	case err != nil:
		c.report(daemonCommand, f.Place.Span, "the command cannot be split into words: %s", err)
	case len(words) == 0 || words[0] == "":
		c.report(daemonCommand, f.Place.Span, "the command names no program")
	}
}

func (c *checker) processes() {
	commands, named := map[[2]string]bool{}, map[[2]string]int{}
	for _, b := range c.Daemons {
		host := c.host(b)
		if id := [2]string{host, b.Text("command")}; !commands[id] {
			commands[id] = true
			named[[2]string{host, b.Text("name")}]++
		}
	}
	names := map[string]*Block{}
	for _, b := range c.Processes {
		c.blanks(b)
		id := [2]string{c.host(b), b.Text(daemon)}
		if !commands[id] && named[id] != 1 {
			commands[id] = true
			c.report(implicitDaemon, b.field(daemon).last().Place.Span, "no daemon `%s` is declared on `%s`; one is started for this process", clip(id[1]), clip(id[0]))
			c.daemonCommand(b, daemon)
		}
		name := b.Text("name")
		if before := names[name]; before != nil {
			c.report(sameName, b.field("name").last().Place.Span, "another process is called `%s`; both are started", clip(name)).
				At(before.field("name").last().Place.Span, "the other one")
		} else if name != "" {
			names[name] = b
		}
	}
}

func (c *checker) visis() {
	last := map[string]*Block{}
	for _, b := range c.Visis {
		c.blanks(b)
		name := b.Text("name")
		if before := last[name]; before != nil {
			c.report(sameVisi, b.field("name").last().Place.Span, "the visualisation `%s` is declared again; this one counts", clip(name)).
				At(before.field("name").last().Place.Span, "declared here before")
		}
		last[name] = b
	}
}

func (c *checker) blanks(b *Block) {
	f := b.field("command").last()
	if !strings.ContainsAny(f.Text, " \t") {
		return
	}
	c.report(commandBlanks, f.Place.Span, "this is the name of one program, blanks included; it is not split").
		Helped("put what follows the program into `args`")
}
