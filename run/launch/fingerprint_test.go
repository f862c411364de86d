package launch

import (
	"reflect"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/source"
)

func settings(t *testing.T, keysAndValues ...string) Settings {
	t.Helper()
	s := Settings{Program: "p"}
	for i := 0; i < len(keysAndValues); i += 2 {
		if err := s.Set([]string{keysAndValues[i]}, Value{Text: keysAndValues[i+1]}, source.Span{}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestFingerprint: everything in a plan counts, except for the spelling of settings, and the order of tunables if it has no effect.
func TestFingerprint(t *testing.T) {
	with := func(s ...Settings) Decls { return Decls{Settings: s} }
	tunables := func(namesAndValues ...string) (d Decls) {
		for i := 0; i < len(namesAndValues); i += 2 {
			d.Tunables = append(d.Tunables, Tunable{Name: namesAndValues[i], Value: namesAndValues[i+1]})
		}
		return d
	}
	p, q := Process{Name: "p", Command: "a"}, Process{Name: "q", Command: "a"}
	for name, c := range map[string]struct {
		a, b Decls
		same bool
	}{
		"order of tunables":      {tunables("a", "1", "b", "2"), tunables("b", "2", "a", "1"), true},
		"an earlier value":       {tunables("a", "1"), tunables("a", "9", "a", "1"), true},
		"the last value":         {tunables("a", "1", "a", "2"), tunables("a", "2", "a", "1"), false},
		"two of one variable":    {tunables("a.b", "1", "a_b", "2"), tunables("a_b", "2", "a.b", "1"), false},
		"digits of a tunable":    {tunables("a", "1"), tunables("a", "1.0"), false},
		"spelling of a duration": {with(settings(t, "ready-within", "2m")), with(settings(t, "ready-within", "120s")), true},
		"a duration":             {with(settings(t, "ready-within", "2m")), with(settings(t, "ready-within", "3m")), false},
		"pattern of a line":      {with(settings(t, "ready", "line:a")), with(settings(t, "ready", "line:b")), false},
		"for this plan alone":    {with(Settings{Program: "p"}), with(Settings{Program: "p", Only: true}), false},
		"order of processes":     {Decls{Processes: []Process{p, q}}, Decls{Processes: []Process{q, p}}, false},
		"process or daemon":      {Decls{Processes: []Process{p}}, Decls{Daemons: []Daemon{{Name: "p", Command: "a"}}}, false},
		"arguments":              {Decls{Visis: []Visi{{Args: []string{"a b"}}}}, Decls{Visis: []Visi{{Args: []string{"a", "b"}}}}, false},
	} {
		if same := c.a.Fingerprint() == c.b.Fingerprint(); same != c.same {
			t.Errorf("%s: the same %v, want %v", name, same, c.same)
		}
	}
	want := []string{"Decls.Tunables", "Settings.Given"}
	if found := fingerprint.Neutral(reflect.TypeFor[Decls]()); !slices.Equal(found, want) {
		t.Errorf("%v do not count, want %v", found, want)
	}
}
