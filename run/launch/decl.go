package launch

import (
	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/source"
)

// Decls are the declarations that a plan is made of, in the order in which they were read. The Span of each declaration is its position; zero if it
// was declared in a Go program.
type Decls struct {
	Tunables  []Tunable `fingerprint:"-"` // Decls.Fingerprint has their values
	Daemons   []Daemon
	Processes []Process
	Visis     []Visi
	Settings  []Settings // from a project, by program; settings by name come before settings by id
}

// Tunable sets a constant. If a name is set several times, the last value counts.
type Tunable struct {
	Name  string      `json:"name"`
	Value string      `json:"value"` // the decimal text as it was written
	Span  source.Span `json:"-"`
}

// Daemon is a program that must be ready before the processes under it start.
// Host and command are its identity: two equal declarations are one daemon.
type Daemon struct {
	Name    string
	Command string // split into words as a POSIX shell does, without expansion
	Host    string
	Flavor  string
	Span    source.Span
}

// Process is a program of the application.
type Process struct {
	Name    string
	Command string // one word, never split
	Args    []string
	Host    string
	Daemon  string // the command, or the unique name, of its daemon
	Flavor  string
	Span    source.Span
}

// Visi is a visualisation. Declaring it does not start it: it is started on request.
type Visi struct {
	Name    string
	Command string
	Args    []string
	Host    string // empty: this machine
	Span    source.Span
}

// Fingerprint returns the fingerprint of a plan's declarations. The order of the declared programs counts, because it is the order in which they
// start. Of tunables and of variables that programs see, only the last value of each name counts.
func (d Decls) Fingerprint() fingerprint.Sum {
	form := struct {
		Decls     Decls
		Tunables  map[string]string
		Variables map[string]string
	}{d, map[string]string{}, map[string]string{}}
	for _, t := range d.Tunables {
		form.Tunables[t.Name] = t.Value
		form.Variables[TunableVariable(t.Name)] = t.Value
	}
	return fingerprint.Of(form)
}
