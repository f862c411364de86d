package runs

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/flow"
)

// runLog turns log messages of processes into events.
type runLog struct {
	events  func(Event)
	running *atomic.Bool
	process string
	note    func(line string) // called with each line too; may be nil
}

func newRunLog(events func(Event)) *runLog { return &runLog{events: events, running: &atomic.Bool{}} }

// begin passes on the engine's own messages as soon as the run is ready to begin. Earlier messages are about the pipeline's text, and have been
// reported with their positions.
func (l *runLog) begin(opt flow.Options) flow.Options {
	opt.Log = slog.New(l)
	ready := opt.Ready
	opt.Ready = func(ctx context.Context) error {
		l.running.Store(true)
		if ready == nil {
			return nil
		}
		return ready(ctx)
	}
	return opt
}

func (l *runLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (l *runLog) Handle(_ context.Context, r slog.Record) error {
	if l.process == "" && !l.running.Load() {
		return nil
	}
	text := strings.Builder{}
	text.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "stream" { // of a child program: all its output is for people
			fmt.Fprintf(&text, " %s=%v", a.Key, a.Value)
		}
		return true
	})
	said := Said{l.process, r.Level, text.String()}
	if l.note != nil {
		l.note(said.String())
	}
	l.events(said)
	return nil
}

func (l *runLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *l
	for _, a := range attrs {
		if a.Key == "process" {
			out.process = a.Value.String()
		}
	}
	return &out
}

func (l *runLog) WithGroup(string) slog.Handler { return l }
