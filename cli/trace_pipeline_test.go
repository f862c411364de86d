package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/report"
	"github.com/pentode-dev/pentode/run/trace/why"
)

// slowPipe is a pipeline whose middle process runs a program that sleeps for each datum, so the edge before
// it is soon full.
const slowPipe = `process count :: numbers
  start = 0
  end = 6

process nap :: exec
  command = sh nap.sh
  relativepath dir = .

process keep :: text_write
  file_name = kept.txt

config _pipeline:_edge
  capacity = 1

connect from count.number
        to   nap.number
connect from nap.text
        to   keep.text
`

// TestTracePipeline: the trace of a run shows which process limits the rate of the pipeline, and which edge
// before it is full, by name and place in the file; the report counts its steps. Durations are not checked,
// because they depend on the machine.
func TestTracePipeline(t *testing.T) {
	need.Program(t, "sh")
	t.Chdir(t.TempDir())
	write(t, "slow.pipe", slowPipe)
	write(t, "nap.sh", "while read -r record; do sleep 0.05; echo '{\"text\": \"x\"}'; done\n")
	if code, _, errs := pentode(t, "run", "--trace", "trace.json", "slow.pipe"); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	ask := func(into any, args ...string) {
		t.Helper()
		code, out, errs := pentode(t, append([]string{"trace"}, args...)...)
		if code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, errs)
		}
		if err := json.Unmarshal([]byte(out), into); err != nil {
			t.Fatal(err)
		}
	}
	var found why.Findings
	ask(&found, "why", "--format", "json", "trace.json")
	causes := map[string]why.Cause{}
	for _, c := range found.Causes {
		causes[string(c.Kind)+" at "+c.Where] = c
	}
	const naps = 6 * 50e6
	if c := causes["bounds the rate at nap, slow.pipe:5"]; c.Count != 6 || c.Cost <= 0 || c.Longest < 50e6 {
		t.Errorf("the process that bounds the rate is %+v of %+v, want c.Count = 6, c.Cost more than 0 and c.Longest at least 50e6", c, found.Causes)
	}
	if c := causes["back-pressure at count.number → nap.number, slow.pipe:15"]; c.Cost <= 0 || c.For != "nap" {
		t.Errorf("back-pressure is %+v of %+v, want c.Cost more than 0 and c.For = %q", c, found.Causes, "nap")
	}
	var r report.Report
	ask(&r, "report", "--format", "json", "--by", "region", ".") // it finds the trace in a results folder
	rows := map[string]report.Row{}
	for _, row := range r.Rows {
		rows[row.Name] = row
	}
	if row := rows["nap step slow.pipe:5"]; row.Count != 6 || row.Self < naps {
		t.Errorf("the report has %+v of %+v, want row.Count = 6 and row.Self at least %v", row, r.Rows, naps)
	}
	if row := rows["count step slow.pipe:1"]; row.Count < 6 || row.Wait <= 0 || row.Wait > row.Total {
		t.Errorf("the report has %+v of %+v, want row.Count at least 6, row.Wait more than 0 and row.Wait at most %v", row, r.Rows, row.Total)
	}
	code, out, errs := pentode(t, "trace", "query", "trace.json", `event = "flow_step" and region ~ "^nap" and dur >= 50ms`)
	if lines := strings.Count(out, "\n"); code != 0 || lines != 6 {
		t.Errorf("the query has %d lines, exit %d: %s", lines, code, errs)
	}
}
