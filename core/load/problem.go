package load

import (
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
)

// ProblemKind is the reason why an include failed.
type ProblemKind uint8

// The kinds of problems.
const (
	Missing    ProblemKind = iota // no candidate exists
	Unreadable                    // the file exists and cannot be read, or is too large
	Cycle                         // the file is already being included
	Limit                         // the includes are too deep or too many, or have too much text
)

// Problem is an include that failed.
type Problem struct {
	Kind   ProblemKind
	At     source.Span
	From   *Frame
	Target *Frame   // for a cycle: the frame that is included again
	Tried  []string // for a missing file: where it was looked for
	what   string
}

// Codes are a language's diagnostic codes for the four kinds.
type Codes struct {
	Missing, Unreadable, Cycle, Limit *diag.Code
}

// Diagnostic returns the problem with the language's code and the chain of
// includes that led to it.
func (p *Problem) Diagnostic(codes Codes) *diag.Diagnostic {
	var d *diag.Diagnostic
	switch p.Kind {
	case Missing:
		name := strings.TrimSpace(p.At.Text())
		d = diag.New(codes.Missing, p.At, "the included file `%s` does not exist", name)
		if len(p.Tried) > 0 {
			d.Note("looked for %s", listing(p.Tried, 8))
		}
	case Unreadable:
		d = diag.New(codes.Unreadable, p.At, "%s", p.what)
	case Cycle:
		d = diag.New(codes.Cycle, p.At, "%s", p.what)
		for f := p.From; f != nil && f != p.Target; f = f.Parent {
			d.At(f.At, "which is included here")
			if len(d.Labels) == 8 {
				break
			}
		}
		var chain []string
		for f := p.From; f != nil; f = f.Parent {
			chain = append([]string{filepath.Base(f.File.Path())}, chain...)
			if f == p.Target {
				break
			}
		}
		chain = append(chain, filepath.Base(p.Target.File.Path()))
		if len(chain) > 10 {
			chain = append(append(chain[:5:5], "…"), chain[len(chain)-4:]...)
		}
		d.Note("the chain is %s", strings.Join(chain, " → "))
	case Limit:
		d = diag.New(codes.Limit, p.At, "%s", p.what)
	}
	if p.From.Parent != nil && p.Kind != Cycle {
		d.Note("%s is included from %s", p.From.File.Path(), p.From.At)
	}
	return d
}

func listing(names []string, limit int) string {
	more := ""
	if len(names) > limit {
		names, more = names[:limit], ", …"
	}
	return "`" + strings.Join(names, "`, `") + "`" + more
}
