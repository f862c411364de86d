package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTemplateCommand(t *testing.T) {
	n := &Node{ID: "p", Address: "poona", Argv: []string{"prog", "a b"}, Dir: "/d", Env: []Var{{"PENTODE_RUN", "r1"}, {"K", "x y"}}}
	for in, want := range map[string][]string{
		"rsh {host} -- {argv}":              {"rsh", "poona", "--", "prog", "a b"},
		"rsh {host} 'cd {dir} && {argv:q}'": {"rsh", "poona", "cd /d && prog 'a b'"},
		"on {host}:{id}@{run} {env} {argv}": {"on", "poona:p@r1", "PENTODE_RUN=r1", "K=x y", "prog", "a b"},
		"sh -c '{env:q} {argv:q}'":          {"sh", "-c", "PENTODE_RUN=r1 K='x y' prog 'a b'"},
	} {
		tm, err := parseTemplate(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := tm.Command(n).Argv; !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A recording srun: it writes its arguments and the variables down, then does
// what srun would do on one node.
func TestRealSrun(t *testing.T) {
	w := newWorkshop(t)
	srun := w.script("srun", `{ for a; do printf '%s\n' "$a"; done; echo "tunable $PARADYN_TUNABLE_list"; } > "$0.$PENTODE_NODE"
while [ "$1" != -- ]; do case $1 in --chdir=*) cd "${1#--chdir=}";; esac; shift; done; shift; exec "$@"`)
	daemon := w.script("daemon", `echo "PARADYND $$"; exec sleep 60`)
	process := w.script("process", `echo "$1 in $(pwd)"`)
	d := Decls{
		Tunables: []Tunable{{Name: "list", Value: "1,2"}},
		Daemons:  []Daemon{{Name: "d", Command: daemon + " 'x y'", Host: "node7"}},
		Processes: []Process{
			{Name: "p", Command: process, Args: []string{"two words"}, Host: "node7", Daemon: "d"},
		},
	}
	starter := Srun{Program: []string{srun}}
	r := w.start(d, Options{Local: starter, Remote: starter, RemoteDir: w.dir}, RunOptions{Grace: time.Second})
	if result := r.wait(); result.Code != 0 {
		t.Fatalf("code %d\n%s", result.Code, r.story())
	}
	common := "--nodes=1\n--ntasks=1\n--nodelist=node7\n--overlap\n--export=ALL\n--input=none\n--unbuffered\n--kill-on-bad-exit=1\n--mpi=none\n--job-name=%s\n--chdir=" + w.dir + "\n--\n"
	for id, rest := range map[string]string{"d": daemon + "\nx y\n", "p": process + "\ntwo words\n"} {
		got, err := os.ReadFile(srun + "." + id)
		if want := fmt.Sprintf(common, id) + rest + "tunable 1,2\n"; err != nil || string(got) != want {
			t.Errorf("%s: %v, got\n%swant\n%s", id, err, got, want)
		}
	}
	if !strings.Contains(r.output.String(), "two words in "+w.dir) {
		t.Errorf("output: %s", r.output)
	}
}

func TestRealTemplate(t *testing.T) {
	w := newWorkshop(t)
	w.script("there", `host=$1; shift; echo "to $host"; exec "$@"`)
	tm, err := parseTemplate(filepath.Join(w.dir, "there") + ` {host} sh -c 'cd {dir} && exec {argv:q}'`)
	if err != nil {
		t.Fatal(err)
	}
	d := Decls{Processes: []Process{{Name: "p", Command: "printf", Args: []string{`%s-`, "it's", "$x"}, Host: "far", Daemon: "sleep 60"}}}
	r := w.start(d, Options{Remote: tm, RemoteDir: w.dir, Ready: Ready{Probe: ProbeNone}}, RunOptions{Grace: time.Second})
	r.wait()
	if got, _ := os.ReadFile(r.dir.LogFile("p", "out")); string(got) != "to far\nit's-$x-" {
		t.Errorf("output %q", got)
	}
}

// TestSecret: a secret reaches a program through its environment or the
// lifeline, and is never part of a command line or of the plan as it is shown.
func TestSecret(t *testing.T) {
	n := &Node{ID: "p", Address: "poona", Argv: []string{"prog"}, Env: []Var{{"K", "x"}}, Secret: []Var{{"TICKET", "hidden"}}}
	tm := Template{[]string{"rsh", "{host}", "{env}", "{argv}"}}
	for _, s := range []Starter{Local{}, Srun{}, tm, SSH{}} {
		c := s.Command(n)
		if strings.Contains(strings.Join(c.Argv, " "), "hidden") {
			t.Errorf("%s: %q", s, c.Argv)
		}
		_, remote := s.(SSH)
		if inherited := slices.Contains(c.Env, n.Secret[0]); inherited == remote || remote != (c.Secret == "TICKET=hidden\n") {
			t.Errorf("%s: %v, lifeline %q", s, c.Env, c.Secret)
		}
		n.Starter = s
		var shown strings.Builder
		p := &Plan{Nodes: []*Node{n}}
		if err := errors.Join(p.WriteJSON(&shown), p.WriteText(&shown)); err != nil || strings.Contains(shown.String(), "hidden") {
			t.Errorf("%s: %v\n%s", s, err, shown.String())
		}
	}
}

// TestAllocation: what a plan places on this machine or on hosts that are not
// of the allocation goes to its nodes; daemons stay here.
func TestAllocation(t *testing.T) {
	d := Decls{Daemons: []Daemon{{Name: "d", Command: "d", Host: "localhost"}}}
	for _, host := range []string{"localhost", "localhost", "far", "n2", "localhost", "far", "farther"} {
		d.Processes = append(d.Processes, Process{Command: "p", Host: host})
	}
	plan, _ := NewPlan(d, Options{Nodes: []string{"n1", "n2"}, Remote: Srun{}, Host: Host{
		Name: func() string { return "here" }, IsLocal: func(host string) bool { return host == "here" },
	}})
	var got []string
	for _, n := range plan.Nodes {
		got = append(got, n.Address)
	}
	if want := "here n1 n2 n1 n2 n1 n1 n2"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
