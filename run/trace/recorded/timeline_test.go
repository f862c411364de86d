package recorded

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// joined is a pipeline whose second step waits in its middle, and a program of one rank.
const joined = `{"displayTimeUnit":"ns","traceEvents":[
{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"heat (rank 3)"}},
{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"a.b","place":"heat.pipe:4"}},
{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"out"}},
{"name":"edge","ph":"M","pid":1,"tid":0,"args":{"name":"a.b.x → out.y","place":"heat.pipe:9"}},
{"name":"a.b waits for data","cat":"flow_block","ph":"X","pid":1,"tid":1,"ts":0.500,"dur":0.25,"args":{"edge":"z.q → a.b.x"}},
{"name":"a.b step 1","cat":"flow_step","ph":"X","pid":1,"tid":1,"ts":1,"dur":1.000,"args":{"step":1}},
{"name":"a.b step 2","cat":"flow_step","ph":"X","pid":1,"tid":1,"ts":2.000,"dur":1.000,"args":{"step":2}},
{"name":"a.b waits for room","cat":"flow_block","ph":"X","pid":1,"tid":1,"ts":3.000,"dur":5.001,"args":{"edge":"a.b.x → out.y"}},
{"name":"a.b step 2 (goes on)","cat":"flow_step","ph":"X","pid":1,"tid":1,"ts":8.001,"dur":0.999,"args":{"step":2}},
{"name":"a.b drops a datum","cat":"flow_drop","ph":"i","pid":1,"tid":1,"ts":8.500,"s":"t","args":{"edge":"a.b.x → out.y"}},
{"name":"a.b.x → out.y","cat":"flow_push","ph":"C","pid":1,"tid":1,"ts":8.600,"args":{"data":1}},
{"name":"a.b.x → out.y","cat":"flow_push","ph":"C","pid":1,"tid":2,"ts":8.550,"args":{"data":0}},
{"name":"a.b.x → out.y","cat":"flow_push","ph":"C","pid":1,"tid":2,"ts":8.700,"args":{"data":5}},
{"name":"a.b.x → out.y","cat":"flow_push","ph":"C","pid":1,"tid":2,"ts":8.700,"args":{"data":2}},
{"name":"a.b.x → out.y","cat":"flow_push","ph":"C","pid":2,"tid":1,"ts":8.650,"args":{"data":3}},
{"name":"memory","ph":"C","pid":2,"tid":1,"ts":8.650,"args":{"bytes":3}},
{"name":"memory","ph":"C","pid":2,"tid":1,"ts":8.650,"args":{"data":-1}},
{"name":"a.b waits for room","cat":"flow_block","ph":"X","pid":1,"tid":1,"ts":9.000,"dur":1.000,"args":{"edge":"a.b.x → out.y"}},
{"name":"a.b step 3","cat":"flow_step","ph":"X","pid":1,"tid":1,"ts":10.000,"dur":1.000,"args":{"step":3}},
{"name":"process_name","ph":"M","pid":2,"tid":0,"args":{"name":"solve (rank 0): solve"}},
{"name":"MPI_Barrier","ph":"B","pid":2,"tid":7,"ts":4.000,"cat":"pmpi_pinsight_lttng_ust","args":{"mpirank":2,"place":"halo.c:7 in ` + "`exchange`" + `","step":"other"}},
{"name":"MPI_Barrier","ph":"E","pid":2,"tid":7,"ts":6.000,"cat":"pmpi_pinsight_lttng_ust","args":{"mpirank":2}},
{"name":"step","ph":"B","pid":2,"tid":7,"ts":7.000,"cat":"pentode","args":{}},
{"name":"step","ph":"E","pid":2,"tid":7,"ts":9.500},
{"name":"late","ph":"E","pid":2,"tid":7,"ts":9.600,"cat":"pentode"}`

// happened returns what a walk reports, one line each.
func happened(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	trace, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	who := func(th *Thread) string { return th.Process.Name() + "/" + th.Name() }
	err = trace.Walk(Handler{
		Enter: func(e *Event, f *Frame) error {
			name, where := f.Place()
			fmt.Fprintf(&b, "%d %s %s %s", e.Time, who(e.Thread), name, where)
			if e.Edge != nil {
				fmt.Fprintf(&b, ", to %t, room %t", e.Edge.To != nil, e.Room)
			}
			b.WriteByte('\n')
			return nil
		},
		Leave: func(th *Thread, f *Frame, end int64, whole bool, _ *Event) error {
			fmt.Fprintf(&b, "%d %s %s ends, %d inside, whole %t, waits %t, rank %d\n", end, who(th), f.Name, f.Inside, whole, f.Kind.Waits(), th.Rank)
			return nil
		},
		Instant: func(e *Event) error {
			fmt.Fprintf(&b, "%d %s %s\n", e.Time, who(e.Thread), e.Kind.Name)
			return nil
		},
		Value: func(c *Counter, begin, end int64, value uint32) error {
			fmt.Fprintf(&b, "%d to %d %s/%s %s is %d %s\n", begin, end, c.Process.Name(), c.Name, c.Kind.Name, value, c.Region.Where())
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A step that waits in its middle is one execution that contains the wait. The values of a counter
// are in order and belong to the right process.
func TestTimeline(t *testing.T) {
	const want = `500 heat (rank 3)/a.b waits for data at z.q → a.b.x , to true, room false
750 heat (rank 3)/a.b waits for data at z.q → a.b.x ends, 0 inside, whole true, waits true, rank 3
1000 heat (rank 3)/a.b a.b step heat.pipe:4
2000 heat (rank 3)/a.b a.b step ends, 0 inside, whole true, waits false, rank 3
2000 heat (rank 3)/a.b a.b step heat.pipe:4
3000 heat (rank 3)/a.b waits for room at a.b.x → out.y heat.pipe:9, to true, room true
4000 solve (rank 0): solve/thread 7 MPI_Barrier halo.c:7 in ` + "`exchange`" + `
6000 solve (rank 0): solve/thread 7 MPI_Barrier ends, 0 inside, whole true, waits true, rank 2
7000 solve (rank 0): solve/thread 7 step 
8001 heat (rank 3)/a.b waits for room at a.b.x → out.y ends, 0 inside, whole true, waits true, rank 3
8500 heat (rank 3)/a.b flow_drop
9000 heat (rank 3)/a.b a.b step ends, 5001 inside, whole true, waits false, rank 3
9000 heat (rank 3)/a.b waits for room at a.b.x → out.y heat.pipe:9, to true, room true
9500 solve (rank 0): solve/thread 7 step ends, 0 inside, whole false, waits false, rank 2
9600 solve (rank 0): solve/thread 7 pentode:region
10000 heat (rank 3)/a.b waits for room at a.b.x → out.y ends, 0 inside, whole true, waits true, rank 3
10000 heat (rank 3)/a.b a.b step heat.pipe:4
11000 heat (rank 3)/a.b a.b step ends, 0 inside, whole true, waits false, rank 3
8550 to 8600 heat (rank 3)/a.b.x → out.y flow_push is 0 heat.pipe:9
8600 to 8700 heat (rank 3)/a.b.x → out.y flow_push is 1 heat.pipe:9
8700 to 11000 heat (rank 3)/a.b.x → out.y flow_push is 2 heat.pipe:9
8650 to 11000 solve (rank 0): solve/a.b.x → out.y flow_push is 3 
`
	if diff := cmp.Diff(want, happened(t, joined+"\n]}\n")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// A killed run leaves a list without its end.
	list := strings.TrimPrefix(joined, `{"displayTimeUnit":"ns","traceEvents":`)
	if diff := cmp.Diff(want, happened(t, list+",\n{\"name\":\"a.b st")); diff != "" {
		t.Errorf("cut off, -want +got:\n%s", diff)
	}
}

// In a folder of results the trace is the run's; in the folder of a traced program it is the program's.
func TestTimelineInFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, TimelineFile), []byte(joined+"]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	trace, err := Open(dir)
	if err != nil || !trace.IsTimeline() || trace.Program() != "heat (rank 3)" || len(trace.Threads) != 2 || trace.Start != 500 {
		t.Fatalf("%+v, %v", trace, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "ctf"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "contains no trace") {
		t.Errorf("beside the folder of a program's trace: %v", err)
	}
}

// A trace that begins at time 0, as pipelines' traces do, begins there even if another row begins later.
func TestTimelineFromZero(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	text := `[{"name":"a","ph":"X","pid":1,"tid":1,"ts":0,"dur":1},{"name":"b","ph":"X","pid":1,"tid":2,"ts":5,"dur":1}]`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if trace, err := Open(path); err != nil || trace.Start != 0 || len(trace.Threads) != 2 {
		t.Errorf("%+v, %v", trace, err)
	}
}

// A file that is not a trace gives an error with its name.
func TestTimelineRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "contains no trace: it is neither a folder nor a list of events",
		"plain text":         "contains no trace",
		`{"traceEvents":7}`:  "contains no trace",
		`{"other":[1,2]}`:    "contains no trace",
		`[{"name":"a"}, oh]`: "is damaged: at byte",
	} {
		path := filepath.Join(t.TempDir(), "some.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
