package web

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/web/watch"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/peek"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// pusher pushes the same array again and again.
type pusher struct {
	out   *flow.Out
	array *tensor.Tensor
}

func (p *pusher) Setup(s *flow.Setup) error {
	p.out, p.array = s.Out("array"), tensor.New(tensor.Float64, 2, 2)
	p.array.SetFloats(0, []float64{1, 2, 3, 4})
	return nil
}

func (p *pusher) Step(pipe.Step) error {
	p.out.Push(flow.Of(p.array))
	return nil
}

// arrays starts a pipeline of arrays that never ends by itself.
func arrays(t *testing.T) *flow.Run {
	t.Helper()
	p := flow.New(catalog.Standard())
	err := p.Registry.Add(&pipe.Type{Name: "pusher", New: func() pipe.Process { return &pusher{} },
		Out: []pipe.Port{{Name: "array", Type: pipe.AnyType, Flags: pipe.Required}}})
	if err != nil {
		t.Fatal(err)
	}
	p.AddProcess("src", "pusher", nil)
	p.AddProcess("snk", "sink", nil)
	p.Connect("src.array", "snk.sink")
	run, err := p.Start(context.Background(), flow.Options{Stdin: strings.NewReader(""), Stdout: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// figuresOfView matches the numbers in a view that differ each time.
var figuresOfView = regexp.MustCompile(`"(stamp|number|passed|skipped|watched_ns|cost_ns|render_ns)":\d+`)

// viewOf returns the first view of an edge that has a datum, or the reason why there is none.
func viewOf(next func() (name, data string)) string {
	for name, data := next(); name != ""; name, data = next() {
		if name == "edge" && !strings.Contains(data, `"kind":"nothing"`) {
			return data
		}
	}
	return ""
}

// TestEdge: a client gets the data on an edge of a pipeline, whether this program or another one runs it. The edge is watched only
// while the client is connected.
func TestEdge(t *testing.T) {
	const want = `{"from":"src.array","to":"snk.sink","type":"_any","kind":"map","noun":"an array of 2 × 2 float64","stamp":N,"number":N,"bytes":32,` +
		`"drawing":{"shape":[2,2],"cells":[2,2],"mean":[1,2,3,4],"min":1,"max":4,"read":4,"odd":0},` +
		`"passed":N,"dropped":0,"skipped":N,"watched_ns":N,"cost_ns":N,"render_ns":N}`
	for name, through := range map[string]func(*testing.T, *flow.Run) watch.Pipeline{
		"here": func(_ *testing.T, run *flow.Run) watch.Pipeline { return run },
		"elsewhere": func(t *testing.T, run *flow.Run) watch.Pipeline {
			socket := filepath.Join(t.TempDir(), "socket")
			server, err := control.Listen(socket, steer.Methods(run))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { server.Close(); run.Abort(); _ = run.Wait() })
			return watch.NewRemote(socket)
		},
	} {
		t.Run(name, func(t *testing.T) {
			pipeline := arrays(t)
			s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) {
				o.pipeline = func(string, io.Writer) (watch.Pipeline, error) { return through(t, pipeline), nil }
			})
			if _, err := s.runs.Start(filepath.Join(dir, "a.pipe")); err != nil {
				t.Fatal(err)
			}
			watched := func() bool { return pipeline.Stats().Edges[0].Watched }
			if next := stream(t, s, "?run=pipeline-1"); watched() {
				t.Error("the edge is looked at although nobody asks")
			} else {
				next()
			}
			t.Run("look", func(t *testing.T) {
				view := viewOf(stream(t, s, "?run=pipeline-1&edge=snk.sink"))
				if got := figuresOfView.ReplaceAllString(view, `"$1":N`); got != want {
					t.Errorf("the view is\n%s\nwant\n%s", got, want)
				}
				var v peek.View
				if err := json.Unmarshal([]byte(view), &v); err != nil || v.Number == 0 || v.Passed < v.Number || v.WatchedNS == 0 {
					t.Errorf("%v, %+v", err, v)
				}
				if !watched() {
					t.Error("the edge is not looked at")
				}
			})
			golden.Until(t, "the edge of a client that has gone is not looked at", func() bool { return !watched() })
			view := viewOf(stream(t, s, "?run=pipeline-1&edge="+url.QueryEscape("<b>snk.sunk")))
			if !strings.HasPrefix(view, `{"error":"no edge of the run begins or ends at a port`) || strings.Contains(view, "<b>") {
				t.Errorf("an unknown edge gives %s", view)
			}
		})
	}
}
