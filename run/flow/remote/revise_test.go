package remote_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/remote"
)

// A tagger records its setting in the data that pass through it: a datum has its number, and the
// lowest and the highest setting on its way.
type tagger struct {
	mark, n    int64
	ins        []*flow.In
	outs       []*flow.Out
	take, push int
	last       *arrivals // nil: it is not the last process
}

// arrivals records what has arrived at the end.
type arrivals struct {
	count atomic.Int64
	wrong atomic.Value
}

func (g *tagger) Setup(s *flow.Setup) error {
	g.ins, g.outs = s.Ins(), s.Outs()
	return g.Reconfigure(s)
}

func (g *tagger) Prepare(s *flow.Setup) error {
	if s.Int("mark") < 0 {
		return errors.New("mark must not be negative")
	}
	return nil
}

func (g *tagger) Reconfigure(s *flow.Setup) error {
	g.mark = s.Int("mark")
	if g.mark == 13 {
		return errors.New("13 brings bad luck")
	}
	return nil
}

func (g *tagger) Step(pipe.Step) error {
	n, low, high := g.n, g.mark, g.mark
	for _, in := range g.ins {
		for range g.take {
			tag := flow.As[[]any](in.Take())
			n, low, high = tag[0].(int64), min(low, tag[1].(int64)), max(high, tag[2].(int64))
		}
	}
	if g.mark == 666 {
		return errors.New("the beast")
	}
	if g.last != nil {
		if have := g.last.count.Add(1) - 1; low != high || n != have {
			g.last.wrong.Store(fmt.Sprintf("datum %d came as number %d, computed with settings from %d to %d", n, have, low, high))
		}
	}
	for _, out := range g.outs {
		for i := range g.push {
			number := n
			if g.push > 1 {
				number = n/int64(g.push)*int64(g.push) + int64(i)
			}
			out.Push(flow.Of([]any{number, low, high}))
		}
	}
	g.n++
	return nil
}

// tagging returns a pipeline with two sources, branches, copies and rates; site chooses the site of
// each process.
func tagging(end *arrivals, site func() string) *flow.Pipeline {
	ports := func(n int) []pipe.Port {
		return []pipe.Port{{Name: "<any>", Type: "tag", Flags: pipe.Required, Freq: pipe.Times(int64(max(n, 1)))}}
	}
	p := flow.New(catalog.Standard())
	for _, t := range []struct {
		name       string
		take, push int
		last       *arrivals
	}{{"tags", 0, 1, nil}, {"tagged", 1, 1, nil}, {"pairs", 2, 1, nil}, {"twice", 1, 2, nil}, {"last", 1, 0, end}} {
		typ := &pipe.Type{
			Name: t.name, Stateless: t.name == "tagged", Keys: []pipe.Key{{Name: "mark", Kind: pipe.Int, Default: "0", Tunable: true}},
			New: func() pipe.Process { return &tagger{take: t.take, push: t.push, last: t.last} },
		}
		if t.take > 0 {
			typ.In = ports(t.take)
		}
		if t.push > 0 {
			typ.Out = ports(t.push)
		}
		if err := p.Registry.Add(typ); err != nil {
			panic(err) // the names differ from the names in the catalogue
		}
	}
	for _, n := range []string{"a tags", "b tags", "x tagged", "k tagged", "y pairs", "z twice", "j tagged", "end last"} {
		name, typ, _ := strings.Cut(n, " ")
		config := pipe.Set(pipe.SiteKey, site())
		switch name {
		case "x":
			config[pipe.ReplicasKey] = pipe.Setting{Value: "3"}
			config[pipe.SiteKey] = pipe.Setting{Value: "s1, s2"}
		case "k":
			config[pipe.ReplicasKey] = pipe.Setting{Value: "2"}
		}
		p.AddProcess(name, typ, config)
	}
	for _, c := range []string{"a.o x.i", "x.o k.i", "a.o y.i", "y.o z.i", "k.o j.a", "z.o j.b", "b.o j.c", "j.o end.i"} {
		from, to, _ := strings.Cut(c, " ")
		p.Connect(from, to, pipe.Capacity(1+rand.IntN(50)))
	}
	return p
}

// marks returns settings that set the key of all taggers.
func marks(mark int) map[string]string {
	settings := map[string]string{}
	for _, name := range []string{"a", "b", "x", "k", "y", "z", "j", "end"} {
		settings[name+":mark"] = strconv.Itoa(mark)
	}
	return settings
}

// spread runs a pipeline on its sites until the test stops it, and returns the coordinator.
func spread(t *testing.T, server *remote.Server, p *flow.Pipeline, opt flow.Options) *remote.Coordinator {
	t.Helper()
	plan, problems := pipe.Resolve(&p.Graph, p.Registry.Running())
	if problems.HasErrors() {
		t.Fatalf("%v; want no errors", problems)
	}
	ticket := ticket(server)
	c, err := remote.Coordinate(remote.CoordinatorOptions{Version: "1", Ticket: ticket, Sites: plan.Sites(), Plan: plan, Limits: quick})
	if err != nil {
		t.Fatal(err)
	}
	var over sync.WaitGroup
	for _, name := range plan.Sites() {
		over.Go(func() {
			_ = runSite(remote.SiteOptions{Name: name, Version: "1", Ticket: ticket, Limits: quick}, p, opt) // the coordinator reports the error
		})
	}
	t.Cleanup(func() {
		c.Abort()
		over.Wait()
		c.Close()
	})
	waits := func(s flow.SiteStats) bool { return s.State != string(remote.Running) }
	for slices.ContainsFunc(c.Stats().Sites, waits) {
		select {
		case <-c.Done():
			t.Fatal(c.Wait())
		case <-time.After(time.Millisecond):
		}
	}
	return c
}

// change changes settings of a run, with a timeout.
func change(t *testing.T, c *remote.Coordinator, settings map[string]string, opt flow.SetOptions) (flow.SetResult, error) {
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	return c.Set(ctx, settings, opt)
}

// TestSetOnAllSites: while settings change again and again on several sites, no datum is lost, and
// none is computed with a mixture of old and new settings.
func TestSetOnAllSites(t *testing.T) {
	server := serve(t)
	const runs, changes = 4, 15
	for i := range runs {
		end := &arrivals{}
		p := tagging(end, func() string { return "s" + strconv.Itoa(1+rand.IntN(3)) })
		c := spread(t, server, p, flow.Options{Scheduler: flow.Schedulers()[i%len(flow.Schedulers())], Workers: 3})
		mark := 0
		for range changes {
			mark += 20
			result, err := change(t, c, marks(mark), flow.SetOptions{})
			if err != nil || !result.Applied || len(result.Crossed) > 0 || result.Changes[0].Old != strconv.Itoa(mark-20) {
				t.Fatalf("to %d: %+v, %v", mark, result, err)
			}
		}
		if keys := c.Tunable("x"); len(keys) != 1 || keys[0].Value != strconv.Itoa(mark) {
			t.Errorf("the value now: %+v, want len(keys) = 1 and keys[0].Value = %v", keys, strconv.Itoa(mark))
		}
		n := end.count.Load()
		golden.Until(t, "data still come through", func() bool { return end.count.Load() >= n+50 })
		c.Stop()
		if err := c.Wait(); !errors.Is(err, flow.ErrStopped) {
			t.Fatal(err)
		}
		if wrong := end.wrong.Load(); wrong != nil {
			t.Errorf("%v; want none", wrong)
		}
	}
}

// TestSetRefusedOnOneSite: if a process of one site refuses, nothing changes on any site; if a
// process refuses after it had agreed, or fails under the watch, the old settings are restored on
// all sites.
func TestSetRefusedOnOneSite(t *testing.T) {
	end := &arrivals{}
	site := 0
	p := tagging(end, func() string { site++; return "s" + strconv.Itoa(1+site%3) })
	c := spread(t, serve(t), p, flow.Options{})
	set := func(process, mark string, opt flow.SetOptions) (flow.SetResult, error) {
		settings := marks(5)
		settings[process+":mark"] = mark
		return change(t, c, settings, opt)
	}
	var refused *pipe.RefusedError
	result, err := set("x", "-1", flow.SetOptions{})
	if !errors.As(err, &refused) || result.Applied || result.Undone != "" {
		t.Errorf("%+v, %v", result, err)
	}
	for _, ch := range result.Changes {
		if (ch.Refused != "") != (ch.Process == "x") || ch.Old != "0" {
			t.Errorf("%+v, want (ch.Refused != \"\") = %v and ch.Old = %q", ch, (ch.Process == "x"), "0")
		}
	}
	if result, err = change(t, c, map[string]string{"x:mark": "-1"}, flow.SetOptions{}); !errors.As(err, &refused) || result.Applied || result.Changes[0].Refused == "" {
		t.Errorf("one change alone: %+v, %v", result, err)
	}
	if result, err = set("j", "13", flow.SetOptions{}); !errors.As(err, &refused) || !strings.Contains(result.Undone, "13 brings bad luck") {
		t.Errorf("%+v, %v", result, err)
	}
	if result, err = set("z", "666", flow.SetOptions{WatchFor: time.Minute}); !errors.As(err, &refused) || !strings.Contains(result.Undone, "the beast") {
		t.Errorf("%+v, %v", result, err)
	}
	if result, err = set("nobody", "1", flow.SetOptions{}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "there is no process `nobody`") {
		t.Errorf("%+v, %v", result, err)
	}
	result, err = set("x", "5", flow.SetOptions{Preview: true})
	if err != nil || result.Applied || result.Changes[0] != (pipe.Change{Setting: "a:mark", Process: "a", Key: "mark", Old: "0", New: "5"}) {
		t.Errorf("preview: %+v, %v", result, err)
	}
	if err := c.Pause(); err != nil {
		t.Fatal(err)
	}
	if _, err = set("x", "5", flow.SetOptions{}); err == nil || !strings.Contains(err.Error(), "resume it first") {
		t.Errorf("of a paused run: %v", err)
	}
	if err := c.Resume(); err != nil {
		t.Fatal(err)
	}
	if result, err = set("x", "5", flow.SetOptions{WatchFor: 10 * time.Millisecond}); err != nil || !result.Applied {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestSetMeetsTheEnd: changes coincide with pauses, stops and ends of a run on several sites in any
// order, and nothing hangs.
func TestSetMeetsTheEnd(t *testing.T) {
	server := serve(t)
	rounds := 6
	if need.FullSize() {
		rounds = 30
	}
	for round := range rounds {
		end := &arrivals{}
		c := spread(t, server, tagging(end, func() string { return "s" + strconv.Itoa(1+rand.IntN(3)) }), flow.Options{})
		over := make(chan bool)
		go func() {
			defer close(over)
			for mark := 20; ; mark += 20 {
				if _, err := c.Set(t.Context(), marks(mark), flow.SetOptions{}); errors.Is(err, flow.ErrEnded) || errors.Is(err, flow.ErrStopping) {
					return
				}
			}
		}()
		for range round % 3 {
			_ = c.Pause()                // it may be paused in the middle of a change
			time.Sleep(time.Millisecond) // so that the pause comes at any moment of a change
			_ = c.Resume()
		}
		if round%3 == 0 {
			c.Abort()
		}
		c.Stop()
		select {
		case <-c.Done():
		case <-time.After(golden.Patience):
			t.Fatalf("it hangs: %+v", c.Stats())
		}
		<-over
		if wrong := end.wrong.Load(); wrong != nil {
			t.Errorf("%v; want none", wrong)
		}
	}
}

// TestSetStandsStill: if a process on one site takes data from others at no fixed rate, a change
// neither hangs nor keeps the others from changing, and the process is named.
func TestSetStandsStill(t *testing.T) {
	free := []pipe.Port{{Name: "<any>", Type: "tag", Flags: pipe.Required, Freq: pipe.UnknownFreq}}
	greedy := &pipe.Type{Name: "greedy", Level: pipe.CheckNone, In: free, New: func() pipe.Process {
		var ins []*flow.In
		return &fake{
			setup: func(s *flow.Setup) error { ins = s.Ins(); return nil },
			step: func(s pipe.Step) error {
				for range 3 {
					ins[0].Take()
				}
				if ins[1].Take().Kind() == flow.CompleteKind {
					s.Complete()
				}
				return nil
			},
		}
	}}
	p := tagging(&arrivals{}, func() string { return pipe.MainSite })
	if err := p.Registry.Add(greedy); err != nil {
		t.Fatal(err)
	}
	p.Graph = pipe.Graph{}
	p.AddProcess("a", "tags", pipe.Set(pipe.SiteKey, "s1"))
	p.AddProcess("b", "tags", pipe.Set(pipe.SiteKey, "s2"))
	p.AddProcess("g", "greedy", nil)
	p.Connect("a.o", "g.a")
	p.Connect("b.o", "g.b")
	c := spread(t, serve(t), p, flow.Options{})
	named := false
	for mark := range 10 {
		result, err := change(t, c, map[string]string{"a:mark": strconv.Itoa(mark), "b:mark": "1"}, flow.SetOptions{})
		if err != nil || !result.Applied {
			t.Fatalf("%+v, %v", result, err)
		}
		named = named || len(result.Crossed) == 1 && result.Crossed[0] == "g"
	}
	if !named {
		t.Error("ten changes met whole steps of a process that takes as it likes")
	}
}
