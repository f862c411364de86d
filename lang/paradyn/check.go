package paradyn

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/launch"
)

// check returns the findings of resolving and of the rules.
func check(m *Model) diag.List {
	c := &checker{Model: m}
	c.tunables()
	c.lists()
	if m.pcl.IsZero() {
		c.daemons()
		c.processes()
		c.visis()
		c.hidden()
		c.programSettings()
	}
	return append(m.problems[:len(m.problems):len(m.problems)], c.found...)
}

type checker struct {
	*Model
	found diag.List
}

// repeats are things that are declared more than once, each with its first and
// last place.
type repeats struct {
	seen  map[string]*repeat
	order []*repeat
}

type repeat struct {
	name        string
	first, last source.Span
	times       int
}

// see records a declaration and reports whether it is a repeat. Declarations with
// the same key declare the same thing; the name is for messages.
func (r *repeats) see(key, name string, at source.Span) bool {
	x := r.seen[key]
	if x == nil {
		if r.seen == nil {
			r.seen = map[string]*repeat{}
		}
		r.seen[key] = &repeat{name, at, at, 1}
		return false
	}
	if x.last, x.times = at, x.times+1; x.times == 2 {
		r.order = append(r.order, x)
	}
	return true
}

// again reports each thing that is declared more than once. message has one
// formatting verb, which stands for the name.
func (c *checker) again(r *repeats, code *diag.Code, message, first string) {
	for _, x := range r.order {
		d := c.found.Report(code, x.last, message, x.name).At(x.first, "%s", first)
		if x.times > 2 {
			d.Note("%d times in all", x.times)
		}
	}
}

func (c *checker) tunables() {
	var again repeats
	variables := map[string]string{}
	var names []string
	for _, k := range tunables.Keys {
		names = append(names, k.Name)
	}
	for _, t := range c.Tunables {
		if !t.Place.Override {
			again.see(t.Place.Span.File.Path()+"\x00"+t.Name, t.Name, t.Place.Span)
		}
		c.knownTunable(t, names)
		v := launch.TunableVariable(t.Name)
		if other, ok := variables[v]; ok && other != t.Name {
			c.found.Report(tunableClash, t.At, "`%s` and `%s` share the variable `%s`, which gets the last value", other, t.Name, v)
		}
		variables[v] = t.Name
	}
	c.again(&again, tunableAgain, "`%s` is set again; this value counts", "set here before")
}

// knownTunable compares a setting with the table of known ones. Only here is the
// number parsed as a float64; everywhere else it stays a text.
func (c *checker) knownTunable(t Tunable, names []string) {
	k := tunables.Key(t.Name)
	if k == nil {
		d := c.found.Report(unknownTunable, t.At, "`%s` is not a tunable constant that Paradyn had", t.Name)
		if near, ok := problem.Nearest(t.Name, names); ok {
			d.As(diag.Warning).Helped("%s", problem.DidYouMean(near))
		}
		return
	}
	v, err := strconv.ParseFloat(t.Value, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return // a boolean of PCL is not checked
	}
	if v < k.Min.Value || v > k.Max.Value {
		c.found.Report(tunableRange, t.Place.Span, "`%s` is from %s, not %s", t.Name, k.Range(), t.Value)
	}
}

func (c *checker) lists() {
	var again repeats
	for i := range c.Lists {
		again.see(c.Lists[i].Name, c.Lists[i].Name, c.Lists[i].Place.Span)
	}
	c.again(&again, sameList, "the list `%s` is declared again; this one counts", "declared here before")
}

func (c *checker) daemons() {
	var again repeats
	for _, b := range c.Daemons {
		c.flavor(b)
		if command := b.Text("command"); !again.see(c.host(b)+"\x00"+command, command, b.Head) {
			c.daemonCommand(b, "command")
		}
	}
	c.again(&again, sameDaemon, "the daemon `%s` is declared again; it is started once", "declared here before")
}

// daemonCommand checks that a command can be split into words.
func (c *checker) daemonCommand(b *Block, field string) {
	f := b.field(field).last()
	words, err := launch.Split(f.Text)
	switch {
	case err != nil:
		c.found.Report(daemonCommand, f.Place.Span, "the command cannot be split into words: %s", err)
	case len(words) == 0 || words[0] == "":
		c.found.Report(daemonCommand, f.Place.Span, "the command names no program")
	}
}

func (c *checker) processes() {
	known := c.knownDaemons()
	var again repeats
	for _, b := range c.Processes {
		c.blanks(b)
		c.flavor(b)
		known.want(c, b)
		if name := b.Text("name"); name != "" {
			again.see(name, name, b.field("name").last().Place.Span)
		}
	}
	c.again(&again, sameName, "another process is called `%s`; both are started", "the other one")
}

// daemonSet finds the daemons that the processes refer to, by their host and
// their command or name.
type daemonSet struct {
	commands map[[2]string]bool   // the hosts and commands of all daemons
	names    map[[2]string]string // for a host and a name: the command of the daemon
	several  map[[2]string]bool   // a host and a name that several daemons share
	hosts    map[string]string    // for a command: the last host with a daemon that has it
	list     map[string][]string  // for a host: the commands and names of its daemons
	called   map[string]*Block    // for a name: the first daemon that has it
}

func (c *checker) knownDaemons() *daemonSet {
	k := &daemonSet{map[[2]string]bool{}, map[[2]string]string{}, map[[2]string]bool{}, map[string]string{}, map[string][]string{}, map[string]*Block{}}
	for _, b := range c.Daemons {
		host, command, name := c.host(b), b.Text("command"), b.Text("name")
		if id := [2]string{host, command}; !k.commands[id] {
			k.commands[id], k.hosts[command] = true, host
			k.list[host] = append(k.list[host], command)
		}
		if id := [2]string{host, name}; name != "" {
			k.called[name] = cmp.Or(k.called[name], b)
			if other, ok := k.names[id]; !ok {
				k.names[id] = command
				k.list[host] = append(k.list[host], name)
			} else if other != command {
				k.several[id] = true
			}
		}
	}
	return k
}

// want reports a process whose daemon is not declared, once for each daemon.
func (k *daemonSet) want(c *checker, b *Block) {
	id := [2]string{c.host(b), b.Text(daemon)}
	if _, named := k.names[id]; k.commands[id] || named && !k.several[id] {
		return
	}
	k.commands[id] = true
	host, command := id[0], id[1]
	at := b.field(daemon).last().Place.Span
	if other := k.called[command]; other != nil && !k.several[id] && k.hosts[command] == "" {
		c.found.Report(daemonElsewhere, at, "`%s` is the name of a daemon on host `%s`, and the process is for `%s`", command, c.host(other), host).
			At(other.field("name").last().Place.Span, "the daemon").
			Helped("declare the daemon on this host too, or name it by its command")
		return
	}
	if command == launch.Self && !k.several[id] {
		return // Pentode itself watches this process, so no daemon is needed
	}
	if k.several[id] {
		c.found.Report(implicitDaemon, at, "several daemons on `%s` are called `%s`, so `daemon` is read as a command; one more daemon is started for this process", host, command).
			Helped("write the command of the intended daemon")
	} else {
		d := c.found.Report(implicitDaemon, at, "no daemon `%s` is declared on `%s`; a daemon is started for this process", command, host)
		const maxNames = 100 // the largest number of names to search for a similar one
		if list := k.list[id[0]]; len(list) <= maxNames {
			if near, ok := problem.Nearest(id[1], list); ok {
				d.Helped("%s", problem.DidYouMean(near)).Replace(false, quoteText(near))
			}
		}
		if other, ok := k.hosts[id[1]]; ok {
			d.Note("it is declared on `%s`", other)
		}
	}
	c.daemonCommand(b, daemon)
}

func (c *checker) flavor(b *Block) {
	if f := b.field("flavor"); f != nil && f.last().Text == "cm5" {
		c.found.Report(oldFlavor, f.last().Place.Span, "the Connection Machine 5 no longer exists; the flavor `cm5` has no effect")
	}
}

func (c *checker) visis() {
	var again repeats
	for _, b := range c.Visis {
		c.blanks(b)
		again.see(b.Text("name"), b.Text("name"), b.field("name").last().Place.Span)
	}
	c.again(&again, sameVisi, "the visualisation `%s` is declared again; this one counts", "declared here before")
}

// hidden reports invisible characters in the values that say what is started and
// where.
func (c *checker) hidden() {
	report := func(text string, at source.Span) {
		if found := lang.Hidden(text, at); found != nil {
			c.found.Add(found)
		}
	}
	for _, blocks := range c.kinds {
		for _, b := range blocks {
			for i := range b.Fields {
				v := b.Fields[i].last()
				report(v.Text, v.Place.Span)
				for _, it := range v.Items {
					report(it.Text, it.Place.Span)
				}
			}
		}
	}
}

func (c *checker) blanks(b *Block) {
	f := b.field("command").last()
	if !strings.ContainsAny(f.Text, " \t") {
		return
	}
	c.found.Report(commandBlanks, f.Place.Span, "this is the name of one program, blanks included; it is not split").
		Helped("put what follows the program into `args`")
}

// programSettings reports settings of the project that a launch plan cannot use.
func (c *checker) programSettings() {
	if len(c.programs) == 0 {
		return
	}
	_, problems, err := c.plan()
	if err != nil {
		return
	}
	for _, p := range problems {
		if launch.FromSettings(p.Kind) {
			c.found.Add(diag.Of(programSetting, p))
		}
	}
}
