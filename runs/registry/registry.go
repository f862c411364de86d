// Package registry lists the live and the ended runs of a user, and controls the live ones.
//
//	folder of runs ──┬─ RUN/run.json ──── state.Dir ─────┐
//	                 └─ RUN/record.json ─ record.Record ─┴─List──▶ Run ──▶ Client ──▶ socket of the run
//
// A run registers itself while it is live, and a launch plan leaves its state and logs. After the end of a run, its record remains. Some runs have
// only one of the two.
package registry

import (
	"os"
	"slices"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
)

// Registry is the folder in which the runs of a user are registered.
type Registry struct{ Dir string }

// Here returns the registry of this user.
func Here() (Registry, error) {
	dir, err := control.StateDir(os.Getenv)
	return Registry{dir}, err
}

// Run is a live or ended run.
type Run struct {
	*record.Record            // for a run without a record, made from its state
	State          *state.Dir // nil: only its record is left
}

// List returns all runs, the newest last. It does not list the programs of a plan, which are parts of the plan's run.
func (g Registry) List() ([]*Run, error) {
	states, err := state.List(g.Dir)
	if err != nil {
		return nil, err
	}
	records, err := record.Store(g).List()
	if err != nil {
		return nil, err
	}
	var list []*Run
	byID := map[string]*Run{}
	for _, r := range records {
		run := &Run{Record: r}
		list, byID[r.ID] = append(list, run), run
	}
	for _, d := range states {
		switch run := byID[d.Run.ID]; {
		case run != nil:
			run.State = d
		case d.Run.Launch == "":
			list = append(list, &Run{unrecorded(d), d})
		}
	}
	slices.SortStableFunc(list, func(a, b *Run) int { return a.Started.Compare(b.Started) })
	return list, nil
}

// unrecorded makes a record from the state of a run that has none.
func unrecorded(d *state.Dir) *record.Record {
	r := &record.Record{
		ID: d.Run.ID, Kind: record.Plan, Started: d.Run.Started, Command: []string{}, Folder: d.Run.Directory,
		Paths: []string{d.Run.Directory}, Process: d.Run.Supervisor,
	}
	r.Host.Name, _ = os.Hostname() // its folder is on this machine
	if IsPipeline(d.Run) {
		r.Kind, r.Paths = record.Pipeline, []string{d.Run.Pipeline}
	}
	if result, err := launch.ReadResult(d); err == nil {
		r.Ended, r.Exit = result.Started.Add(result.Took), result.Code
	}
	return r
}

// IsPipeline reports whether a run is a pipeline that runs by itself; otherwise it is a launch plan.
func IsPipeline(r state.Run) bool { return r.Pipeline != "" }

// IsPlan reports whether a run is a launch plan.
func IsPlan(r state.Run) bool { return !IsPipeline(r) }

// Phase returns the phase of the run: running, over, or abandoned by a supervisor that has died.
func (r *Run) Phase() string {
	switch d := r.State; {
	case d == nil && r.Stage() != record.Running, d != nil && (d.Over() || IsPipeline(d.Run) && !d.Supervised()):
		return "over"
	case d == nil || d.Supervised():
		return "running"
	}
	return "abandoned"
}

// Open finds a registered run.
func (g Registry) Open(id string) (*state.Dir, error) { return state.Open(g.Dir, id) }

// Ended is the error of a run that has ended and has only a record.
type Ended struct{ ID string }

func (e *Ended) Error() string {
	return "run `" + e.ID + "` has ended; `pentode runs show " + e.ID + "` shows its record"
}

// Ended returns an *Ended if a run of that name is recorded.
func (g Registry) Ended(id string) error {
	list, err := g.List()
	if err == nil && slices.ContainsFunc(list, func(r *Run) bool { return r.ID == id && r.State == nil }) {
		return &Ended{id}
	}
	return nil
}

// Newest finds the newest live run for which wanted returns true, or else the newest ended one.
func (g Registry) Newest(wanted func(state.Run) bool) (*state.Dir, error) {
	return state.Newest(g.Dir, wanted)
}

// Registered returns the registered runs, including the programs of plans, the newest last.
func (g Registry) Registered() ([]*state.Dir, error) { return state.List(g.Dir) }

// Prune deletes the states and logs of finished runs except the newest, and returns the deleted runs. Records stay.
func (g Registry) Prune(keep int) ([]*state.Dir, error) { return state.Prune(g.Dir, keep) }
