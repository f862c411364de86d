package pinsight

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
)

// TestSchemaTakesConverted: the schema accepts the output of `convert --to json` for a file without mistakes, in either dialect.
func TestSchemaTakesConverted(t *testing.T) {
	l := New(Options{})
	var text bytes.Buffer
	if err := l.Schema().JSONSchema(&text); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(&text)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///pinsight.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("mem:///pinsight.json")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{`[OpenMP.default]
    OpenMP.team = (0-3)
    trace_mode = STANDBY
[OpenMP.thread(0-3)] : OpenMP.default : MPI.rank(0)
    omp_task_create = off
[Lexgion(MPI).default]
    MPI_Send = off
[Lexgion(0x400500, MPI:f)] : OpenMP.default : MPI.rank(0-3)
    max_num_traces = 3
    window_timeout = 5
    window_end_action = OFF
[REMOVE Lexgion(0x10)]
[Knob]
    size = 4
[CUDA.default]
    device_activity = rotate_per_node:500
[Manifest]
    interval = 5
`}
	for i := range uint64(200) {
		texts = append(texts, compose(1, i, false).String())
	}
	for _, text := range texts {
		for _, dialect := range []load.Dialect{load.Documented, load.Upstream} {
			var out bytes.Buffer
			if _, err := l.Parse(source.NewFile("x.pinsight", text)).Resolve(&load.Env{Dialect: dialect}).Convert("json", &out); err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(&out)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%v\n%s", err, text)
				return
			}
		}
	}
}

// TestReferenceHasWhatCanBeWritten checks that the reference does not list `units` and `removed`, which are in the resolved form but cannot be set in
// a file.
func TestReferenceHasWhatCanBeWritten(t *testing.T) {
	var page strings.Builder
	if err := New(Options{}).Schema().Markdown(&page); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"tracing_rate": true, "EVENT": true, "units": false, "removed": false} {
		if got := strings.Contains(page.String(), "| `"+key+"`"); got != want {
			t.Errorf("the reference has the key `%s`: %v, want %v", key, got, want)
		}
	}
}
