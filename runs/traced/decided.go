package traced

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/workspace"
)

// ConfigFile is the name of the copy of the configuration in a traced run, beside the folder of the streams.
const ConfigFile = "trace_config.txt"

// RecordedEvent is an event of a trace that a run has left.
type RecordedEvent struct {
	Files    fs.FS
	Dir      string // the folder of the trace in Files
	PID, TID uint32
	Name     string
	Time     int64 // in nanoseconds since the epoch
}

// Decided is a decision of a configuration that let an event through.
type Decided struct {
	About string
	trace.Answer
}

// DecidedBy explains why an event is in a trace: which lines of the run's trace configuration let it through.
func DecidedBy(w *workspace.Workspace, config *source.File, e RecordedEvent) ([]Decided, error) {
	own, err := w.As("pinsight")
	if err != nil {
		return nil, err
	}
	env := *w.Env
	env.Overrides = nil // they are for another language
	own.Env = &env
	d, err := own.Document(config)
	if err != nil {
		return nil, fmt.Errorf("`%s` is not a trace configuration", config.Path())
	}
	c := own.Resolve(d)
	if c.Diagnostics().HasErrors() {
		return nil, fmt.Errorf("`%s` has errors, so it cannot explain events", config.Path())
	}
	m, err := modelOf(c)
	if err != nil {
		return nil, err
	}
	policy, err := m.Policy()
	if err != nil {
		return nil, err
	}
	s, err := forecast.LocateAt(e.Files, e.Dir, policy, e.PID, e.TID, e.Name, e.Time)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, errors.New("the trace does not contain enough information: only traces of `pentode trace record` can be explained")
	}
	x, err := policy.Explain(s.Query)
	if err != nil {
		return nil, err
	}
	list := []Decided{{"mode", x.Mode}, {"event", x.Event[0]}}
	for _, u := range x.Units {
		list = append(list, Decided{"unit", trace.Answer{Layer: u.Layer, Value: fmt.Sprintf("%s, here %d", u.Constraint, u.ID), Place: u.Place}})
	}
	for _, rate := range []Decided{{"trace_starts_at", x.Start}, {"max_num_traces", x.Max}, {"tracing_rate", x.Every}} {
		if !rate.Place.IsZero() {
			list = append(list, rate)
		}
	}
	return list, nil
}
