package runs

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/pentode-dev/pentode/run/flow"
)

// runLog makes events of what processes say.
type runLog struct {
	events  func(Event)
	running *atomic.Bool
	process string
	note    func(line string) // is told each line too; nil: nothing is
}

func newRunLog(events func(Event)) *runLog { return &runLog{events: events, running: &atomic.Bool{}} }

// begin lets the engine's own words through as soon as the run is ready to begin.
// Those before are about the pipeline's text, and have been reported with their places.
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
		if a.Key != "stream" { // of a child: all it says is for people
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
