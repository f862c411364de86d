package launch

import (
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// settingsOf parses settings of programs: lines `PROGRAM KEY = VALUE`, with commas between items of lists.
func settingsOf(t testing.TB, lines ...string) []Settings {
	t.Helper()
	f := source.NewFile("pentode.toml", strings.Join(lines, "\n"))
	var list []Settings
	at := 0
	for _, line := range lines {
		left, value, _ := strings.Cut(line, " = ")
		program, key, _ := strings.Cut(left, " ")
		if len(list) == 0 || list[len(list)-1].Program != program {
			list = append(list, Settings{Program: program})
		}
		v := Value{Text: value}
		if items, ok := strings.CutPrefix(value, "["); ok {
			v = Value{List: strings.Split(strings.TrimSuffix(items, "]"), ", "), IsList: true}
		}
		path := strings.SplitN(key, ".", 2)
		if err := list[len(list)-1].Set(path, v, f.Span(at, at+len(line))); err != nil {
			t.Fatalf("%s: %s", line, err)
		}
		at += len(line) + 1
	}
	return list
}

// A setting for a name applies to all programs of that name; a later setting for an id applies to one.
func TestSettingsByName(t *testing.T) {
	d := one("dmn", "prc")
	d.Processes = append(d.Processes, d.Processes[0])
	d.Settings = settingsOf(t, "p restart = always", "p#2 restart = on-failure:2", "d ready = none", "d ready-within = 2m")
	p, problems := NewPlan(d, Options{Host: nowhere})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, n := range p.Nodes {
		got += n.ID + " " + n.Restart.String() + " " + n.Ready.String() + " " + n.Ready.Timeout.String() + "\n"
	}
	if got != "d no none 2m0s\np always none 0s\np#2 on-failure:2 none 0s\n" {
		t.Errorf("got\n%s\nwant %q", got, "d no none 2m0s\np always none 0s\np#2 on-failure:2 none 0s\n")
	}
	// They have priority over options for all programs.
	o := Options{Host: nowhere, Restart: Restart{When: RestartAlways, Limit: 1}}
	o.Ready, _ = ParseReady("tcp:1")
	p, _ = NewPlan(d, o)
	if n := p.Nodes[0]; n.Ready.String() != "none" || n.Ready.Timeout != 2*time.Minute || n.Restart.String() != "always:1" {
		t.Errorf("ready %s within %s, restart %s; want none, 2m0s, always:1", n.Ready, n.Ready.Timeout, n.Restart)
	}
}

func TestSettingsUnknown(t *testing.T) {
	d := one("dmn", "prc")
	d.Settings = settingsOf(t, "far restart = always", "pp restart = always")
	d.Settings = append(d.Settings, Settings{Program: "elsewhere", Only: true, Given: []Setting{{Key: "restart", Value: "no"}}})
	_, problems := NewPlan(d, Options{Host: nowhere})
	want := []struct {
		severity problem.Severity
		message  string
	}{{problem.Info, "the plan has no program `pp`"}, {problem.Error, "the plan has no program `elsewhere`"}}
	if len(problems) != len(want) {
		t.Fatalf("got %v, want %v", problems, len(want))
	}
	for i, w := range want {
		if p := problems[i]; p.Severity != w.severity || p.Message != w.message || !FromSettings(p.Kind) {
			t.Errorf("got %+v, want %v: %s, from the settings", p, w.severity, w.message)
		}
	}
}

// Keys are unique and sorted, and describe their values; a wrong value is an error.
func TestKeys(t *testing.T) {
	before := ""
	for _, k := range Keys() {
		if k.Name <= before || k.Takes == "" || k.Doc == "" {
			t.Errorf("%+v comes after %s", k, before)
		}
		before = k.Name
	}
	for _, c := range []struct{ key, value, want string }{
		{"ready", "soon", "readiness `soon` is not known"},
		{"ready", "[a, b]", "this is one value, not a list"},
		{"ready-within", "0s", "`0s` is not a duration"},
		{"restart", "never", "restart policy `never` is not known"},
		{"after", "a:redy", "did you mean `a:ready`?"},
		{"after", "[a, :ready]", "`:ready` names no program"},
		{"copies", "0", "`0` is not a number of copies"},
		{"cores", "[3-1]", "`3-1` is not a set of cores"},
		{"cores", "[numa:0-1]", "is not a NUMA node"},
		{"gpus", "x", "`x` is not a number of devices"},
		{"gpus", "[0, ]", "an empty text is not a set of devices"},
		{"hosts", "-v", "this is not a list of hosts"},
		{"stop", "SIGNOTHING", "signal `SIGNOTHING` is not known"},
		{"stop", "exec:", "names no program"},
		{"grace", "soon", "`soon` is not a duration"},
		{"alive", "line:x", "`line:x` is not a health check"},
		{"alive", "http:x/y", "`x` is not a TCP port"},
		{"alive-failures", "0", "`0` is not a number of failures"},
		{"dir", "", "this is not a path"},
		{"env.A=B", "1", "`A=B` cannot name a variable"},
		{"env.PENTODE_RUN", "1", "the variable `PENTODE_RUN` is set by the plan"},
		{"env.A", "[a, b]", "variable `A` is one text"},
		{"limits.memory", "much", "`much` is not a size"},
		{"limits.memory", "0", "`0` is not a size"},
		{"limits.files", "2", "`2` is not a number of open files"},
		{"limits.cpu", "3", "`3` is not a duration"},
		{"limits.discs", "3", "there is no limit `discs`"},
		{"nice", "20", "`20` is not a priority"},
		{"umask", "8", "`8` is not a mask"},
		{"umask", "09", "`09` is not a mask"},
		{"user", ":x", "`:x` is not a user"},
		{"nothing", "", "there is no setting `nothing`"},
	} {
		v := Value{Text: c.value}
		if strings.HasPrefix(c.value, "[") {
			v = Value{IsList: true, List: strings.Split(strings.Trim(c.value, "[]"), ", ")}
		}
		err := new(Settings).Set(strings.SplitN(c.key, ".", 2), v, source.Span{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %s: %v, want %s", c.key, c.value, err, c.want)
		}
	}
}

func TestEnvFileWrong(t *testing.T) {
	for text, want := range map[string]string{
		"A":           "line 1 has no `=`",
		"\nA='x":      "line 2: the value of `A` is not one word in quotes",
		"A='x' y":     "line 1: the value of `A` is not one word in quotes",
		"PARADYN_X=1": "line 1: the variable `PARADYN_X` is set by the plan",
	} {
		if _, err := parseEnvFile(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
