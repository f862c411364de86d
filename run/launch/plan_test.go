package launch

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// nowhere is a host named `here` on which nothing is started.
var nowhere = Host{
	Name:    func() string { return "here" },
	IsLocal: func(h string) bool { return h == "127.0.0.1" },
	Find:    func(string, string) error { return nil },
	Start:   func(Command) (Proc, error) { panic("a plan starts nothing") },
}

var declared = source.NewFile("x.psdl", strings.Repeat("\n", 9))

// line returns the position of a declaration.
func line(n int) source.Span { return declared.Span(n-1, n-1) }

func brief(p *Plan, problems problem.List) string {
	var b strings.Builder
	for _, n := range p.Nodes {
		fmt.Fprintf(&b, "%s %s %s %q after %s by %s", n.Kind, n.ID, n.Host, n.Argv, strings.Join(edgeTexts(n.After), ","), n.Starter)
		if n.OnRequest {
			b.WriteString(" on request")
		}
		b.WriteString("\n")
	}
	for _, x := range problems {
		fmt.Fprintf(&b, "%s %s %s\n", x.Severity, x.Kind, x.Error())
	}
	return b.String()
}

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Decls
		o    Options
		want string
	}{
		{
			name: "the documented process starts its daemon where none is declared",
			in:   Decls{Processes: []Process{{Command: "potato", Host: "localhost", Daemon: "paradyndPVM", Span: line(1)}}},
			want: "daemon paradyndPVM@here here [\"paradyndPVM\"] after  by local\n" +
				"process potato here [\"potato\"] after paradyndPVM@here by local\n" +
				"info implicit-daemon x.psdl:1:1: daemon `paradyndPVM` is not declared on host `here`: it is started for this process\n",
		},
		{
			name: "equal daemons are one, others are told apart",
			in: Decls{Daemons: []Daemon{
				{Command: "/opt/d -x", Host: "poona"}, {Command: "/opt/d -x", Host: "poona"}, {Command: "/opt/d -y", Host: "poona"}, {Command: "/opt/d -x", Host: "cham"},
			}},
			want: "daemon d@poona poona [\"/opt/d\" \"-x\"] after  by ssh\n" +
				"daemon d@poona#2 poona [\"/opt/d\" \"-y\"] after  by ssh\n" +
				"daemon d@cham cham [\"/opt/d\" \"-x\"] after  by ssh\n",
		},
		{
			name: "a process finds its daemon by command, then by unique name, on its own host; the name of one elsewhere is no command",
			in: Decls{
				Daemons: []Daemon{{Name: "n", Command: "d one", Host: "localhost"}, {Name: "m", Command: "n", Host: "localhost"}, {Name: "k", Command: "e 1", Host: "localhost"}, {Name: "k", Command: "e 2", Host: "localhost"}},
				Processes: []Process{
					{Command: "p", Host: "localhost", Daemon: "d one"}, {Command: "p", Host: "localhost", Daemon: "n"},
					{Command: "p", Host: "localhost", Daemon: "m"}, {Command: "p", Host: "poona", Daemon: "m"}, {Name: "p#2", Command: "q", Host: "localhost", Daemon: "k"},
				},
			},
			want: "daemon n here [\"d\" \"one\"] after  by local\n" +
				"daemon m here [\"n\"] after  by local\n" +
				"daemon k here [\"e\" \"1\"] after  by local\n" +
				"daemon k#2 here [\"e\" \"2\"] after  by local\n" +
				"daemon k@here here [\"k\"] after  by local\n" +
				"process p here [\"p\"] after n by local\n" +
				"process p#2 here [\"p\"] after m by local\n" +
				"process p#3 here [\"p\"] after m by local\n" +
				"process p#2#2 here [\"q\"] after k@here by local\n" +
				"error daemon-elsewhere `m` is the name of a daemon on host `here`, and the process is for `poona`: declare the daemon on this host too, or name it by its command\n" +
				"info implicit-daemon daemon `k` is not declared on host `here`: it is started for this process\n",
		},
		{
			name: "a process without a daemon, and this machine mapped away",
			in:   Decls{Processes: []Process{{Command: "p", Host: "localhost"}}},
			o:    Options{Map: map[string]string{"localhost": "far"}},
			want: "process p here [\"p\"] after  by ssh\n",
		},
		{
			name: "visualisations are declared; the last of a name counts",
			in: Decls{
				Daemons:   []Daemon{{Command: "d", Host: "localhost"}},
				Processes: []Process{{Command: "p", Host: "localhost", Daemon: "d"}},
				Visis:     []Visi{{Name: "hist", Command: "old"}, {Name: "bar", Command: "barchart", Args: []string{"-w", "a b"}}, {Name: "hist", Command: "rthist", Span: line(9)}},
			},
			o: Options{Visis: []string{"bar"}},
			want: "daemon d@here here [\"d\"] after  by local\n" +
				"process p here [\"p\"] after d@here by local\n" +
				"visi bar here [\"barchart\" \"-w\" \"a b\"] after p by local\n" +
				"visi hist here [\"rthist\"] after p by local on request\n" +
				"warning visi-again x.psdl:9:1: visualisation `hist` is declared again: this declaration replaces the one before\n",
		},
		{
			name: "all visualisations, and one that is not declared",
			in:   Decls{Visis: []Visi{{Name: "a", Command: "x"}}},
			o:    Options{Visis: []string{"all", "b"}},
			want: "visi a here [\"x\"] after  by local\n" +
				"error visi-unknown no visualisation is called `b`: `run --dry-run` lists the declared ones\n",
		},
		{
			name: "what cannot be started is left out",
			in: Decls{
				Daemons:   []Daemon{{Command: "d 'x", Host: "h", Span: line(1)}, {Command: " ", Host: "h", Span: line(2)}, {Command: "d", Host: "-oProxyCommand=x", Span: line(3)}},
				Processes: []Process{{Command: "a b", Host: "localhost", Daemon: "d", Span: line(4)}, {Command: "x\x00y", Host: "localhost", Daemon: "d", Span: line(5)}, {Command: "", Host: "localhost", Daemon: "d", Span: line(6)}},
			},
			want: "daemon d@here here [\"d\"] after  by local\n" +
				"process a b here [\"a b\"] after d@here by local\n" +
				"error daemon-command x.psdl:1:1: command `d 'x`: the single quote `'` is never closed: close the quote\n" +
				"error daemon-command x.psdl:2:1: command ` ` names no program: name the program to start\n" +
				"error host-dash x.psdl:3:1: host `-oProxyCommand=x` begins with a dash: a remote shell would read it as an option\n" +
				"info implicit-daemon x.psdl:4:1: daemon `d` is not declared on host `here`: it is started for this process\n" +
				"error nul-byte x.psdl:5:1: process `x\\0y` has a NUL byte in its command, arguments or host: no program can receive it\n" +
				"error command-empty x.psdl:6:1: process has an empty command: name the program to start\n" +
				"warning command-blanks x.psdl:4:1: the command of process `a b` contains blanks: it is the name of one program, not a command line: put what follows the first blank into `args`\n",
		},
		{
			name: "hosts are mapped, launchers chosen, commands kept whole, this program known",
			in: Decls{
				Daemons:   []Daemon{{Command: "pentode launch", Host: "poona"}, {Command: "d", Host: "cham", Flavor: "cm5"}},
				Processes: []Process{{Command: "pentode", Args: []string{"run"}, Host: "127.0.0.1", Daemon: "pentode"}, {Command: "pentode", Host: "far", Daemon: "pentode"}},
			},
			o: Options{Map: map[string]string{"poona": "127.0.0.1"}, NoSplit: true, Self: "/bin/me", Flavors: map[string]Starter{"cm5": Srun{}}},
			want: "daemon pentode launch@poona poona [\"pentode launch\"] after  by local\n" +
				"daemon d@cham cham [\"d\"] after  by srun\n" +
				"process pentode 127.0.0.1 [\"/bin/me\" \"run\"] after  by local\n" +
				"process pentode#2 far [\"pentode\"] after  by ssh\n",
		},
		{
			name: "a declared daemon that is called like this program is one",
			in: Decls{
				Daemons:   []Daemon{{Name: "pentode", Command: "watch", Host: "localhost"}},
				Processes: []Process{{Command: "p", Host: "localhost", Daemon: "pentode"}},
			},
			want: "daemon pentode here [\"watch\"] after  by local\n" +
				"process p here [\"p\"] after pentode by local\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Host = nowhere
			if diff := cmp.Diff(c.want, brief(NewPlan(c.in, c.o))); diff != "" {
				t.Errorf("%v; want nothing", diff)
			}
		})
	}
}

// A problem names its node, the other position and the probably intended name.
func TestPlanProblems(t *testing.T) {
	_, found := NewPlan(Decls{
		Processes: []Process{{Command: "solve it", Host: "localhost", Span: line(1)}},
		Visis:     []Visi{{Name: "hist", Command: "a", Span: line(2)}, {Name: "hist", Command: "b", Span: line(3)}},
	}, Options{Visis: []string{"hits"}, Host: nowhere})
	want := problem.List{
		{Kind: CommandBlanks, Severity: problem.Warning, Span: line(1), Subject: problem.Subject{Name: "solve it"},
			Message:  "the command of process `solve it` contains blanks: it is the name of one program, not a command line",
			Expected: "put what follows the first blank into `args`"},
		{Kind: VisiAgain, Severity: problem.Warning, Span: line(3), Subject: problem.Subject{Name: "hist"},
			Message: "visualisation `hist` is declared again: this declaration replaces the one before",
			Related: []problem.Related{{Span: line(2), Message: "declared here before"}}},
		{Kind: VisiUnknown, Subject: problem.Subject{Name: "hits"}, Message: "no visualisation is called `hits`",
			Expected: "`run --dry-run` lists the declared ones", Suggestion: "hist"},
	}
	if diff := cmp.Diff(want, found, cmp.Comparer(func(a, b source.Span) bool { return a == b })); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
}

func TestPlanIsBounded(t *testing.T) {
	d := crew(1, 10_000, "d", "p")
	for i := range 1000 {
		d.Tunables = append(d.Tunables, Tunable{Name: fmt.Sprint("t", i), Value: "1"})
	}
	p, problems := NewPlan(d, Options{Host: nowhere})
	if len(p.Nodes) != 0 || len(problems) != 1 || problems[0].Message != "1000 tunables for each of 20001 nodes exceed the limit of 4194304 variables for a plan" {
		t.Errorf("%d nodes, %v; want len(p.Nodes) = 0, len(problems) = 1 and problems[0].Message = %q", len(p.Nodes), problems, "1000 tunables for each of 20001 nodes exceed the limit of 4194304 variables for a plan")
	}
}

// samplePlan has one of everything.
func samplePlan() (*Plan, problem.List) {
	return NewPlan(Decls{
		Tunables: []Tunable{{Name: "maxEval", Value: "3"}, {Name: "a.b", Value: "007"}, {Name: "a-b", Value: "0.50", Span: line(3)}, {Name: "maxEval", Value: "12345678901234567890.10"}},
		Daemons:  []Daemon{{Command: "paradynd -p 1", Host: "localhost"}, {Command: "remoted", Host: "poona"}},
		Processes: []Process{
			{Command: "sim", Args: []string{"two words", "$x"}, Host: "localhost", Daemon: "paradynd -p 1", Flavor: "cm5"},
			{Command: "sim", Host: "poona", Daemon: "remoted"},
		},
		Visis: []Visi{{Name: "hist", Command: "rthist"}},
	}, Options{Run: "r1", StateDir: "/state/r1", Dir: "/work dir", Host: nowhere})
}

func TestPlanEnvironment(t *testing.T) {
	p, problems := samplePlan()
	if len(problems) != 1 || problems[0].Kind != TunableClash || problems[0].Span != line(3) {
		t.Errorf("problems: %v, want one: a clash of tunables at %v", problems, line(3))
	}
	want := []Var{
		{"PENTODE_RUN", "r1"}, {"PENTODE_NODE", "sim"}, {"PARADYN_NAME", "sim"}, {"PARADYN_HOST", "here"}, {"PARADYN_FLAVOR", "cm5"},
		{"PARADYN_TUNABLE_maxEval", "12345678901234567890.10"}, {"PARADYN_TUNABLE_a_b", "0.50"},
		{"PARADYN_TUNABLES", "/state/r1/tunables.json"}, {"PARADYN_DAEMON", "paradynd -p 1"}, {"PENTODE_RANK", "0"}, {"PENTODE_SIZE", "2"},
	}
	if diff := cmp.Diff(want, p.Nodes[2].Env); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
	for _, v := range p.Nodes[3].Env {
		if v.Name == "PARADYN_TUNABLES" {
			t.Error("a file of this machine is named on another")
		}
	}
	if got, want := string(p.TunablesJSON()), "{\n  \"maxEval\": 12345678901234567890.10,\n  \"a.b\": 7,\n  \"a-b\": 0.50\n}\n"; got != want {
		t.Errorf("got %s; want %v", got, want)
	}
	for in, want := range map[string]string{"0": "0", "00": "0", "0.5": "0.5", "": `""`, "x<y": `"x<y"`, "1 ": `"1 "`} {
		if got := string(jsonNumber(in)); got != want {
			t.Errorf("jsonNumber(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestPlanJSON(t *testing.T) {
	p, _ := samplePlan()
	var b strings.Builder
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tunables []map[string]string
		Nodes    []struct {
			ID, Kind, Host, Dir, Ready, Launcher string
			Argv, After, Exec                    []string
			Env                                  map[string]string
			OnRequest                            bool `json:"on_request"`
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Tunables) != 4 || got.Tunables[1]["value"] != "007" {
		t.Errorf("tunables: %v, want 4, the second with the value %q", got.Tunables, "007")
	}
	n := got.Nodes[2]
	if n.ID != "sim" || n.Kind != "process" || n.Host != "here" || n.Dir != "/work dir" || n.Ready != "none" || n.Launcher != "local" ||
		n.Env["PENTODE_RANK"] != "0" || fmt.Sprintf("%q", n.Argv) != `["sim" "two words" "$x"]` || fmt.Sprint(n.After) != "[paradynd@here]" || n.Exec != nil {
		t.Errorf("node: %+v, want sim on here in /work dir, local, ready without a sign, of rank 0, after paradynd@here, its words as they are", n)
	}
	if remote := got.Nodes[3]; remote.Launcher != "ssh" || remote.Exec[0] != "ssh" || remote.Dir != "" {
		t.Errorf("node: %+v, want it started by ssh, in no folder", remote)
	}
	if !got.Nodes[4].OnRequest || got.Nodes[0].After == nil {
		t.Errorf("nodes: %+v, want number 4 on request, and a list of what number 0 comes after", got.Nodes)
	}
}

func TestPlanText(t *testing.T) {
	p, _ := samplePlan()
	p.Nodes = append(p.Nodes[:1], p.Nodes[4])
	p.Nodes[1].After = []Edge{{ID: "a"}, {ID: "b"}}
	p.Nodes[0].Env, p.Nodes[1].Env = p.Nodes[0].Env[:2], nil
	p.Nodes[0].Restart = Restart{When: RestartAlways}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `tunable maxEval = 3   set again below
tunable a.b = 007
tunable a-b = 0.50
tunable maxEval = 12345678901234567890.10

daemon paradynd@here on here
  run    paradynd -p 1
  in     '/work dir'
  with   PENTODE_RUN=r1
         PENTODE_NODE=paradynd@here
  ready  line:^PARADYND \d+ or alive:1s
  again  always

visi hist on here, declared only
  run    rthist
  in     '/work dir'
  after  a, b
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("%v; want nothing", diff)
	}
}

func BenchmarkPlan(b *testing.B) {
	d := crew(10, 1000, "daemon", "process")
	for b.Loop() {
		if _, problems := NewPlan(d, Options{Host: nowhere}); len(problems) > 0 {
			b.Fatalf("%v; want at most 0", problems[0])
		}
	}
}

// TestDaemonOfTwoNames: processes find a daemon by each name with which it was declared.
func TestDaemonOfTwoNames(t *testing.T) {
	plan, problems := NewPlan(Decls{
		Daemons: []Daemon{
			{Name: "one", Command: "d", Host: "localhost"},
			{Name: "two", Command: "d", Host: "localhost"},
		},
		Processes: []Process{
			{Command: "p", Host: "localhost", Daemon: "one"},
			{Command: "q", Host: "localhost", Daemon: "two"},
		},
	}, Options{Host: nowhere})
	if len(problems) > 0 || len(plan.Nodes) != 3 {
		t.Fatalf("%d nodes, %v; want len(problems) at most 0 and len(plan.Nodes) = 3", len(plan.Nodes), problems)
	}
	for _, n := range plan.Nodes[1:] {
		if len(n.After) != 1 || n.After[0].ID != "one" {
			t.Errorf("%s comes after %v", n.ID, n.After)
		}
	}
}

// crew returns n daemons and m processes spread over them.
func crew(daemons, processes int, daemon, process string) Decls {
	var d Decls
	if filepath.IsAbs(daemon) {
		daemon = Quote(daemon) // a daemon's command is split into words
	}
	for i := range daemons {
		d.Daemons = append(d.Daemons, Daemon{Name: fmt.Sprintf("d%d", i), Command: fmt.Sprintf("%s %d", daemon, i), Host: "localhost"})
	}
	for i := range processes {
		d.Processes = append(d.Processes, Process{
			Name: fmt.Sprintf("p%d", i), Command: process, Args: []string{strconv.Itoa(i)},
			Host: "localhost", Daemon: fmt.Sprintf("d%d", i%daemons),
		})
	}
	return d
}
