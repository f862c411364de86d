package child

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/example"
	"github.com/pentode-dev/pentode/run/flow/route"
)

// TestProgramIsWork: while its program works, a process counts as busy, and
// what the program writes for people keeps its indentation.
func TestProgramIsWork(t *testing.T) {
	p := flow.New(flow.NewRegistry(append(append(example.Types(), route.Types()...), Types()...)...))
	p.AddProcess("a", "numbers", flow.Set("end", "2"))
	p.AddProcess("e", "exec", flow.Set("command", `sh -c 'while read l; do echo "  two blanks" >&2; sleep 0.1; echo "$l"; done'`))
	p.AddProcess("s", "sink", nil)
	p.Connect("a.number", "e.x")
	p.Connect("e.x", "s.sink")
	var log bytes.Buffer
	r, err := p.Start(context.Background(), flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(); err != nil {
		t.Fatal(err)
	}
	s := r.Stats().Processes
	if s[1].Program < 200*time.Millisecond || s[1].Busy < s[1].Program || s[1].Blocked > s[1].Program {
		t.Errorf("have %+v", s[1])
	}
	if s[2].Busy > s[2].Blocked {
		t.Errorf("who waits for the program's answer is busy: %+v", s[2])
	}
	if !strings.Contains(log.String(), `msg="  two blanks"`) {
		t.Errorf("the log is\n%s", log.String())
	}
}
