//go:build linux

package cli_test

import (
	"errors"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/launch"
)

// exitRow is a line of testdata/exit/table.txtar.
type exitRow struct {
	line   string
	code   int
	needs  string         // a program that must be installed
	signal syscall.Signal // sent after the verb's first output
	env    []string
	args   []string
}

var (
	exitLine    = regexp.MustCompile(`^(?:\{(\w+)\} )?(\d+) (.*)$`)
	exitSignals = map[string]syscall.Signal{"^INT": syscall.SIGINT, "^TERM": syscall.SIGTERM, "^HUP": syscall.SIGHUP}
)

func exitRows(t *testing.T, text string) []exitRow {
	t.Helper()
	var rows []exitRow
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := exitLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("`%s` is no line of the table", line)
		}
		row := exitRow{line: line, needs: m[1]}
		row.code, _ = strconv.Atoi(m[2])
		words, err := launch.Split(m[3])
		if err != nil {
			t.Fatalf("`%s`: %v", line, err)
		}
		for ; ; words = words[1:] {
			if s, ok := exitSignals[words[0]]; ok {
				row.signal = s
			} else if strings.Contains(words[0], "=") {
				row.env = append(row.env, words[0])
			} else {
				break
			}
		}
		row.args = words
		rows = append(rows, row)
	}
	return rows
}

// exitBench is a folder with the files that lines of the table use.
type exitBench struct {
	t           *testing.T
	here, state string
	runs        map[string]string // ids of runs by their names in the table, and the address of a busy port
}

func newExitBench(t *testing.T, files []txtar.File) *exitBench {
	t.Helper()
	t.Chdir(t.TempDir())
	b := &exitBench{t: t, state: t.TempDir(), runs: map[string]string{}}
	var err error
	if b.here, err = os.Getwd(); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, f.Name, string(f.Data))
	}
	return b
}

func (b *exitBench) command(args ...string) *exec.Cmd {
	cmd := process(b.t, args...)
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+b.state, "HOME="+b.state, "NO_COLOR=1")
	return cmd
}

// start starts a run under a name that the table uses, and waits until it answers.
func (b *exitBench) start(name, path string) {
	b.t.Helper()
	cmd := b.command("run", path)
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = b.command("stop", "--grace", "0", b.runs[name]).Run() // the run may have ended
		_ = cmd.Wait()
	})
	for end := time.Now().Add(golden.Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		out, err := b.command("ps", "--format", "json").CombinedOutput()
		if err != nil {
			b.t.Fatalf("ps: %v: %s", err, out)
		}
		for _, m := range regexp.MustCompile(`"run": "([^"]+)",\n *"state": "running"`).FindAllStringSubmatch(string(out), -1) {
			if !slices.Contains(slices.Collect(maps.Values(b.runs)), m[1]) {
				b.runs[name] = m[1]
				return
			}
		}
	}
	b.t.Fatalf("`pentode run %s` does not run", path)
}

// code runs a line of the table, and returns its exit code and its output. If a signal ended the process, the code is the one that a
// shell reports.
func (b *exitBench) code(row exitRow) (int, string) {
	b.t.Helper()
	args := slices.Clone(row.args)
	for i := range args {
		for name, id := range b.runs {
			args[i] = strings.ReplaceAll(args[i], "$"+name, id)
		}
	}
	cmd := b.command(args...)
	for _, assigned := range row.env {
		cmd.Env = append(cmd.Env, strings.NewReplacer("$EMPTY", b.t.TempDir(), "$HERE", b.here).Replace(assigned))
	}
	if slices.Contains(args, "-") {
		good, err := os.Open("good.pipe")
		if err != nil {
			b.t.Fatal(err)
		}
		defer good.Close()
		cmd.Stdin = good
		if args[0] == "types" {
			cmd.Stdin = strings.NewReader(`[{"proc_type": "blur", "description": "Blurs."}]`)
		}
	}
	said := &firstWords{said: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	if row.signal != 0 {
		select {
		case <-said.said:
		case <-time.After(2 * time.Second): // a verb without output while it waits
		}
		if err := cmd.Process.Signal(row.signal); err != nil {
			b.t.Fatal(err)
		}
	}
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return launch.ExitOf(exit.ProcessState), said.String()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return 0, said.String()
}

// firstWords keeps the beginning of the output, and signals when the first output arrives.
type firstWords struct {
	mu   sync.Mutex
	text strings.Builder
	said chan struct{}
}

func (f *firstWords) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.text.Len() == 0 && len(p) > 0 {
		close(f.said)
	}
	if f.text.Len() < 1000 {
		f.text.Write(p)
	}
	return len(p), nil
}

func (f *firstWords) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.text.String()
}

// leaves returns the full names of the verbs that do something themselves, not only through subcommands.
func leaves(root *cobra.Command) []string {
	var list []string
	var walk func(*cobra.Command)
	walk = func(verb *cobra.Command) {
		for _, sub := range verb.Commands() {
			if sub.Name() == "help" {
				continue
			}
			if walk(sub); !sub.HasSubCommands() {
				list = append(list, strings.TrimPrefix(sub.CommandPath(), "pentode "))
			}
		}
	}
	walk(root)
	return list
}

// goTexts matches the beginnings of error texts of Go's packages. Users must see our own sentences instead.
var goTexts = regexp.MustCompile(`(?m)(^|[ :])(open|mkdir|stat|lstat|read|write|rename|remove|listen tcp|dial tcp|dial unix|fork/exec|exec|json|strconv\.\w+|parse|invalid argument)[ :][^\x60\s]*: |panic: |goroutine \d|exit status \d|%!\w\(|unexpected EOF`)

// TestExitCodes: each verb exits with the code in the table, and the table has a correct and a wrong command for each verb.
func TestExitCodes(t *testing.T) {
	need.Slow(t)
	archive, err := txtar.ParseFile(filepath.Join("testdata", "exit", "table.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	rows := exitRows(t, string(archive.Comment))
	b := newExitBench(t, archive.Files)
	if err := errors.Join(played.Write("traced", txtarFile(t, archive, "trace.txt")), played.Write("cut", txtarFile(t, archive, "trace.txt"))); err != nil {
		t.Fatal(err)
	}
	cutStreams(t, "cut")
	if need.Has(t, "cc") {
		if out, err := exec.Command("cc", "-g", "-o", "program", "program.c").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.Chmod("readonly.pipe", 0o444); err != nil {
		t.Fatal(err)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	b.runs["BUSY"] = busy.Addr().String()
	b.start("PLAN", "plan.psdl")
	b.start("PIPE", "forever.pipe")

	codes := map[string]map[int]bool{} // exit codes that the table has for each verb
	names := leaves(cli.Command())
	for _, row := range rows {
		verb := ""
		for _, name := range names {
			if words := strings.Fields(name); len(row.args) >= len(words) && slices.Equal(row.args[:len(words)], words) {
				verb = name
			}
		}
		if verb == "" {
			t.Errorf("`%s` is about no verb", row.line)
		}
		if codes[verb] == nil {
			codes[verb] = map[int]bool{}
		}
		codes[verb][row.code] = true
		if row.needs != "" {
			if !need.Has(t, row.needs) {
				t.Logf("not tried without %s: %s", row.needs, row.line)
				continue
			}
		}
		code, said := b.code(row)
		if code != row.code {
			t.Errorf("%s\nends with %d: %s", row.line, code, said)
		}
		if found := goTexts.FindString(said); found != "" {
			t.Errorf("%s\nhas a text of Go (`%s`): %s", row.line, found, said)
		}
	}
	if _, err := os.Lstat("-"); err == nil {
		t.Error("a verb has made a file called `-`")
	}
	for _, name := range names {
		if !codes[name][2] {
			t.Errorf("the table has no wrong question for `%s`", name)
		}
		if !codes[name][0] && !codes[name][130] && name != "lsp" { // lsp ends when its client asks it to: see lsp_test.go
			t.Errorf("the table has no line for `%s` that is done", name)
		}
		if code, said := b.code(exitRow{args: append(strings.Fields(name), "--no-such-flag")}); code != 2 {
			t.Errorf("`%s --no-such-flag` ends with %d, want 2: %s", name, code, said)
		}
	}
}

// TestExitPage: docs/interface.md lists the same exit codes as the table, and each of its examples is a line of the table.
func TestExitPage(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "exit", "table.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(golden.Root(t), "docs", "interface.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## Exit codes")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := exitRows(t, string(archive.Comment))
	documented, others := map[string]bool{}, 0
	for line := range strings.Lines(section) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || !strings.Contains(line, "`pentode ") {
			continue
		}
		code := strings.TrimPrefix(cells[0], "| ")
		documented[code] = true
		for _, m := range regexp.MustCompile("`pentode ([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
			words, err := launch.Split(strings.ReplaceAll(m[1], "RUN", "$PLAN"))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(rows, func(r exitRow) bool {
				_, err := strconv.Atoi(code)
				return slices.Equal(r.args, words) && (strconv.Itoa(r.code) == code || code == "128 + n" && r.code > 128 || code == "other" && err != nil)
			}) {
				t.Errorf("the table has no line `%s %s`, which docs/interface.md shows", code, m[1])
			}
		}
	}
	for _, r := range rows {
		if code := strconv.Itoa(r.code); r.code <= 2 || r.code >= 124 && r.code < 128 && r.args[0] != "run" {
			if !documented[code] {
				t.Errorf("docs/interface.md has no row for code %s, with which `%s` ends", code, r.line)
			}
		} else if others++; !documented["128 + n"] || !documented["other"] {
			t.Errorf("docs/interface.md has no row for code %s, with which `%s` ends", code, r.line)
		}
	}
	if others == 0 {
		t.Error("the table has no code of a program or a signal")
	}
}

func txtarFile(t *testing.T, archive *txtar.Archive, name string) string {
	t.Helper()
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	t.Fatalf("the archive has no %s", name)
	return ""
}

// cutStreams truncates every stream of a trace, as if the program had been killed while it wrote.
func cutStreams(t *testing.T, dir string) {
	t.Helper()
	cut := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "stream") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		cut++
		return os.Truncate(path, info.Size()-3)
	})
	if err != nil || cut == 0 {
		t.Fatalf("%d streams of %s were cut: %v", cut, dir, err)
	}
}
