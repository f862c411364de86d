package flowtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Data maps the name of a port to its data, in order.
type Data map[string][]flow.Datum

// Feed runs one process of a type under a scheduler. It gives the process the data in `in` and
// returns the data that the process sends at the outputs in `out`. A source that never ends is
// stopped after limit data at each output.
func Feed(typ *pipe.Type, config pipe.Config, in Data, out []string, limit int, opt flow.Options) (Data, error) {
	reg := pipe.NewRegistry(typ)
	p := flow.New(reg)
	p.AddProcess("subject", typ.Name, config)
	for _, port := range slices.Sorted(maps.Keys(in)) {
		decl, _ := typ.FindIn(port)
		if decl == nil {
			return nil, fmt.Errorf("type `%s` has no input port `%s`", typ.Name, port)
		}
		name := "feed " + port
		if err := reg.Add(feedType(name, decl.Type, in[port])); err != nil {
			return nil, err
		}
		p.Graph.Processes = append(p.Graph.Processes, pipe.Node{Name: name, Type: name})
		p.Graph.Connections = append(p.Graph.Connections, pipe.Connection{
			From: pipe.PortRef{Process: name, Port: "data"}, To: pipe.PortRef{Process: "subject", Port: port},
		})
	}
	var mu sync.Mutex
	got := Data{}
	for _, port := range out {
		name := "catch " + port
		if err := reg.Add(catchType(name, limit, func(d flow.Datum) {
			mu.Lock()
			got[port] = append(got[port], d)
			mu.Unlock()
		})); err != nil {
			return nil, err
		}
		p.Graph.Processes = append(p.Graph.Processes, pipe.Node{Name: name, Type: name})
		p.Graph.Connections = append(p.Graph.Connections, pipe.Connection{
			From: pipe.PortRef{Process: "subject", Port: port}, To: pipe.PortRef{Process: name, Port: "data"},
		})
	}
	err := p.Run(context.Background(), opt)
	return got, err
}

func feedType(name, typ string, data []flow.Datum) *pipe.Type {
	if len(typ) > 0 && typ[0] == '_' && typ != pipe.NoneType {
		typ = pipe.AnyType
	}
	return &pipe.Type{Name: name, Out: []pipe.Port{{Name: "data", Type: typ, Flags: pipe.Required}}, New: func() pipe.Process {
		return &feed{data: data}
	}}
}

type feed struct {
	data []flow.Datum
	out  *flow.Out
}

func (f *feed) Setup(s *flow.Setup) error {
	f.out = s.Out("data")
	return nil
}

func (f *feed) Step(s pipe.Step) error {
	if len(f.data) == 0 {
		s.Complete()
		return nil
	}
	f.out.Push(f.data[0])
	f.data = f.data[1:]
	return nil
}

func catchType(name string, limit int, got func(flow.Datum)) *pipe.Type {
	return &pipe.Type{Name: name, Level: pipe.CheckNone, In: []pipe.Port{{Name: "data", Type: pipe.AnyType, Flags: pipe.Required}}, New: func() pipe.Process {
		return &catch{left: limit, got: got}
	}}
}

type catch struct {
	left int
	got  func(flow.Datum)
	in   *flow.In
}

func (c *catch) Setup(s *flow.Setup) error {
	c.in = s.In("data")
	return nil
}

func (c *catch) Step(s pipe.Step) error {
	d := c.in.Take()
	if d.Kind() == flow.CompleteKind {
		s.Complete()
		return nil
	}
	c.got(d)
	if c.left--; c.left == 0 {
		s.Complete()
	}
	return nil
}
