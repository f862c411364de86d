package text

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
)

// once emits one line and then waits until it is stopped.
type once struct{ out *flow.Out }

func (o *once) Setup(s *flow.Setup) error { o.out = s.Out("text"); return nil }

func (o *once) Step(s *flow.Step) error {
	if s.Number() == 1 {
		o.out.Push(flow.OfText("hello"))
		return nil
	}
	s.Await(func(ctx context.Context) { <-ctx.Done() })
	return nil
}

// TestWriteDelay: a line is in the file soon, also where none follows.
func TestWriteDelay(t *testing.T) {
	typ := &flow.Type{Name: "once", Out: []flow.Port{{Name: "text", Type: lineType}}, New: func() flow.Process { return &once{} }}
	p := flow.New(flow.NewRegistry(append(Types(), typ)...))
	p.AddProcess("a", "once", nil)
	p.AddProcess("w", "text_write", flow.Set("file_name", "out.txt"))
	p.Connect("a.text", "w.text")
	dir := t.TempDir()
	r, err := p.Start(context.Background(), flow.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort()
	for end := time.Now().Add(golden.Patience); ; time.Sleep(10 * time.Millisecond) {
		if text, _ := os.ReadFile(filepath.Join(dir, "out.txt"+outfile.Suffix)); string(text) == "hello\n" {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the line is not written")
		}
	}
}
