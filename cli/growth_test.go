//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/all"
)

var growth = flag.Int("growth", 0, "the number of items in the larger files of TestGrowth, whose time is then compared too")

// A file is compared with one that is eight times as large. Doubling the size may multiply memory
// by 2.3. Time only has to grow more slowly than the square, because other programs disturb it.
const (
	larger    = 8
	maxMemory = 2.3 * 2.3 * 2.3
	maxTime   = 22.6 // larger to the power of 1.5
)

// TestGrowth runs every verb on every shape of file: memory and time must grow about linearly with
// the file. The short form runs two verbs on every third shape.
func TestGrowth(t *testing.T) {
	need.Slow(t)
	full := measured(t)
	formats := map[string][]string{}
	for _, l := range all.Languages(all.Options{}) {
		formats[l.Name] = l.Formats()
	}
	for i, s := range shapes {
		t.Run(s.language+"/"+strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			if i%3 != 0 {
				need.Slow(t)
			}
			f := &files{shape: &s, made: map[int]compared{}}
			for _, verb := range verbs(&s, formats[s.language]) {
				switch line := strings.Join(verb, " "); {
				case *growth > 0:
					grows(t, f, verb, *growth/larger, true)
				case full || s.lines != nil || strings.HasPrefix(line, "check FILE") || strings.HasPrefix(line, "show --all --format json FILE"):
					grows(t, f, verb, 40, false)
				}
			}
		})
	}
}

// measured requires the full size of a test that counts memory. It skips the test under the race
// detector, which allocates memory itself.
func measured(t *testing.T) bool {
	t.Helper()
	full := need.FullSize()
	if need.Full() && !full {
		t.Skip("the race detector uses memory, too")
	}
	return full
}

// verbs returns the command lines for a shape.
func verbs(s *shape, formats []string) (list [][]string) {
	add := func(lines ...string) {
		for _, line := range lines {
			list = append(list, append(strings.Fields(line), s.flags...))
		}
	}
	if s.lines != nil {
		add(s.lines...)
		return list
	}
	add("check FILE", "check --format json FILE", "check --fix --dry-run FILE", "fmt FILE", "fmt --diff FILE",
		"show FILE", "show --all --origin FILE", "show --all --format json FILE", "show --format yaml FILE",
		"explain FILE no.such.key", "diff FILE OTHER",
		"graph FILE", "graph --format dot FILE", "graph --format mermaid FILE", "graph --format svg FILE", "lsp", "serve --listen 127.0.0.1:0 --lang "+s.language+" FILE")
	if s.key != "" {
		add("explain FILE "+s.key, "explain --uses FILE "+s.key, "set --dry-run FILE "+s.key+"="+s.value)
	}
	switch s.language {
	case "coil":
		add("show --flat FILE", "target flags gcc --compiler-version 12 FILE", "target flags cmake --stage link FILE",
			"target compat FILE x86-64-v3")
	case "paradyn":
		if !slices.Contains(s.flags, "paradyn.dialect=pcl") { // with this dialect, the file is read but no program is started
			add("run --dry-run FILE")
		}
	case "sprokit":
		add("show --flat FILE")
	case "pdi":
		add("show --flat FILE", "data layout FILE", "data layout --format json FILE")
	case "pinsight":
		add("trace decide --explain --region f --event omp_work FILE", "trace decide --region 0x1 --event omp_work FILE")
	}
	for _, format := range formats {
		add("convert --to " + format + " FILE")
	}
	return list
}

// work is what one command line has used.
type work struct {
	cpu   time.Duration
	bytes int64 // allocated memory
}

// files keeps the generated files of a shape, by number of items, for all verbs.
type files struct {
	*shape
	made map[int]compared
}

// compared are a file and another one for diff. The other lies in its own folder, where verbs that
// look for neighbouring files do not see it.
type compared struct{ file, other string }

// of returns the file with n items, making it if needed; n 0 is an empty file.
func (f *files) of(t *testing.T, n int) compared {
	t.Helper()
	c, ok := f.made[n]
	if ok {
		return c
	}
	dir := t.TempDir()
	c = compared{filepath.Join(dir, f.file), filepath.Join(t.TempDir(), f.file)}
	f.made[n] = c
	text := ""
	if n > 0 || f.lines != nil {
		text = f.text(n)
	}
	write(t, c.file, text)
	write(t, c.other, f.text(n*3/4))
	for name, text := range f.beside {
		write(t, filepath.Join(dir, name), text)
	}
	return c
}

// measure runs a verb on a file of n items, or on an empty one.
func measure(t *testing.T, s *files, verb []string, n int) work {
	t.Helper()
	c := s.of(t, n)
	file, dir := c.file, filepath.Dir(c.file)
	args := slices.Clone(verb)
	for i, arg := range args {
		switch arg {
		case "FILE":
			args[i] = file
		case "OTHER":
			args[i] = c.other
		case ".":
			args[i] = dir
		default:
			if strings.HasPrefix(arg, "./") {
				args[i] = filepath.Join(dir, arg)
			}
		}
	}
	var in io.Reader
	if args[0] == "lsp" {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in = strings.NewReader(session(t, file, s.language, string(text)))
	}
	if !slices.Contains(args, "import") { // import knows no project
		args = append(args, "--no-config")
	}
	var errs bytes.Buffer
	out := io.Writer(io.Discard)
	if args[0] == "serve" {
		address, printed := io.Pipe()
		defer browse(t, address, file)()
		out = printed
	}
	before := now()
	code := cli.Run(cli.Options{}, args, in, out, &errs)
	after := now()
	if code != 0 && n > 0 && (s.lines != nil || args[0] == "lsp") {
		t.Fatalf("%q failed: %.300s", verb, errs.String())
	}
	if code == 2 && regexp.MustCompile("is not a verb|there is no flag|expected `pentode").MatchString(errs.String()) {
		t.Fatalf("%q is no question: %.300s", verb, errs.String())
	}
	return work{after.cpu - before.cpu, after.bytes - before.bytes}
}

// session returns the input of a language server from an editor that opens a file, asks for its
// colours and symbols, and ends.
func session(t *testing.T, file, language, text string) string {
	t.Helper()
	var b strings.Builder
	say := func(id int, method string, params map[string]any) {
		message := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
		if id > 0 {
			message["id"] = id
		}
		line, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(line), line)
	}
	uri := "file://" + filepath.ToSlash(file)
	document := map[string]any{"textDocument": map[string]any{"uri": uri}}
	say(1, "initialize", map[string]any{"capabilities": map[string]any{}})
	say(0, "initialized", nil)
	say(0, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": language, "version": 1, "text": text}})
	for i, method := range []string{"semanticTokens/full", "documentSymbol", "foldingRange", "diagnostic"} {
		say(2+i, "textDocument/"+method, document)
	}
	say(9, "shutdown", nil)
	say(0, "exit", nil)
	return b.String()
}

// browse requests every view of a file from the page whose address is printed, and ends the page.
// It returns a function that waits for the end.
func browse(t *testing.T, printed io.Reader, file string) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) }() // ends the verb that serves the page
		page, err := visit(printed)
		path := "?path=" + url.QueryEscape(file)
		for _, view := range []string{"run", "graph" + path, "file" + path, "hover" + path + "&at=1"} {
			if err == nil {
				_, err = page.get("api/" + view)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}()
	return func() { <-done }
}

// now returns what this process has used so far.
func now() work {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // a process can always ask for its own
	return work{time.Duration(u.Utime.Nano() + u.Stime.Nano()), int64(m.TotalAlloc)}
}

// grows compares what a verb uses for a file of n items and for a larger one. It reports excess
// only if the excess remains for larger n too, because memory is allocated in steps and other
// programs disturb the time.
func grows(t *testing.T, s *files, verb []string, n int, inTime bool) {
	t.Helper()
	empty := measure(t, s, verb, 0).bytes
	for try := 1; ; try++ {
		large, small := measure(t, s, verb, larger*n), measure(t, s, verb, n)
		const little, fast = 1 << 20, 50 * time.Millisecond
		a, b := max(small.bytes-empty, little/larger), large.bytes-empty
		switch {
		case b > little && float64(b) > maxMemory*float64(a):
		case inTime && large.cpu > fast && float64(large.cpu) > maxTime*float64(small.cpu):
		default:
			return
		}
		if try == 5 {
			t.Errorf("%q needs %v and %d bytes for %d items, and %v and %d bytes for %d", verb, small.cpu, a, n, large.cpu, b, larger*n)
			return
		}
		n *= 2
	}
}

// TestLarge: a million COIL sections or 400,000 YAML entries need at most a gigabyte of
// allocations. The test measures a smaller file and extrapolates.
func TestLarge(t *testing.T) {
	need.Slow(t)
	measured(t)
	const n = 80_000 // large enough that fixed costs do not distort the result
	for i, c := range []struct {
		shape shape
		all   int64
	}{
		{shape{file: "a.coilcfg", text: each("", "[S%[1]d]\nK = %[1]d\n", "")}, 1_000_000},
		{shape{file: "a.yml", text: each("metadata:\n", "  d%[1]d: int\n", "")}, 400_000},
	} {
		t.Run(c.shape.file, func(t *testing.T) {
			if i > 0 {
				need.Slow(t)
			}
			f := &files{shape: &c.shape, made: map[int]compared{}}
			for _, verb := range []string{"check FILE", "show FILE", "show --format json FILE"} {
				used := measure(t, f, strings.Fields(verb), n).bytes - measure(t, f, strings.Fields(verb), 0).bytes
				if used*c.all/n > 1<<30 {
					t.Errorf("`%s` would allocate %d bytes for %d items, want at most %v", verb, used*c.all/n, c.all, 1<<30)
				}
			}
		})
	}
}
