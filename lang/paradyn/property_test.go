package paradyn_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph/svg"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/launch"
)

var pieces = []string{
	"daemon", "process", "visi", "list", "tunable_constant", "metric", "command", "host", "args", "name", "flavor", "pvm", "unix", "dir", "true",
	"{", "}", ";", "{", "}", ";", `"a"`, `"b c"`, `""`, `"a\"`, `"open`, "3", "5.1", "-3", "1e3", ".", "-", ",", "(*", "*)", "// x", "\r", "\f", "é", "\ufeff",
}

// TestLawsOnTokens checks the properties of a language on its own tokens in random
// order.
func TestLawsOnTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(0, 40).Draw(t, "n") {
			b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
			b.WriteString(rapid.SampledFrom([]string{"", " ", " ", "\n", "\r\n", "\n\n\n"}).Draw(t, "space"))
		}
		f := source.NewFile("x.psdl", b.String())
		env := &load.Env{Opener: source.Map{}, Dir: "."}
		for _, l := range []*lang.Language{language, later} {
			golden.Laws(tb{rapid: t}, l, env, f)
			use(t, l, l.Parse(f).Resolve(env))
		}
	})
}

// use calls every method of a configuration: none may panic, and every setting can be
// set to the value it has.
func use(t *rapid.T, l *lang.Language, c *lang.Config) {
	for _, format := range l.Formats() {
		if _, err := c.Convert(format, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	g, err := c.Graph()
	if err == nil {
		err = svg.Write(io.Discard, g)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Document.Outline()
	for e := range c.Values() {
		if e.Type == "list" || e.Implicit || e.Decided().What == "localhost" || l == later {
			continue
		}
		if edited, err := c.Edit(lang.Assignment{Key: e.Key, Value: e.Value}); err != nil || len(edited.Changes) > 0 {
			t.Fatalf("setting %s to its own value %q: got %v, %v; want no change", e.Key, e.Value, edited, err)
		}
	}
}

// tb lets a property test fail through the harness.
type tb struct {
	testing.TB
	rapid *rapid.T
}

func (b tb) Fatalf(format string, args ...any) { b.rapid.Fatalf(format, args...) }

// TestWrittenIsRead writes random declarations in random spacing and reads them back.
func TestWrittenIsRead(t *testing.T) {
	text := rapid.StringMatching(`[^"\r\n\x00]{1,12}`)
	optional := rapid.StringMatching(`([^"\r\n\x00]{1,12})?`)
	space := rapid.SampledFrom([]string{" ", "\n", "\t ", " // why; { \"\n", "\r\n"})
	rapid.Check(t, func(t *rapid.T) {
		var want launch.Decls
		var b strings.Builder
		put := func(words ...string) {
			for _, w := range words {
				b.WriteString(w + space.Draw(t, "space"))
			}
		}
		field := func(name, value string) {
			if value != "" {
				put(name, `"`+value+`"`, ";")
			}
		}
		arguments := func(args []string) {
			if args == nil {
				return
			}
			put("args", "{")
			for _, a := range args {
				put(`"` + a + `"`)
			}
			put("}", ";")
		}
		args := rapid.SliceOfN(optional, 0, 4)
		for range rapid.IntRange(0, 4).Draw(t, "tunables") {
			x := launch.Tunable{Name: text.Draw(t, "name"), Value: rapid.StringMatching(`[0-9]{1,30}(\.[0-9]{1,30})?`).Draw(t, "value")}
			put("tunable_constant", `"`+x.Name+`"`, x.Value, ";")
			want.Tunables = append(want.Tunables, x)
		}
		for range rapid.IntRange(0, 3).Draw(t, "daemons") {
			x := launch.Daemon{Command: text.Draw(t, "command"), Host: text.Draw(t, "host"), Name: optional.Draw(t, "name"), Flavor: "pvm"}
			put("daemon", "{")
			field("name", x.Name)
			field("command", "overwritten")
			field("host", x.Host)
			field("command", x.Command)
			put("}")
			want.Daemons = append(want.Daemons, x)
		}
		// A named daemon belongs to its host: a process on another host may not use
		// the name.
		daemon := text.Filter(func(name string) bool {
			return !slices.ContainsFunc(want.Daemons, func(d launch.Daemon) bool { return d.Name == name })
		})
		for range rapid.IntRange(0, 3).Draw(t, "processes") {
			x := launch.Process{Command: text.Draw(t, "command"), Host: text.Draw(t, "host"), Daemon: daemon.Draw(t, "daemon"), Args: args.Draw(t, "args"), Flavor: "cm5"}
			put("process", "{", "flavor", "cm5", ";")
			arguments(x.Args)
			field("host", x.Host)
			field("daemon", x.Daemon)
			field("command", x.Command)
			put("}")
			want.Processes = append(want.Processes, x)
		}
		for range rapid.IntRange(0, 3).Draw(t, "visis") {
			x := launch.Visi{Command: text.Draw(t, "command"), Name: text.Draw(t, "name"), Args: args.Draw(t, "args"), Host: "here"}
			put("visi", "{")
			field("command", x.Command)
			arguments(x.Args)
			field("name", x.Name)
			put("}")
			want.Visis = append(want.Visis, x)
		}
		c := language.Parse(source.NewFile("x.psdl", b.String())).Resolve(&load.Env{})
		got, err := decls(c)
		wrong := slices.ContainsFunc(c.Diagnostics(), func(d *diag.Diagnostic) bool {
			return d.Severity == diag.Error && d.Code.ID != "paradyn/daemon-elsewhere" // random names are equal by chance
		})
		if err != nil || wrong {
			t.Fatalf("%v, %v of %q", err, c.Diagnostics(), b.String())
		}
		if g, w := plain(got), plain(want); g != w {
			t.Fatalf("read\n%s\nwritten\n%s\nwant %v", g, w, w)
		}
		use(t, language, c)
		var again, named strings.Builder
		if lost, err := c.Convert("psdl", &again); err != nil || len(lost) > 0 {
			t.Fatalf("lost %v, %v", lost, err)
		}
		got, _ = decls(language.Parse(source.NewFile("x.psdl", again.String())).Resolve(&load.Env{}))
		want.Visis = lastOfName(want.Visis)
		if g, w := plain(got), plain(want); g != w {
			t.Fatalf("converted\n%s\nwritten\n%s\nwant %v", g, w, w)
		}
		if _, err := c.Convert("pcl", &named); err != nil {
			t.Fatal(err)
		}
		if found := later.Parse(source.NewFile("x.psdl", named.String())).Resolve(&load.Env{}).Diagnostics(); found.HasErrors() {
			t.Fatalf("%s: %s\n%s\nwant no errors", found[0].Span, found[0].Message, named.String())
		}
	})
}

// lastOfName drops visualisations that a later one of the same name replaces.
func lastOfName(all []launch.Visi) []launch.Visi {
	var list []launch.Visi
	for i, v := range all {
		if !slices.ContainsFunc(all[i+1:], func(o launch.Visi) bool { return o.Name == v.Name }) {
			list = append(list, v)
		}
	}
	return list
}

// plain returns declarations as text, without their places.
func plain(d launch.Decls) string {
	var b strings.Builder
	for _, x := range d.Tunables {
		fmt.Fprintf(&b, "%q %q\n", x.Name, x.Value)
	}
	for _, x := range d.Daemons {
		fmt.Fprintf(&b, "%q %q %q %q\n", x.Name, x.Command, x.Host, x.Flavor)
	}
	for _, x := range d.Processes {
		fmt.Fprintf(&b, "%q %q %q %q %q\n", x.Command, x.Args, x.Host, x.Daemon, x.Flavor)
	}
	for _, x := range d.Visis {
		fmt.Fprintf(&b, "%q %q %q %q\n", x.Name, x.Command, x.Args, x.Host)
	}
	return b.String()
}

// TestUses checks which processes name a daemon, and whether they use its command or
// its name.
func TestUses(t *testing.T) {
	c := language.Parse(source.NewFile("x.psdl", `
daemon { command "a"; host "h"; name "one"; }
daemon { command "b"; host "h"; name "two"; }
daemon { command "c"; host "h"; name "two"; }
daemon { command "a"; host "g"; name "one"; }
process { command "p"; host "h"; daemon "a"; }
process { command "p"; host "h"; daemon "one"; }
process { command "p"; host "h"; daemon "two"; }
process { command "p"; host "g"; daemon "a"; }
process { command "p"; host "h"; daemon "b"; }
`)).Resolve(&load.Env{})
	var got strings.Builder
	for e := range c.Values() {
		for _, u := range e.Uses {
			got.WriteString(e.Key + " by " + u.Key + "\n")
		}
	}
	want := `daemon[0].command by process[0].daemon
daemon[0].name by process[1].daemon
daemon[1].command by process[4].daemon
daemon[3].command by process[3].daemon
`
	if got.String() != want {
		t.Errorf("used\n%swant\n%s", got.String(), want)
	}
}

// TestTypes: a value has the type of its field. The type of a number depends on how
// the last setting writes it.
func TestTypes(t *testing.T) {
	c := language.Parse(source.NewFile("x.psdl", `
tunable_constant { "a" 1; "b" 1.5; "c" 1; "c" 2.5; "d" 1.5; "d" 2; }
process { command "p"; host "h"; daemon "d"; flavor pvm; args { "x" }; }
list "l" { }
`)).Resolve(&load.Env{})
	want := map[string]string{
		"tunable_constant.a": "int", "tunable_constant.b": "float", "tunable_constant.c": "float", "tunable_constant.d": "int",
		"process[0].command": "string", "process[0].flavor": "enum", "process[0].args[0]": "string", "list.l": "list",
	}
	for e := range c.Values() {
		if want, ok := want[e.Key]; ok && e.Type != want {
			t.Errorf("%s is of type %s, want %s", e.Key, e.Type, want)
		}
		delete(want, e.Key)
	}
	for key := range want {
		t.Errorf("there is no %s", key)
	}
}
