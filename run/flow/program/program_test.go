//go:build linux

package program_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/program"
	"github.com/pentode-dev/pentode/run/handoff"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// caught collects what arrived at the end of a pipeline.
type caught struct {
	mu   sync.Mutex
	list []string
	come chan struct{}
	conn *net.UnixConn // connection of the program
}

func (c *caught) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.list)
}

// await waits until n data have arrived.
func (c *caught) await(t *testing.T, n int) {
	t.Helper()
	for len(c.all()) < n {
		<-c.come
	}
}

func (c *caught) typ() *pipe.Type {
	return &pipe.Type{Name: "catch", In: []pipe.Port{{Name: "<any>", Type: pipe.AnyType, Doc: "Any."}}, New: func() pipe.Process { return &catch{c: c} }}
}

type catch struct {
	c   *caught
	ins []*flow.In
}

func (p *catch) Setup(s *flow.Setup) error { p.ins = s.Ins(); return nil }

func (p *catch) Step(pipe.Step) error {
	for _, in := range p.ins {
		if !in.Waiting() {
			continue
		}
		d := in.Take()
		if !d.IsData() && d.Kind() != flow.ErrorKind {
			continue
		}
		text := in.Name() + "=" + fmt.Sprint(d.Value())
		if d.Kind() == flow.ErrorKind {
			text = in.Name() + ": " + d.Why()
		} else if t, ok := d.Value().(*tensor.Tensor); ok {
			text = fmt.Sprintf("%s=%v of %v", in.Name(), t, t.At(t.Count()-1))
		}
		p.c.mu.Lock()
		p.c.list = append(p.c.list, text)
		p.c.mu.Unlock()
		select {
		case p.c.come <- struct{}{}:
		default:
		}
	}
	return nil
}

// start runs a pipeline that takes the given data of a program; this test is the program.
func start(t *testing.T, h handoff.Hello, config pipe.Config, opt flow.Options, ports ...string) (*flow.Run, *caught, *handoff.Giver, error) {
	t.Helper()
	ours, theirs, err := handoff.SocketPair()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := handoff.FileConn(theirs)
	if err != nil {
		t.Fatal(err)
	}
	opt.Gate = handoff.NewGate(conn)
	t.Cleanup(opt.Gate.Close)
	c := &caught{come: make(chan struct{}, 1), conn: ours}
	p := flow.New(pipe.NewRegistry(append(program.Types(), c.typ())...))
	p.AddProcess("sim", "program", config)
	p.AddProcess("end", "catch", nil)
	for _, port := range ports {
		p.Connect("sim."+port, "end."+port)
	}
	run, err := p.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	h.Program, h.Step, h.Slots = "wave", 1<<16, 4
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	g, err := handoff.Give(ctx, ours, h)
	return run, c, g, err
}

func float(i int, v float64) handoff.Item {
	return handoff.Item{Index: i, Kind: tensor.Float64, Size: 8, Bytes: binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))}
}

// The data of a program arrive at the ports of the same names, under every scheduler, until the program ends.
func TestData(t *testing.T) {
	for _, scheduler := range flow.Schedulers() {
		t.Run(scheduler, func(t *testing.T) {
			run, got, g, err := start(t, handoff.Hello{Data: []string{"x", "unused", "field", "name", "large"}, Policy: handoff.Block}, nil,
				flow.Options{Scheduler: scheduler}, "x", "field", "name", "large")
			if err != nil {
				t.Fatal(err)
			}
			if g.Wants(1) || !g.Wants(2) {
				t.Error("the program does not know what is used")
			}
			field := tensor.New(tensor.Float32, 2, 3)
			field.SetFloats(5, []float64{2.5})
			steps := [][]handoff.Item{
				{float(0, 1.5)},
				{float(0, 2), float(1, 7), {Index: 2, Kind: field.Kind, Shape: field.Shape, Size: len(field.Data), Bytes: field.Data}},
				{{Index: 3, Kind: handoff.Text, Shape: []int{6}, Size: 6, Bytes: []byte("ab\x00xyz")}},
				{{Index: 4, Kind: tensor.Uint64, Size: 8, Bytes: bytes.Repeat([]byte{255}, 8)}},
				{{Index: 4, Kind: tensor.Int16, Size: 2, Bytes: []byte{0xfe, 0xff}}},
			}
			for _, s := range steps {
				if err := g.Give(s); err != nil {
					t.Fatal(err)
				}
			}
			g.Close()
			if err := run.Wait(); err != nil {
				t.Fatal(err)
			}
			list := got.all()
			slices.Sort(list)
			want := []string{"field=an array of 2 × 3 float32 of 2.5", "large: 18446744073709551615 is larger than the largest whole number of a pipeline", "large=-2", "name=ab", "x=1.5", "x=2"}
			if !slices.Equal(list, want) {
				t.Errorf("%q, want %v", list, want)
			}
		})
	}
}

// If a program dies, the pipeline ends gracefully: the data already handed over arrive, and the log says that
// the program died.
func TestLost(t *testing.T) {
	var log strings.Builder
	run, got, g, err := start(t, handoff.Hello{Data: []string{"x"}, Policy: handoff.Block}, nil,
		flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Give([]handoff.Item{float(0, 1)}); err != nil {
		t.Fatal(err)
	}
	got.conn.Close() // as the system does when a program dies
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	if list := got.all(); !slices.Equal(list, []string{"x=1"}) || !strings.Contains(log.String(), "ended without PDI_finalize") {
		t.Errorf("%q\n%s\nwant list = %v and %q in log.String()", list, log.String(), []string{"x=1"}, "ended without PDI_finalize")
	}
}

// Both sides are told what does not match.
func TestMismatch(t *testing.T) {
	knobs := []handoff.Knob{{Name: "dt", Kind: "d"}, {Name: "n", Kind: "b"}}
	for _, c := range []struct {
		port   string
		config pipe.Config
		want   string
	}{
		{"fild", nil, "the program `wave` does not hand over `fild`; did you mean `field`?"},
		{"temperature", nil, "the program `wave` does not hand over `temperature`; there are `field`, `i`"},
		{"field", pipe.Set("knobs:dtt", "1"), "the program `wave` has no number `dtt` among its metadata; did you mean `dt`?"},
		{"field", pipe.Set("knobs:n", "1000"), "the knob `n` is `1000`, but must be a whole number from -128 to 127"},
		{"field", pipe.Set("knobs:n", "1.5"), "the knob `n` is `1.5`, but must be a whole number from -128 to 127"},
	} {
		run, _, _, err := start(t, handoff.Hello{Data: []string{"field", "i"}, Knobs: knobs}, c.config, flow.Options{}, c.port)
		if no := (*handoff.Refusal)(nil); !errors.As(err, &no) || no.Reason != c.want {
			t.Errorf("the program hears %v, want %s", err, c.want)
		}
		if err := run.Wait(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the run ends with %v", err)
		}
	}
}

// A pipeline that no program has started returns an error that says so.
func TestNoProgram(t *testing.T) {
	c := &caught{}
	p := flow.New(pipe.NewRegistry(append(program.Types(), c.typ())...))
	p.AddProcess("sim", "program", nil)
	p.AddProcess("end", "catch", nil)
	p.Connect("sim.x", "end.x")
	if _, err := p.Start(t.Context(), flow.Options{}); err == nil || !strings.Contains(err.Error(), "no program has started this pipeline") {
		t.Error(err)
	}
}

// A pipeline that waits for its program can be paused, changed and stopped.
func TestAskedWhileWaiting(t *testing.T) {
	run, got, g, err := start(t, handoff.Hello{Data: []string{"x"}, Knobs: []handoff.Knob{{Name: "dt", Kind: "d"}, {Name: "n", Kind: "i"}}, Policy: handoff.Block},
		pipe.Set("knobs:dt", "0.5"), flow.Options{}, "x")
	if err != nil {
		t.Fatal(err)
	}
	knobs := func() map[int]string {
		seen := map[int]string{}
		if err := g.Knobs(func(i handoff.Item) {
			n := tensor.Tensor{Kind: i.Kind, Data: i.Bytes}
			seen[i.Index] = string(n.AppendText(nil, 0))
		}); err != nil {
			t.Fatal(err)
		}
		return seen
	}
	if seen := knobs(); len(seen) != 1 || seen[0] != "0.5" {
		t.Errorf("at its start the program has %v, want len(seen) = 1 and seen[0] = %q", seen, "0.5")
	}
	if _, err := run.Set(t.Context(), map[string]string{"sim:knobs:dt": "0.25", "sim:knobs:n": "x"}, flow.SetOptions{}); err == nil {
		t.Error("a knob that is no number is taken")
	}
	if _, err := run.Set(t.Context(), map[string]string{"sim:knobs:dt": "0.25", "sim:knobs:m": "3"}, flow.SetOptions{}); err == nil || !strings.Contains(err.Error(), "no number `m`") {
		t.Errorf("a knob that there is not: %v", err)
	}
	if seen := knobs(); len(seen) > 0 || pending(run) != nil {
		t.Errorf("of a change that was refused, %v is seen", seen)
	}
	result, err := run.Set(t.Context(), map[string]string{"sim:knobs:dt": "0.25", "sim:knobs:n": "3"}, flow.SetOptions{})
	if err != nil || !result.Applied {
		t.Fatalf("%+v, %v", result, err)
	}
	if p := pending(run); !slices.Equal(p, []string{"knobs:dt", "knobs:n"}) {
		t.Errorf("pending are %v, want %v", p, []string{"knobs:dt", "knobs:n"})
	}
	if keys := run.Tunable("sim"); len(keys) != 2 || !keys[0].Pending || !keys[1].Pending || !result.Changes[0].Pending || !result.Changes[1].Pending {
		t.Errorf("not shown as pending: %+v, %+v", keys, result.Changes)
	}
	if seen := knobs(); len(seen) != 2 || seen[0] != "0.25" || seen[1] != "3" {
		t.Errorf("the program sees %v, want len(seen) = 2, seen[0] = %q and seen[1] = %q", seen, "0.25", "3")
	}
	if p := pending(run); p != nil || run.Tunable("sim")[0].Pending {
		t.Errorf("%v are pending still", p)
	}
	if err := g.Give([]handoff.Item{float(0, 1)}); err != nil {
		t.Fatal(err)
	}
	got.await(t, 1)
	if err := run.Pause(); err != nil {
		t.Fatal(err)
	}
	if err := run.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := g.Give([]handoff.Item{float(0, 2)}); err != nil {
		t.Fatal(err)
	}
	got.await(t, 2)
	run.Stop()
	if err := run.Wait(); !errors.Is(err, flow.ErrStopped) {
		t.Error(err)
	}
	if list := got.all(); !slices.Equal(list, []string{"x=1", "x=2"}) {
		t.Errorf("%q, want %v", list, []string{"x=1", "x=2"})
	}
}

// pending returns the keys that the program has not seen yet.
func pending(run *flow.Run) []string {
	for _, p := range run.Stats().Processes {
		if p.Name == "sim" {
			return p.Pending
		}
	}
	return nil
}

// Programs of a run connect to a socket, each rank to its process; others are refused. When the launcher says
// that no more programs will connect, waiting processes fail.
func TestGate(t *testing.T) {
	dir, err := os.MkdirTemp("", "gate") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "gate", "p.handoff")
	gate, err := handoff.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	got := &caught{come: make(chan struct{}, 1)}
	p := flow.New(pipe.NewRegistry(append(program.Types(), got.typ())...))
	for _, rank := range []string{"0", "2", "3"} {
		p.AddProcess("sim"+rank, "program", pipe.Set("rank", rank))
		p.AddProcess("end"+rank, "catch", nil)
		p.Connect("sim"+rank+".x", "end"+rank+".x")
	}
	run, err := p.Start(t.Context(), flow.Options{Gate: gate})
	if err != nil {
		t.Fatal(err)
	}
	come := func(rank int) error {
		ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
		defer cancel()
		conn, err := handoff.Dial(ctx, path)
		if err != nil {
			return err
		}
		g, err := handoff.Give(ctx, conn, handoff.Hello{Program: "wave", Rank: rank, Data: []string{"x"}, Policy: handoff.Block, Step: 64, Slots: 2})
		if err != nil {
			return err
		}
		defer g.Close()
		return g.Give([]handoff.Item{float(0, float64(rank))})
	}
	for rank, want := range map[int]string{0: "", 2: "", 1: "no process of the pipeline takes the data of rank 1"} {
		if err := come(rank); fmt.Sprint(err) == "<nil>" != (want == "") || want != "" && !strings.Contains(err.Error(), want) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if err := come(2); err == nil || !strings.Contains(err.Error(), "from another program") {
		t.Errorf("a second program: %v", err)
	}
	got.await(t, 2)
	handoff.Dismiss(t.Context(), path)
	if err := run.Wait(); err == nil || !strings.Contains(err.Error(), "without handing over any data") {
		t.Errorf("%v", err)
	}
	list := got.all()
	slices.Sort(list)
	if !slices.Equal(list, []string{"x=0", "x=2"}) {
		t.Errorf("%q, want %v", list, []string{"x=0", "x=2"})
	}
}
