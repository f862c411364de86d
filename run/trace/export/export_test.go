package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

const (
	omp = "ompt_pinsight_lttng_ust:"
	mpi = "pmpi_pinsight_lttng_ust:"

	cuda = "cupti_pinsight_lttng_ust:"
)

// declared are the events in the tests' traces, as `trace record` declares them.
var declared = []ctf.Event{
	{Name: "pentode:clock", Fields: []ctf.Field{{Name: "end", Type: ctf.U64}}},
	{Name: "pentode:region_begin", Fields: []ctf.Field{{Name: "name", Type: ctf.Text}, {Name: "execution", Type: ctf.U32}}},
	{Name: "pentode:region_end", Fields: []ctf.Field{{Name: "name", Type: ctf.Text}, {Name: "execution", Type: ctf.U32}}},
	{Name: omp + "parallel_begin", Fields: []ctf.Field{{Name: "parallel_codeptr", Type: ctf.Hex}, {Name: "flag", Type: ctf.I32}}},
	{Name: omp + "parallel_end", Fields: []ctf.Field{{Name: "parallel_codeptr", Type: ctf.Hex}, {Name: "flag", Type: ctf.I32}}},
	{Name: omp + "flush", Fields: []ctf.Field{{Name: "parallel_codeptr", Type: ctf.Hex}}},
	{Name: omp + "task_create", Fields: []ctf.Field{{Name: "task_codeptr", Type: ctf.Hex}, {Name: "task_id", Type: ctf.U64}}},
	{Name: omp + "task_schedule", Fields: []ctf.Field{{Name: "prior_task_status", Type: ctf.U16}, {Name: "prior_task_id", Type: ctf.U64}, {Name: "next_task_id", Type: ctf.U64}}},
	{Name: cuda + "cudaKernelLaunch_begin", Fields: []ctf.Field{{Name: "kernel_func", Type: ctf.Text}, {Name: "correlationId", Type: ctf.U32}}},
	{Name: cuda + "cudaKernelLaunch_end", Fields: []ctf.Field{{Name: "kernel_func", Type: ctf.Text}, {Name: "correlationId", Type: ctf.U32}}},
	{Name: cuda + "cudaKernelActivity", Fields: []ctf.Field{{Name: "devId", Type: ctf.U32}, {Name: "correlationId", Type: ctf.U32}, {Name: "start_gpu", Type: ctf.U64}, {Name: "end_gpu", Type: ctf.U64}, {Name: "streamId", Type: ctf.U32}, {Name: "kernelName", Type: ctf.Text}}},
	{Name: mpi + "MPI_Send_begin", Fields: []ctf.Field{{Name: "dest", Type: ctf.U32}, {Name: "tag", Type: ctf.U32}, {Name: "bytes", Type: ctf.U64}, {Name: "comm", Type: ctf.I32}}},
	{Name: mpi + "MPI_Send_end", Fields: []ctf.Field{{Name: "return_value", Type: ctf.I32}}},
	{Name: mpi + "MPI_Recv_begin", Fields: []ctf.Field{{Name: "source", Type: ctf.U32}, {Name: "tag", Type: ctf.U32}, {Name: "comm", Type: ctf.I32}}},
	{Name: mpi + "MPI_Recv_end", Fields: []ctf.Field{{Name: "return_value", Type: ctf.I32}, {Name: "source", Type: ctf.I32}, {Name: "tag", Type: ctf.I32}, {Name: "bytes", Type: ctf.U64}}},
}

// happening is an event of a test: its name, time and members.
type happening struct {
	name   string
	time   uint64
	values []any
}

func at(time uint64, name string, values ...any) happening { return happening{name, time, values} }

// stream writes the events of a thread.
func stream(t *testing.T, trace *ctf.Trace, rank, thread uint32, events ...happening) {
	t.Helper()
	s, err := trace.Stream(fmt.Sprintf("stream_%d_%d", rank, thread), 100+rank, 200+10*rank+thread)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		kind := slices.IndexFunc(declared, func(d ctf.Event) bool { return d.Name == e.name })
		if kind < 0 {
			t.Fatalf("%s is not declared", e.name)
		}
		if err := s.Event(kind, e.time); err != nil {
			t.Fatal(err)
		}
		s.Text("node")
		s.Put(ctf.U32, uint64(rank))
		s.Put(ctf.U32, uint64(thread))
		for i, f := range declared[kind].Fields {
			if f.Type == ctf.Text {
				s.Text(e.values[i].(string))
			} else {
				s.Put(f.Type, uint64(e.values[i].(int)))
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// sample is a trace of two ranks: a region with a message in each, a parallel region with a task
// that another thread runs, and a region without an end.
func sample(t *testing.T) *recorded.Trace {
	t.Helper()
	dir := t.TempDir()
	trace := &ctf.Trace{
		Context: []ctf.Field{{Name: "hostname", Type: ctf.Text}, {Name: "mpirank", Type: ctf.U32}, {Name: "global_thread_num", Type: ctf.U32}},
		Events:  declared,
	}
	if err := ctf.Create(filepath.Join(dir, "ctf"), trace); err != nil {
		t.Fatal(err)
	}
	if err := trace.Describe(ctf.Clock{Frequency: 1e9, Offset: 1_700_000_000_000_000_000}); err != nil {
		t.Fatal(err)
	}
	regions := `{"version":1,"program":"bin/heat","regions":[{"address":"0x10","function":"relax","file":"/src/heat.c","line":12},{"address":"0x20","function":"tasks","file":"/src/heat.c","line":40}]}`
	if err := os.WriteFile(filepath.Join(dir, recorded.RegionsFile), []byte(regions), 0o666); err != nil {
		t.Fatal(err)
	}
	stream(t, trace, 0, 0,
		at(1000, "pentode:region_begin", "a \"step\";", 7),
		at(1250, mpi+"MPI_Send_begin", 1, 5, 800, 0),
		at(1251, mpi+"MPI_Send_end", 0),
		at(2000, omp+"parallel_begin", 0x10, -1),
		at(2100, omp+"task_create", 0x20, 9),
		at(2200, omp+"flush", 0x10),
		at(4000, omp+"parallel_end", 0x10, -1),
		at(5000, "pentode:region_end", "a \"step\";", 7),
		at(5500, "pentode:region_end", "never begun", 1),
	)
	stream(t, trace, 0, 1,
		at(2300, omp+"task_schedule", 7, 3, 9),
		at(2800, omp+"task_schedule", 1, 9, 3),
	)
	stream(t, trace, 1, 0,
		at(1100, "pentode:clock", 0),
		at(1200, mpi+"MPI_Recv_begin", 0, 5, 0),
		at(3000, mpi+"MPI_Recv_end", 0, 0, 5, 800),
		at(3100, "pentode:region_begin", "cut off", 1),
		at(3500, omp+"flush", 0x30),
	)
	open, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return open
}

// write writes the sample in a format.
func write(t *testing.T, name string) (text string, left []string) {
	t.Helper()
	f, ok := Find(name)
	if !ok {
		t.Fatalf("there is no format %s", name)
	}
	var b bytes.Buffer
	left, err := f.Write(&b, sample(t))
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), left
}

// Perfetto's JSON has nested slices, times in nanoseconds since the start, names, and arrows between slices.
func TestPerfetto(t *testing.T) {
	text, left := write(t, "perfetto")
	var file struct {
		Unit   string           `json:"displayTimeUnit"`
		Events []map[string]any `json:"traceEvents"`
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	if file.Unit != "ns" || len(left) != 0 {
		t.Errorf("the unit is %s, %v is left out", file.Unit, left)
	}
	var got []string
	stacks, arrows := map[string][]string{}, map[string][]string{}
	for _, e := range file.Events {
		phase := e["ph"].(string)
		if _, ok := e["pid"].(float64); !ok {
			t.Errorf("%v has no process", e)
		}
		thread := fmt.Sprint(e["pid"], "/", e["tid"])
		args, _ := e["args"].(map[string]any)
		if phase == "M" {
			got = append(got, fmt.Sprint(e["name"], " ", thread, " ", args["name"]))
			continue
		}
		ts := strings.TrimSuffix(strconv.FormatFloat(e["ts"].(float64), 'f', 3, 64), ".000")
		switch phase {
		case "B":
			stacks[thread] = append(stacks[thread], e["name"].(string))
			got = append(got, fmt.Sprint("B ", thread, " ", ts, " ", e["name"], " ", args["place"]))
		case "E":
			s := stacks[thread]
			if len(s) == 0 || s[len(s)-1] != e["name"] {
				t.Errorf("%v ends within %v, want len(s) other than 0 and s[len(s)-1] = %v", e, s, e["name"])
			}
			stacks[thread] = s[:len(s)-1]
			got = append(got, fmt.Sprint("E ", thread, " ", ts, " ", e["name"]))
		case "i":
			if e["s"] != "t" {
				t.Errorf("%v is an instant of no thread", e)
			}
			got = append(got, fmt.Sprint("i ", thread, " ", ts, " ", e["name"]))
		case "s", "f":
			if phase == "f" && e["bp"] != "e" || e["cat"] == nil {
				t.Errorf("%v is no end of an arrow", e)
			}
			id := e["id"].(string)
			arrows[id] = append(arrows[id], fmt.Sprint(e["name"], " ", phase, " ", ts, " in ", stacks[thread][len(stacks[thread])-1:]))
		}
	}
	want := []string{
		"process_name 100/0 MPI rank 0", "thread_name 100/200 thread 0", "thread_name 100/201 thread 1", "process_name 101/0 MPI rank 1", "thread_name 101/210 thread 0",
		"B 100/200 0 a \"step\"; <nil>", "B 101/210 0.200 MPI_Recv <nil>", "B 100/200 0.250 MPI_Send <nil>", "E 100/200 0.251 MPI_Send",
		"B 100/200 1 parallel relax heat.c:12 in `relax`", "i 100/200 1.100 task_create", "i 100/200 1.200 flush", "B 100/201 1.300 task tasks heat.c:40 in `tasks`",
		"E 100/201 1.800 task tasks", "i 100/201 1.800 task_schedule", "E 101/210 2 MPI_Recv", "B 101/210 2.100 cut off <nil>", "i 101/210 2.500 flush", "E 100/200 3 parallel relax",
		"E 100/200 4 a \"step\";", "i 100/200 4.500 region", "E 101/210 4.500 cut off",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, text)
	}
	var ways []string
	for _, ends := range arrows {
		ways = append(ways, strings.Join(ends, ", "))
	}
	slices.Sort(ways)
	if diff := cmp.Diff([]string{
		"message s 0.250 in [MPI_Send], message f 2 in [MPI_Recv]", "task s 1.100 in [parallel relax], task f 1.300 in [task tasks]",
	}, ways); diff != "" {
		t.Errorf("arrows (-want +got):\n%s", diff)
	}
}

// No nanosecond is lost, not even before the start and in fractions.
func TestPerfettoTimes(t *testing.T) {
	for since, want := range map[int64]string{0: "0.000", 1: "0.001", 250: "0.250", -1: "-0.001", 1_234_567_890_123: "1234567890.123", -2500: "-2.500"} {
		p := &perfetto{writer: newWriter(nil), zero: 1_700_000_000_000_000_000}
		p.at(p.zero + since)
		if got := string(p.line); got != `,"ts":`+want {
			t.Errorf("%d: %s, want %s", since, got, want)
		}
	}
}

// speedscope's file format has numbered frames, nested events, and times that do not go back.
func TestSpeedscope(t *testing.T) {
	text, left := write(t, "speedscope")
	var file struct {
		Schema string `json:"$schema"`
		Name   string
		Shared struct {
			Frames []struct {
				Name, File string
				Line       int
			}
		}
		Profiles []struct {
			Type, Name, Unit     string
			StartValue, EndValue *int64
			Events               []struct {
				Type  string
				Frame int
				At    int64
			}
		}
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	if file.Schema != "https://www.speedscope.app/file-format-schema.json" || file.Name != "heat" {
		t.Errorf("%s of %s; want file.Schema = %q and file.Name = %q", file.Schema, file.Name, "https://www.speedscope.app/file-format-schema.json", "heat")
	}
	var got []string
	for _, p := range file.Profiles {
		if p.Type != "evented" || p.Unit != "nanoseconds" || p.StartValue == nil || p.EndValue == nil {
			t.Errorf("the profile %s is %s in %s; want p.Type = %q, p.Unit = %q, p.StartValue not nil and p.EndValue not nil", p.Name, p.Type, p.Unit, "evented", "nanoseconds")
		}
		var open []int
		last := *p.StartValue
		for _, e := range p.Events {
			if e.At < last || e.At > *p.EndValue {
				t.Errorf("%s: %+v goes back, want e.At at least %v and e.At at most %v", p.Name, e, last, *p.EndValue)
			}
			last = e.At
			if e.Type == "O" {
				open = append(open, e.Frame)
			} else if len(open) == 0 || open[len(open)-1] != e.Frame {
				t.Errorf("%s: %+v closes another frame than that of %v", p.Name, e, open)
			} else {
				open = open[:len(open)-1]
			}
			f := file.Shared.Frames[e.Frame]
			got = append(got, fmt.Sprintf("%s: %s %s %s:%d at %d", p.Name, e.Type, f.Name, f.File, f.Line, e.At))
		}
		if len(open) > 0 {
			t.Errorf("%s: %v stay open, want at most 0", p.Name, open)
		}
	}
	want := []string{
		"MPI rank 0, thread 0: O a \"step\"; :0 at 0", "MPI rank 0, thread 0: O MPI_Send :0 at 250", "MPI rank 0, thread 0: C MPI_Send :0 at 251",
		"MPI rank 0, thread 0: O parallel relax /src/heat.c:12 at 1000", "MPI rank 0, thread 0: C parallel relax /src/heat.c:12 at 3000", "MPI rank 0, thread 0: C a \"step\"; :0 at 4000",
		"MPI rank 0, thread 1: O task tasks /src/heat.c:40 at 1300", "MPI rank 0, thread 1: C task tasks /src/heat.c:40 at 1800",
		"MPI rank 1, thread 0: O MPI_Recv :0 at 200", "MPI rank 1, thread 0: C MPI_Recv :0 at 2000", "MPI rank 1, thread 0: O cut off :0 at 2100", "MPI rank 1, thread 0: C cut off :0 at 4500",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Equal(left, []string{"5 events that are no slices"}) {
		t.Errorf("left out: %q", left)
	}
}

// Each line is a stack and the time in its last frame alone.
func TestFolded(t *testing.T) {
	text, left := write(t, "folded")
	want := `MPI rank 0;thread 0;a "step", 1999
MPI rank 0;thread 0;a "step",;MPI_Send 1
MPI rank 0;thread 0;a "step",;parallel relax 2000
MPI rank 0;thread 1;task tasks 500
MPI rank 1;thread 0;MPI_Recv 1800
MPI rank 1;thread 0;cut off 2400
`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if !slices.Equal(left, []string{"5 events that are no slices", "the times at which anything was"}) {
		t.Errorf("left out: %q", left)
	}
}

// The CSV has one row for each event.
func TestCSV(t *testing.T) {
	text, left := write(t, "csv")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(left) > 0 {
		t.Fatal(err, left)
	}
	if want := []string{"time_ns", "host", "pid", "tid", "rank", "thread", "event", "place", "fields"}; !slices.Equal(rows[0], want) {
		t.Errorf("the columns are %q, want %v", rows[0], want)
	}
	if len(rows) != 1+15 {
		t.Errorf("%d rows, want %v", len(rows), 1+15)
	}
	if want := []string{"0", "node", "100", "200", "0", "0", "pentode:region_begin", "", `{"name":"a \"step\";","execution":7}`}; !slices.Equal(rows[1], want) {
		t.Errorf("the first row is %q, want %v", rows[1], want)
	}
	if want := []string{"1000", "node", "100", "200", "0", "0", omp + "parallel_begin", "heat.c:12 in `relax`", `{"parallel_codeptr":"0x10","flag":-1}`}; !slices.ContainsFunc(rows, func(r []string) bool { return slices.Equal(r, want) }) {
		t.Errorf("no row is %q in\n%s", want, text)
	}
}

// OTLP is written in the JSON form of its protobuf messages.
func TestOTLP(t *testing.T) {
	text, left := write(t, "otlp")
	type attribute struct {
		Key   string
		Value map[string]any
	}
	type line struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []attribute }
			ScopeSpans []struct {
				Scope struct{ Name string }
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name string
					Kind                                int
					StartTimeUnixNano, EndTimeUnixNano  string
					Attributes                          []attribute
					Events                              []struct {
						TimeUnixNano, Name string
						Attributes         []attribute
					}
					Links []struct{ TraceID, SpanID string }
				}
			}
		}
	}
	ids, parents, links := map[string]string{}, map[string]string{}, map[string]string{}
	var got []string
	for text := range strings.Lines(text) {
		var l line
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		for _, r := range l.ResourceSpans {
			about := map[string]any{}
			for _, a := range r.Resource.Attributes {
				for _, v := range a.Value {
					about[a.Key] = v
				}
			}
			if about["service.name"] != "heat" || about["host.name"] != "node" {
				t.Errorf("the resource is %v, want the service heat on the host node", about)
			}
			for _, s := range r.ScopeSpans[0].Spans {
				if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(s.TraceID) || !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(s.SpanID) || s.Kind != 1 || ids[s.SpanID] != "" {
					t.Errorf("the span %+v, want ids of 32 and 16 hexadecimal digits, the second one its own, and kind 1", s)
				}
				ids[s.SpanID], parents[s.Name] = s.Name, s.ParentSpanID
				for _, a := range s.Attributes {
					for kind, v := range a.Value {
						if _, isText := v.(string); kind == "intValue" && !isText {
							t.Errorf("%s of %s is not a text", a.Key, s.Name)
						}
					}
				}
				for _, l := range s.Links {
					links[s.Name] = l.SpanID
				}
				got = append(got, fmt.Sprintf("rank %v: %s from %s to %s, %d events", about["mpi.rank"], s.Name, s.StartTimeUnixNano[10:], s.EndTimeUnixNano[10:], len(s.Events)))
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"rank 0: MPI_Send from 000001250 to 000001251, 0 events", "rank 0: a \"step\"; from 000001000 to 000005000, 0 events", "rank 0: parallel relax from 000002000 to 000004000, 2 events",
		"rank 0: task tasks from 000002300 to 000002800, 0 events", "rank 1: MPI_Recv from 000001200 to 000003000, 0 events", "rank 1: cut off from 000003100 to 000005500, 1 events",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ids[parents["MPI_Send"]] != "a \"step\";" || ids[links["MPI_Recv"]] != "MPI_Send" || parents["MPI_Recv"] != "" {
		t.Errorf("parents %v, links %v of %v; want MPI_Send in %q, and MPI_Recv in nothing, with a link to MPI_Send", parents, links, ids, "a \"step\";")
	}
	if !slices.Equal(left, []string{"2 events outside of all spans"}) {
		t.Errorf("left out: %q", left)
	}
}

// A kernel is a slice of its device stream, with an arrow from its launch.
func TestPerfettoDevices(t *testing.T) {
	dir := t.TempDir()
	trace := &ctf.Trace{
		Context: []ctf.Field{{Name: "hostname", Type: ctf.Text}, {Name: "mpirank", Type: ctf.U32}, {Name: "global_thread_num", Type: ctf.U32}},
		Events:  declared,
	}
	if err := ctf.Create(dir, trace); err != nil {
		t.Fatal(err)
	}
	if err := trace.Describe(ctf.Clock{Frequency: 1e9}); err != nil {
		t.Fatal(err)
	}
	stream(t, trace, 0, 0, at(1000, cuda+"cudaKernelLaunch_begin", "axpy", 9), at(2000, cuda+"cudaKernelLaunch_end", "axpy", 9))
	stream(t, trace, 0, 1, at(5000, cuda+"cudaKernelActivity", 0, 9, 77000, 80000, 7, "axpy"))
	r, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Perfetto(&out, r, 0); err != nil {
		t.Fatal(err)
	}
	var list struct {
		TraceEvents []struct {
			Name, Ph, ID string
			TID          int
			TS           float64
			Args         map[string]any
		}
	}
	if err := json.Unmarshal(out.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list.TraceEvents {
		if e.Ph == "M" {
			got = append(got, fmt.Sprint(e.Args["name"]))
			continue
		}
		got = append(got, fmt.Sprintf("%s %s %d %g %s", e.Ph, e.Name, e.TID, e.TS, e.ID))
	}
	slices.Sort(got)
	want := []string{
		"B axpy 201 5 ", "B launch axpy 200 1 ", "CUDA device 0, stream 7", "E axpy 201 8 ", "E launch axpy 200 2 ", "f call 201 5 0x1", "s call 200 1 0x1", "thread 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
