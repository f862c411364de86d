package suite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/workspace"
)

// fixedHost is an x86-64 without AVX-512 that has a shell and nothing else.
func fixedHost() Host {
	return Host{
		Target: func() (target.Target, error) {
			return target.Machines{}.Detect(target.Host{Arch: "amd64", CPUID: func() []string { return []string{"SSE", "SSE2", "SSE3"} }})
		},
		LookPath: func(command string) (string, error) {
			if command == "sh" {
				return "/bin/sh", nil
			}
			return "", errors.New("not found")
		},
		Arguments: someArguments,
	}
}

// TestEveryCodeOnItsPage: the table of findings between files lists every code, and no other.
func TestEveryCodeOnItsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/run.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `suite/") {
			for _, id := range regexp.MustCompile("`(suite/[a-z-]+)`").FindAllStringSubmatch(line, -1) {
				named[id[1]] = true
			}
		}
	}
	for _, c := range Codes() {
		if !named[c.ID] {
			t.Errorf("docs/run.md does not name %s", c.ID)
		}
		delete(named, c.ID)
	}
	for id := range named {
		t.Errorf("docs/run.md names %s, which is no code", id)
	}
}

// someArguments implements as much of the command line as the tests need.
func someArguments(args []string) (paths []string, word string, err error) {
	for i := 1; i < len(args); i++ {
		switch {
		case args[i] == "--policy", args[i] == "--trace", args[i] == "-o", args[i] == "--site":
			i++
		case strings.HasPrefix(args[i], "--"):
			return nil, args[i], fmt.Errorf("there is no flag `%s`", args[i])
		default:
			paths = append(paths, args[i])
		}
	}
	if len(args) == 0 {
		return nil, "", errors.New("no verb is given")
	}
	if verb := strings.Join(args, " "); !strings.HasPrefix(verb, "run") && verb != "collect" {
		return nil, args[len(args)-1], fmt.Errorf("`%s` is not a verb", args[len(args)-1])
	}
	return paths, "", nil
}

// example is the files of the example run.
func example(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	paths, err := filepath.Glob("../examples/heat/*.*")
	if err != nil || len(paths) < 6 {
		t.Fatalf("the example has %d files: %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
	}
	return files
}

// open writes a run folder and opens it.
func open(t *testing.T, files map[string]string) *Run {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	types := catalog.Standard()
	if err := types.Add(ExposeType(nil)); err != nil {
		t.Fatal(err)
	}
	languages := all.Languages(all.Options{Sprokit: sprokit.Options{Types: types}})
	env := load.NewEnv()
	env.Lookup = func(name string) (string, bool) { // as the command line sets it
		value, ok := map[string]string{"PENTODE_RANK": "0", "PENTODE_SIZE": "1"}[name]
		return value, ok
	}
	run, err := Open(workspace.New(languages, env), dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// place returns a position as the tests write it: the file, and the text there.
func place(s source.Span) string {
	if s.File == nil {
		return "nowhere"
	}
	name := filepath.Base(s.File.Path())
	if s.Len() == 0 {
		return fmt.Sprintf("%s@%d", name, s.Start)
	}
	return name + ": " + s.Text()
}

// marked returns an unambiguous position: the file, and the line with the position between marks; for several equal lines, also which one.
func marked(s source.Span) string {
	if s.File == nil || s.Len() == 0 {
		return place(s)
	}
	text := s.File.Text()
	from, to := strings.LastIndexByte(text[:s.Start], '\n')+1, len(text)
	if i := strings.IndexByte(text[s.End:], '\n'); i >= 0 {
		to = s.End + i
	}
	out := text[from:s.Start] + "«" + s.Text() + "»" + text[s.End:to]
	out = filepath.Base(s.File.Path()) + ": " + strings.Join(strings.Fields(out), " ")
	if line := text[from:to] + "\n"; strings.Count(text, line) > 1 {
		out += fmt.Sprintf(" #%d", strings.Count(text[:from], line)+1)
	}
	return out
}

func lines(list diag.List) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s %s at %s %s\n", d.Severity, d.Code.ID, marked(d.Span), d.Message)
		for _, l := range d.Labels {
			fmt.Fprintf(&b, "    %s %s\n", marked(l.Span), l.Message)
		}
	}
	return b.String()
}

func TestTheExampleIsClean(t *testing.T) {
	if list := Diagnostics(open(t, example(t)), fixedHost()); len(list) > 0 {
		t.Errorf("found\n%s\nwant at most 0", lines(list))
	}
}

// fault is a mistake that is put into the example: text of a file that is replaced, and the expected finding with both positions.
type fault struct {
	name        string
	file        string
	old, new    string // if old is "", new is appended
	code        string
	severity    diag.Severity
	at          string // in the form of marked
	other       string // of a label, in the form of marked
	message     string
	help        string // "": not checked
	alsoReplace [][3]string
	host        func() (target.Target, error)
	findings    int  // number of findings if one mistake has several effects; 0: one
	empty, gone bool // the file is empty, or missing
	alone       bool // the mistake is in one file only
}

func TestFaultsBetweenFiles(t *testing.T) {
	found := map[string]int{"suite/untraceable": 2, "suite/no-such-function": 2, "suite/other-machine": 2, // TestFaultsOfPrograms shows them
		"suite/not-handed": 2} // TestFaultsOfHandoffs shows it
	for _, f := range slices.Concat(faults, arrayFaults, placeFaults) {
		found[f.code]++
		t.Run(f.name, func(t *testing.T) {
			files := example(t)
			for _, r := range append([][3]string{{f.file, f.old, f.new}}, f.alsoReplace...) {
				if !strings.Contains(files[r[0]], r[1]) {
					t.Fatalf("%s has no `%s`", r[0], r[1])
				}
				if r[1] == "" {
					files[r[0]] += r[2]
				} else {
					files[r[0]] = strings.Replace(files[r[0]], r[1], r[2], 1)
				}
			}
			if f.empty {
				files[f.file] = ""
			}
			if f.gone {
				delete(files, f.file)
			}
			host := fixedHost()
			if f.host != nil {
				host.Target = f.host
			}
			list := slices.DeleteFunc(Diagnostics(open(t, files), host), func(d *diag.Diagnostic) bool { return d.Severity == diag.Info && d.Code.ID != f.code })
			for _, d := range list {
				if d.Code.ID != f.code || marked(d.Span) != f.at {
					continue
				}
				if d.Severity != f.severity || !strings.Contains(d.Message, f.message) {
					t.Errorf("said as %s\nwant %s, with: %s", lines(diag.List{d}), f.severity, f.message)
				}
				if f.help != "" && !slices.Contains(d.Help, f.help) {
					t.Errorf("helped by %q, want %q", d.Help, f.help)
				}
				if len(list) != max(1, f.findings) {
					t.Errorf("one mistake has %d findings:\n%s\nwant %v", len(list), lines(list), max(1, f.findings))
				}
				if f.alone || slices.ContainsFunc(d.Labels, func(l diag.Label) bool { return marked(l.Span) == f.other }) {
					return
				}
			}
			t.Errorf("not found: %s at %s with %s; found\n%s", f.code, f.at, f.other, lines(list))
		})
	}
	for _, code := range Codes() {
		if code.ID != "suite/ambiguous" && found[code.ID] < 2 {
			t.Errorf("%s is shown by %d faults, want 2 at least", code.ID, found[code.ID])
		}
	}
}

// Copies that a plugin makes need not be fed.
func TestCopiesAreFed(t *testing.T) {
	files := example(t)
	tree := strings.Replace(files["heat.yml"], "data:\n", "data:\n  copy: { type: array, subtype: double, size: [$rows, $cols] }\n", 1)
	tree = strings.Replace(tree, "plugins:\n", "plugins:\n  serialize: { field: copy }\n  json: { file: copy.json, write: [copy] }\n", 1)
	files["heat.yml"] = tree
	if list := Check(open(t, files), fixedHost()); list.HasErrors() || slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Severity == diag.Warning }) {
		t.Errorf("found\n%s\nwant no errors and no warnings", lines(list))
	}
}

// Names that may differ, and files that processes write together, are not reported.
func TestFilesThatDoNotMeet(t *testing.T) {
	for _, name := range []string{"'/scratch/heat_${rank}.h5'", "/scratch/heat.h5\n    communicator: $rank"} {
		files := example(t)
		files["heat.yml"] = strings.Replace(files["heat.yml"], "file: heat.h5", "file: "+name, 1)
		for _, d := range Check(open(t, files), fixedHost()) {
			if d.Code == twoWriters {
				t.Errorf("%s: %s; want other than %v", name, d.Message, twoWriters)
			}
		}
	}
}
