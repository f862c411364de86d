package runs

import (
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/runs/record"
)

// sealResults adds seals with their origin to the results of a run, if that is requested. A program of another run makes the seals of that run.
func (o *Options) sealResults() {
	asked := os.Getenv(seal.Variable)
	if !o.Seal || o.seals != nil || asked == seal.Off {
		return
	}
	if s, err := seal.Parse([]byte(asked)); err == nil {
		o.seals = seal.New(*s)
		return
	}
	s := seal.Seal{Time: time.Now()}
	var program record.Program
	if r := o.recorder; r != nil {
		s = seal.Seal{Run: r.ID, Time: r.Started, Fingerprints: r.Fingerprints, Target: r.Target, Host: r.Host.Name, Record: filepath.Dir(r.store.Path(r.ID))}
		if n := len(r.Programs); n > 0 { // a traced program comes after this program
			program = r.Programs[n-1]
		}
	} else {
		s.Run = o.newID(s.Time)
		s.Host, _ = os.Hostname() // a machine may have no name
		program = newProgram(o.Program.Path)
	}
	s.Program, s.Build = program.Path, program.BuildID
	s.Time = s.Time.Truncate(time.Millisecond).UTC()
	o.seals = seal.New(s)
}

// resultVariables returns the variables that tell a program of the run whether to seal its results, and where to note them. program is its name in
// the run.
func (o *Options) resultVariables(program string) []launch.Var {
	own := launch.Var{Name: seal.Variable, Value: seal.Off}
	if o.seals != nil {
		own.Value = string(o.seals.By(program).Text())
	}
	list := []launch.Var{own}
	if o.ledger != nil {
		list = append(list, launch.Var{Name: outfile.LedgerVariable, Value: o.ledger.Path})
	}
	return list
}

// endSeals records from which runs this run has read results, and warns if a result has no seal: the run does not fail because of that.
func (o *Options) endSeals() {
	if o.seals == nil {
		return
	}
	for _, p := range o.seals.Seal().Parents {
		if r := o.recorder; r != nil {
			r.Parents = append(r.Parents, p.Run)
		}
	}
	if err := o.seals.Lost(); err != nil {
		o.warn("a result has no seal: %v", problem.Reason(err))
	}
}
