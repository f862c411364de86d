//go:build unix

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// triedPages are pages whose commands the test runs as a reader would: in order, in one folder with
// a copy of examples/. A command must print the output that the page shows. A code block with a
// file name, as in ```yaml a.yml, is written to that file. In expected output, … matches any text,
// and alone on a line any number of lines.
var triedPages = []struct {
	name  string
	needs []string // programs that must be installed, besides the shell and coreutils
}{
	{"../README.md", nil},
	{"start.md", []string{"sed"}},
	{"tutorial.md", []string{"sed"}},
	{"troubleshooting.md", nil},
	{"project.md", nil},
	{"run.md", nil},
	{"machines.md", nil},
	{"processes.md", []string{"python3"}},
	{"flow.md", nil},
	{"coil.md", []string{"gcc"}},
	{"paradyn.md", nil},
	{"sprokit.md", []string{"sed"}},
	{"pdi.md", nil},
	{"for-pdi-users.md", []string{"h5dump"}},
	{"for-kwiver-users.md", []string{"sed"}},
	{"pinsight.md", nil},
	{"for-pinsight-users.md", []string{"clang", "babeltrace2", "python3"}},
	{"tracing.md", []string{"babeltrace2", "python3"}},
	{"analysis.md", []string{"clang", "babeltrace2"}},
	{"for-compiler-engineers.md", []string{"sed"}},
	{"for-launch-users.md", []string{"sed"}},
	{"own-program.md", []string{"cc", "gfortran", "python3", "clang", "sed"}},
	{"interface.md", nil},
	{"netcdf.md", []string{"ncdump"}},
	{"origin.md", []string{"cmp"}},
	{"runs.md", nil},
}

// TestGoldenPages runs the commands of pages; -update writes what they print.
func TestGoldenPages(t *testing.T) {
	need.Slow(t)
	root, bin := golden.Root(t), programFolder(t)
	for _, tried := range triedPages {
		t.Run(tried.name, func(t *testing.T) {
			switch tried.name {
			case "own-program.md": // it builds a program in each language, as TestInitProgram does
				need.Slow(t)
			case "analysis.md": // it traces programs, as for-pinsight-users.md does
				need.Slow(t)
			}
			for _, program := range tried.needs {
				if need.Program(t, program); program != "ncdump" { // ncdump does not print its version
					need.Program(t, program, "--version")
				}
			}
			path := filepath.Join(root, "docs", tried.name)
			page, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r := newReader(t, root, bin)
			text := golden.Fence.ReplaceAllStringFunc(string(page), func(block string) string { return r.block(block) })
			if r.commands < 2 {
				t.Errorf("%d commands were run, want at least 2", r.commands)
			}
			if !golden.Updating() || text == string(page) {
				return
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// programFolder returns a new folder with the program in it, for PATH.
func programFolder(t *testing.T) string {
	dir := plainFolder(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	// The program is copied. If started through a link, it would see the test's name, but a plan
	// starts it by its own name.
	if err := os.WriteFile(filepath.Join(dir, "pentode"), program, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// plainFolder makes a folder whose path needs no quotes, whatever TMPDIR is, because the pages show
// paths without quotes.
func plainFolder(t *testing.T) string {
	dir, err := os.MkdirTemp("/tmp", "pentode-pages")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// reader runs the commands of a page.
type reader struct {
	t              *testing.T
	dir, home, bin string
	commands       int
}

func newReader(t *testing.T, root, bin string) *reader {
	r := &reader{t: t, dir: plainFolder(t), home: t.TempDir(), bin: bin}
	if err := os.CopyFS(filepath.Join(r.dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	return r
}

// block does what a code block says, and returns the block with the current output.
func (r *reader) block(block string) string {
	m := golden.Fence.FindStringSubmatch(block)
	kind, file, body := m[1], m[2], m[3]
	if file != "" {
		path := filepath.Join(r.dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.t.Fatal(err)
		}
		write(r.t, path, body)
		return block
	}
	if kind != "console" {
		return block
	}
	var b strings.Builder
	b.WriteString("```console\n")
	for _, step := range strings.Split("\n"+body, "\n$ ")[1:] {
		line, want, _ := strings.Cut(strings.TrimSuffix(step, "\n"), "\n")
		have := r.run(line)
		if !golden.Matches(want, have) {
			r.t.Errorf("$ %s\nprints\n%s\nand the page shows\n%s", line, have, want)
			want = have
		}
		b.WriteString("$ " + line + "\n")
		if want != "" {
			b.WriteString(want + "\n")
		}
	}
	return b.String() + "```"
}

// run runs a command line and returns its combined standard output and standard error.
func (r *reader) run(line string) string {
	r.commands++
	cmd := exec.CommandContext(r.t.Context(), "sh", "-c", line)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), noRaceNap, "PATH="+r.bin+":"+os.Getenv("PATH"), "HOME="+r.home, "XDG_STATE_HOME=", "NO_COLOR=1")
	out, _ := cmd.CombinedOutput() // a command may fail; its output then says why
	return strings.TrimRight(string(out), "\n ")
}
