package flow_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

// A stream is an output of a random pipeline with what must come out of it.
type stream struct {
	port     string
	num, den int64 // data for each step of a source
	data     []int64
}

// A randomPipeline is a pipeline with the data that each collector must get.
type randomPipeline struct {
	*flow.Pipeline
	mu   sync.Mutex
	got  map[string][]int64
	want map[string][]int64
}

// drawPipeline makes a random graph of sources, repeaters, skippers, passes,
// products and collectors, with random capacities. Products join only what
// has the same rate.
func drawPipeline(t *rapid.T, drops bool) *randomPipeline {
	p := &randomPipeline{Pipeline: flow.New(catalog.Standard()), want: map[string][]int64{}}
	collect := &flow.Type{Name: "collect", In: inNumber, New: func() flow.Process {
		var in *flow.In
		var name string
		var got []int64
		return &fake{
			setup: func(s *flow.Setup) error { in, name = s.In("number"), s.Name(); return nil },
			step:  func(*flow.Step) error { got = append(got, in.Take().Int()); return nil },
			final: func(*flow.Step) error {
				p.mu.Lock()
				p.got[name] = got
				p.mu.Unlock()
				return nil
			},
		}
	}}
	with(p.Pipeline, collect)
	capacity := func() flow.EdgeOptions { return flow.Capacity(rapid.IntRange(0, 6).Draw(t, "capacity")) }
	add := func(kind string, kv ...string) string {
		name := fmt.Sprintf("n%d", len(p.Graph.Processes))
		if drops && rapid.IntRange(0, 3).Draw(t, "drops") == 0 {
			kv = append(kv, "_non_blocking", itoa(rapid.IntRange(1, 3).Draw(t, "keep")))
		}
		p.AddProcess(name, kind, flow.Set(kv...))
		return name
	}
	var streams []stream
	used := map[string]bool{}
	for range rapid.IntRange(1, 3).Draw(t, "sources") {
		n := rapid.IntRange(1, 80).Draw(t, "length")
		name := fmt.Sprintf("n%d", len(p.Graph.Processes))
		p.AddProcess(name, "numbers", flow.Set("end", itoa(n)))
		s := stream{port: name + ".number", num: 1, den: 1}
		for i := range n {
			s.data = append(s.data, int64(i))
		}
		streams = append(streams, s)
	}
	for range rapid.IntRange(0, 12).Draw(t, "processes") {
		s := streams[rapid.IntRange(0, len(streams)-1).Draw(t, "stream")]
		k := int64(rapid.IntRange(0, 3).Draw(t, "times"))
		out := stream{num: s.num, den: s.den}
		switch rapid.SampledFrom([]string{"pass", "duplicate", "skip", "multiplication"}).Draw(t, "kind") {
		case "pass":
			name := add("pass")
			p.Connect(s.port, name+".pass", capacity())
			out.port, out.data = name+".pass", s.data
		case "duplicate":
			name := add("duplicate", "copies", itoa(int(k)))
			p.Connect(s.port, name+".input", capacity())
			out.port, out.num = name+".duplicate", s.num*(k+1)
			for _, v := range s.data {
				out.data = append(out.data, slices.Repeat([]int64{v}, int(k)+1)...)
			}
		case "skip":
			name := add("skip", "skip", itoa(int(k)))
			p.Connect(s.port, name+".input", capacity())
			out.port, out.den = name+".output", s.den*(k+1)
			for i := int64(0); i+k < int64(len(s.data)); i += k + 1 {
				out.data = append(out.data, s.data[i])
			}
		case "multiplication":
			var same []stream
			for _, o := range streams {
				if o.num*s.den == s.num*o.den {
					same = append(same, o)
				}
			}
			o := same[rapid.IntRange(0, len(same)-1).Draw(t, "other")]
			name := add("multiplication")
			p.Connect(s.port, name+".factor1", capacity())
			p.Connect(o.port, name+".factor2", capacity())
			used[o.port] = true
			out.port = name + ".product"
			for i := range min(len(s.data), len(o.data)) {
				out.data = append(out.data, int64(int32(s.data[i])*int32(o.data[i])))
			}
		}
		used[s.port] = true
		if len(out.data) > 4000 {
			out.data = out.data[:0]
			t.Skip("too long")
		}
		streams = append(streams, out)
	}
	for _, s := range streams {
		if !used[s.port] || rapid.IntRange(0, 4).Draw(t, "watch") == 0 {
			name := add("collect")
			p.Connect(s.port, name+".number", capacity())
			p.want[name] = s.data
		}
	}
	return p
}

func (p *randomPipeline) run(t *rapid.T, scheduler string) flow.Stats {
	p.got = map[string][]int64{}
	r, err := p.Start(context.Background(), flow.Options{Scheduler: scheduler, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.Done():
	case <-time.After(20 * time.Second):
		stats := r.Stats()
		r.Abort()
		t.Fatalf("%s hangs: %+v", scheduler, stats)
	}
	if err := r.Wait(); err != nil {
		t.Fatalf("%s: %v", scheduler, err)
	}
	return r.Stats()
}

// TestRandomPipelines: whatever the graph, the frequencies and the capacities,
// every scheduler gives what the arithmetic says, and none gets stuck.
func TestRandomPipelines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPipeline(t, false)
		for _, s := range flow.Schedulers() {
			stats := p.run(t, s)
			for name, want := range p.want {
				if got := p.got[name]; !slices.Equal(got, want) {
					t.Fatalf("%s: collector %s got %v, want %v", s, name, got, want)
				}
			}
			for _, e := range stats.Edges {
				if e.Dropped != 0 || e.Pushed != e.Taken+e.Left {
					t.Fatalf("%s: edge %+v", s, e)
				}
			}
		}
	})
}

// TestRandomDrops: with edges that drop, every datum is accounted for.
func TestRandomDrops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPipeline(t, true)
		for _, s := range flow.Schedulers() {
			for _, e := range p.run(t, s).Edges {
				if e.Pushed != e.Taken+e.Dropped+e.Left {
					t.Fatalf("%s: edge %+v", s, e)
				}
			}
		}
	})
}
