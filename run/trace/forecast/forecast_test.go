package forecast_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/forecast"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// key identifies a counter of events.
type key struct {
	region, event string
	rank, thread  uint32
}

// line is the model's state of a region on a thread: the arithmetic of the original program.
type line struct{ counter, since, traced uint32 }

// model is a run that is written as it happens, and decided about with Policy.Explain alone.
type model struct {
	t       *testing.T
	policy  *trace.Policy
	streams map[[2]uint32]*strings.Builder // by rank and thread
	lines   map[string]*line
	want    map[key]uint64
	clock   int
}

func newModel(t *testing.T, p *trace.Policy) *model {
	return &model{t: t, policy: p, streams: map[[2]uint32]*strings.Builder{}, lines: map[string]*line{}, want: map[key]uint64{}}
}

// where is a thread of the run.
type where struct{ rank, thread uint32 }

func (m *model) write(at where, format string, args ...any) {
	s := m.streams[[2]uint32{at.rank, at.thread}]
	if s == nil {
		s = &strings.Builder{}
		fmt.Fprintf(s, "rank %d thread %d\n", at.rank, at.thread)
		if at.thread == 0 {
			fmt.Fprintf(s, "0s clock end=0\n")
		}
		m.streams[[2]uint32{at.rank, at.thread}] = s
	}
	m.clock++
	fmt.Fprintf(s, "%dns %s\n", m.clock, fmt.Sprintf(format, args...))
}

// explain returns the layers' decision about an event.
func (m *model) explain(domain, event string, r trace.Region, at where) (bool, trace.Rate) {
	c := m.policy.Catalog()
	d, _ := c.Domain(domain)
	e, ok := c.Event(d, event)
	if !ok {
		m.t.Fatalf("the catalogue has no %s", event)
	}
	ids := make([]uint32, c.Kinds())
	set := func(domain, kind string, id uint32) {
		d, _ := c.Domain(domain)
		k, _ := c.Kind(d, kind)
		ids[k] = id
	}
	set("MPI", "rank", at.rank)
	set("OpenMP", "thread", at.thread)
	r.Domain = d
	x, err := m.policy.Explain(trace.Query{Region: r, Event: e, IDs: ids})
	if err != nil {
		m.t.Fatal(err)
	}
	return x.Verdict == trace.Traced, x.Rate
}

func (m *model) line(name string, at where) *line {
	name += fmt.Sprint(at)
	if m.lines[name] == nil {
		m.lines[name] = &line{}
	}
	return m.lines[name]
}

// counts reports whether executions are counted in a domain.
func (m *model) counts(domain string) bool {
	d, _ := m.policy.Catalog().Domain(domain)
	return m.policy.Mode(d) >= trace.Monitoring
}

func (l *line) begin() { l.counter, l.since = l.counter+1, l.since+1 }
func (l *line) end()   { l.traced, l.since = l.traced+1, 0 }
func (l *line) due(r trace.Rate) bool {
	return l.since >= r.Every && r.Start <= l.counter-1 && (r.Max == trace.Unlimited || l.traced < r.Max)
}

func (m *model) count(region, event string, at where, n uint64) {
	m.want[key{region, event, at.rank, at.thread}] += n
}

// region runs one execution of a region that is decided by its only event, with a begin and an end.
func (m *model) region(domain, event, name string, r trace.Region, at where, inside func(number uint32)) {
	l := m.line(domain+name, at)
	on, rate := m.explain(domain, event, r, at)
	number := l.counter
	if m.counts(domain) {
		l.begin()
	}
	yes := on && l.due(rate)
	inside(number)
	if yes {
		m.count(name, event, at, 2)
		l.end()
	}
}

func (m *model) mark(name string, at where) {
	l := m.line("User"+name, at)
	on, rate := m.explain("User", "user_mark", trace.Region{Name: name}, at)
	m.write(at, "mark name=%s execution=%d", name, l.counter)
	if m.counts("User") {
		l.begin()
	}
	if on && l.due(rate) {
		m.count(name, "user_mark", at, 1)
		l.end()
	}
}

// own runs an execution of a region that the program marks itself.
func (m *model) own(name string, at where, inside func()) {
	m.region("User", "user_region", name, trace.Region{Name: name}, at, func(number uint32) {
		m.write(at, "region_begin name=%s execution=%d", name, number)
		inside()
		m.write(at, "region_end name=%s execution=%d", name, number)
	})
}

func (m *model) send(address int, at where) {
	m.region("MPI", "MPI_Send", fmt.Sprintf("%#x", address), trace.Region{Address: uint64(address)}, at, func(uint32) {
		m.write(at, "MPI_Send_begin mpi_codeptr=%#x", address)
		m.write(at, "MPI_Send_end mpi_codeptr=%#x", address)
	})
}

// parallel runs a parallel region with a loop on three threads.
func (m *model) parallel(address, loop int, at where, named bool) {
	name := fmt.Sprintf("%#x", address)
	r := trace.Region{Address: uint64(address)}
	l := m.line("OpenMP"+name, at)
	_, rate := m.explain("OpenMP", "omp_work", r, at)
	d, _ := m.policy.Catalog().Domain("OpenMP")
	number := l.counter
	if m.counts("OpenMP") {
		l.begin()
	}
	chosen := m.policy.Mode(d) == trace.Tracing && l.due(rate)
	event := func(event string, at where, text string) {
		m.write(at, "%s parallel_codeptr=%#x parallel_record_id=%d", text, address, number)
		if on, _ := m.explain("OpenMP", event, r, at); on && chosen {
			m.count(name, event, at, 1)
		}
	}
	event("omp_parallel_begin", at, "parallel_begin")
	for thread := range uint32(3) {
		at := where{at.rank, thread}
		event("omp_implicit_task", at, "implicit_task_begin")
		if named {
			m.region("OpenMP", "omp_work", fmt.Sprintf("%#x", loop), trace.Region{Address: uint64(loop)}, at, func(uint32) {
				m.write(at, "work_begin parallel_codeptr=%#x parallel_record_id=%d work_begin_codeptr=%#x", address, number, loop)
				m.write(at, "work_end parallel_codeptr=%#x parallel_record_id=%d work_begin_codeptr=%#x", address, number, loop)
			})
		} else {
			event("omp_work", at, fmt.Sprintf("work_begin work_begin_codeptr=%#x", loop))
			event("omp_work", at, fmt.Sprintf("work_end work_begin_codeptr=%#x", loop))
		}
		event("omp_implicit_task", at, "implicit_task_end")
	}
	event("omp_parallel_end", at, "parallel_end")
	if chosen {
		l.end()
	}
}

// trace writes the run into a folder and opens it.
func (m *model) trace() *recorded.Trace {
	m.t.Helper()
	var text strings.Builder
	for _, s := range m.streams {
		text.WriteString(s.String())
	}
	dir := m.t.TempDir()
	if err := played.Write(dir, text.String()); err != nil {
		m.t.Fatal(err)
	}
	t, err := recorded.Open(dir)
	if err != nil {
		m.t.Fatal(err)
	}
	return t
}

const (
	parallelAt, loopAt, sendAt = 0x1010, 0x1020, 0x2010
)

// randomConfig returns a random configuration for the regions of the model's runs.
func randomConfig(c *trace.Catalog, r *rand.Rand) *trace.Config {
	names := map[string][]string{
		"OpenMP": {"omp_parallel_begin", "omp_parallel_end", "omp_implicit_task", "omp_work"}, "MPI": {"MPI_Send"}, "User": {"user_region", "user_mark"},
	}
	events := func(domain string) trace.Events {
		list := trace.Events{}
		for _, name := range names[domain] {
			if r.IntN(3) == 0 {
				list[name] = trace.Toggle{On: r.IntN(3) > 0}
			}
		}
		return list
	}
	number := func(below int) trace.Number { return trace.Number{Value: uint32(r.IntN(below)), Set: r.IntN(2) == 0} }
	units := func() trace.Constraints {
		var list trace.Constraints
		if r.IntN(2) == 0 {
			list = append(list, trace.Constraint{Domain: "OpenMP", Kind: "thread", Set: trace.NewSet(trace.Span{Lo: uint32(r.IntN(2)), Hi: uint32(1 + r.IntN(2))})})
		}
		if r.IntN(3) == 0 {
			list = append(list, trace.Constraint{Domain: "MPI", Kind: "rank", Set: trace.NewSet(trace.Span{Lo: 0, Hi: uint32(r.IntN(2))})})
		}
		return list
	}
	layer := func() trace.RegionLayer {
		l := trace.RegionLayer{Rate: trace.RateLayer{Start: number(4), Max: number(8), Every: number(5)}, Events: map[string]trace.Events{}}
		for d := range names {
			if r.IntN(2) == 0 {
				l.Events[d] = events(d)
			}
		}
		return l
	}
	config := &trace.Config{Domains: map[string]trace.DomainLayer{}, PerDomain: map[string]trace.RegionLayer{}}
	for d := range names {
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
	for _, m := range []trace.Match{{Address: parallelAt}, {Address: loopAt}, {Address: sendAt}, {Name: "step"}, {Name: "inner", Domain: "User"}} {
		if r.IntN(3) == 0 {
			config.Regions = append(config.Regions, trace.RegionEntry{Match: m, RegionLayer: layer(), Units: units(), Removed: r.IntN(8) == 0})
		}
	}
	return config
}

func compile(t testing.TB, config *trace.Config) *trace.Policy {
	t.Helper()
	p, err := trace.Compile(pinsight.Builtin().Catalog, config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// everything returns a configuration with all events on.
func everything(c *trace.Catalog) *trace.Config {
	config := &trace.Config{Domains: map[string]trace.DomainLayer{}}
	for _, d := range c.Domains() {
		events := trace.Events{}
		for _, e := range d.Events {
			events[e.Name] = trace.Toggle{On: true}
		}
		config.Domains[d.Name] = trace.DomainLayer{Events: events}
	}
	return config
}

// With random runs and policies, the simulation's counts match the layers' decisions one by one.
func TestSimulate(t *testing.T) {
	need.Rounds(t, 3, func(t *testing.T, round int) {
		for i := range 20 {
			simulateRandom(t, 20*round+i)
		}
	})
}

func simulateRandom(t *testing.T, seed int) {
	c := pinsight.Builtin().Catalog
	all := compile(t, everything(c))
	r := rand.New(rand.NewPCG(39, uint64(seed)))
	config := randomConfig(c, r)
	p := compile(t, config)
	named := slices.ContainsFunc(p.Entries(), func(m trace.Match) bool { return m.Address == loopAt })
	m := newModel(t, p)
	for range 30 {
		at := where{rank: uint32(r.IntN(2))}
		switch r.IntN(5) {
		case 0:
			m.own("step", at, func() {
				if r.IntN(2) == 0 {
					m.own("inner", at, func() {})
				}
			})
		case 1:
			m.mark("step", at)
		case 2:
			m.send(sendAt+8*r.IntN(2), at)
		default:
			m.parallel(parallelAt+8*r.IntN(2), loopAt, at, named)
		}
	}
	f, err := forecast.Simulate(m.trace(), forecast.Options{Was: all, Policy: p, Cost: forecast.Typical()})
	if err != nil {
		t.Fatalf("policy %d: %v", seed, err)
	}
	got, sum := map[key]uint64{}, uint64(0)
	for _, row := range f.Rows {
		if row.Traced > 0 {
			got[key{row.Region, row.Event, row.Rank, row.Thread}] = row.Traced
		}
		if row.Open() || row.Traced > row.Happened || row.Traced > 0 && row.Bytes == 0 {
			t.Errorf("policy %d: %+v, want a definite number traced, at most those that happened, with bytes where there is one", seed, row)
		}
		sum += row.Traced
	}
	if d := cmp.Diff(m.want, got); d != "" || sum != f.Traced {
		t.Fatalf("policy %d, %d events of %d in all (-layers +simulated):\n%s\nwant no difference, and all of them", seed, sum, f.Traced, d)
	}
}

// simulated makes a forecast, for a configuration, of the run that a text describes.
func simulated(t *testing.T, text string, was, config *trace.Config) (*forecast.Forecast, error) {
	t.Helper()
	dir := t.TempDir()
	if err := played.Write(dir, text); err != nil {
		t.Fatal(err)
	}
	r, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return forecast.Simulate(r, forecast.Options{Was: compile(t, was), Policy: compile(t, config), Cost: forecast.Typical()})
}

// Before MPI begins, a process is decided about as rank 0, as its tracer does; its events count for the rank that it gets later.
func TestSimulateBeforeRank(t *testing.T) {
	text := ""
	for rank := range 2 {
		text += fmt.Sprintf(`rank %d thread 0
1us region_begin name=step execution=0
2us region_end name=step execution=0
3us MPI_Init_begin mpi_codeptr=0x2010
4us clock end=0
5us MPI_Init_end mpi_codeptr=0x2010
6us region_begin name=step execution=1
7us region_end name=step execution=1
`, rank)
	}
	on := everything(pinsight.Builtin().Catalog)
	config := everything(pinsight.Builtin().Catalog)
	config.Regions = []trace.RegionEntry{{
		Match: trace.Match{Name: "step"}, Units: trace.Constraints{{Domain: "MPI", Kind: "rank", Set: trace.NewSet(trace.Span{Lo: 0, Hi: 0})}},
	}}
	f, err := simulated(t, text, on, config)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range f.Rows {
		got = append(got, fmt.Sprintf("%s rank %d: %d of %d, %d to %d", r.Event, r.Rank, r.Traced, r.Happened, r.First, r.Last))
	}
	want := []string{"MPI_Init rank 0: 2 of 2, 0 to 0", "MPI_Init rank 1: 2 of 2, 0 to 0", "user_region rank 0: 4 of 4, 0 to 1", "user_region rank 1: 2 of 4, 0 to 0"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%v; want nothing", d)
	}
}

// A question that the record cannot answer gives an error with the reason.
func TestSimulateRefuses(t *testing.T) {
	on := everything(pinsight.Builtin().Catalog)
	one := "rank 0\n1ms region_begin name=a execution=0\n2ms region_end name=a execution=0\n"
	every := func(n uint32) trace.RegionLayer {
		return trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: n, Set: true}}}
	}
	max := trace.RateLayer{Max: trace.Number{Value: 2, Set: true}}
	for name, c := range map[string]struct {
		text     string
		was, is  *trace.Config
		expected string
	}{
		"a rate":                 {one, &trace.Config{Default: every(2)}, &trace.Config{}, "a rate or limit left some out in other regions"},
		"an event off":           {one, &trace.Config{Domains: map[string]trace.DomainLayer{"User": {Events: trace.Events{"user_region": {}}}}}, &trace.Config{}, "`user_region` of User, which the configuration traces: it was off"},
		"some units":             {one, &trace.Config{Default: trace.RegionLayer{}, Domains: map[string]trace.DomainLayer{"OpenMP": {Limits: trace.Constraints{{Domain: "OpenMP", Kind: "thread", Set: trace.NewSet(trace.Span{Lo: 0, Hi: 1})}}}}}, &trace.Config{}, "it was on for some units only"},
		"a mode":                 {one, &trace.Config{Domains: map[string]trace.DomainLayer{"User": {Mode: trace.Standby}}}, &trace.Config{}, "no events of User, whose mode was STANDBY"},
		"windows":                {one, &trace.Config{Default: trace.RegionLayer{Rate: max, End: &trace.WindowEnd{Modes: map[string]trace.Mode{"User": trace.Off}}}}, &trace.Config{}, "windows that end"},
		"lost events":            {one + "lost 7\n3ms mark name=m execution=0\n", on, &trace.Config{}, "7 events of thread 0 were lost"},
		"lacking":                {"rank 0\n1ms region_begin name=a execution=3\n", on, &trace.Config{}, "lacks executions of `a`: number 3 was recorded where number 0"},
		"another domain":         {"rank 0\n1ms function_begin qualname=f\n", on, &trace.Config{}, "events of Python"},
		"marks of the same name": {one + "3ms region_begin name=a execution=2\n", on, &trace.Config{}, "lacks executions of `a`: number 2 was recorded where number 1"},
		"parallel regions":       {one, &trace.Config{Domains: map[string]trace.DomainLayer{"OpenMP": {Events: trace.Events{"omp_parallel_begin": {}}}}}, &trace.Config{Domains: map[string]trace.DomainLayer{"OpenMP": {Events: trace.Events{"omp_parallel_begin": {}}}}}, "`omp_parallel_begin` of OpenMP"},
	} {
		f, err := simulated(t, c.text, c.was, c.is)
		if err == nil || !strings.Contains(err.Error(), c.expected) {
			t.Errorf("%s: %v, %+v; want %q", name, err, f, c.expected)
		}
	}
	// The record may lack data that the configuration does not ask for.
	if _, err := simulated(t, one, &trace.Config{Domains: map[string]trace.DomainLayer{"OpenMP": {Mode: trace.Off}}}, &trace.Config{Domains: map[string]trace.DomainLayer{"OpenMP": {Mode: trace.Off}}}); err != nil {
		t.Error(err)
	}
}

// The end of a window changes the modes of all threads: with several threads the counts are ranges, with one they are exact.
func TestSimulateWindows(t *testing.T) {
	region := func(thread int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "rank 0 thread %d\n", thread)
		for i := range 5 {
			fmt.Fprintf(&b, "%dms region_begin name=a execution=%d\n%dms region_end name=a execution=%d\n", 10*i+thread, i, 10*i+thread+5, i)
		}
		return b.String()
	}
	ends := &trace.Config{Default: trace.RegionLayer{
		Rate: trace.RateLayer{Max: trace.Number{Value: 2, Set: true}},
		End:  &trace.WindowEnd{Modes: map[string]trace.Mode{"User": trace.Standby}},
	}}
	on := everything(pinsight.Builtin().Catalog)
	f, err := simulated(t, region(0), on, ends)
	if err != nil || f.Traced != 4 || f.Low != 4 || f.High != 4 || len(f.Notes) > 0 {
		t.Errorf("one thread: %+v, %v", f, err)
	}
	f, err = simulated(t, region(0)+region(1), on, ends)
	if err != nil || f.Low != 0 || f.High != 20 || f.Traced < 4 || f.Traced > 8 || len(f.Notes) != 1 || !f.Rows[0].Open() {
		t.Errorf("two threads: %+v, %v", f, err)
	}
	ends.Default.Timeout = trace.Number{Value: 1, Set: true}
	if f, err = simulated(t, region(0), on, ends); err != nil || f.Low != 0 || f.High != 10 {
		t.Errorf("a time: %+v, %v", f, err)
	}
}

// The bytes equal the size of the streams, the first and last execution are traced ones, and the cost is the sum over events.
func TestSimulateFigures(t *testing.T) {
	var b strings.Builder
	b.WriteString("rank 0\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "%dus region_begin name=step execution=%d\n%dus region_end name=step execution=%d\n", 10*i, i, 10*i+5, i)
	}
	dir := t.TempDir()
	if err := played.Write(dir, b.String()); err != nil {
		t.Fatal(err)
	}
	r, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	on := compile(t, everything(pinsight.Builtin().Catalog))
	options := forecast.Options{Was: on, Policy: on, Cost: forecast.Cost{Recorded: 100, Against: 10, Off: 1}}
	f, err := forecast.Simulate(r, options)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	streams, err := filepath.Glob(filepath.Join(dir, "ctf", "stream_*"))
	for _, s := range streams {
		info, err := os.Stat(s)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if err != nil || f.Bytes != size || f.Traced != 2000 || f.Time != 200_000 || f.Elapsed != 9_995_000 { // from time 0
		t.Errorf("%d bytes where the files have %d, %d events, %d ns of %d; want as many bytes, 2000 events, 200000 ns of 9995000", f.Bytes, size, f.Traced, f.Time, f.Elapsed)
	}
	options.Policy = compile(t, &trace.Config{Default: trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: 100, Set: true}, Max: trace.Number{Value: 4, Set: true}}}})
	if f, err = forecast.Simulate(r, options); err != nil {
		t.Fatal(err)
	}
	row := f.Rows[0]
	if len(f.Rows) != 1 || row.First != 99 || row.Last != 399 || row.Traced != 8 || row.Happened != 2000 || row.Time != 8*100+1992*10 {
		t.Errorf("%+v, want one row, with 8 of 2000 traced, from 99 to 399, in %d ns", f.Rows, 8*100+1992*10)
	}
	// 20,720 ns of tracing in 9,995 µs, of which recording the run took 200 µs.
	if want := 20_720.0 / (9_995_000 - 200_000); f.Overhead < want*0.999 || f.Overhead > want*1.001 {
		t.Errorf("the overhead is %g, want %g", f.Overhead, want)
	}
	options.Policy = compile(t, &trace.Config{Domains: map[string]trace.DomainLayer{"User": {Mode: trace.Off}}})
	if f, err = forecast.Simulate(r, options); err != nil || f.Time != 2000 || f.Traced != 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

// BenchmarkSimulate decides about a million events of four threads.
func BenchmarkSimulate(b *testing.B) {
	const events = 1_000_000
	dir := b.TempDir()
	var text strings.Builder
	for thread := range 4 {
		fmt.Fprintf(&text, "rank 0 thread %d\n", thread)
		for i := range events / 8 {
			fmt.Fprintf(&text, "%dns region_begin name=step execution=%d\n%dns region_end name=step execution=%d\n", 1000*i, i, 1000*i+500, i)
		}
	}
	if err := played.Write(dir, text.String()); err != nil {
		b.Fatal(err)
	}
	r, err := recorded.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	on := compile(b, everything(pinsight.Builtin().Catalog))
	p := compile(b, &trace.Config{Default: trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: 10, Set: true}}}})
	b.ReportAllocs()
	for b.Loop() {
		f, err := forecast.Simulate(r, forecast.Options{Was: on, Policy: p})
		if err != nil || f.Happened != events {
			b.Fatal(err, f)
		}
	}
}
