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

// TestJoinSites: the arrows of one pipeline keep their numbers, so that they
// lead from one site to another.
func TestJoinSites(t *testing.T) {
	var b strings.Builder
	text := `{"traceEvents":[{"name":"a.x → b.y","ph":"t","pid":1,"tid":1,"ts":3,"id":"0x100000002"}]}`
	if _, err := JoinTraces(&b, []Traced{{Name: "edge", Rank: 1, Site: true, Text: strings.NewReader(text)}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, `"id":"0x100000002"`) || !strings.Contains(got, `"args":{"name":"edge"}`) {
		t.Errorf("got\n%s", got)
	}
}

// TestJoinedNumbers: the numbers of two processes are told apart by their upper bits,
// and one that needs those bits itself, or is no number, stays what it is.
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

// TestJoinTracesTakesHalfOnes: a process that was killed has traced something.
func TestJoinTracesTakesHalfOnes(t *testing.T) {
	for _, half := range []string{`{"traceEvents":[{"name":"a"},`, `{"traceEvents":[{"name":"a"}`, `{"traceEvents":[{"name":"a"},{"na`, `{"traceEvents":[{"name":"a"},{"name":"b`,
		"      [\n" + `{"name":"a"}`, `[{"name":"a"},`} {
		var b strings.Builder
		cut, err := JoinTraces(&b, []Traced{{Name: "x", Text: strings.NewReader(half)}, {Name: "y", Rank: 1, Text: strings.NewReader(`{"traceEvents":[{"name":"c"}]}`)}})
		if err != nil || !slices.Equal(cut, []string{"x"}) {
			t.Fatalf("%s: %q, %v", half, cut, err)
		}
		if got := b.String(); !json.Valid([]byte(got)) || !strings.Contains(got, `"name":"a"`) || !strings.Contains(got, `"name":"c"`) {
			t.Errorf("%s becomes\n%s", half, got)
		}
	}
}
