// Package registry knows the runs of a user, those that live and those that have ended, and steers those that live.
//
//	folder of runs ──┬─ RUN/run.json ──── state.Dir ─────┐
//	                 └─ RUN/record.json ─ record.Record ─┴─List──▶ Run ──▶ Client ──▶ socket of the run
//
// A run registers itself while it lives, and a launch plan leaves its state and logs; what is kept of a run after its end
// is its record. Some runs have only one of the two.
package registry

import (
	"os"
	"slices"

	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/launch"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
)

// Registry is the folder where the runs of a user are known.
type Registry struct{ Dir string }

// Here is the registry of this user.
func Here() (Registry, error) {
	dir, err := control.StateDir(os.Getenv)
	return Registry{dir}, err
}

// Run is a run that lives or has ended.
type Run struct {
	*record.Record            // of a run without one, what its state tells
	State          *state.Dir // nil: nothing but its record is left
}

// List finds all runs, the newest last. The programs of a plan are parts of its run.
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

// unrecorded is what a state tells of a run that has no record.
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

// IsPipeline reports whether a run is a pipeline that runs by itself; else it is a launch plan.
func IsPipeline(r state.Run) bool { return r.Pipeline != "" }

// IsPlan reports whether a run is a launch plan.
func IsPlan(r state.Run) bool { return !IsPipeline(r) }

// Phase is how far the run is: running, over, or abandoned by a supervisor that has died.
func (r *Run) Phase() string {
	switch d := r.State; {
	case d == nil && r.Stage() != record.Running, d != nil && (d.Over() || IsPipeline(d.Run) && !d.Supervised()):
		return "over"
	case d == nil || d.Supervised():
		return "running"
	}
	return "abandoned"
}

// Open finds a run that is registered.
func (g Registry) Open(id string) (*state.Dir, error) { return state.Open(g.Dir, id) }

// Ended is the error of a run that has ended, and of which only the record is left.
type Ended struct{ ID string }

func (e *Ended) Error() string {
	return "run `" + e.ID + "` has ended; `pentode runs show " + e.ID + "` shows its record"
}

// Ended is an *Ended if a run of that name is recorded.
func (g Registry) Ended(id string) error {
	list, err := g.List()
	if err == nil && slices.ContainsFunc(list, func(r *Run) bool { return r.ID == id && r.State == nil }) {
		return &Ended{id}
	}
	return nil
}

// Newest finds the newest registered run that is wanted and goes on, else the newest that is wanted.
func (g Registry) Newest(wanted func(state.Run) bool) (*state.Dir, error) {
	return state.Newest(g.Dir, wanted)
}

// Registered are the runs that are registered, those of a plan's programs too, the newest last.
func (g Registry) Registered() ([]*state.Dir, error) { return state.List(g.Dir) }

// Prune deletes the states and logs of finished runs but for the newest, and returns those it deleted. Records stay.
func (g Registry) Prune(keep int) ([]*state.Dir, error) { return state.Prune(g.Dir, keep) }
