package suite

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestJoinTraces(t *testing.T) {
	text := `{"displayTimeUnit":"ns","traceEvents":[
{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"heat.pipe"}},
{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"solver"}},
{"name":"a.x → b.y","ph":"s","pid":1,"tid":1,"ts":3,"id":"0x100000002"},
{"name":"flow_step","ph":"X","pid":1,"tid":1,"ts":2.5,"dur":1}
]}`
	var b strings.Builder
	cut, err := JoinTraces(&b, []Traced{{Name: "west", Text: strings.NewReader(text)}, {Name: "east", Rank: 1, Start: 3 * time.Microsecond, Text: strings.NewReader(text)}})
	if err != nil || len(cut) > 0 {
		t.Fatal(cut, err)
	}
	want := `{"displayTimeUnit":"ns","traceEvents":[
{"args":{"name":"west (rank 0)"},"name":"process_name","ph":"M","pid":1,"tid":0},
{"args":{"sort_index":0},"name":"process_sort_index","ph":"M","pid":1,"tid":0},
{"args":{"name":"solver"},"name":"thread_name","ph":"M","pid":1,"tid":1},
{"id":"0x1000100000002","name":"a.x → b.y","ph":"s","pid":1,"tid":1,"ts":3.000},
{"dur":1,"name":"flow_step","ph":"X","pid":1,"tid":1,"ts":2.500},
{"args":{"name":"east (rank 1)"},"name":"process_name","ph":"M","pid":2,"tid":0},
{"args":{"sort_index":1},"name":"process_sort_index","ph":"M","pid":2,"tid":0},
{"args":{"name":"solver"},"name":"thread_name","ph":"M","pid":2,"tid":1},
{"id":"0x2000100000002","name":"a.x → b.y","ph":"s","pid":2,"tid":1,"ts":6.000},
{"dur":1,"name":"flow_step","ph":"X","pid":2,"tid":1,"ts":5.500}
]}
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestJoinSites: arrows inside one pipeline keep their numbers, so that they lead from one site to another.
func TestJoinSites(t *testing.T) {
	var b strings.Builder
	text := `{"traceEvents":[{"name":"a.x → b.y","ph":"t","pid":1,"tid":1,"ts":3,"id":"0x100000002"}]}`
	if _, err := JoinTraces(&b, []Traced{{Name: "edge", Rank: 1, Site: true, Text: strings.NewReader(text)}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, `"id":"0x100000002"`) || !strings.Contains(got, `"args":{"name":"edge"}`) {
		t.Errorf("got\n%s\nwant %q in got and %q in got", got, `"id":"0x100000002"`, `"args":{"name":"edge"}`)
	}
}

// TestJoinedNumbers: the upper bits distinguish the numbers of two processes. An id that itself needs these bits, or is not a number, does not
// change.
func TestJoinedNumbers(t *testing.T) {
	for id, want := range map[string]string{"0xffffffffffff": "0x2ffffffffffff", "7": "0x2000000000007", "0x1000000000000": "0x1000000000000", "x": "x"} {
		var b strings.Builder
		text := `{"traceEvents":[{"name":"a.x → b.y","ph":"s","id":"` + id + `"}]}`
		if _, err := JoinTraces(&b, []Traced{{Name: "east", Rank: 1, Text: strings.NewReader(text)}}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, `"id":"`+want+`"`) {
			t.Errorf("%s becomes\n%s\nwant %s", id, got, want)
		}
	}
}

func TestJoinTracesRefusesWhatIsNone(t *testing.T) {
	for _, text := range []string{"", `"a"`, `{"a":1}`, `{"traceEvents":1}`, `{"traceEvents":[1]}`, `{"traceEvents":[{"a"}]}`, `{"traceEvents":[{"ts":1e999}]}`} {
		if _, err := JoinTraces(&strings.Builder{}, []Traced{{Name: "x", Text: strings.NewReader(text)}}); err == nil || !strings.Contains(err.Error(), "the trace of `x` cannot be joined") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestJoinTracesTakesHalfOnes: the incomplete trace of a killed process is also joined.
func TestJoinTracesTakesHalfOnes(t *testing.T) {
	for _, half := range []string{`{"traceEvents":[{"name":"a"},`, `{"traceEvents":[{"name":"a"}`, `{"traceEvents":[{"name":"a"},{"na`, `{"traceEvents":[{"name":"a"},{"name":"b`,
		"      [\n" + `{"name":"a"}`, `[{"name":"a"},`} {
		var b strings.Builder
		cut, err := JoinTraces(&b, []Traced{{Name: "x", Text: strings.NewReader(half)}, {Name: "y", Rank: 1, Text: strings.NewReader(`{"traceEvents":[{"name":"c"}]}`)}})
		if err != nil || !slices.Equal(cut, []string{"x"}) {
			t.Fatalf("%s: %q, %v", half, cut, err)
		}
		if got := b.String(); !json.Valid([]byte(got)) || !strings.Contains(got, `"name":"a"`) || !strings.Contains(got, `"name":"c"`) {
			t.Errorf("%s becomes\n%s\nwant valid JSON with a and c", half, got)
		}
	}
}

// TestJoinPrograms: the ranks of a traced MPI program are separate processes, and a trace that records its start is placed at that time.
func TestJoinPrograms(t *testing.T) {
	zero := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	program := `{"traceEvents":[
{"name":"process_name","ph":"M","pid":71,"tid":0,"args":{"name":"MPI rank 0"}},
{"name":"process_name","ph":"M","pid":72,"tid":0,"args":{"name":"MPI rank 1"}},
{"name":"MPI_Send","ph":"B","pid":71,"tid":71,"ts":1},
{"name":"MPI_Recv","ph":"B","pid":72,"tid":72,"ts":2}]}`
	pipeline := `{"traceEvents":[
{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"heat.pipe","began":"2026-01-02T03:04:05.000004Z"}},
{"name":"flow_step","ph":"X","pid":1,"tid":1,"ts":3,"dur":1}]}`
	var b strings.Builder
	if _, err := JoinTraces(&b, []Traced{
		{Name: "wave", Programs: true, Text: strings.NewReader(program)},
		{Name: "heat", Rank: 1, Start: time.Hour, Zero: zero, Text: strings.NewReader(pipeline)},
		{Name: "far", Rank: 2, Start: 9 * time.Microsecond, Text: strings.NewReader(pipeline)},
	}); err != nil {
		t.Fatal(err)
	}
	want := `{"displayTimeUnit":"ns","traceEvents":[
{"args":{"name":"wave (rank 0): MPI rank 0"},"name":"process_name","ph":"M","pid":1,"tid":0},
{"args":{"sort_index":0},"name":"process_sort_index","ph":"M","pid":1,"tid":0},
{"args":{"name":"wave (rank 0): MPI rank 1"},"name":"process_name","ph":"M","pid":4,"tid":0},
{"args":{"sort_index":0},"name":"process_sort_index","ph":"M","pid":4,"tid":0},
{"name":"MPI_Send","ph":"B","pid":1,"tid":71,"ts":1.000},
{"name":"MPI_Recv","ph":"B","pid":4,"tid":72,"ts":2.000},
{"args":{"name":"heat (rank 1)"},"name":"process_name","ph":"M","pid":2,"tid":0},
{"args":{"sort_index":1},"name":"process_sort_index","ph":"M","pid":2,"tid":0},
{"dur":1,"name":"flow_step","ph":"X","pid":2,"tid":1,"ts":7.000},
{"args":{"name":"far (rank 2)"},"name":"process_name","ph":"M","pid":3,"tid":0},
{"args":{"sort_index":2},"name":"process_sort_index","ph":"M","pid":3,"tid":0},
{"dur":1,"name":"flow_step","ph":"X","pid":3,"tid":1,"ts":12.000}
]}
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestJoinSeveralOfOneRank: if a process traces itself and two programs, the joined trace has three processes.
func TestJoinSeveralOfOneRank(t *testing.T) {
	text := func() *strings.Reader { return strings.NewReader(`{"traceEvents":[{"name":"x","pid":7,"ts":1}]}`) }
	var b strings.Builder
	if _, err := JoinTraces(&b, []Traced{{Name: "a", Programs: true, Text: text()}, {Name: "a", Programs: true, Text: text()}, {Name: "a", Text: text()}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"x","pid":1,`, `"name":"x","pid":2,`, `"name":"x","pid":3,`} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("%s is there %d times:\n%s", want, strings.Count(b.String(), want), b.String())
		}
	}
}

// TestJoinDaemon: a program of a daemon has no rank, and comes after the ranks.
func TestJoinDaemon(t *testing.T) {
	text := `{"traceEvents":[{"name":"process_name","ph":"M","pid":77,"args":{"name":"watch"}},{"name":"parallel","ph":"B","pid":77,"tid":1,"ts":3}]}`
	var b strings.Builder
	list := []Traced{{Name: "watcher", Daemon: true, Programs: true, Text: strings.NewReader(text)}, {Name: "west", Text: strings.NewReader(`{"traceEvents":[]}`)}}
	if _, err := JoinTraces(&b, list); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"args":{"name":"watcher (daemon): watch"},"name":"process_name","ph":"M","pid":2,`, `{"args":{"sort_index":2},"name":"process_sort_index","ph":"M","pid":2,`,
		`"name":"parallel","ph":"B","pid":2,`, `{"args":{"name":"west (rank 0)"},"name":"process_name","ph":"M","pid":1,`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the joined trace lacks %s:\n%s", want, b.String())
		}
	}
}
