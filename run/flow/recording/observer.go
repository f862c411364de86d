package recording

import (
	"context"
	"encoding/csv"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// ownFile returns a file name for a process. It replaces the slash in the name of a process
// inside a cluster, so that no folder is needed.
func ownFile(process, ending string) string { return strings.ReplaceAll(process, "/", ".") + ending }

// A logObserver logs a line when a process begins an action, such as a step, and when it
// ends it.
type logObserver struct {
	log   *slog.Logger
	level slog.Level
}

func logLevel(name string) slog.Level {
	switch name {
	case "trace":
		return slog.LevelDebug - 4
	case "debug":
		return slog.LevelDebug
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	}
	return slog.LevelInfo
}

func (o *logObserver) Began(ev pipe.Event, _ time.Duration) {
	o.log.Log(context.Background(), o.level, "begins "+ev.Part())
}

func (o *logObserver) Ended(ev pipe.Event, _, took, _ time.Duration, where string) {
	args := []any{"took", took}
	if where != "" {
		args = append(args, "at", where)
	}
	o.log.Log(context.Background(), o.level, "ends "+ev.Part(), args...)
}

func (o *logObserver) Close() error { return nil }

// A timer adds up how long the actions of a process take, and writes a table at the end.
type timer struct {
	name string
	file *outfile.File
	cpu  bool
	rows [pipe.EventCount]struct {
		count            int64
		total, low, high time.Duration
	}
}

func (o *timer) Began(pipe.Event, time.Duration) {}

func (o *timer) Ended(ev pipe.Event, _, took, busy time.Duration, _ string) {
	if o.cpu {
		took = busy
	}
	r := &o.rows[ev]
	if r.count == 0 || took < r.low {
		r.low = took
	}
	r.high = max(r.high, took)
	r.total += took
	r.count++
}

func (o *timer) Close() error {
	w := csv.NewWriter(o.file)
	seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 9, 64) }
	w.Write([]string{"part", "count", "total_s", "mean_s", "min_s", "max_s"})
	for ev, r := range o.rows {
		if r.count > 0 {
			w.Write([]string{pipe.Event(ev).Part(), strconv.FormatInt(r.count, 10), seconds(r.total), seconds(r.total / time.Duration(r.count)), seconds(r.low), seconds(r.high)})
		}
	}
	w.Flush()
	err := w.Error()
	if e := o.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("the timing table `%s` cannot be written: %w", o.name, problem.Reason(err))
	}
	return nil
}
