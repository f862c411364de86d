package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// exported runs `trace export` and returns its exit code, the file and what was said.
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

// A program that was traced, in every format: as often as the trace has it, with
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
		t.Fatalf("%d events, %d parallel regions of `loop`", events, begun)
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
			t.Fatalf("%s: %s", format, said)
		}
		for piece, n := range want {
			if got := strings.Count(text, piece); got != n {
				t.Errorf("%s has %q %d times, want %d", format, piece, got, n)
			}
		}
		if leaves := strings.Contains(said, "has no place for"); leaves != (format != "perfetto" && format != "csv") && format != "otlp" {
			t.Errorf("%s: said %q", format, said)
		}
	}
}

func TestTraceExportRefuses(t *testing.T) {
	empty := t.TempDir()
	for want, args := range map[string][]string{
		"give the folder of one trace":   {},
		"`" + empty + "` holds no trace": {empty},
		"--to takes perfetto, speedscope, folded, otlp, csv, not `perfeto`; did you mean `perfetto`": {"--to", "perfeto", empty},
	} {
		if code, _, said := exported(t, args...); code == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: %d, %s; want %s", args, code, said, want)
		}
	}
}
