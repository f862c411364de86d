//go:build linux

package collect

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// The indexes of the fields of an audit record.
const (
	auditStep = iota
	auditDomain
	auditEvent
	auditDecision
	auditChosen
	auditMode
	auditRegion
	auditCount
	auditExecution
	auditPolicy
)

// The steps, with the numbers of decide.h.
const (
	stepBegin = iota
	stepDue
	stepAllow
	stepDecide
	stepEnd
	stepUnit
)

// replay gives the events of an audited run to the Go engine, thread by thread, and compares every decision. It returns
// the number of decisions. policies are the published policies in order.
func (b *testBed) replay(streams [][]ctf.Occurrence, policies ...*trace.Policy) int {
	b.t.Helper()
	type execution struct {
		pid uint32
		id  uint64
	}
	due := map[execution]bool{}
	type claim struct {
		execution
		chosen bool
	}
	var claims []claim
	decisions := 0
	for _, stream := range streams {
		r := replayer{bed: b, unit: nil, names: map[uint64]string{}}
		for _, name := range []string{"round", "inner"} {
			r.names[trace.NameHash(name)] = name
		}
		r.engine = trace.NewEngine(policies[0])
		r.unit = r.engine.Unit()
		r.let = map[string]int{}
		r.last = map[trace.RegionID]string{}
		written := map[string]int{}
		for _, o := range stream {
			if o.Event != agent.AuditRecord {
				if e := agent.Records[o.Event].Event; e != "" {
					written[e]++
				}
				continue
			}
			v := func(i int) uint64 { return o.Fields[i].Number }
			if now := v(auditPolicy); now > 0 && policies[now-1] != r.engine.Policy() {
				if err := r.engine.Swap(policies[now-1]); err != nil {
					b.t.Fatal(err)
				}
			}
			r.step(v)
			decisions++
			at := execution{o.PID, v(auditExecution)}
			switch v(auditStep) {
			case stepDue:
				due[at] = v(auditDecision) == 1
			case stepAllow:
				claims = append(claims, claim{at, v(auditChosen) == 1})
			}
		}
		for e, n := range r.let {
			if written[e] != n {
				b.t.Errorf("%s was decided about %d times and is %d times in the trace", e, n, written[e])
			}
		}
		for e, n := range written {
			if r.let[e] == 0 {
				b.t.Errorf("%s is %d times in the trace and was never decided about", e, n)
			}
		}
	}
	for _, c := range claims {
		if due[c.execution] != c.chosen {
			b.t.Fatalf("a thread of the team has %v for an execution for which the region decided %v", c.chosen, due[c.execution])
		}
	}
	return decisions
}

// replayer repeats the decisions of one thread with the Go engine.
type replayer struct {
	bed    *testBed
	engine *trace.Engine
	unit   *trace.Unit
	names  map[uint64]string
	let    map[string]int            // events that must be in the trace, by name: except for functions, an audit also has the ones decided against
	last   map[trace.RegionID]string // the event that decided one of the program's own regions
}

func (r *replayer) step(v func(int) uint64) {
	t := r.bed.t
	t.Helper()
	if v(auditStep) == stepUnit {
		r.unit.SetID(trace.KindID(v(auditEvent)), uint32(v(auditExecution)))
		return
	}
	domain := r.bed.flat().Domains[v(auditDomain)]
	region := trace.Region{Domain: domain, Address: v(auditRegion)}
	function, isFunction := r.bed.regions[v(auditRegion)]
	if isFunction {
		region = function
		region.Domain = domain
	} else if v(auditDomain) == 2 {
		region.Address, region.Name = 0, r.names[v(auditRegion)]
	} else {
		region.Name = r.bed.function(region.Address)
	}
	id, err := r.engine.Region(region)
	if err != nil {
		t.Fatal(err)
	}
	event, said := trace.EventID(v(auditEvent)), v(auditDecision) == 1
	let := func() {
		if !isFunction || said && event <= 1 { // C calls are decided with the function
			r.let[r.bed.catalog.Row(domain, event).Name]++
		}
	}
	var want bool
	switch v(auditStep) {
	case stepBegin:
		r.unit.Begin(id)
		delete(r.last, id)
		if got := r.unit.Count(id).Begun; uint64(got) != v(auditCount) {
			t.Fatalf("the region %#x has begun %d times for the agent and %d for the engine; want as many", v(auditRegion), v(auditCount), got)
		}
		return
	case stepDue:
		want = r.unit.Due(id)
	case stepAllow:
		want = v(auditChosen) == 1 && r.unit.Allows(id, event)
		let()
	case stepDecide:
		want = r.unit.Decide(id, event)
		if !isFunction {
			r.last[id] = r.bed.catalog.Row(domain, event).Name
		}
		let()
	case stepEnd:
		r.unit.End(id)
		if e, own := r.last[id]; own {
			r.let[e]++ // the end of the call is recorded, too
			delete(r.last, id)
		}
		return
	}
	if want != said {
		t.Fatalf("step %d of event %d of region %#x (%s): the agent decided %v, the engine %v", v(auditStep), event, v(auditRegion), region.Name, said, want)
	}
}

// addresses returns the addresses of the regions and constructs in a trace.
func addresses(streams [][]ctf.Occurrence) []uint64 {
	schema := Schema()
	seen := map[uint64]bool{}
	for _, stream := range streams {
		for _, o := range stream {
			for i, f := range schema.Events[o.Event].Fields {
				switch f.Name {
				case "parallel_codeptr", "mpi_codeptr", "work_begin_codeptr", "masked_begin_codeptr":
					seen[o.Fields[i].Number] = true
				}
			}
		}
	}
	delete(seen, 0)
	var list []uint64
	for a := range seen {
		list = append(list, a)
	}
	slices.Sort(list)
	return list
}

// randomConfig returns a random configuration for these regions.
func randomConfig(c *trace.Catalog, addresses []uint64, r *rand.Rand) *trace.Config {
	domains := layout.DomainNames[:]
	events := func(domain string) trace.Events {
		d, _ := c.Domain(domain)
		list := trace.Events{}
		for _, e := range c.Domains()[d].Events {
			if r.IntN(3) == 0 {
				list[e.Name] = trace.Toggle{On: r.IntN(3) > 0}
			}
		}
		return list
	}
	number := func(below int) trace.Number { return trace.Number{Value: uint32(r.IntN(below)), Set: r.IntN(2) == 0} }
	rate := func() trace.RateLayer {
		l := trace.RateLayer{Start: number(4), Max: number(8), Every: number(4)}
		if l.Max.Value == 7 {
			l.Max.Value = trace.Unlimited
		}
		return l
	}
	units := func() trace.Constraints {
		var list trace.Constraints
		if r.IntN(2) == 0 {
			list = append(list, trace.Constraint{Domain: "OpenMP", Kind: "thread", Set: trace.NewSet(trace.Span{Lo: uint32(r.IntN(2)), Hi: uint32(1 + r.IntN(3))})})
		}
		if r.IntN(3) == 0 {
			list = append(list, trace.Constraint{Domain: "MPI", Kind: "rank", Set: trace.NewSet(trace.Span{Lo: 0, Hi: uint32(r.IntN(4))})})
		}
		return list
	}
	layer := func() trace.RegionLayer {
		l := trace.RegionLayer{Rate: rate(), Events: map[string]trace.Events{}}
		for _, d := range domains {
			if r.IntN(2) == 0 {
				l.Events[d] = events(d)
			}
		}
		return l
	}
	config := &trace.Config{Domains: map[string]trace.DomainLayer{}, PerDomain: map[string]trace.RegionLayer{}}
	for _, d := range domains {
		l := trace.DomainLayer{Events: events(d)}
		if r.IntN(6) == 0 {
			l.Mode = trace.Off + trace.Mode(r.IntN(4))
		}
		config.Domains[d] = l
		if r.IntN(3) == 0 {
			config.PerDomain[d] = layer()
		}
	}
	if r.IntN(2) == 0 {
		config.Default = layer()
	}
	for range r.IntN(3) {
		target := trace.Constraints{{Domain: "OpenMP", Kind: "thread", Set: trace.NewSet(trace.Span{Lo: uint32(r.IntN(3)), Hi: 3})}}
		config.Units = append(config.Units, trace.UnitLayer{Domain: "OpenMP", Target: target, Events: events("OpenMP")})
	}
	match := func() trace.Match {
		switch r.IntN(4) {
		case 0:
			return trace.Match{Name: []string{"loop", "shared", "tasks", "nested", "main"}[r.IntN(5)]}
		case 1:
			return trace.Match{Name: []string{"round", "inner"}[r.IntN(2)], Domain: "User"}
		}
		return trace.Match{Address: addresses[r.IntN(len(addresses))]}
	}
	for range r.IntN(6) {
		config.Regions = append(config.Regions, trace.RegionEntry{Match: match(), RegionLayer: layer(), Units: units(), Removed: r.IntN(8) == 0})
	}
	return config
}

func TestReplay(t *testing.T) {
	for _, mpi := range []string{"", "openmpi", "mpich"} {
		t.Run("openmp"+mpi, func(t *testing.T) {
			b, readable := newTestBed(t, mpi), babeltrace(t)
			first, err := trace.Compile(b.catalog, &trace.Config{})
			if err != nil {
				t.Fatal(err)
			}
			dir, counts := b.run(b.options(first), "2")
			streams := b.read(dir)
			if counts.Dropped != 0 || b.replay(streams, first) == 0 {
				t.Fatalf("nothing was decided, or %d events were lost", counts.Dropped)
			}
			for _, want := range []string{"parallel_begin", "work_begin", "region_begin", "MPI_Send_begin"} {
				if count(streams)[want] == 0 && (mpi != "" || want != "MPI_Send_begin") {
					t.Fatalf("the trace has no %s", want)
				}
			}
			places := addresses(streams)
			runs := 2
			switch {
			case !need.Full() && mpi != "":
				runs = 1
			case need.Full() && mpi == "":
				runs = 20
			case need.Full(): // 20 for both together
				runs = 10
			}
			for seed := range runs {
				config := randomConfig(b.catalog, places, rand.New(rand.NewPCG(1, uint64(seed))))
				p, err := trace.Compile(b.catalog, config)
				if err != nil {
					t.Fatal(err)
				}
				dir, counts := b.run(b.options(p), "6")
				if counts.Dropped != 0 || counts.Damaged != 0 {
					t.Fatalf("%+v, want counts.Dropped = 0 and counts.Damaged = 0", counts)
				}
				b.replay(b.read(dir), p)
				readable(dir)
				if t.Failed() {
					t.Fatalf("policy %d", seed)
				}
			}
		})
	}
}

// While the program runs, policies change all the time, even to tracing nothing and back: every decision follows the
// policy in force at that moment.
func TestReplayReloads(t *testing.T) {
	need.Slow(t)
	b := newTestBed(t, "")
	rounds := 300
	if need.Full() {
		rounds = 2000
	}
	compile := func(c *trace.Config) *trace.Policy {
		p, err := trace.Compile(b.catalog, c)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	off := map[string]trace.DomainLayer{"OpenMP": {Mode: trace.Off}}
	turns := []*trace.Policy{
		compile(&trace.Config{}),
		compile(&trace.Config{Domains: off}),
		compile(&trace.Config{Default: trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: 3, Set: true}}}}),
	}
	for ; ; rounds *= 2 { // until the policy changed often enough while the program ran
		decisions, policies := b.reloaded(turns, rounds)
		if decisions > 0 && policies >= 10 {
			return
		} else if rounds > 100_000 {
			t.Fatalf("%d decisions under %d policies, want at most 100_000", decisions, policies)
		}
	}
}

// reloaded runs the program while policies alternate. It returns the number of decisions and of policies they were made under.
func (b *testBed) reloaded(turns []*trace.Policy, rounds int) (decisions, policies int) {
	t := b.t
	t.Helper()
	published := []*trace.Policy{turns[0]}
	dir := filepath.Join(t.TempDir(), "trace")
	code, c, err := Run(context.Background(), b.options(turns[0]), Program{
		Args: []string{b.program, strconv.Itoa(rounds)}, Library: b.library, Dir: dir, Host: "node", Out: io.Discard, Err: os.Stderr,
		Started: func(s *Session) func() {
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for i := 1; ; i++ {
					select {
					case <-stop:
						return
					case <-time.After(3 * time.Millisecond):
					}
					p := turns[i%len(turns)]
					if err := s.Publish(p, b.options(p).Table); err != nil {
						t.Error(err)
						return
					}
					published = append(published, p)
				}
			}()
			return func() { close(stop); <-stopped }
		},
	})
	if err != nil || code != 0 || c.Counts.Dropped+c.Counts.Damaged != 0 {
		t.Fatal(code, err, c.Counts)
	}
	return b.replay(b.read(dir), published...), len(published)
}

// TestPolicyChangesAtOnce: at any moment, the number and the place of the current policy belong together. A thread that
// announced one policy and read another would read tables that are being overwritten.
func TestPolicyChangesAtOnce(t *testing.T) {
	b := newTestBed(t, "")
	p, err := trace.Compile(b.catalog, &trace.Config{})
	if err != nil {
		t.Fatal(err)
	}
	o := b.options(p)
	s, err := NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ended := make(chan struct{})
	together := map[uint64]int{s.epoch: s.policies[0].at}
	go func() {
		defer close(ended)
		for i := range 500 {
			if err := s.Publish(p, append(slices.Clone(o.Table), make([]byte, 64*(i%7))...)); err != nil {
				t.Error(err)
				return
			}
			together[s.epoch] = s.policies[len(s.policies)-1].at
		}
	}()
	seen := map[uint64]bool{}
	for over := false; !over; {
		select {
		case <-ended:
			over = true
		default:
		}
		seen[s.word(sessionPolicy).Load()] = true
	}
	for word := range seen {
		if at, ok := together[word>>32]; !ok || at != int(uint32(word)) {
			t.Errorf("policy %d was seen at %d, and stood at %d; want it where it stood", word>>32, uint32(word), at)
		}
	}
}
