package launch

import (
	"errors"
	"slices"
	"strings"
	"testing"
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

// TestSecret: a secret reaches a program through its environment or the lifeline, and never appears in a command line or in a printed plan.
func TestSecret(t *testing.T) {
	n := &Node{ID: "p", Address: "poona", Argv: []string{"prog"}, Env: []Var{{"K", "x"}}, Secret: []Var{{"TICKET", "hidden"}}}
	tm := Template{[]string{"rsh", "{host}", "{env}", "{argv}"}}
	for _, s := range []Starter{Local{}, Srun{}, tm, SSH{}} {
		c := s.Command(n)
		if strings.Contains(strings.Join(c.Argv, " "), "hidden") {
			t.Errorf("%s: %q, want no %q in it", s, c.Argv, "hidden")
		}
		_, remote := s.(SSH)
		if inherited := slices.Contains(c.Env, n.Secret[0]); inherited == remote || remote != (c.Secret == "TICKET=hidden\n") {
			t.Errorf("%s: %v, lifeline %q; want inherited other than %v and remote = %v", s, c.Env, c.Secret, remote, (c.Secret == "TICKET=hidden\n"))
		}
		n.Starter = s
		var shown strings.Builder
		p := &Plan{Nodes: []*Node{n}}
		if err := errors.Join(p.WriteJSON(&shown), p.WriteText(&shown)); err != nil || strings.Contains(shown.String(), "hidden") {
			t.Errorf("%s: %v\n%s", s, err, shown.String())
		}
	}
}

// TestAllocation: programs for this machine or for hosts outside the allocation go to its nodes; daemons stay here.
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
