package live_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// terminal is a real terminal in tmux.
type terminal struct {
	*testing.T
	socket, dir string
}

// open starts a terminal of some size in a folder with a pipeline and a plan.
func open(t *testing.T) *terminal {
	t.Helper()
	need.Program(t, "tmux")
	dir := t.TempDir()
	x := &terminal{t, filepath.Join(dir, "tmux"), dir}
	if err := os.Symlink(filepath.Dir(golden.Pentode(t)), filepath.Join(dir, "bin")); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"long.pipe": "process src\n  :: numbers\n  start = 0\n  end = 1000000000000\nprocess snk\n  :: sink\nconnect from src.number\n        to   snk.sink\n",
		"flow.psdl": `process { name "counter"; command "bin/pentode"; args { "run" "long.pipe" }; host "localhost"; daemon "sleep 1000"; }
`,
		"asks.pipe":  "process in\n  :: text_read\n  file_name = -\nprocess out\n  :: sink\nconnect from in.text\n        to   out.sink\n",
		"short.pipe": "process src\n  :: numbers\n  start = 0\n  end = 3\nprocess out\n  :: print_number\n  output = out.txt\nconnect from src.number\n        to   out.number\n",
		"site.psdl": `daemon { name "guard"; command "sleep 1000"; host "localhost"; }
process { name "talker"; command "sh"; args { "-c" "while true; do echo tick tack; sleep 0.2; done" }; host "localhost"; daemon "sleep 1000"; }
`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x.tmux("new-session", "-d", "-x", "100", "-y", "30", "env", "PS1=ready> ", "ENV=", "XDG_RUNTIME_DIR="+dir, "XDG_STATE_HOME="+dir, "TERM=screen-256color", "sh")
	t.Cleanup(func() { x.tmux("kill-server") })
	x.has("ready>")
	return x
}

func (x *terminal) tmux(args ...string) string {
	x.Helper()
	cmd := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-S", x.socket}, args...)...)
	cmd.Dir = x.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		x.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// keys types; each word is a key or a text.
func (x *terminal) keys(words ...string) {
	x.Helper()
	x.tmux(append([]string{"send-keys"}, words...)...)
}

func (x *terminal) screen() string { return x.tmux("capture-pane", "-p") }

// has waits for a text on the screen.
func (x *terminal) has(text string) {
	x.Helper()
	x.until(text, func(screen string) bool { return strings.Contains(screen, text) })
}

func (x *terminal) until(what string, ok func(screen string) bool) {
	x.Helper()
	golden.Until(x, "the screen has "+what, func() bool { return ok(x.screen()) }, golden.Known(x.screen))
}

// TestTerminalPipeline runs a pipeline in a terminal: keys are not echoed and control the run, the picture follows the size, and at the end the
// figures remain.
func TestTerminalPipeline(t *testing.T) {
	need.Slow(t)
	x := open(t)
	x.keys("bin/pentode run long.pipe", "Enter")
	x.has("? keys")
	x.has("src.number → snk.sink")
	x.keys("?")
	x.has("leave the view; the run continues")
	x.keys("?")
	x.has("waits for")
	x.keys("Enter")
	x.has(" each when busy") // the busiest process, whichever it is
	x.keys("Escape")
	x.tmux("resize-window", "-x", "60", "-y", "12")
	x.until("a narrower picture", func(s string) bool { return strings.Contains(s, "? keys") && !strings.Contains(s, "long.pipe: ") })
	x.tmux("resize-window", "-x", "110", "-y", "30")
	x.keys("x", "y", "z")
	x.keys("s")
	x.has("stop long.pipe? (y/n)")
	x.keys("y")
	x.has("stopped on request:")
	x.keys("echo end", "Enter")
	x.has("end\n")
	if strings.Contains(x.screen(), "xyz") {
		t.Errorf("keys were echoed:\n%s\nwant no %q in it", x.screen(), "xyz")
	}
}

// TestTerminalInterrupt: Ctrl-C stops the run, as it does without a view.
func TestTerminalInterrupt(t *testing.T) {
	need.Slow(t)
	x := open(t)
	x.keys("bin/pentode run long.pipe", "Enter")
	x.has("? keys")
	x.keys("C-c")
	x.has("interrupted:")
	x.keys("echo code $?", "Enter")
	x.has("code 130")
}

// TestTerminalStandardInput: if the pipeline reads from the terminal, it gets the keys.
func TestTerminalStandardInput(t *testing.T) {
	need.Slow(t)
	x := open(t)
	x.keys("bin/pentode run asks.pipe", "Enter")
	x.has("in.text → out.sink")
	if strings.Contains(x.screen(), "? keys") {
		t.Errorf("the view takes keys:\n%s\nwant no %q in it", x.screen(), "? keys")
	}
	x.keys("quick", "Enter")
	x.keys("C-d")
	x.has("finished: 1 data")
}

// top shows the run in a second terminal below the first.
func (x *terminal) top() {
	x.Helper()
	x.tmux("split-window", "-l", "15", "env", "PS1=second> ", "ENV=", "XDG_RUNTIME_DIR="+x.dir, "XDG_STATE_HOME="+x.dir, "sh")
	x.has("second>")
	x.keys("bin/pentode top", "Enter")
	x.has("? keys")
}

// TestTerminalTop looks at a pipeline from a second terminal, pauses and stops it.
func TestTerminalTop(t *testing.T) {
	need.Slow(t)
	x := open(t)
	x.keys("bin/pentode run long.pipe", "Enter")
	x.has("? keys")
	x.top()
	x.has("src.number → snk.sink")
	x.keys("p")
	x.has("paused, ")
	x.has("p resume")
	x.tmux("select-pane", "-U")
	x.has("paused, ") // the terminal of the run shows it too
	x.tmux("select-pane", "-D")
	x.keys("p")
	x.has("running, ")
	x.keys("s")
	x.has("stop long.pipe? (y/n)")
	x.keys("y")
	x.has("stopped, ")
	if strings.Contains(x.screen(), "u001b") {
		t.Errorf("colours are shown as text:\n%s\nwant no %q in it", x.screen(), "u001b")
	}
	x.keys("q")
	x.has("second>")
}

// TestTerminalTopOfAPlan shows the pipelines that the programs of a plan run.
func TestTerminalTopOfAPlan(t *testing.T) {
	need.Slow(t)
	x := open(t)
	x.keys("bin/pentode run flow.psdl", "Enter")
	x.has("2 of 2 programs run")
	x.top()
	x.has("counter: process")
	x.has("src.number → snk.sink")
}

// TestTerminalPlan runs a plan, and looks at it from a second program.
func TestTerminalPlan(t *testing.T) {
	need.Slow(t)
	x := open(t)
	x.keys("bin/pentode run site.psdl", "Enter")
	x.has("2 of 2 programs run")
	x.keys("q")
	x.until("plain lines", func(s string) bool {
		return !strings.Contains(s, "? keys") && strings.Contains(s, "talker | tick tack")
	})
	x.top()
	x.has("2 of 2 programs run")
	x.keys("p")
	x.has("2 paused")
	x.keys("p")
	x.until("programs that go on", func(s string) bool { return !strings.Contains(s, "paused") })
	x.keys("l")
	x.has("talker | tick tack")
	x.keys("l")
	x.keys("j", "Enter")
	x.has("process talker on")
	x.has("$ sh -c 'while true")
	x.has("\ntick tack")
	x.tmux("resize-window", "-x", "40", "-y", "40")
	x.has("\n  sleep 0.2; done'") // the command line continues on a second line
	x.keys("Up")
	x.has("end follows")
	x.keys("End")
	x.until("a log that is followed", func(s string) bool { return !strings.Contains(s, "end follows") })
	x.keys("Escape")
	x.has("log of talker")
	x.until("four columns", func(s string) bool {
		return strings.Contains(s, "memory") && !strings.Contains(s, "restarts") && !strings.Contains(s, "host")
	})
	x.keys("s")
	x.has("(y/n)")
	x.keys("y")
	x.has("over: 0 of 2 programs run")
	x.keys("q")
	x.has("second>")
}

// TestTerminalRuns chooses recorded runs, shows one and compares two; output to a pipe has not changed.
func TestTerminalRuns(t *testing.T) {
	need.Slow(t)
	x := open(t)
	x.keys("bin/pentode run --output a short.pipe; bin/pentode run --output b -s src:end=5 short.pipe; bin/pentode runs | head -n 1", "Enter")
	x.has("\nShows and compares the records of runs")
	x.keys("clear; bin/pentode runs", "Enter")
	x.has("2 runs are recorded")
	x.keys("Enter")
	x.has("results in ")
	x.keys("Escape")
	x.has("↵ show")
	x.tmux("resize-window", "-x", "40", "-y", "30")
	x.until("a narrow list", func(s string) bool { return strings.Contains(s, "short.pipe") && !strings.Contains(s, "results") })
	x.keys("Space")
	x.has("● ")
	x.keys("c")
	x.has("this run is marked")
	x.keys("j", "c")
	x.has("src:end")
	x.keys("q")
	x.has("ready>")
}
