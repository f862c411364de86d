package cli

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/runs"
)

// pipelineEnded prints the figures of a pipeline and how it ended, and returns the
// exit code. Of a site that was led, the program that leads it says it.
func (v *runView) pipelineEnded(r runs.Result, err error) error {
	total := "before it began"
	if r.Began {
		total = totalOf(&r.Stats)
		if e := v.app.figures(&r.Stats, v.stats); e != nil && err == nil {
			err = &runs.Failure{Err: e}
		}
	}
	var failed *runs.Failure
	isFailure := errors.As(err, &failed)
	stopped := errors.Is(err, flow.ErrStopped)
	switch {
	case err != nil && !isFailure && !stopped:
		return v.app.notRun(err)
	case r.Led && err != nil:
		return exitCode(exitNo)
	case r.Led, err == nil && v.stats == "table": // the table shows it
		return nil
	case err == nil:
		fmt.Fprintln(v.app.err, "finished: "+total)
		return nil
	case errors.Is(err, runs.ErrInterrupted):
		fmt.Fprintln(v.app.err, "interrupted: "+total)
		return exitCode(exitInterrupted)
	case stopped:
		fmt.Fprintln(v.app.err, "stopped on request: "+total)
		return exitCode(exitInterrupted)
	case len(failed.Findings) > 0:
		v.app.say(failed.Findings)
	default:
		fmt.Fprintf(v.app.err, "error: %v\n", err)
	}
	return exitCode(exitNo)
}
