//go:build linux

package collect

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/layout"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// gpu is a program on a simulation of CUDA and CUPTI that plays scripts of calls.
type gpu struct{ *testBed }

// newGPU builds the simulation as a library with the given name, the program, and the agent.
func newGPU(t testing.TB, library string, flags ...string) *gpu {
	t.Helper()
	cc := need.Compiler(t, "gcc")
	dir := filepath.Join(built, library+strings.Join(flags, ""))
	b := &testBed{t: t, catalog: pinsight.Builtin().Catalog, program: filepath.Join(dir, "player")}
	if _, err := os.Stat(b.program); err != nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"-shared", "-fPIC", "-I../agent/src", "testdata/cuda/standin.c", "-Wl,-soname," + library, "-o", filepath.Join(dir, library), "-ldl"},
			{"testdata/cuda/player.c", filepath.Join(dir, library), "-Wl,-rpath," + dir, "-ldl", "-o", b.program},
		} {
			if out, err := exec.Command(cc, slices.Concat([]string{"-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"}, flags, args)...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
	}
	b.build(agent.Options{Compiler: cc, Flags: unoptimized(t, flags...)})
	return &gpu{b}
}

// allEvents switches every event of CUDA on.
func allEvents() trace.Events {
	events := trace.Events{}
	for _, name := range agent.CudaEvents {
		events[name] = trace.Toggle{On: true}
	}
	return events
}

func activity(kind uint8) trace.Activity { return trace.Activity{Kind: kind, Set: true} }

// everyEvent is the configuration that records everything, on the device too.
func everyEvent() *trace.Config {
	return &trace.Config{Domains: map[string]trace.DomainLayer{"CUDA": {Events: allEvents(), Activity: activity(layout.ActivityOn)}}}
}

// played is the result of a run of the program.
type played struct {
	said    map[string]int // printed by the program
	dir     string
	streams [][]ctf.Occurrence
	*Collector
}

func (g *gpu) options(c *trace.Config) Options {
	g.t.Helper()
	p, err := trace.Compile(g.catalog, c)
	if err != nil {
		g.t.Fatal(err)
	}
	o := g.testBed.options(p)
	o.Audit = false
	return o
}

// play traces the program with these arguments.
func (g *gpu) play(o Options, args ...string) *played {
	g.t.Helper()
	dir := filepath.Join(g.t.TempDir(), "trace")
	var out bytes.Buffer
	code, c, err := Run(context.Background(), o, Program{Args: append([]string{g.program}, args...), Library: g.library, Dir: dir, Host: "node", Out: &out, Err: os.Stderr})
	if err != nil || code != 0 {
		g.t.Fatalf("the program ended with %d, %v", code, err)
	}
	p := &played{said: map[string]int{}, dir: dir, streams: g.read(dir), Collector: c}
	for line := range strings.Lines(out.String()) {
		name, count, _ := strings.Cut(strings.TrimSpace(line), "=")
		n, err := strconv.Atoi(count)
		if err != nil {
			g.t.Fatal(err)
		}
		p.said[name] += n
	}
	return p
}

// each calls f with every recorded event of a family.
func (p *played) each(family agent.Family, f func(record string, o *ctf.Occurrence, field map[string]ctf.Value)) {
	for _, stream := range p.streams {
		for _, o := range stream {
			if r := agent.Records[o.Event]; r.Family == family {
				f(r.Name, &o, fieldsOf(&o))
			}
		}
	}
}

// calls returns the recorded executions of each region, sorted.
func (p *played) calls() map[string][]uint64 {
	got := map[string][]uint64{}
	p.each(agent.CUDA, func(record string, _ *ctf.Occurrence, f map[string]ctf.Value) {
		if strings.HasSuffix(record, "_begin") {
			got[f["kernel_func"].Text] = append(got[f["kernel_func"].Text], f["execution"].Number)
		}
	})
	for _, list := range got {
		slices.Sort(list)
	}
	return got
}

// onDevice returns the correlation ids of the device's records.
func (p *played) onDevice() (ids []uint64) {
	return p.ofDevice(func(record string) bool { return record != "cudaKernelEnqueue" })
}

// queued returns the correlation ids of the kernels whose queueing was recorded.
func (p *played) queued() (ids []uint64) {
	return p.ofDevice(func(record string) bool { return record == "cudaKernelEnqueue" })
}

func (p *played) ofDevice(wanted func(record string) bool) (ids []uint64) {
	p.each(agent.Device, func(record string, _ *ctf.Occurrence, f map[string]ctf.Value) {
		if wanted(record) {
			ids = append(ids, f["correlationId"].Number)
		}
	})
	return ids
}

// The trace has everything that the program did, with consistent times on host and device.
func TestCuda(t *testing.T) {
	readable := babeltrace(t)
	g := newGPU(t, "libcupti.so")
	p := g.play(g.options(everyEvent()), "1", "400", "3")
	readable(p.dir)
	got := p.calls()
	for name, n := range p.said {
		if name != "device" && name != "records" && len(got[name]) != n {
			t.Errorf("%s: the program did it %d times, and the trace has %d; want %v", name, n, len(got[name]), n)
		}
	}
	if n := len(p.onDevice()); n != p.said["device"] {
		t.Errorf("the device did %d things, and the trace has %d; want %v", p.said["device"], n, p.said["device"])
	}
	if n := len(p.queued()); n != p.kernels() || n == 0 {
		t.Errorf("the queueing of %d kernels is recorded, want %d", n, p.kernels())
	}
	if !p.CUDA.Traced || p.CUDA.Version == 0 || p.Counts.Damaged+p.Counts.Dropped+p.Counts.Uncollected != 0 {
		t.Errorf("%+v, %+v; want CUDA traced with its version, and nothing damaged, dropped or uncollected", p.CUDA, p.Counts)
	}
	p.inTime(t)
	p.asFrames(t)
}

// asFrames checks that readers of the trace find the device activity as frames of separate streams, and
// that frames of one stream do not overlap.
func (p *played) asFrames(t *testing.T) {
	t.Helper()
	r, err := recorded.Open(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	found, until := 0, map[*recorded.Thread]int64{}
	err = r.Walk(recorded.Handler{Leave: func(th *recorded.Thread, f *recorded.Frame, end int64, whole bool, _ *recorded.Event) error {
		if !strings.HasPrefix(th.Name(), "CUDA device 0, stream ") {
			return nil
		}
		if strings.HasSuffix(th.Name(), ", queue") != f.Kind.Queues() {
			t.Errorf("%s is shown in %s, want what queues in a queue, and nothing else", f.Kind.Name, th.Name())
		}
		if found++; !whole || end <= f.Begin || f.Begin < until[th] {
			t.Errorf("%s of %s is from %d to %d, and the one before it ends at %d", f.Name, th.Name(), f.Begin, end, until[th])
		}
		until[th] = end
		return nil
	}})
	if want := p.said["device"] + len(p.queued()); err != nil || found != want {
		t.Errorf("%d frames of devices, want %d; %v", found, want, err)
	}
}

// kernels returns the number of kernels that the program launched itself.
func (p *played) kernels() (n int) {
	for _, kernel := range []string{"axpy", "app::scale<float>", "app::scale<double>", "plain"} {
		n += p.said[kernel]
	}
	return n
}

// Recording the queueing of a kernel is decided like recording its launch, and needs no other event.
func TestCudaEnqueue(t *testing.T) {
	g := newGPU(t, "libcupti.so")
	c := &trace.Config{
		Domains: map[string]trace.DomainLayer{"CUDA": {Activity: activity(layout.ActivityOn), Events: trace.Events{"CUDA_kernel_launch": {}, "CUDA_kernel_enqueue": {On: true}}}},
		Regions: []trace.RegionEntry{
			{Match: trace.Match{Name: "plain"}, Removed: true},
			{Match: trace.Match{Name: "axpy"}, RegionLayer: trace.RegionLayer{Rate: trace.RateLayer{Max: trace.Number{Value: 3, Set: true}}}},
		},
	}
	p := g.play(g.options(c), "1", "200", "1")
	got := map[string]int{}
	p.each(agent.Device, func(record string, _ *ctf.Occurrence, f map[string]ctf.Value) {
		if f["kernelName"].Text != "" {
			got[record+" "+f["kernelName"].Text]++
		}
	})
	want := map[string]int{"cudaKernelEnqueue axpy": 3}
	for _, kernel := range []string{"app::scale<float>", "app::scale<double>"} {
		want["cudaKernelEnqueue "+kernel] = p.said[kernel]
	}
	if !maps.Equal(got, want) {
		t.Errorf("kernels on the device %v, want %v", got, want)
	}
	delete(c.Domains["CUDA"].Events, "CUDA_kernel_enqueue")
	if p := g.play(g.options(c), "1", "200", "1"); len(p.queued()) != 0 {
		t.Errorf("the queueing of %d kernels is recorded, and nobody asked for it", len(p.queued()))
	}
}

// A monitored domain counts and times its kernels, and records nothing.
func TestCudaMonitors(t *testing.T) {
	g := newGPU(t, "libcupti.so")
	c := everyEvent()
	c.Domains["CUDA"] = trace.DomainLayer{Mode: trace.Monitoring, Events: allEvents()}
	p := g.play(g.options(c), "1", "200", "2")
	counts := map[string]uint64{}
	for _, m := range p.Monitored {
		if m.Domain != "CUDA" || m.Total <= 0 {
			t.Errorf("%+v, want m.Domain = %q and m.Total more than 0", m, "CUDA")
		}
		counts[m.Region] += m.Count
	}
	for _, region := range []string{"axpy", "app::scale<float>", "CUDA_malloc", "CUDA_graph_launch"} {
		if counts[region] != uint64(p.said[region]) {
			t.Errorf("%s: %d executions, want %d", region, counts[region], p.said[region])
		}
	}
	if len(p.calls()) != 0 || len(p.onDevice()) != 0 {
		t.Errorf("%d regions and %d records of the device were recorded, want len(p.calls()) = 0 and len(p.onDevice()) = 0", len(p.calls()), len(p.onDevice()))
	}
}

// inTime checks that nothing begins on the device before its call, or ends after the program has waited
// for it: each of its threads waits at the very end.
func (p *played) inTime(t *testing.T) {
	t.Helper()
	begun, synced := map[uint64]uint64{}, uint64(0)
	p.each(agent.CUDA, func(record string, o *ctf.Occurrence, f map[string]ctf.Value) {
		switch {
		case record == "cudaDeviceSync_end":
			synced = max(synced, o.Time)
		case strings.HasSuffix(record, "_begin"):
			begun[f["correlationId"].Number] = o.Time
		}
	})
	p.each(agent.Device, func(record string, o *ctf.Occurrence, f map[string]ctf.Value) {
		id := f["correlationId"].Number
		switch {
		case begun[id] == 0:
			t.Errorf("%s %d has no call", record, id)
		case o.Time < begun[id]:
			t.Errorf("%s %d begins %d ticks before its call", record, id, begun[id]-o.Time)
		case o.Time > synced:
			t.Errorf("%s %d begins %d ticks after the program has waited for it", record, id, o.Time-synced)
		case f["end_gpu"].Number <= f["start_gpu"].Number:
			t.Errorf("%s %d ends before it begins", record, id)
		}
	})
}

// A kernel is found by its name, with or without namespace and template arguments; other calls are found by the name of their event.
func TestCudaNames(t *testing.T) {
	need.Slow(t)
	g := newGPU(t, "libcupti.so")
	all := g.play(g.options(everyEvent()), "2", "60", "1").calls()
	for name, want := range map[string][]string{
		"axpy": {"axpy"}, "_Z4axpyifPKfPf": {"axpy"}, "scale": {"app::scale<double>", "app::scale<float>"}, "app::scale": {"app::scale<double>", "app::scale<float>"},
		"scale<float>": {"app::scale<float>"}, "app::scale<double>": {"app::scale<double>"}, "plain": {"plain"}, "app": nil, "CUDA_memcpy_DtoD": {"CUDA_memcpy_DtoD"},
	} {
		c := everyEvent()
		c.Regions = []trace.RegionEntry{{Match: trace.Match{Name: name}, Removed: true}}
		got := g.play(g.options(c), "2", "60", "1").calls()
		missing := []string(nil)
		for region := range all {
			if len(got[region]) == 0 {
				missing = append(missing, region)
			}
		}
		if slices.Sort(missing); !slices.Equal(missing, want) {
			t.Errorf("`%s` stands for %v, want %v", name, missing, want)
		}
	}
}

// A kernel is known by its name even if its address was used by an unloaded kernel.
func TestCudaModules(t *testing.T) {
	g := newGPU(t, "libcupti.so")
	got := g.play(g.options(everyEvent()), "1", "7", "1", "modules").calls()
	if len(got["first"]) != 7 || len(got["second"]) != 14 {
		t.Errorf("launches by kernel: %v, want len(got[\"first\"]) = 7 and len(got[\"second\"]) = 14", got)
	}
}

// The trace has the executions that the engine decides for, and device records only for these.
func TestCudaDecides(t *testing.T) {
	g := newGPU(t, "libcupti.so")
	cuda, _ := g.catalog.Domain("CUDA")
	event := map[string]string{}
	for _, kernel := range []string{"axpy", "app::scale<float>", "app::scale<double>", "plain"} {
		event[kernel] = "CUDA_kernel_launch"
	}
	for _, e := range agent.CudaEvents[:23] {
		event[e] = e
	}
	need.Rounds(t, 3, func(t *testing.T, round int) {
		g := &gpu{&testBed{t: t, catalog: g.catalog, library: g.library, program: g.program}}
		random := rand.New(rand.NewPCG(37, uint64(round)))
		number := func(n int) trace.Number { return trace.Number{Value: uint32(random.IntN(n)), Set: random.IntN(2) == 0} }
		rate := func() trace.RateLayer {
			return trace.RateLayer{Start: number(6), Max: number(9), Every: trace.Number{Value: 1 + uint32(random.IntN(4)), Set: random.IntN(2) == 0}}
		}
		events := trace.Events{}
		for _, e := range agent.CudaEvents {
			if random.IntN(2) == 0 {
				events[e] = trace.Toggle{On: random.IntN(3) > 0}
			}
		}
		delete(events, "CUDA_kernel_complete")
		delete(events, "CUDA_graph_launch")
		c := &trace.Config{
			Domains: map[string]trace.DomainLayer{"CUDA": {Events: events, Activity: activity(uint8(random.IntN(2)))}},
			Default: trace.RegionLayer{Rate: rate()},
		}
		for region, e := range event {
			if random.IntN(4) == 0 {
				c.Regions = append(c.Regions, trace.RegionEntry{
					Match: trace.Match{Name: region}, Removed: random.IntN(5) == 0,
					RegionLayer: trace.RegionLayer{Rate: rate(), Events: map[string]trace.Events{"CUDA": {e: {On: random.IntN(3) > 0}}}},
				})
			}
		}
		o := g.options(c)
		p := g.play(o, strconv.Itoa(round), "150", "1")
		got, chosen := p.calls(), map[uint64]bool{}
		for region, e := range event {
			id, _ := g.catalog.Event(cuda, e)
			var want []uint64
			for i := range o.Policy.Executions(trace.Region{Domain: cuda, Name: region}, id, make([]uint32, g.catalog.Kinds()), uint32(p.said[region])) {
				want = append(want, uint64(i))
			}
			if region == "CUDA_device_synchronize" { // the main thread has one more, with a separate count
				continue
			}
			if !slices.Equal(got[region], want) {
				t.Errorf("%s: the engine decides %v, the trace has %v", region, want, got[region])
			}
		}
		p.each(agent.CUDA, func(record string, _ *ctf.Occurrence, f map[string]ctf.Value) {
			chosen[f["correlationId"].Number] = true
		})
		for _, id := range p.onDevice() {
			if !chosen[id] {
				t.Errorf("the device's record %d is there, and the call was decided against; want none", id)
			}
		}
		if on := c.Domains["CUDA"].Activity.Kind == layout.ActivityOn; !on && len(p.onDevice()) > 0 {
			t.Errorf("%d records of the device although they are off, want at most 0", len(p.onDevice()))
		} else if launches := len(got["axpy"]) + len(got["plain"]); on && len(p.onDevice()) < launches {
			t.Errorf("%d records of the device for %d launches, want at least %v", len(p.onDevice()), launches, launches)
		}
	})
}

// While no kernel is selected, no device records are collected. The kernels selected later have theirs.
func TestCudaRests(t *testing.T) {
	g := newGPU(t, "libcupti.so")
	c := everyEvent()
	c.Domains["CUDA"] = trace.DomainLayer{Activity: activity(layout.ActivityOn), Events: trace.Events{
		"CUDA_memcpy_HtoD": {}, "CUDA_memcpy_DtoH": {}, "CUDA_memcpy_DtoD": {}, "CUDA_memcpy_HtoH": {}, "CUDA_memcpy_async": {},
	}}
	c.Default.Rate = trace.RateLayer{Every: trace.Number{Value: 5000, Set: true}}
	p := g.play(g.options(c), "1", "60000", "1")
	launches := 0
	for _, kernel := range []string{"axpy", "app::scale<float>", "app::scale<double>", "plain"} {
		launches += len(p.calls()[kernel])
	}
	if n := len(p.onDevice()); launches == 0 || n != launches || p.said["records"] > p.said["device"]/2 {
		t.Errorf("%d launches were chosen, and %d are on the device; of %d things it did %d have a record; want launches other than 0, n = %v and p.said[\"records\"] at most %v", launches, n, p.said["device"], p.said["records"], launches, p.said["device"]/2)
	}
}

// If CUDA cannot be traced, for example because of another profiler, the program runs as usual and the
// trace gives the reason.
func TestCudaCompany(t *testing.T) {
	g := newGPU(t, "libcupti.so")
	for i, c := range []struct {
		name    string
		library string
		env     [2]string
		args    []string
		want    CUDA
		calls   bool
		threads uint64
	}{
		{"traced", "libcupti.so", [2]string{"UNUSED"}, []string{"1", "50", "1"}, CUDA{Traced: true, Version: 130001}, true, 2},
		{"another subscriber", "libcupti.so", [2]string{"STANDIN_TAKEN", "1"}, []string{"1", "50", "1"}, CUDA{Taken: true, Version: 130001}, false, 1},
		{"without CUPTI", "libcuda-alone.so", [2]string{"UNUSED"}, []string{"1", "50", "1"}, CUDA{NoLibrary: true}, false, 1},
		{"CUDA is never touched", "libcupti.so", [2]string{"UNUSED"}, []string{"1", "50", "0"}, CUDA{}, false, 0},
		{"another tool is injected", "libcuda.so.1", [2]string{InjectCUDA, "/nothing"}, []string{"1", "50", "1"}, CUDA{Elsewhere: true}, false, 0},
		{"another tool, and no driver of CUDA", "libplain.so", [2]string{InjectCUDA, "/nothing"}, []string{"1", "50", "0"}, CUDA{}, false, 0},
		{"processes", "libcupti.so", [2]string{"UNUSED"}, []string{"1", "50", "1", "fork"}, CUDA{Traced: true, Version: 130001}, true, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			if i%3 != 0 {
				need.Slow(t)
			}
			t.Setenv(c.env[0], c.env[1])
			bed := *newGPU(t, c.library).testBed
			bed.t = t
			p := (&gpu{&bed}).play(g.options(everyEvent()), c.args...)
			if p.CUDA != c.want || (len(p.calls()) > 0) != c.calls || p.Counts.Threads != c.threads {
				t.Errorf("%+v with %d regions of %d threads, want %+v", p.CUDA, len(p.calls()), p.Counts.Threads, c.want)
			}
			if c.calls && len(p.calls()["axpy"]) != p.said["axpy"] {
				t.Errorf("%d launches in the trace, %d of the program; want %v", len(p.calls()["axpy"]), p.said["axpy"], p.said["axpy"])
			}
		})
	}
}

// Devices keep their numbers when CUDA_VISIBLE_DEVICES hides some, also as units.
func TestCudaVisibleDevices(t *testing.T) {
	need.Slow(t)
	g := newGPU(t, "libcupti.so")
	for visible, want := range map[string]uint64{"": 0, "3,1": 3, "GPU-8932f937": 0, "5": 5} {
		t.Setenv("CUDA_VISIBLE_DEVICES", visible)
		c := everyEvent()
		c.Units = []trace.UnitLayer{{
			Domain: "CUDA", Target: trace.Constraints{{Domain: "CUDA", Kind: "device", Set: trace.NewSet(trace.Span{Lo: 3, Hi: 3})}},
			Events: trace.Events{"CUDA_kernel_launch": {On: false}},
		}}
		p := g.play(g.options(c), "3", "80", "1")
		p.each(agent.Device, func(record string, _ *ctf.Occurrence, f map[string]ctf.Value) {
			if f["devId"].Number != want {
				t.Fatalf("CUDA_VISIBLE_DEVICES=%s: the device is %d, want %d", visible, f["devId"].Number, want)
			}
		})
		if off := len(p.calls()["axpy"]) == 0; off != (want == 3) {
			t.Errorf("CUDA_VISIBLE_DEVICES=%s: launches are off: %v, want %v", visible, off, (want == 3))
		}
	}
}

// Records for which CUPTI has no room are counted.
func TestCudaLost(t *testing.T) {
	t.Setenv("STANDIN_BUFFER", "300") // one record
	g := newGPU(t, "libcupti.so")
	p := g.play(g.options(everyEvent()), "1", "100", "1")
	if len(p.onDevice()) != p.said["device"] || p.Counts.Uncollected != 0 {
		t.Errorf("%d of %d records came in small buffers, %d lost", len(p.onDevice()), p.said["device"], p.Counts.Uncollected)
	}
	t.Setenv("STANDIN_BUFFER", "100")
	p = g.play(g.options(everyEvent()), "1", "100", "1")
	if n := len(p.onDevice()); n != 0 || p.Counts.Uncollected != uint64(p.said["device"]) {
		t.Errorf("%d of %d records came although no buffer has room; %d are counted as lost", n, p.said["device"], p.Counts.Uncollected)
	}
}

// One process of a node collects device times, as the policy says.
func TestCudaOnePerNode(t *testing.T) {
	g := newGPU(t, "libcupti.so")
	for _, kind := range []uint8{layout.ActivityAnyone, layout.ActivityLeader} {
		c := everyEvent()
		c.Domains["CUDA"] = trace.DomainLayer{Events: allEvents(), Activity: activity(kind)}
		p := g.play(g.options(c), "1", "60", "1", "together")
		by := map[uint32]int{}
		p.each(agent.Device, func(record string, o *ctf.Occurrence, _ map[string]ctf.Value) {
			if record != "cudaKernelEnqueue" {
				by[o.PID]++
			}
		})
		// Until the process that should be chosen starts, the first process collects, so it may have
		// some records.
		counts := slices.Sorted(maps.Values(by))
		if all := p.said["device"] / 2; len(by) == 0 || counts[len(by)-1] != all || len(by) > 1 && (kind != layout.ActivityLeader || counts[0] >= all) {
			t.Errorf("%s: records by process %v, of %d; want half of them from one process, and fewer from another only for the leader", trace.ActivityNames[kind], by, p.said["device"])
		}
	}
}

// After a reload, a domain in standby is traced again from the next synchronisation on.
func TestCudaReload(t *testing.T) {
	need.Slow(t)
	g := newGPU(t, "libcupti.so")
	on := g.options(everyEvent())
	standby := everyEvent()
	standby.Domains["CUDA"] = trace.DomainLayer{Mode: trace.Standby}
	off := g.options(standby)
	dir := filepath.Join(t.TempDir(), "trace")
	var out bytes.Buffer
	_, c, err := Run(context.Background(), off, Program{
		Args: []string{g.program, "1", "6000", "2"}, Library: g.library, Dir: dir, Host: "node", Out: &out, Err: os.Stderr,
		Started: func(s *Session) func() { return changing(t, s, off, on) },
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &played{streams: g.read(dir), Collector: c}
	launches := len(p.calls()["axpy"])
	if said := strings.Count(out.String(), "axpy=") == 1; !said || launches == 0 || strings.Contains(out.String(), fmt.Sprintf("axpy=%d\n", launches)) {
		t.Errorf("%d launches are in the trace of a domain that stood by half of the time: %s, want some of them, and not all", launches, out.String())
	}
}

// scriptsPerRound is the number of scripts that one run of the program plays: PENTODE_ROUNDS=667 means 10,000.
const scriptsPerRound = 15

// The sanitizers find no fault in the agent while random scripts play and the policy changes.
func TestCudaSanitized(t *testing.T) {
	need.Slow(t)
	gcc := need.Compiler(t, "gcc")
	t.Setenv("ASAN_OPTIONS", "detect_leaks=0") // kernels are kept until the program ends
	for _, kind := range []string{"address", "thread"} {
		sanitizer, err := exec.Command(gcc, "-print-file-name=lib"+kind[:1]+"san.so").Output()
		if err != nil {
			t.Fatal(err)
		}
		g := newGPU(t, "libcupti.so", "-fsanitize="+kind)
		runtime := strings.TrimSpace(string(sanitizer))
		t.Run(kind, func(t *testing.T) {
			need.Rounds(t, 3, func(t *testing.T, round int) {
				g.testBed.t = t
				standby := everyEvent()
				standby.Domains["CUDA"] = trace.DomainLayer{Mode: trace.Standby}
				all := everyEvent()
				all.Domains["CUDA"] = trace.DomainLayer{Events: allEvents(), Activity: activity(layout.ActivityOn), Sites: trace.Switch{On: true, Set: true}}
				on, off := g.options(all), g.options(standby)
				var errs, out bytes.Buffer
				code, c, err := Run(context.Background(), on, Program{
					Args: []string{g.program, strconv.Itoa(3 * scriptsPerRound * round), "200", "3", "scripts", strconv.Itoa(scriptsPerRound)}, Library: runtime + ":" + g.library, Dir: filepath.Join(t.TempDir(), "trace"),
					Out: &out, Err: &errs, Started: func(s *Session) func() { return changing(t, s, on, off) },
				})
				if err != nil || code != 0 || strings.Contains(errs.String(), "Sanitizer") || c.Counts.Events == 0 {
					t.Errorf("ended with %d, %v; %d events\n%.8000s", code, err, c.Counts.Events, errs.String())
				}
			})
		})
	}
}

// The ids and names of events equal the catalogue's.
func TestCudaEvents(t *testing.T) {
	c := pinsight.Builtin().Catalog
	d, _ := c.Domain("CUDA")
	if n := len(c.Domains()[d].Events); n != len(agent.CudaEvents) {
		t.Errorf("the catalogue has %d events, the agent %d; want %v", n, len(agent.CudaEvents), len(agent.CudaEvents))
	}
	for id, name := range agent.CudaEvents {
		if e, ok := c.Event(d, name); !ok || int(e) != id {
			t.Errorf("%s is %d in the catalogue, %d in the agent, want the same", name, e, id)
		}
	}
}
