package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/collect"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/forecast"
)

// everyEvent returns a configuration that switches on every OpenMP event that the test program causes.
func everyEvent() string {
	var b strings.Builder
	b.WriteString("[OpenMP.default]\n")
	for _, e := range []string{
		"thread_begin", "thread_end", "parallel_begin", "parallel_end", "implicit_task", "work", "masked", "sync_region", "sync_region_wait", "reduction",
		"task_create", "task_schedule", "mutex_acquire", "mutex_acquired", "mutex_released",
	} {
		fmt.Fprintf(&b, "    omp_%s = on\n", e)
	}
	return b.String()
}

// simulated returns the forecast for a record and the configuration of another trace.
func simulated(t *testing.T, record, config string, flags ...string) *forecast.Forecast {
	t.Helper()
	var out, errs bytes.Buffer
	args := append([]string{"trace", "forecast", "--record", record, "--flush", "0", "--format", "json"}, flags...)
	if code := Run(Options{}, append(args, config), strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("simulate ended with %d: %s", code, errs.String())
	}
	var f forecast.Forecast
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	return &f
}

// place is where an event happened: in a function, or in a region that the program defines.
type place struct {
	event, region string
	thread        uint32
}

// settled returns the place without its random part: which thread creates the tasks.
func (p place) settled() place {
	if p.region == "tasks" {
		p.thread = 0
	}
	return p
}

// recordedPlaces counts the events of a trace by place, and the bytes of its streams.
func (r *tracer) recordedPlaces(dir string) (map[place]uint64, int64) {
	r.t.Helper()
	reader, err := ctf.Open(filepath.Join(dir, "ctf"))
	if err != nil {
		r.t.Fatal(err)
	}
	schema, got, size := collect.Schema(), map[place]uint64{}, int64(0)
	for _, stream := range reader.Streams {
		info, err := os.Stat(filepath.Join(dir, "ctf", stream))
		if err != nil {
			r.t.Fatal(err)
		}
		size += info.Size()
		for o, err := range reader.Events(stream) {
			if err != nil {
				r.t.Fatal(err)
			}
			p := place{event: agent.Records[o.Event].Event, thread: uint32(o.Context[5].Number)}
			switch f := schema.Events[o.Event].Fields; {
			case p.event == "" || byChance[p.event]:
				continue
			case f[0].Name == "parallel_codeptr":
				p.region = r.names[o.Fields[0].Number]
			default:
				p.region = o.Fields[0].Text
			}
			got[p.settled()]++
		}
	}
	return got, size
}

// byChance are events whose number on a thread varies from run to run, because any idle thread may run a
// task.
var byChance = map[string]bool{"omp_task_schedule": true}

// threads is the number of threads of the program, and page is the unit in which streams grow.
const threads, page = 4, 4096

// TestTraceSimulate compares forecasts with real runs. It forecasts from a complete record what other
// configurations would trace, and then runs the program with them: counts must be equal, and bytes within 2
// %.
func TestTraceSimulate(t *testing.T) {
	need.Slow(t)
	r := newTracer(t)
	whole, _ := r.trace(everyEvent(), "20", "--flush", "0", "--config", "trace.full=wait")
	audit, _ := r.trace("[OpenMP.default]\n    trace_mode = MONITORING\n[Lexgion.default]\n    tracing_rate = 7\n", "20", "--flush", "0", "--config", "trace.full=wait", "--audit")
	for name, config := range map[string]string{
		"a rate":     everyEvent() + "[Lexgion.default]\n    trace_starts_at = 3\n    tracing_rate = 4\n    max_num_traces = 6\n",
		"a function": everyEvent() + "[Lexgion.default]\n    max_num_traces = 0\n[Lexgion(shared)]\n    max_num_traces = 5\n[Lexgion(User:round)]\n    max_num_traces = -1\n    tracing_rate = 2\n",
		"units": everyEvent() + "[OpenMP.thread(1-2)]\n    omp_work = off\n    omp_implicit_task = off\n" +
			"[Lexgion({loop})] : : OpenMP.thread(0)\n    tracing_rate = 3\n",
		"worksharing": everyEvent() + "[Lexgion(program.c:{line of shared})]\n    tracing_rate = 5\n[Lexgion(User:inner)]\n    max_num_traces = 0\n",
		"off":         "[OpenMP.default]\n    trace_mode = OFF\n[Lexgion(User:round)]\n    max_num_traces = 3\n",
	} {
		real, _ := r.trace(config, "20", "--flush", "0", "--config", "trace.full=wait")
		want, size := r.recordedPlaces(real)
		file := filepath.Join(filepath.Dir(real), "trace_config.txt")
		for kind, record := range map[string]string{"a plain record": whole, "an audit": audit} {
			f := simulated(t, record, file, "--config", "pinsight.program="+r.program)
			got := map[place]uint64{}
			for _, row := range f.Rows {
				p := place{row.Event, row.Region, row.Thread}
				if a, err := strconv.ParseUint(row.Region, 0, 64); err == nil {
					p.region = r.names[a]
				} else if row.Domain == "OpenMP" {
					p.region = ""
				}
				if row.Traced > 0 && !byChance[row.Event] {
					got[p.settled()] += row.Traced
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, %s (-run +simulated):\n%s\nwant nothing", name, kind, d)
			}
			// Each thread may also differ by one page, because tasks are distributed randomly.
			if diff := f.Bytes - size; max(diff, -diff) > size/50+threads*page {
				t.Errorf("%s, %s: %d bytes, and the run wrote %d; want at most %v", name, kind, f.Bytes, size, size/50+threads*page)
			}
		}
	}
}
