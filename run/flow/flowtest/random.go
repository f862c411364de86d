package flowtest

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A stream is an output of a random pipeline and the data that it must send.
type stream struct {
	port     string
	num, den int64 // a source sends num/den data per step
	data     []int64
}

// A RandomPipeline is a pipeline together with the data that each of its collectors must receive.
type RandomPipeline struct {
	*flow.Pipeline
	Want map[string][]int64

	mu  sync.Mutex
	got map[string][]int64
}

// Got returns the data that each collector has received since the last call of Got.
func (p *RandomPipeline) Got() map[string][]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.got
	p.got = map[string][]int64{}
	return got
}

// Wrong returns a text that describes a collector with wrong data, or "" if all collectors have
// the right data.
func (p *RandomPipeline) Wrong() string {
	got := p.Got()
	for name, want := range p.Want {
		if !slices.Equal(got[name], want) {
			return fmt.Sprintf("collector %s got %v, want %v", name, got[name], want)
		}
	}
	return ""
}

// A collector is a process that keeps the numbers it receives.
type collector struct {
	pipeline *RandomPipeline
	in       *flow.In
	name     string
	got      []int64
}

func (c *collector) Setup(s *flow.Setup) error {
	c.in, c.name = s.In("number"), s.Name()
	return nil
}

func (c *collector) Step(pipe.Step) error {
	c.got = append(c.got, c.in.Take().Int())
	return nil
}

func (c *collector) Finalize(pipe.Step) error {
	c.pipeline.mu.Lock()
	defer c.pipeline.mu.Unlock()
	c.pipeline.got[c.name] = c.got
	return nil
}

// DrawPipeline makes a random graph of sources, repeaters, skippers, passes, products and
// collectors, with random capacities. A product joins only streams of the same rate. types is a
// registry with the standard types; DrawPipeline adds its own types to it.
func DrawPipeline(t *rapid.T, types *pipe.Registry, drops bool) *RandomPipeline {
	p := &RandomPipeline{Pipeline: flow.New(types), Want: map[string][]int64{}, got: map[string][]int64{}}
	err := p.Registry.Add(&pipe.Type{
		Name: "collect", In: []pipe.Port{{Name: "number", Type: "integer", Flags: pipe.Required}},
		New: func() pipe.Process { return &collector{pipeline: p} },
	})
	if err != nil {
		t.Fatal(err)
	}
	itoa := strconv.Itoa
	capacity := func() pipe.EdgeOptions { return pipe.Capacity(rapid.IntRange(0, 6).Draw(t, "capacity")) }
	add := func(kind string, kv ...string) string {
		name := fmt.Sprintf("n%d", len(p.Graph.Processes))
		if drops && rapid.IntRange(0, 3).Draw(t, "drops") == 0 {
			kv = append(kv, "_non_blocking", itoa(rapid.IntRange(1, 3).Draw(t, "keep")))
		}
		p.AddProcess(name, kind, pipe.Set(kv...))
		return name
	}
	var streams []stream
	used := map[string]bool{}
	for range rapid.IntRange(1, 3).Draw(t, "sources") {
		n := rapid.IntRange(1, 80).Draw(t, "length")
		name := fmt.Sprintf("n%d", len(p.Graph.Processes))
		p.AddProcess(name, "numbers", pipe.Set("end", itoa(n)))
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
			name := add("multiplication", pipe.ReplicasKey, itoa(rapid.IntRange(1, 3).Draw(t, "replicas")))
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
			p.Want[name] = s.data
		}
	}
	return p
}
