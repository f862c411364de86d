package launch

import (
	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/source"
)

// Decls are the declarations a plan is made of, in the order they were read.
// The Span of each is where it was declared; zero: in a Go program.
type Decls struct {
	Tunables  []Tunable `fingerprint:"-"` // Decls.Fingerprint has their values
	Daemons   []Daemon
	Processes []Process
	Visis     []Visi
	Settings  []Settings // of a project, by program; those of ids after those of names
}

// Tunable sets a constant. A name may be set several times: the last decides.
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

// Visi is a visualisation: declared always, started on request.
type Visi struct {
	Name    string
	Command string
	Args    []string
	Host    string // empty: this machine
	Span    source.Span
}

// Fingerprint returns the fingerprint of a plan's declarations. The order in which
// programs are declared is that in which they start, and counts; of tunables the last value
// of each name does, and that of each variable that programs see.
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
