package text

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// once sends one line and then waits until it is stopped.
type once struct{ out *flow.Out }

func (o *once) Setup(s *flow.Setup) error { o.out = s.Out("text"); return nil }

func (o *once) Step(s pipe.Step) error {
	if s.Number() == 1 {
		o.out.Push(flow.OfText("hello"))
		return nil
	}
	s.Await(func(ctx context.Context) { <-ctx.Done() })
	return nil
}

// TestWriteDelay: a line is soon in the file, even if no other follows.
func TestWriteDelay(t *testing.T) {
	need.Slow(t)
	typ := &pipe.Type{Name: "once", Out: []pipe.Port{{Name: "text", Type: lineType}}, New: func() pipe.Process { return &once{} }}
	p := flow.New(pipe.NewRegistry(append(Types(), typ)...))
	p.AddProcess("a", "once", nil)
	p.AddProcess("w", "text_write", pipe.Set("file_name", "out.txt"))
	p.Connect("a.text", "w.text")
	dir := t.TempDir()
	r, err := p.Start(context.Background(), flow.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort()
	golden.Until(t, "the line is written", func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "out.txt"+outfile.Suffix))
		return string(text) == "hello\n"
	})
}

// TestWriteArrays: an array has a line for each row, in digits that read back as the same numbers.
func TestWriteArrays(t *testing.T) {
	floats, large := tensor.New(tensor.Float32, 2, 1, 2), tensor.New(tensor.Uint64, 1)
	floats.SetFloats(0, []float64{0.1, 2, math.NaN(), -1e10})
	large.SetInt(0, -1)
	dir := t.TempDir()
	in := flowtest.Data{"text": {flow.Of(floats), flow.Of(large), flow.Of([]any{int64(1), 2.5}), flow.Of(tensor.New(tensor.Int8)), flow.Of(tensor.New(tensor.Int8, 0)), flow.OfText("end")}}
	if _, err := flowtest.Feed(writeType(), pipe.Set("file_name", "out.txt", "prefix", "> "), in, nil, 10, flow.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out.txt"))
	if want := "> 0.1 2\n> NaN -1e+10\n> 18446744073709551615\n> 1 2.5\n> 0\n> end\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
}
