package flow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// caught returns the result of a function, or the text of its panic.
func caught(f func() any) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint("raises ", r)
		}
	}()
	return fmt.Sprint(f())
}

// TestDatum reads every kind of datum in every way: reading a value that it does not have ends the
// step.
func TestDatum(t *testing.T) {
	type own struct{ n int }
	for _, c := range []struct {
		d                                   flow.Datum
		kind, value, whole, float, str, why string
		number                              bool
	}{
		{flow.Of(3), "data", "3", "3", "3", "3", "", true},
		{flow.Of(int8(-3)), "data", "-3", "-3", "-3", "-3", "", true},
		{flow.Of(int16(3)), "data", "3", "3", "3", "3", "", true},
		{flow.Of(int32(3)), "data", "3", "3", "3", "3", "", true},
		{flow.Of(int64(3)), "data", "3", "3", "3", "3", "", true},
		{flow.Of(uint8(200)), "data", "200", "200", "200", "200", "", true},
		{flow.Of(uint16(3)), "data", "3", "3", "3", "3", "", true},
		{flow.Of(uint32(1 << 31)), "data", "2147483648", "2147483648", "2.147483648e+09", "2147483648", "", true},
		{flow.Of(2.5), "data", "2.5", "raises got a number where a whole number was expected", "2.5", "2.5", "", true},
		{flow.Of(float32(0.5)), "data", "0.5", "raises got a number where a whole number was expected", "0.5", "0.5", "", true},
		{flow.OfFloat(math.Inf(1)), "data", "+Inf", "raises got a number where a whole number was expected", "+Inf", "+Inf", "", true},
		{flow.Of("word"), "data", "word", "raises got a string where a whole number was expected", "raises got a string where a number was expected", "word", "", false},
		{flow.Of(true), "data", "true", "raises got true or false where a whole number was expected", "raises got true or false where a number was expected", "true", "", false},
		{flow.Of([]byte("raw")), "data", "[114 97 119]", "raises got bytes where a whole number was expected", "raises got bytes where a number was expected", "raw", "", false},
		{flow.Of(time.Second), "data", "1s", "raises got a value of another type where a whole number was expected", "raises got a value of another type where a number was expected", "1s", "", false},
		{flow.Of(own{1}), "data", "{1}", "raises got a value of another type where a whole number was expected", "raises got a value of another type where a number was expected",
			"raises got a value of another type where text or a number was expected", "", false},
		{flow.OfEmpty(), "empty", "<nil>", "raises got no value (empty) where a whole number was expected", "raises got no value (empty) where a number was expected", "raises got no value (empty) where text or a number was expected", "", false},
		{flow.Datum{}, "empty", "<nil>", "raises got no value (empty) where a whole number was expected", "raises got no value (empty) where a number was expected", "raises got no value (empty) where text or a number was expected", "", false},
		{flow.OfError("no light"), "error", "<nil>", "raises got no value (error) where a whole number was expected", "raises got no value (error) where a number was expected", "raises got no value (error) where text or a number was expected", "no light", false},
		{flow.OfFlush(), "flush", "<nil>", "raises got no value (flush) where a whole number was expected", "raises got no value (flush) where a number was expected", "raises got no value (flush) where text or a number was expected", "", false},
		{flow.OfComplete(), "complete", "<nil>", "raises got no value (complete) where a whole number was expected", "raises got no value (complete) where a number was expected", "raises got no value (complete) where text or a number was expected", "", false},
	} {
		got := []string{c.d.Kind().String(), fmt.Sprint(c.d.Value()), caught(func() any { return c.d.Int() }), caught(func() any { return c.d.Float() }), caught(func() any { return c.d.Text() }), c.d.Why()}
		if want := []string{c.kind, c.value, c.whole, c.float, c.str, c.why}; !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if c.d.IsNumber() != c.number || c.d.IsData() != (c.kind == "data") {
			t.Errorf("%v: a number %v, data %v; want c.d.IsNumber() = %v and c.d.IsData() = %v", c.d.Value(), c.d.IsNumber(), c.d.IsData(), c.number, (c.kind == "data"))
		}
	}
	if v := flow.As[own](flow.Of(own{7})); v.n != 7 {
		t.Errorf("got %v, want 7", v)
	}
	if got := caught(func() any { return flow.As[own](flow.Of("x")) }); got != "raises got a string where a value of another type was expected" {
		t.Errorf("%v; want %q", got, "raises got a string where a value of another type was expected")
	}
	if flow.OfText("no light").Why() != "" {
		t.Error("a text is a reason")
	}
}

func TestFreqWords(t *testing.T) {
	for want, f := range map[string]pipe.Freq{"1": {}, "3": pipe.Times(3), "1/2": {Num: 2, Den: 4}, "unknown": pipe.UnknownFreq, "3/2": {Num: 9, Den: 6}, "2": {Num: 4, Den: 2}} {
		if f.String() != want || f.Known() != (want != "unknown") {
			t.Errorf("%+v is %s, known %v; want %s", f, f, f.Known(), want)
		}
	}
}

func TestTypeWords(t *testing.T) {
	for l, want := range map[pipe.Level]string{pipe.CheckValid: "check_valid", pipe.CheckSync: "check_sync", pipe.CheckNone: "check_none"} {
		if l.String() != want {
			t.Errorf("%d is %s; want %v", l, l, want)
		}
	}
	all := pipe.Required | pipe.Static | pipe.Mutable | pipe.NoDep | pipe.Const | pipe.Shared
	if all.String() != "required,static,mutable,nodep,const,shared" || pipe.Flags(0).String() != "" {
		t.Errorf("%v; want all.String() = %q and pipe.Flags(0).String() = nothing", all, "required,static,mutable,nodep,const,shared")
	}
	for text, want := range map[string]pipe.Flags{"": 0, " _required , shared,": pipe.Required | pipe.Shared, all.String(): all} {
		if got, err := pipe.ParseFlags(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	if _, err := pipe.ParseFlags("required,chared"); err == nil || err.Error() != "`chared` is not a port flag: expected required, static, mutable, nodep, const, shared" {
		t.Error(err)
	}
	for want, typ := range map[string]*pipe.Type{"type `x` is only known by its ports and keys": {Name: "x"}, "type `x` needs a GPU": {Name: "x", Needs: "a GPU"}} {
		if typ.Missing() != want || typ.Runs() != nil {
			t.Errorf("%s, want %s", typ.Missing(), want)
		}
	}
}

// TestNodeFolder: the folder of a node is the folder of the file that declares it, if there is one.
func TestNodeFolder(t *testing.T) {
	at := func(path string) pipe.Node { return pipe.Node{Span: source.NewFile(path, "x").Span(0, 1)} }
	for _, c := range []struct {
		n    pipe.Node
		want string
	}{{pipe.Node{}, ""}, {at("-"), ""}, {at(""), ""}, {at("a/b/c.pipe"), filepath.Join("a", "b")}, {at("c.pipe"), "."}} {
		if got := c.n.Folder(); got != c.want {
			t.Errorf("%v: %q, want %q", c.n.Span, got, c.want)
		}
	}
}

// TestSetupSees checks what a process sees of its run: its name, settings, folders, streams and
// ports.
func TestSetupSees(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	var stdout bytes.Buffer
	var got []string
	var shared []any
	say := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
	made := 0
	seen := &pipe.Type{Name: "seen",
		In:   []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}, {Name: "more", Type: "integer"}},
		Out:  []pipe.Port{{Name: "out", Type: "integer"}, {Name: "left", Type: "integer"}},
		Keys: []pipe.Key{{Name: "n", Kind: pipe.Int, Default: "3"}, {Name: "f", Kind: pipe.Double, Default: "0.5"}, {Name: "b", Kind: pipe.Bool, Default: "yes"}, {Name: "s", Default: "word"}},
		New: func() pipe.Process {
			var in *flow.In
			var o *flow.Out
			return &fake{
				setup: func(s *flow.Setup) error {
					shared = append(shared, s.Shared("key", func() any { made++; return made }), s.Shared("other", func() any { return "own" }))
					if s.Name() != "p" {
						in = s.In("number")
						return nil
					}
					in, o = s.In("number"), s.Out("out")
					say("%s %d %v %v %s %s", s.Name(), s.Int("n"), s.Float("f"), s.Bool("b"), s.Value("s"), s.Config()["n"].Value)
					say("%s %s %s", s.Path("x"), s.Path("/x"), s.Path(""))
					say("%s %v %s", s.Results().Dir, s.Results().Fenced, s.Folder())
					text, err := io.ReadAll(s.Stdin())
					say("%s %v", text, err)
					fmt.Fprint(s.Stdout(), "hello")
					more, left := s.In("more"), s.Out("left")
					say("%s %s %v, %s %s %v", in.Name(), in.Type(), in.Connected(), more.Name(), more.Type(), more.Connected())
					say("%s %s %v, %s %s %v", o.Name(), o.Type(), o.Connected(), left.Name(), left.Type(), left.Connected())
					say("%d %d %v %v", len(s.Ins()), len(s.Outs()), more.Take().Kind(), s.Context().Err())
					left.Push(flow.OfInt(1))
					more.Refuse()
					s.Log().Info("set up")
					return nil
				},
				step: func(s pipe.Step) error {
					d, stamp := in.TakeStamped()
					if o != nil {
						say("step %d: %v at %d, waiting %v, %v", s.Number(), d.Value(), stamp, in.Waiting(), s.Context().Err())
						o.Forward(d, stamp)
						if s.Number() == 2 {
							s.Complete()
						}
					}
					return nil
				},
			}
		}}
	p := with(build("a :: numbers end=9\np :: seen n=7\nq :: seen\na.number -> p.number\np.out -> q.number"), seen)
	r := start(t, p, flow.Options{Scheduler: "sync", Dir: dir, Out: out, Fenced: true, Stdin: strings.NewReader("typed"), Stdout: &stdout})
	if !r.ReadsStdin() || r.Started().IsZero() || len(r.Plan().Nodes) != 3 {
		t.Errorf("reads %v, started %v, %d processes; want its input read, a start, and 3", r.ReadsStdin(), r.Started(), len(r.Plan().Nodes))
	}
	if err := finish(t, r); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"p 7 0.5 true word 7",
		filepath.Join(dir, "x") + " /x ",
		out + " true .",
		"typed <nil>",
		"number integer true, more integer false",
		"out integer true, left integer false",
		"1 1 empty <nil>",
	}
	if !slices.Equal(got[:min(len(got), len(want))], want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if rest := got[min(len(got), len(want)):]; len(rest) != 2 || !strings.HasPrefix(rest[0], "step 1: 0 at 0, ") || !strings.HasPrefix(rest[1], "step 2: 1 at 1, ") {
		t.Errorf("steps: %q, want 2 more, beginning with %q and %q", rest, "step 1: 0 at 0, ", "step 2: 1 at 1, ")
	}
	if stdout.String() != "hello" || !slices.Equal(shared, []any{1, "own", 1, "own"}) {
		t.Errorf("%q, shared %v; want %q, shared %v", &stdout, shared, "hello", []any{1, "own", 1, "own"})
	}
}

// TestPicture gets the picture of a process, or the reason why there is none.
func TestPicture(t *testing.T) {
	viewer := consumer("viewer", func(pipe.Step, int64) error { return nil })
	quiet := *viewer
	quiet.Name = "quiet"
	viewer.New = func() pipe.Process {
		return shower{quiet.New().(*fake)}
	}
	r := start(t, with(build("a :: numbers end=2\nv :: viewer\nw :: quiet\na.number -> v.number\na.number -> w.number"), viewer, &quiet), flow.Options{})
	if p, err := r.Picture("v"); err != nil || p.Title != "a view" {
		t.Errorf("%+v, %v", p, err)
	}
	for process, want := range map[string]string{"w": "process `w` has no picture: only processes of type `image_viewer` do", "vv": "there is no process `vv`"} {
		if _, err := r.Picture(process); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := finish(t, r); err != nil {
		t.Error(err)
	}
}

type shower struct{ *fake }

func (shower) Show() (flow.Picture, error) { return flow.Picture{Title: "a view"}, nil }

// TestHandle: other goroutines wake a resting process, end it and make it fail.
func TestHandle(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		for _, c := range []struct {
			name string
			call func(flow.Handle)
			want string
		}{
			{"wake", flow.Handle.Wake, ""},
			{"end", flow.Handle.End, ""},
			{"fail", func(h flow.Handle) { h.Fail(errors.New("the line is dead")) }, "the line is dead"},
		} {
			var woken atomic.Bool
			handle := make(chan flow.Handle, 1)
			resting := &pipe.Type{Name: "resting", Out: outNumber, New: func() pipe.Process {
				var out *flow.Out
				return &fake{
					setup: func(s *flow.Setup) error { out = s.Out("number"); handle <- s.Handle(); return nil },
					step: func(s pipe.Step) error {
						if s.Rest(); woken.Load() {
							out.Push(flow.OfInt(1))
							s.Complete()
						}
						return nil
					},
				}
			}}
			r := start(t, with(build("a :: resting\ns :: sink\na.number -> s.sink"), resting), opt)
			h := <-handle
			golden.Until(t, "all processes rest or wait", r.Still)
			if s, still := r.Standstill(); !still || s.Full != 0 || len(s.Waiting) == 0 {
				t.Errorf("%s: %+v, %v; want it to stand still with no full edge, and somebody waiting", c.name, s, still)
			}
			if r.Grow() {
				t.Error("there is no edge to grow")
			}
			woken.Store(c.name == "wake")
			c.call(h)
			err := finish(t, r)
			got := ""
			var failed *flow.StepError
			if errors.As(err, &failed) && failed.Process == "a" {
				got = failed.Err.Error()
			}
			if pushed := r.Stats().Edges[0].Pushed; got != c.want || (pushed > 0) != (c.name == "wake") {
				t.Errorf("%s: %v, %d data", c.name, err, pushed)
			}
		}
	})
}

// TestJoinStats joins the two halves of an edge between sites: data that were sent but have not
// arrived are left on it.
func TestJoinStats(t *testing.T) {
	a := flow.Stats{Wall: 5, Paused: 3, Processes: []flow.ProcessStats{{Name: "a"}}, Edges: []flow.EdgeStats{
		{From: "a.x", To: "b.x", Half: "sent", Pushed: 10, Taken: 9, Dropped: 2, Empty: 1, Full: 3},
		{From: "a.y", To: "a.z", Pushed: 4, Taken: 4},
	}}
	b := flow.Stats{Wall: 7, Paused: 2, Processes: []flow.ProcessStats{{Name: "b"}}, Edges: []flow.EdgeStats{
		{From: "a.x", To: "b.x", Half: "received", Pushed: 7, Taken: 5, Empty: 4},
		{From: "c.x", To: "b.y", Half: "received", Pushed: 2, Taken: 2},
	}}
	got := flow.JoinStats(b, a)
	want := flow.Stats{Version: 1, Wall: 7, Paused: 3, Processes: []flow.ProcessStats{{Name: "b"}, {Name: "a"}}, Edges: []flow.EdgeStats{
		{From: "a.x", To: "b.x", Pushed: 10, Taken: 5, Dropped: 2, Left: 3, Empty: 4, Full: 3},
		{From: "a.y", To: "a.z", Pushed: 4, Taken: 4},
		{From: "c.x", To: "b.y", Half: "received", Pushed: 2, Taken: 2},
	}}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestPlanSites: sites are in the order of their first processes, and the hash of a plan changes with
// anything that affects the run.
func TestPlanSites(t *testing.T) {
	const text = "a :: numbers end=3 _site=deck\np :: pass\nq :: multiplication _site=gpu,deck _replicas=2\ns :: sink _site=deck\na.number -> p.pass\np.pass -> q.factor1\na.number -> q.factor2\nq.product -> s.sink capacity=5"
	plan := func(text string) *pipe.Plan {
		t.Helper()
		p := build(text)
		plan, list := pipe.Resolve(&p.Graph, p.Registry)
		if err := list.Err(); err != nil {
			t.Fatal(err)
		}
		return plan
	}
	p := plan(text)
	if got := p.Sites(); !slices.Equal(got, []string{"deck", "main", "gpu"}) {
		t.Errorf("sites %v, want %v", got, []string{"deck", "main", "gpu"})
	}
	crossing := 0
	for i := range p.Edges {
		if p.Crosses(&p.Edges[i]) {
			crossing++
		}
	}
	if crossing != 4 {
		t.Errorf("%d edges lead from one site to another, want 4", crossing)
	}
	if p.Hash() != plan(text).Hash() {
		t.Error("a plan differs from itself")
	}
	for _, change := range [][2]string{{"end=3", "end=4"}, {"p :: pass\n", "r :: pass\n"}, {"capacity=5", "capacity=6"}, {"_site=gpu,deck", "_site=gpu"}, {"q.factor2", "q.factor3"}} {
		other := strings.ReplaceAll(text, change[0], change[1])
		if change[0] == "p :: pass\n" {
			other = strings.NewReplacer("p.pass", "r.pass", "p :: pass", "r :: pass").Replace(text)
		}
		if change[0] == "q.factor2" {
			other = strings.NewReplacer("q.factor1", "q.factor2", "q.factor2", "q.factor1").Replace(text)
		}
		if plan(other).Hash() == p.Hash() {
			t.Errorf("%v makes no difference", change)
		}
	}
}

// TestAwait: a step may wait for something outside the pipeline; the wait ends with the run.
func TestAwait(t *testing.T) {
	everyScheduler(t, func(t *testing.T, opt flow.Options) {
		began := make(chan struct{})
		waits := consumer("waits", func(s pipe.Step, _ int64) error {
			s.AwaitProgram(func(ctx context.Context) {
				close(began)
				<-ctx.Done()
			})
			return s.Context().Err()
		})
		r := start(t, with(build("a :: numbers end=2\nw :: waits\na.number -> w.number"), waits), opt)
		<-began
		r.Abort()
		if err := finish(t, r); err == nil {
			t.Error("an aborted run ends well")
		}
		for _, p := range r.Stats().Processes {
			if p.Program > p.Busy || (p.Program > 0) != (p.Name == "w") {
				t.Errorf("%s: %v of %v in its program, want p.Program at most %v and (p.Program > 0) = %v", p.Name, p.Program, p.Busy, p.Busy, (p.Name == "w"))
			}
		}
	})
}

// TestKeyErrorKeepsItsCause: an error about a setting wraps the error it was made from.
func TestKeyErrorKeepsItsCause(t *testing.T) {
	cause := errors.New("cause")
	for _, err := range []error{pipe.Values{}.Errorf("key", "it is wrong: %w", cause), pipe.Values{}.Warnf("key", "it is wrong: %w", cause)} {
		if err.Error() != "it is wrong: cause" || !errors.Is(err, cause) {
			t.Errorf("%v", err)
		}
	}
}
