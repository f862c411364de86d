package runs

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
)

// record begins the record of a program that is traced.
func (r *traceRun) record() *recorder {
	path := r.Options.Trace.Config
	kept := newRecorder(&r.Options, record.Trace, cmp.Or(path, r.config.Document.File.Path()))
	if kept == nil {
		return nil
	}
	if path != "" {
		kept.file(source.NewFile(path, r.text))
		kept.settings(filepath.Base(path), r.config, nil)
	}
	if sum, err := r.config.Fingerprint(); err == nil {
		kept.Fingerprints[filepath.Base(r.config.Document.File.Path())] = sum.String()
	}
	kept.program(r.program.path)
	kept.resultsIn(beneath(kept.here, r.Options.Trace.Out), map[string]fs.FileInfo{}) // the folder is new
	return kept
}

// traced writes the record of a program that was traced.
func (r *recorder) traced(o *Options, result *TraceResult, err error) {
	if r == nil {
		return
	}
	if result.Counts == nil {
		r.abandon()
		return
	}
	r.Ended, r.Process = time.Now(), state.Identity{}
	if r.Exit = result.Code; err != nil {
		r.Exit, r.End = 1, r.hidden.Replace(err.Error())
	}
	r.Stats = []record.Figure{
		{Name: "time", Value: r.Ended.Sub(r.Started).Seconds(), Unit: "s"}, {Name: "events", Value: float64(result.Counts.Events)},
		{Name: "threads", Value: float64(result.Counts.Threads)}, {Name: "dropped events", Value: float64(result.Counts.Dropped)},
	}
	r.results()
	r.write(o)
}
