package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/report"
)

// exported runs `trace export` and returns its exit code, the exported file and the messages.
func exported(t *testing.T, args ...string) (code int, text, said string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out")
	var out, errs bytes.Buffer
	code = Run(Options{}, append([]string{"trace", "export", "-o", file}, args...), strings.NewReader(""), &out, &errs)
	b, err := os.ReadFile(file)
	if code == 0 && err != nil {
		t.Fatal(err)
	}
	return code, string(b), errs.String()
}

// TestTraceExport: in every format, an exported trace has each event as often as the trace, with
// the names of its functions.
func TestTraceExport(t *testing.T) {
	r := newTracer(t)
	dir, _ := r.trace("", "10")
	reader, err := ctf.Open(filepath.Join(dir, "ctf"))
	if err != nil {
		t.Fatal(err)
	}
	events, begun := 0, 0
	for _, stream := range reader.Streams {
		for o, err := range reader.Events(stream) {
			if err != nil {
				t.Fatal(err)
			}
			name := reader.Kinds[o.Event].Name
			if !strings.HasPrefix(name, "pentode:") || strings.HasPrefix(name, "pentode:region_") {
				events++
			}
			if strings.HasSuffix(name, ":parallel_begin") && r.names[o.Fields[0].Number] == "loop" {
				begun++
			}
		}
	}
	if events == 0 || begun != 10 {
		t.Fatalf("%d events, %d parallel regions of `loop`; want some events and 10 regions", events, begun)
	}
	for format, want := range map[string]map[string]int{
		"perfetto":   {`{"name":"parallel loop","ph":"B"`: begun, `{"name":"parallel loop","ph":"E"`: begun, `"name":"thread_name"`: len(reader.Streams)},
		"speedscope": {`{"name":"parallel loop"`: 1, `"type":"evented"`: len(reader.Streams)},
		"folded":     {"parallel loop ": 1},
		"otlp":       {`"name":"parallel loop"`: begun},
		"csv":        {"\n": events + 1},
	} {
		code, text, said := exported(t, "--to", format, dir)
		if code != 0 {
			t.Fatalf("%s: %s; want 0", format, said)
		}
		for piece, n := range want {
			if got := strings.Count(text, piece); got != n {
				t.Errorf("%s has %q %d times, want %d", format, piece, got, n)
			}
		}
		if leaves := strings.Contains(said, "cannot store"); leaves != (format != "perfetto" && format != "csv") && format != "otlp" {
			t.Errorf("%s: said %q, want %q in it where the format is neither perfetto nor csv, and only there", format, said, "cannot store")
		}
	}
}

func TestTraceExportRefuses(t *testing.T) {
	empty := t.TempDir()
	for want, args := range map[string][]string{
		"give the folder of one trace":      {},
		"`" + empty + "` contains no trace": {empty},
		"--to takes perfetto, speedscope, folded, otlp, csv, flamegraph, not `perfeto`; did you mean `perfetto`": {"--to", "perfeto", empty},
	} {
		if code, _, said := exported(t, args...); code == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: %d, %s; want %s", args, code, said, want)
		}
	}
}

// reported runs `trace report` and returns its exit code, the report and the messages.
func reported(args ...string) (code int, text, said string) {
	var out, errs bytes.Buffer
	code = Run(Options{}, append([]string{"trace", "report"}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// TestTraceReport: the report of a traced program counts what the program did, in every format.
func TestTraceReport(t *testing.T) {
	r := newTracer(t)
	dir, _ := r.trace("", "10")
	reader, err := ctf.Open(filepath.Join(dir, "ctf"))
	if err != nil {
		t.Fatal(err)
	}
	// at least three threads, and a fourth if both inner teams of two threads exist at the same
	// time
	threads := len(reader.Streams)
	code, text, said := reported("--format", "json", dir)
	if code != 0 {
		t.Fatalf("%v; want 0", said)
	}
	var found report.Report
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatal(err)
	}
	if found.Program != "program" || found.Processes != 1 || threads < 3 || threads > 4 || found.Threads != threads || found.Lost != 0 {
		t.Errorf("%+v, want one process of `program` with all of its %d threads, 3 or 4, and nothing lost", found, threads)
	}
	counts := map[string]uint64{}
	for _, row := range found.Rows {
		if call, function, ok := strings.Cut(row.Name, " "); ok && call == "parallel" {
			_, function, _ = strings.Cut(function, "`")
			counts[strings.TrimSuffix(function, "`")] = row.Count
		}
		if row.Count > 0 && (row.Self > row.Total || row.Median > row.Longest || row.P99 > row.Longest || row.Mean > row.Longest || row.Total > found.Elapsed*int64(row.Threads)) {
			t.Errorf("%+v in %d ns, want its own time at most its total, median, mean and P99 at most the longest, and the total within the run on each thread", row, found.Elapsed)
		}
	}
	for function, want := range map[string]uint64{"loop": 10, "shared": 10, "tasks": 5} {
		if counts[function] != want {
			t.Errorf("%d parallel regions of `%s`, want %d, in %v", counts[function], function, want, counts)
		}
	}
	code, text, said = reported("--by", "event", "--format", "csv", dir)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if code != 0 || err != nil {
		t.Fatal(said, err)
	}
	sum := uint64(0)
	for _, row := range rows[1:] {
		n, err := strconv.ParseUint(row[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if sum != found.Events {
		t.Errorf("%d events by kind, %d together; want %v", sum, found.Events, found.Events)
	}
	code, text, said = reported("--by", "function", dir)
	for _, want := range []string{"program: ", " events in ", fmt.Sprintf(", 1 process, %d threads\n", threads), "function  "} {
		if code != 0 || !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s%s", want, text, said)
		}
	}
}

func TestTraceReportRefuses(t *testing.T) {
	empty := t.TempDir()
	for want, args := range map[string][]string{
		"give the folder of one trace":            {},
		"`" + empty + "` contains no trace":       {empty},
		"did you mean `function`":                 {"--by", "functon", empty},
		"--format takes text, json, csv or html,": {"--format", "xml", empty},
	} {
		if code, _, said := reported(args...); code == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: %d, %s; want %s", args, code, said, want)
		}
	}
}
