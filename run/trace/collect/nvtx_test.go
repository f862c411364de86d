//go:build linux

package collect

import (
	"fmt"
	"maps"
	"testing"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// NVTX ranges and marks become regions of the program. A range that starts on one thread
// and ends on another has the same number in both records.
func TestNVTX(t *testing.T) {
	g := newGPU(t, "libcupti.so")
	c := everyEvent()
	for name, most := range map[string]uint32{"inner": 2, "across": 3} {
		c.Regions = append(c.Regions, trace.RegionEntry{
			Match: trace.Match{Name: name}, RegionLayer: trace.RegionLayer{Rate: trace.RateLayer{Max: trace.Number{Value: most, Set: true}}},
		})
	}
	got, began := map[string]int{}, map[uint64]uint32{}
	p := g.play(g.options(c), "1", "5", "0", "nvtx")
	p.each(agent.User, func(record string, o *ctf.Occurrence, f map[string]ctf.Value) {
		got[fmt.Sprint(record, " ", f["name"].Text)]++
		if record == "range_started" {
			began[f["range"].Number] = o.TID
		}
	})
	want := map[string]int{
		"region_begin outer": 5, "region_end outer": 5, "region_begin inner": 2, "region_end inner": 2, "mark here": 5,
		"range_started across": 3, "range_ended across": 3, "range_started never ended": 5,
	}
	if !maps.Equal(got, want) {
		t.Errorf("ranges %v, want %v", got, want)
	}
	if len(began) != 8 {
		t.Errorf("%d numbers of ranges, want one for each of 8", len(began))
	}
	p.each(agent.User, func(record string, o *ctf.Occurrence, f map[string]ctf.Value) {
		if thread, ok := began[f["range"].Number]; record == "range_ended" && (!ok || thread == o.TID) {
			t.Errorf("range %d ends on thread %d; it was started on %d, want another one that has started it", f["range"].Number, o.TID, thread)
		}
	})
}

// A monitored range is counted by the thread that ends it.
func TestNVTXMonitors(t *testing.T) {
	g := newGPU(t, "libcupti.so")
	c := everyEvent()
	c.Domains["CUDA"] = trace.DomainLayer{Mode: trace.Monitoring, Events: allEvents()}
	counts := map[string]uint64{}
	for _, m := range g.play(g.options(c), "1", "5", "0", "nvtx").Monitored {
		counts[m.Region] += m.Count
	}
	if want := map[string]uint64{"outer": 5, "inner": 5, "across": 5}; !maps.Equal(counts, want) {
		t.Errorf("ranges %v, want %v", counts, want)
	}
}
