package render_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
)

var code = &diag.Code{ID: "sample/wrong-port", Severity: diag.Error, Title: "a port that is not there", Doc: "Ports are declared by the process type."}

// report has one finding of every shape: labels before and after, another
// file, wide characters, tabs, a very long line, an empty span, no place at all.
func report() *render.Report {
	pipe := source.NewFile("detect.pipe", "process reader\n  :: frame_list_input\n\n# …\n# …\nconnect from reader.imgae\n\tto 写入者.image \x1b[31m\n"+strings.Repeat("a", 300)+" here "+strings.Repeat("b", 300)+"\n")
	other := source.NewFile("base/all.pipe", "include detect.pipe\n")
	at := func(f *source.File, text string) source.Span {
		i := strings.Index(f.Text(), text)
		return f.Span(i, i+len(text))
	}
	var list diag.List
	list.Report(code, at(pipe, "imgae"), "port `imgae` does not exist on process `reader`").Labelled("no such output port").
		At(at(pipe, "frame_list_input"), "`frame_list_input` has the outputs image, timestamp").
		Suggest(true, "image").Note("detect.pipe is included from %s", at(other, "detect.pipe"))
	list.Report(code, at(pipe, "写入者"), "a name in wide characters").As(diag.Warning).
		At(at(other, "detect.pipe"), "included here").Helped("two lines\nof advice")
	list.Report(code, at(pipe, "here"), "a place far to the right").As(diag.Info)
	list.Report(code, at(pipe, "bbbb"), "two places far apart on one line").At(at(pipe, "aaaa"), "its first word")
	list.Report(code, pipe.Span(14, 14), "something is missing here")
	list.Report(code, source.Span{}, "about no file")
	return &render.Report{Files: []render.File{{Path: "detect.pipe", Language: "sample"}, {Path: "base/all.pipe", Language: "sample"}}, Diagnostics: list}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if golden.Updating() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", name, got)
	}
}

func TestGoldenRenderers(t *testing.T) {
	r := report()
	for name, write := range map[string]func(*bytes.Buffer) error{
		"terminal.txt": func(b *bytes.Buffer) error { return render.Terminal(b, r.Diagnostics, false) },
		"colour.txt":   func(b *bytes.Buffer) error { return render.Terminal(b, r.Diagnostics[:1], true) },
		"short.txt":    func(b *bytes.Buffer) error { return render.Short(b, r.Diagnostics) },
		"report.json":  func(b *bytes.Buffer) error { return render.JSON(b, r) },
		"report.sarif": func(b *bytes.Buffer) error { return render.SARIF(b, r, "1.2.3") },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		compare(t, name, b.String())
	}
}

func TestTerminalIsSafe(t *testing.T) {
	var b bytes.Buffer
	if err := render.Terminal(&b, report().Diagnostics, false); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("an escape sequence of the file reached the terminal")
	}
}

// TestLongLines: a long line is cut between letters, also if no byte of it
// begins a letter.
func TestLongLines(t *testing.T) {
	for _, c := range []struct {
		line string
		at   int
		want string
	}{
		{strings.Repeat("x", 120), 0, strings.Repeat("x", 120)},
		{strings.Repeat("x", 121), 0, strings.Repeat("x", 120) + "…"},
		{strings.Repeat("é", 61), 0, strings.Repeat("é", 60) + "…"},
		{"x" + strings.Repeat("é", 61), 0, "x" + strings.Repeat("é", 59) + "…"},
		{strings.Repeat("x", 200), 60, strings.Repeat("x", 120) + "…"},
		{strings.Repeat("x", 200), 61, "…" + strings.Repeat("x", 120) + "…"},
		{strings.Repeat("x", 200), 200, "…" + strings.Repeat("x", 30)},
	} {
		var list diag.List
		list.Report(code, source.NewFile("a", c.line+"\n").Span(c.at, c.at), "here")
		var b bytes.Buffer
		if err := render.Terminal(&b, list, false); err != nil {
			t.Fatal(err)
		}
		if want := "\n1 | " + c.want + "\n"; !strings.Contains(b.String(), want) {
			t.Errorf("a line of %d bytes at %d is shown as\n%s\nwant%s", len(c.line), c.at, b.String(), want)
		}
	}
	for _, at := range []int{0, 150, 300} {
		var list diag.List
		list.Report(code, source.NewFile("a", strings.Repeat("\x80", 300)).Span(at, at), "here")
		if err := render.Terminal(new(bytes.Buffer), list, false); err != nil {
			t.Error(err)
		}
	}
}

func TestSummary(t *testing.T) {
	if got := report().Summary(); got != "4 errors, 1 warning, 1 info in 2 files" {
		t.Errorf("%v; want %q", got, "4 errors, 1 warning, 1 info in 2 files")
	}
	clean := render.Report{Files: []render.File{{Path: "a"}}}
	if got := clean.Summary(); got != "1 file checked, no findings" {
		t.Errorf("%v; want %q", got, "1 file checked, no findings")
	}
}

// TestSARIFSchema validates against the standard's schema. Our copy leaves out
// its descriptions.
func TestSARIFSchema(t *testing.T) {
	text, err := os.ReadFile("testdata/sarif-2.1.0.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*render.Report{report(), {}} {
		var b bytes.Buffer
		if err := render.SARIF(&b, r, "1.2.3"); err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Error(err)
		}
	}
	broken, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"version": "2.1.0", "runs": [{"results": [{}]}]}`))
	if s.Validate(broken) == nil {
		t.Error("the schema accepts a run without a tool")
	}
}
