//go:build unix

package remote_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// usual are the limits of a real run.
var usual = remote.Limits{}

// counted returns a source and a sink that move n data, on two sites or on one.
func counted(n int, value flow.Datum, options pipe.EdgeOptions) *flow.Pipeline {
	return pair(source(func(i int) (flow.Datum, bool) { return value, i < n }), sink(func(flow.Datum, flow.Stamp) bool { return true }), options)
}

// BenchmarkEdge moves numbers between two sites on loopback, with nats.go alone, and over an edge
// inside one program. nats.go moves the same messages without decoding them: each has a quarter of
// the capacity, and four are in flight.
func BenchmarkEdge(b *testing.B) {
	for _, c := range []struct {
		name        string
		n, capacity int
	}{
		{"capacity=4096", 2_000_000, 4096},
		{"capacity=40", 200_000, 40},
	} {
		b.Run("sites/"+c.name, func(b *testing.B) {
			server := serve(b)
			var took time.Duration
			cpu := processorTime(b)
			for b.Loop() {
				r := together(b, server, counted(c.n, flow.OfInt(7), pipe.Capacity(c.capacity)), flow.Options{}, usual)
				if r.err != nil {
					b.Fatal(r.err)
				}
				took += working(&r.stats)
			}
			b.ReportMetric(float64(c.n*b.N)/took.Seconds(), "data/s")
			b.ReportMetric(float64(processorTime(b)-cpu)/float64(c.n*b.N), "cpu-ns/datum")
		})
		b.Run("raw/"+c.name, func(b *testing.B) {
			batch := c.capacity / 4
			raw := newRaw(b, serve(b), 40+8*batch, 4, 1)
			cpu := processorTime(b)
			for b.Loop() {
				raw.move(b, c.n/batch)
			}
			b.ReportMetric(float64(c.n*b.N)/b.Elapsed().Seconds(), "data/s")
			b.ReportMetric(float64(processorTime(b)-cpu)/float64(c.n*b.N), "cpu-ns/datum")
		})
		b.Run("inside/"+c.name, func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				begin := time.Now()
				if err := counted(c.n, flow.OfInt(7), pipe.Capacity(c.capacity)).Run(b.Context(), flow.Options{}); err != nil {
					b.Fatal(err)
				}
				took += time.Since(begin)
			}
			b.ReportMetric(float64(c.n*b.N)/took.Seconds(), "data/s")
		})
	}
}

// working returns how long the consumer ran: another benchmark measures the start of the sites.
func working(s *flow.Stats) time.Duration {
	p := s.Processes[1]
	return p.Busy + p.Blocked
}

// BenchmarkSideBySide moves arrays of a MiB alternately between two sites and with nats.go alone.
// Both use the same messages and a window of eight, acknowledged in pairs, and both copy what
// arrives, as decoding does. The benchmark reports our time as a share of nats.go's, in elapsed
// time and in processor time, which other programs disturb less.
func BenchmarkSideBySide(b *testing.B) {
	const n, size = 400, 1 << 20
	array := flow.Of(&tensor.Tensor{Kind: tensor.Uint8, Shape: []int{size}, Data: make([]byte, size)})
	server := serve(b)
	raw := newRaw(b, server, size, 8, 2)
	var ours, theirs, oursCPU, theirsCPU time.Duration
	for b.Loop() {
		cpu := processorTime(b)
		r := together(b, server, counted(n, array, pipe.Capacity(40)), flow.Options{}, usual)
		if r.err != nil {
			b.Fatal(r.err)
		}
		ours += working(&r.stats)
		oursCPU += processorTime(b) - cpu
		cpu, begin := processorTime(b), time.Now()
		raw.move(b, n)
		theirs += time.Since(begin)
		theirsCPU += processorTime(b) - cpu
	}
	total := float64(b.N) * n * size / 1e9
	b.ReportMetric(total/ours.Seconds(), "GB/s")
	b.ReportMetric(total/theirs.Seconds(), "raw-GB/s")
	b.ReportMetric(100*theirs.Seconds()/ours.Seconds(), "%time")
	b.ReportMetric(100*theirsCPU.Seconds()/oursCPU.Seconds(), "%processor")
	b.ReportMetric(oursCPU.Seconds()/total, "cpu-s/GB")
}

// processorTime returns the processor time this program has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A raw pair moves messages with nats.go alone.
type raw struct {
	from          *nats.Conn
	payload       []byte
	window, every int // messages in flight, and messages acknowledged at a time
	acks          chan struct{}
	got           chan []byte
}

func newRaw(b *testing.B, server *remote.Server, size, window, every int) *raw {
	from, to := remote.Dial(b, &server.Ticket), remote.Dial(b, &server.Ticket)
	r := &raw{from: from, payload: make([]byte, size), window: window, every: every, acks: make(chan struct{}, 64), got: make(chan []byte, 64)}
	if _, err := from.Subscribe("ack", func(*nats.Msg) { r.acks <- struct{}{} }); err != nil {
		b.Fatal(err)
	}
	n := 0
	sub, err := to.Subscribe("data", func(m *nats.Msg) {
		r.got <- append([]byte(nil), m.Data...)
		if n++; n%every == 0 {
			_ = to.Publish("ack", nil)
		}
	})
	if err == nil {
		err = errors.Join(sub.SetPendingLimits(-1, -1), from.Flush(), to.Flush())
	}
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func (r *raw) move(b *testing.B, n int) {
	received := make(chan struct{})
	go func() {
		for range n {
			<-r.got
		}
		close(received)
	}()
	for i := range n {
		if i >= r.window && i%r.every == 0 {
			<-r.acks
		}
		if err := r.from.Publish("data", r.payload); err != nil {
			b.Error(err)
		}
	}
	<-received
	for range r.window / r.every {
		<-r.acks
	}
}

// BenchmarkRoundTrip sends one datum at a time there and back.
func BenchmarkRoundTrip(b *testing.B) {
	const n = 2000
	server := serve(b)
	var took time.Duration
	for b.Loop() {
		r := together(b, server, pingPong(n), flow.Options{}, usual)
		if r.err != nil {
			b.Fatal(r.err)
		}
		took += working(&r.stats)
	}
	b.ReportMetric(float64(took.Microseconds())/float64(n*b.N), "µs/round")
}

// pingPong returns a pipeline whose process sends a number when the previous one has come back from
// the other site.
func pingPong(n int) *flow.Pipeline {
	reg := pipe.NewRegistry(
		&pipe.Type{
			Name: "ping", Level: pipe.CheckNone,
			In:  []pipe.Port{{Name: "back", Type: "integer", Flags: pipe.NoDep}},
			Out: []pipe.Port{{Name: "out", Type: "integer", Flags: pipe.Required}},
			New: func() pipe.Process {
				var in *flow.In
				var out *flow.Out
				return &fake{
					setup: func(s *flow.Setup) error { in, out = s.In("back"), s.Out("out"); return nil },
					step: func(s pipe.Step) error {
						out.Push(flow.OfInt(int64(s.Number())))
						if in.Take(); s.Number() == uint64(n) {
							s.Complete()
						}
						return nil
					},
				}
			},
		},
		&pipe.Type{
			Name: "pong",
			In:   []pipe.Port{{Name: "in", Type: "integer", Flags: pipe.Required}},
			Out:  []pipe.Port{{Name: "out", Type: "integer", Flags: pipe.Required}},
			New: func() pipe.Process {
				var in *flow.In
				var out *flow.Out
				return &fake{
					setup: func(s *flow.Setup) error { in, out = s.In("in"), s.Out("out"); return nil },
					step:  func(pipe.Step) error { out.Push(in.Take()); return nil },
				}
			},
		})
	p := flow.New(reg)
	p.AddProcess("pong", "pong", pipe.Set(pipe.SiteKey, "b"))
	p.AddProcess("ping", "ping", pipe.Set(pipe.SiteKey, "a"))
	p.Connect("ping.out", "pong.in")
	p.Connect("pong.out", "ping.back")
	return p
}

// BenchmarkStart64 starts and ends a run of 64 sites, in one program and in 64.
func BenchmarkStart64(b *testing.B) {
	b.Run("inside", startInside)
	b.Run("programs", startPrograms)
}

func startPrograms(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "pentode")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "github.com/pentode-dev/pentode/cmd/pentode").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var text strings.Builder
	for i := range 32 {
		fmt.Fprintf(&text, "process from%[1]d :: numbers\n  end = 1\n  _site = f%[1]d\nprocess to%[1]d :: sink\n  _site = t%[1]d\nconnect from from%[1]d.number to to%[1]d.sink\n", i)
	}
	path := filepath.Join(dir, "a.pipe")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if out, err := exec.Command(program, "run", "--sites", "local", "--no-control", path).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
}

func startInside(b *testing.B) {
	server := serve(b)
	for b.Loop() {
		p := flow.New(pipe.NewRegistry(source(func(i int) (flow.Datum, bool) { return flow.OfInt(1), i < 1 }), sink(func(flow.Datum, flow.Stamp) bool { return true })))
		for i := range 32 {
			from, to := fmt.Sprintf("from%d", i), fmt.Sprintf("to%d", i)
			p.AddProcess(from, "source", pipe.Set(pipe.SiteKey, from))
			p.AddProcess(to, "sink", pipe.Set(pipe.SiteKey, to))
			p.Connect(from+".out", to+".in")
		}
		if r := together(b, server, p, flow.Options{}, usual); r.err != nil {
			b.Fatal(r.err)
		}
	}
}
