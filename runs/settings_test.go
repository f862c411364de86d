package runs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/workspace/project"
)

// TestGoldenKeys: the reference page lists every setting of project files with its values.
func TestGoldenKeys(t *testing.T) {
	launch := runs.ProjectSettings()
	text := "# All settings of `pentode.toml`\n\nThis page lists what a [project file](../project.md) can say. `--config KEY=VALUE` gives any of these settings on the command line.\n"
	table := func(title, about, section string, keys []project.Key) {
		text += "\n## " + title + "\n\n" + about + "\n\n| setting | takes | says |\n|---|---|---|\n"
		for _, k := range keys {
			name := section + k.Name
			if before, key, ok := strings.Cut(k.Name, "."); ok {
				name = "[" + before + "] " + key
			} else if k.Table && section == "" {
				name = "[" + name + "]"
			}
			text += fmt.Sprintf("| `%s` | %s | %s |\n", name, k.Takes, k.Doc)
		}
	}
	table("Files and findings", "Settings that hold for all verbs that read files.", "", project.Names{Launch: launch}.Keys())
	table("Runs", "`[run]` holds for every run here.", "", launch.Runs)
	table("Programs of a launch plan", "`[launch.NAME]` holds for one program, and wins over `[run]`. What they mean in a run: [for people who launch runs](../for-launch-users.md#settings-of-a-program).", "", launch.Programs)
	path := filepath.Join(golden.Root(t), "docs", "reference", "settings.md")
	if golden.Updating() {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != text {
		t.Errorf("docs/reference/settings.md is not up to date (%v): run .ci/update", err)
	}
}

// TestSettings: every setting of runs can be read from a project file, and a wrong value is a finding.
func TestSettings(t *testing.T) {
	const text = `
[run]
control = false
errors = "fail"
errors-to = "bad.jsonl"
flavor = { pvm = "local", mpi = "srun" }
grace = "3s"
hangup = "stop"
launcher = "rsh {host} {argv:q}"
log-size = "500"
map = { "a.b" = "c" }
ready = "tcp:4000"
ready-within = "2m"
reach = "login1"
remote-dir = "/scratch"
restart = "always:2"
seal = false
split = false
trace-size = 0
`
	read := func(text string) *project.Project {
		f := &project.Finder{Opener: source.Map{"p/pentode.toml": text}, Names: project.Names{Launch: runs.ProjectSettings()}}
		return f.Of("p/a.psdl", false)
	}
	p := read(text)
	for _, d := range p.Problems() {
		t.Errorf("%s at %s; want no finding", d.Message, d.Span)
	}
	s := runs.SettingsOf(p)
	var o launch.Options
	if err := s.Fill(&o, func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(s.NoControl, s.FailOnErrors, s.ErrorsTo, s.Grace, s.Hangup, s.Logs.Size, s.Reach, s.NoSeal, *s.TraceSize,
		o.Flavors["pvm"], o.Remote, o.Map, o.Ready, o.Ready.Timeout, o.RemoteDir, o.Restart, o.NoSplit)
	const want = "true true bad.jsonl 3s stop 500 login1 true 0 local template rsh '{host}' '{argv:q}' map[a.b:c] tcp:4000 2m0s /scratch always:2 true\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// Options of a Go program have priority.
	o = launch.Options{Remote: launch.Local{}, Map: map[string]string{"a.b": "d"}, Ready: launch.Ready{Probe: launch.ProbeNone}}
	if err := s.Fill(&o, func(string) string { return "" }); err != nil || o.Remote != (launch.Local{}) || o.Map["a.b"] != "d" || o.Ready.Probe != launch.ProbeNone {
		t.Errorf("%v, %+v; want what was given", err, o)
	}
	for text, want := range map[string]string{
		"errors = \"perhaps\"":          "`perhaps` is not known: expected `keep` or `fail`",
		"hangup = \"up\"":               "`up` is not known: expected `forward`, `stop` or `ignore`",
		"flavor = { vms = \"ssh\" }":    "`vms` is not a flavor: expected pvm, cm5, unix, winnt, mpi, simd",
		"launcher = \"telepathy\"":      "launcher `telepathy` is not known: expected `local`, `ssh`, `srun` or a template such as `rsh {host} {argv:q}`",
		"control = \"no\"":              "this takes true or false",
		"trace-size = \"much\"":         "`much` is not a size: expected something like `64MB`, or 0",
		"map = { a = \" \" }":           "this is not the name of a host",
		"restart = [\"no\"]":            "this is one value, not a list",
		"readyy = \"none\"":             "there is no setting `run.readyy`",
		"[launch]\nlog-size = \"10MB\"": "there is no setting `launch.log-size`",
	} {
		if found := read("[run]\n" + text).Problems(); len(found) != 1 || found[0].Message != want {
			t.Errorf("%s: %v; want %s", text, found, want)
		}
	}
}
