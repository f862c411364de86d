package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// hostile begins with characters that would control a terminal: an escape sequence that clears the
// line, an eight-bit control character, a carriage return, and a mark that reverses the direction
// of the text.
const hostile = "\x1b[2K\x9b2K\u009b\r\u202e"

// TestNothingCommandsTheTerminal: no verb prints control characters from the content or the name of
// a file to a terminal.
func TestNothingCommandsTheTerminal(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plan := write("a\x1b[2K\u202e.psdl", "process p {\n\tcommand \"./solver --steps 100 "+hostile+"\";\n\tdaemon d;\n}\ndaemon d { command \"paradynd\"; }\n")
	pipe := write("p\x1b[2K\u202e.pipe", "process a :: exec\n  :command "+hostile+"\n  :other "+hostile+"\n")
	tree := write("t\x1b[2K.yml", "metadata: { x: int }\ndata: {}\nplugins: { trace: { logging: \"\\e[2K\\u202E\" } }\n")
	trace := write("t\x1b[2K.pinsight", "[OpenMP.default]\n"+hostile+"omp_work=off\n")
	target := write("c\x1b[2K.coilcfg", "Target: {\n PU: \""+hostile+"\";\n};\n")
	missing := filepath.Join(dir, "no\x1b[2K.pipe")
	for _, args := range [][]string{
		{"run", "--dry-run", plan}, {"show", plan}, {"check", plan}, {"check", "--format", "short", plan}, {"explain", plan, "process[0].command"},
		{"show", "--origin", pipe}, {"show", "--all", pipe}, {"explain", pipe, "a:command"}, {"explain", pipe, "x\x1b"}, {"check", pipe},
		{"show", "--format", "json", pipe}, {"show", "--format", "yaml", pipe}, {"check", "--format", "json", pipe}, {"check", "--format", "sarif", pipe},
		{"fmt", "--diff", plan}, {"fmt", "--diff", trace}, {"fmt", "--diff", target}, {"fmt", "--check", dir}, {"set", "--dry-run", plan, "process[0].command=x"},
		{"diff", plan, pipe}, {"show", tree}, {"show", "--all", tree}, {"check", tree}, {"show", trace}, {"check", trace}, {"show", target}, {"check", target},
		{"check", dir}, {"show", dir}, {"show", missing}, {"run", missing}, {"run", "--dry-run", pipe}, {"\x1b[2K"}, {"show", "--\x1b[2K"}, {"show", "--as", "\x1b", plan},
		{"trace", "decide", "--region", "\x1b[2K", "--event", "omp_work", trace}, {"trace", "decide", "--explain", "--region", "0x4", "--event", "\x1b[2K", trace},
		{"data", "layout", tree}, {"data", "eval", "--spec", tree, "$\x1b[2K"}, {"target", "flags", "gcc", target}, {"types", "show", "\x1b[2K"},
	} {
		var out, errs bytes.Buffer
		cli.Run(cli.Options{}, args, strings.NewReader(""), &out, &errs)
		for name, text := range map[string]string{"output": out.String(), "errors": errs.String()} {
			if visible.Text(text) != text {
				t.Errorf("%q: its %s sends control characters:\n%q, want %v", args, name, text, text)
			}
		}
		if out.Len()+errs.Len() == 0 {
			t.Errorf("%q says nothing", args)
		}
	}
}

// TestContentsStayExact: a file that is printed for another program keeps its bytes.
func TestContentsStayExact(t *testing.T) {
	text := "process a :: exec\n  :command " + "\x1b[2K\u202e" + "\n"
	var out, errs bytes.Buffer
	if code := cli.Run(cli.Options{}, []string{"fmt", "--lang", "sprokit", "-"}, strings.NewReader(text), &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	if !strings.Contains(out.String(), "\x1b[2K\u202e") {
		t.Errorf("formatting changed the text to %q", out.String())
	}
}
