package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pentode-dev/pentode/internal/need"
	"go.yaml.in/yaml/v4"
)

// inBin is a machine that has every program except `sim`.
var inBin = Place{Dir: "/home", LookPath: func(program string) (string, error) {
	if program == "sim" {
		return "", exec.ErrNotFound
	}
	return "/bin/" + program, nil
}}

func written(t *testing.T, format string, p *Plan) (string, []string) {
	t.Helper()
	var b strings.Builder
	lost, err := p.Convert(format, inBin, &b)
	if err != nil {
		t.Fatal(err)
	}
	var sentences []string
	for _, l := range lost {
		sentences = append(sentences, l.Message)
	}
	return b.String(), sentences
}

// convertPlan has every kind of node and probe.
func convertPlan(t *testing.T) *Plan {
	t.Helper()
	p, problems := NewPlan(Decls{
		Tunables: []Tunable{{Name: "maxEval", Value: "3"}},
		Daemons: []Daemon{
			{Name: "line", Command: "d1 -x", Host: "localhost"}, {Name: "tcp", Command: "d2", Host: "poona"}, {Name: "exec", Command: "d3", Host: "localhost"},
			{Name: "default", Command: "d4", Host: "localhost"}, {Name: "alive", Command: "d5", Host: "localhost"},
		},
		Processes: []Process{
			{Command: "sim", Args: []string{"it's 100 %", "$HOME\n"}, Host: "localhost", Daemon: "line"}, {Command: "sim", Host: "poona", Daemon: "tcp"},
		},
		Visis: []Visi{{Name: "hist", Command: "rthist"}},
	}, Options{Run: "r1", StateDir: "/s", Dir: "/work dir", Host: nowhere})
	if len(problems) > 0 {
		t.Fatalf("%v; want at most 0", problems)
	}
	p.Nodes[0].Ready = mustReady(t, "line:^up$")
	p.Nodes[1].Ready = mustReady(t, "tcp:4711")
	p.Nodes[2].Ready = mustReady(t, "exec:test -f 'a b'")
	p.Nodes[4].Ready = mustReady(t, "alive:2s")
	p.Nodes[5].Restart = Restart{When: RestartOnFailure, Limit: 3}
	return p
}

func TestProcessCompose(t *testing.T) {
	text, lost := written(t, "process-compose", convertPlan(t))
	type process struct {
		Command      string
		WorkingDir   string `yaml:"working_dir"`
		Environment  []string
		ReadyLogLine string `yaml:"ready_log_line"`
		Probe        struct {
			Exec struct{ Command string }
		} `yaml:"readiness_probe"`
		DependsOn    map[string]struct{ Condition string } `yaml:"depends_on"`
		Availability struct {
			Restart string
			Max     int `yaml:"max_restarts"`
		}
		Disabled bool
	}
	var got struct{ Processes map[string]process }
	if err := yaml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%s\n%s", err, text)
	}
	ps := got.Processes
	if len(ps) != 8 || ps["line"].ReadyLogLine != "up" || ps["exec"].Probe.Exec.Command != "test -f 'a b'" || !ps["hist"].Disabled ||
		ps["tcp"].Probe.Exec.Command != "(exec 3<>/dev/tcp/poona/4711) 2>/dev/null" || ps["sim"].DependsOn["line"].Condition != "process_log_ready" ||
		ps["sim#2"].DependsOn["tcp"].Condition != "process_healthy" || ps["sim"].Availability.Restart != "on_failure" || ps["sim"].Availability.Max != 3 {
		t.Errorf("%+v, want 8 processes, with line ready by its log, tcp by its port, exec by its file, hist disabled, and sim behind line and restarted at most 3 times", ps)
	}
	words, err := Split(ps["sim"].Command)
	if err != nil || !slices.Equal(words, []string{"exec", "sim", "it's 100 %", "$HOME\n"}) || ps["sim"].WorkingDir != "/work dir" {
		t.Errorf("%q, %v", words, err)
	}
	if !slices.Contains(ps["sim"].Environment, "PARADYN_TUNABLE_maxEval=3") || slices.ContainsFunc(ps["sim"].Environment, func(s string) bool { return strings.HasPrefix(s, "PENTODE_RUN") }) {
		t.Errorf("environment: %q, want PARADYN_TUNABLE_maxEval=3 and nothing of PENTODE_RUN", ps["sim"].Environment)
	}
	if words, _ := Split(ps["sim#2"].Command); len(words) != 6 || words[1] != "ssh" || !strings.HasPrefix(words[5], "exec env PARADYN_NAME=sim#2") && !strings.HasPrefix(words[5], "exec env 'PARADYN_NAME=sim#2'") {
		t.Errorf("remote: %q, want 6 words: ssh second, and last an exec of env with PARADYN_NAME=sim#2", words)
	}
	want := []string{
		"the file PARADYN_TUNABLES is not written: processes find tunables in PARADYN_TUNABLE_NAME only",
		"node `tcp` runs on `poona`: stopping it here may leave it running there",
		"daemon `default`: it counts as ready after one second: the line `PARADYND` is not waited for",
		"the pause before a restart does not grow",
		"node `sim#2` runs on `poona`: stopping it here may leave it running there",
	}
	if diff := cmp.Diff(want, lost); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
}

// In a unit, `%` begins a specifier everywhere, and `$` begins a variable except in the name of the program.
func TestUnitWords(t *testing.T) {
	if got, want := unitWords([]string{"/opt/$v/50%", "$HOME", "a\"b\\c\nd\r\t"}), `"/opt/$v/50%%" "$$HOME" "a\"b\\c\nd\r\t"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestConvertUnknown(t *testing.T) {
	_, err := (&Plan{}).Convert("make", Place{}, nil)
	if errText(err) != "a launch plan cannot be written as `make`: expected `process-compose`, `systemd` or `slurm`" {
		t.Error(err)
	}
}

func TestProcessComposeLines(t *testing.T) {
	for pattern, want := range map[string]string{"^up": "up", `^PARADYND \d+`: "PARADYND ", `[ab]c`: "", `^up\$`: ""} {
		p := convertPlan(t)
		p.Nodes = p.Nodes[:1]
		p.Nodes[0].Ready = mustReady(t, "line:"+pattern)
		text, lost := written(t, "process-compose", p)
		if has := strings.Contains(text, `ready_log_line: "`+want+`"`); has != (want != "") {
			t.Errorf("%s: %s; want %v", pattern, text, (want != ""))
		}
		if exact := len(lost) == 1; exact != (want == "up") {
			t.Errorf("%s: %q, want %v", pattern, lost, (want == "up"))
		}
	}
}

// TestProcessComposeSeconds: process-compose counts in whole seconds, so pauses are rounded up; a whole number of seconds stays the same.
func TestProcessComposeSeconds(t *testing.T) {
	for pause, want := range map[string]int{"1ms": 1, "1s": 1, "1500ms": 2, "2s": 2, "1m": 60} {
		d, err := time.ParseDuration(pause)
		if err != nil {
			t.Fatal(err)
		}
		p := convertPlan(t)
		p.Nodes = p.Nodes[:1]
		p.Nodes[0].Ready = mustReady(t, "alive:"+pause)
		p.Nodes[0].Restart = Restart{When: RestartAlways, Pause: d, MaxPause: time.Hour}
		text, _ := written(t, "process-compose", p)
		for _, line := range []string{"initial_delay_seconds", "backoff_seconds"} {
			if line := fmt.Sprintf("%s: %d\n", line, want); !strings.Contains(text, line) {
				t.Errorf("%s: expected `%s` in\n%s", pause, line, text)
			}
		}
	}
	p := convertPlan(t)
	p.Nodes = p.Nodes[1:2]
	if text, _ := written(t, "process-compose", p); !strings.Contains(text, "initial_delay_seconds: 0\n") {
		t.Errorf("a port is not asked for at once:\n%s", text)
	}
}

func TestSystemd(t *testing.T) {
	p := convertPlan(t)
	p.Nodes = append(p.Nodes[:1:1], p.Nodes[1], p.Nodes[5])
	for _, n := range p.Nodes {
		n.Env = n.Env[1:3]
	}
	p.Nodes[1].Starter, p.Nodes[1].ID, p.Nodes[0].Env = Local{}, "tcp@poona", []Var{{"A", `x "y" \ % $z`}}
	p.Nodes[1].Argv = []string{"bin/d2"}
	text, lost := written(t, "systemd", p)
	want := `# pentode-r1.target
[Unit]
Description=run r1
Wants=pentode-r1-line.service
Wants=pentode-r1-tcp\x40poona.service
Wants=pentode-r1-sim.service

# pentode-r1-line.service
[Unit]
Description=daemon line
PartOf=pentode-r1.target

[Service]
Type=exec
WorkingDirectory=/work dir
Environment="A=x \"y\" \\ %% $z"
ExecStart="/bin/d1" "-x"
ExecStartPost="/bin/sleep" "1"
KillMode=control-group
TimeoutStopSec=10

# pentode-r1-tcp\x40poona.service
[Unit]
Description=daemon tcp@poona
PartOf=pentode-r1.target

[Service]
Type=exec
WorkingDirectory=/home
Environment="PARADYN_NAME=tcp"
ExecStart="/home/bin/d2"
ExecStartPost="/bin/bash" "-c" "until (exec 3<>/dev/tcp/poona/4711) 2>/dev/null; do sleep 0.2; done"
TimeoutStartSec=30
KillMode=control-group
TimeoutStopSec=10

# pentode-r1-sim.service
[Unit]
Description=process sim
PartOf=pentode-r1.target
After=pentode-r1-line.service
BindsTo=pentode-r1-line.service
StartLimitIntervalSec=infinity
StartLimitBurst=4

[Service]
Type=exec
WorkingDirectory=/work dir
Environment="PARADYN_NAME=sim"
ExecStart="sim" "it's 100 %%" "$$HOME\n"
KillMode=control-group
TimeoutStopSec=10
Restart=on-failure
RestartSec=1
`
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
	if len(lost) != 5 || lost[3] != "node `sim`: program `sim` was not found in any directory of PATH, and systemd searches only its own directories: write its whole path" || lost[2] != "daemon `line`: it counts as ready after one second: systemd does not wait for the line `^up$`" {
		t.Errorf("lost: %q", lost)
	}
}

// TestSystemdVerify: systemd accepts the units of a plan with bare and relative
// commands, every probe, and a folder with a blank and a percent sign.
func TestSystemdVerify(t *testing.T) {
	t.Parallel()
	analyze := need.Program(t, "systemd-analyze", "--version")
	dir := filepath.Join(t.TempDir(), "100 % here")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "prog"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := convertPlan(t)
	for i, n := range p.Nodes {
		n.Dir, n.Starter, n.Argv[0] = dir, Local{}, "./prog"
		if i%2 == 0 {
			n.Argv[0], n.Dir = "sh", ""
		}
	}
	var b strings.Builder
	if _, err := p.Convert("systemd", Place{dir, exec.LookPath}, &b); err != nil {
		t.Fatal(err)
	}
	units := t.TempDir()
	args := []string{"--man=no", "verify"}
	for _, unit := range strings.Split(strings.TrimPrefix(b.String(), "# "), "\n# ") {
		name, text, _ := strings.Cut(unit, "\n")
		file := filepath.Join(units, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := exec.Command(analyze, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s\n%s", err, out, b.String())
	}
}

func TestSlurmText(t *testing.T) {
	text, _ := written(t, "slurm", convertPlan(t))
	for _, want := range []string{
		"#SBATCH --nodes=1\n#SBATCH --nodelist=poona\n",
		"--nodelist=poona",
		"ready 30 $! line '^up$' ",
		"ready 30 $! eval '(exec 3<>/dev/tcp/poona/4711) 2>/dev/null'\n",
		`ready 30 $! eval 'test -f '\''a b'\'''` + "\n",
		"ready 5 $! alive $! 2\n",
		"# visualisation hist is declared only\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	cmd := exec.Command(need.Program(t, "bash"), "-n")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %s", err, out)
	}
}

// TestColumns: the table of other supervisors on the page matches the result of converting a plan with all these features.
func TestColumns(t *testing.T) {
	d := Decls{
		Daemons:   []Daemon{{Name: "line", Command: "/bin/d1", Host: "localhost"}, {Name: "port", Command: "/bin/d2", Host: "localhost"}},
		Processes: []Process{{Name: "p", Command: "/bin/p", Args: []string{"x"}, Host: "localhost", Daemon: "line"}, {Name: "q", Command: "/bin/q", Host: "localhost", Daemon: "port"}},
	}
	d.Settings = settingsOf(t, "line ready = line:^up", "port ready = tcp:4711", "port ready-within = 1m",
		"p restart = on-failure:2", "p stop = INT", "p grace = 3s", "p env.A = 1", "p dir = sub", "q hosts = [far]")
	formats := []string{"process-compose", "systemd", "slurm"}
	var texts []string
	for _, format := range formats {
		o := Options{Dir: "/work", RemoteDir: "/work", Host: nowhere}
		if format == "slurm" {
			o.Remote = Srun{}
		}
		p, problems := NewPlan(d, o)
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		text, _ := written(t, format, p)
		texts = append(texts, text)
	}
	page, err := os.ReadFile("../../docs/for-launch-users.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| here | process-compose | systemd | Slurm |\n|---|---|---|---|\n")
	if !ok {
		t.Fatal("the page has no table of the others")
	}
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 4 {
			break
		}
		rows++
		for i, cell := range cells[1:] {
			words := strings.Split(cell, "`")
			for k := 1; k < len(words); k += 2 {
				if !strings.Contains(texts[i], words[k]) {
					t.Errorf("%s: the plan as %s has no %s:\n%s", cells[0], formats[i], words[k], texts[i])
				}
			}
		}
	}
	if rows != 8 {
		t.Errorf("%d rows, want 8", rows)
	}
}
