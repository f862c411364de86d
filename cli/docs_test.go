package cli

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/launch"
)

// pages returns the paths of all documents written for readers.
func pages(t *testing.T) []string {
	t.Helper()
	root := golden.Root(t)
	var list []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/reference/*.md", "examples/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no pages %s: %v", pattern, err)
		}
		list = append(list, found...)
	}
	return list
}

var (
	shownLine  = regexp.MustCompile(`(?m)^ *(?:\$ )?((?:pentode|go run \./cmd/pentode) .*)$`)
	shownCode  = regexp.MustCompile("`(pentode [^`]*)`")
	substitute = regexp.MustCompile(`\$\((pentode [^)]*)\)`)
	pictured   = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
)

// TestShownCommandsExist: every verb and flag in a command of the documentation exists.
func TestShownCommandsExist(t *testing.T) {
	seen := 0
	for _, path := range pages(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var commands []string
		for _, pattern := range []*regexp.Regexp{shownLine, shownCode, substitute} {
			for _, m := range pattern.FindAllStringSubmatch(string(text), -1) {
				commands = append(commands, m[1])
			}
		}
		for _, command := range commands {
			line, _, _ := strings.Cut(command, " #")
			words, err := launch.Split(line)
			if err != nil {
				t.Errorf("%s: `%s` is not a command: %v", filepath.Base(path), command, err)
				continue
			}
			words = words[slices.IndexFunc(words, func(w string) bool { return strings.HasSuffix(w, "pentode") })+1:]
			if end := slices.IndexFunc(words, func(w string) bool { return w == ">" || w == "&&" || w == "|" }); end >= 0 {
				words = words[:end]
			}
			if slices.Contains(words, "VERB") {
				continue // VERB stands for any verb
			}
			seen++
			// A pattern such as FILE is not a valid argument, so only verbs and flags are checked. A page may also show a wrong command
			// together with its error message.
			if _, word, err := (&app{tree: (&app{}).root}).readArguments(words); err != nil && word != "" && !strings.Contains(err.Error(), "expected `pentode") && !strings.Contains(string(text), "pentode: "+err.Error()) {
				t.Errorf("%s: `%s`: %v", filepath.Base(path), command, err)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d commands were found", seen)
	}
}

// code matches text in backquotes.
var code = regexp.MustCompile("`[^`\n]+`")

// TestLinksLeadSomewhere: every file that a page links to exists.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, path := range pages(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pictured.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[1], "://") || strings.ContainsAny(m[1], " $") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s leads to %s, which is not there", filepath.Base(path), m[1])
			}
		}
	}
}

// TestPicturesAreTrue: the pictures in the documentation show what the program prints now.
func TestPicturesAreTrue(t *testing.T) {
	root := golden.Root(t)
	dir := t.TempDir()
	for _, example := range []string{"heat", "machines"} {
		if err := os.CopyFS(filepath.Join(dir, "examples", example), os.DirFS(filepath.Join(root, "examples", example))); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)

	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for picture, of := range map[string]string{"run.svg": "examples/heat", "machines.svg": "examples/machines/sheet.pipe", "way.svg": "examples/heat/heat.pipe"} {
		have, want := svgText(t, strings.NewReader(output(t, "graph", "--format", "svg", of))), svgText(t, open(t, root, "docs/pictures/"+picture))
		for i, line := range have {
			if line == host && i < len(want) {
				have[i] = want[i] // the name of the machine differs
			}
		}
		if !slices.Equal(have, want) {
			t.Errorf("docs/pictures/%s shows\n%s\nnot\n%s", picture, strings.Join(want, "\n"), strings.Join(have, "\n"))
		}
	}

	path := "examples/heat/heat.pinsight"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mistaken := strings.NewReplacer("MPI.rank(0-1)", "MPI.rank(0-3)", "Lexgion(pictures)", "Lexgion(picture)").Replace(string(text))
	if err := os.WriteFile(path, []byte(mistaken), 0o600); err != nil {
		t.Fatal(err)
	}
	printed := "$ pentode check examples/heat\n" + output(t, "check", "examples/heat")
	shown := strings.Join(svgText(t, open(t, root, "docs/pictures/check.svg")), "\n")
	if strings.TrimSpace(shown) != strings.TrimSpace(printed) {
		t.Errorf("docs/pictures/check.svg shows\n%s\nnot\n%s", shown, printed)
	}
}

// TestExamplesAreFormatted: `pentode fmt` has nothing to change in the examples.
func TestExamplesAreFormatted(t *testing.T) {
	t.Chdir(golden.Root(t))
	if list := output(t, "fmt", "--check", "examples"); list != "" {
		t.Errorf("`pentode fmt examples` would change\n%s\nwant nothing", list)
	}
}

// output returns what a verb prints, even if its exit code is exitNo.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out strings.Builder
	if code := Run(Options{}, args, strings.NewReader(""), &out, io.Discard); code > exitNo {
		t.Fatalf("%q ends with %d, want at most %v", args, code, exitNo)
	}
	return out.String()
}

func open(t *testing.T, root, name string) io.Reader {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReader(string(text))
}

// svgText returns the text of a picture, one line for each text element.
func svgText(t *testing.T, r io.Reader) []string {
	t.Helper()
	var lines []string
	inside := false
	for d := xml.NewDecoder(r); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if x.Name.Local == "text" {
				lines = append(lines, "")
				inside = true
			}
		case xml.EndElement:
			inside = inside && x.Name.Local != "text"
		case xml.CharData:
			if inside {
				lines[len(lines)-1] += string(x)
			}
		}
	}
}

// TestReadmeTable: README's first table is correct: a test follows the guide in each row, and every compiler named for targets has flags.
func TestReadmeTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(golden.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	tried, err := os.ReadFile("pages_test.go")
	if err != nil {
		t.Fatal(err)
	}
	guides := regexp.MustCompile(`(?m)^\|.*\[how\]\(docs/([^)]+)\) \| `).FindAllStringSubmatch(string(text), -1)
	if len(guides) != 5 {
		t.Errorf("%d rows name their guide, want 5", len(guides))
	}
	for _, m := range guides {
		if !strings.Contains(string(tried), `{"`+m[1]+`", `) {
			t.Errorf("no test follows docs/%s", m[1])
		}
	}
	compilers := regexp.MustCompile(`the flags of ([^:]+): \[how\]`).FindStringSubmatch(string(text))
	if compilers == nil {
		t.Fatal("no row names compilers")
	}
	for name := range strings.SplitSeq(compilers[1], ", ") {
		if flags := output(t, "target", "flags", strings.ToLower(name), "--compiler-version", "16", "x86-64-v3"); strings.TrimSpace(flags) == "" {
			t.Errorf("there are no flags for %s", name)
		}
	}
}

// kinds are the headings of docs/README.md, with the words by which a page of the kind states its purpose.
var kinds = map[string]string{"Tutorials": "This tutorial ", "How-to guides": "This how-to ", "Reference": "This reference ", "Explanation": "This page explains "}

// generated are the pages that tests write.
var generated = map[string]bool{"docs/codes.md": true, "docs/verbs.md": true}

// TestPagesHaveOneKind checks that docs/README.md lists every page once, and that each page states its purpose in its first paragraph,
// in the words of its kind, and says in its last one where to go next.
func TestPagesHaveOneKind(t *testing.T) {
	root := golden.Root(t)
	list, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	kind, listed := "", map[string]string{}
	for line := range strings.Lines(string(list)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			kind = strings.TrimSpace(title)
			if kinds[kind] == "" {
				t.Errorf("docs/README.md has the heading %q, which is no kind of page", kind)
			}
			continue
		}
		m := regexp.MustCompile(`^\| \[[^]]+\]\(([^)#]+)\) \|`).FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := filepath.ToSlash(filepath.Join("docs", m[1]))
		if listed[name] != "" {
			t.Errorf("docs/README.md lists %s twice", name)
		}
		listed[name] = kind
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"} {
		pages = append(pages, filepath.Join(root, name))
	}
	for _, path := range pages {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.ToSlash(rel)
		if name == "docs/README.md" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Split(strings.TrimSpace(string(text)), "\n\n")
		if words := kinds[listed[name]]; words == "" {
			t.Errorf("docs/README.md does not list %s", name)
		} else if len(blocks) < 3 || !strings.Contains(blocks[1], words) {
			t.Errorf("%s is listed under %s, and its first paragraph does not have the words %q", name, listed[name], words)
		}
		if last := blocks[len(blocks)-1]; !generated[name] && !strings.HasPrefix(last, "Next: ") {
			t.Errorf("the last paragraph of %s is %q, want one that begins with \"Next: \"", name, last)
		}
	}
}

// figure is a measurement in a text: a time or a rate with its unit.
var figure = regexp.MustCompile(`[0-9] (?:ns|µs)\b|[0-9] million a second|[0-9] GB/s`)

// TestFiguresOnOnePage checks that measurements appear only in docs/figures.md, next to the commands that reproduce them.
func TestFiguresOnOnePage(t *testing.T) {
	for _, path := range pages(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := figure.Find(text); (found != nil) != strings.HasSuffix(path, "figures.md") {
			t.Errorf("%s has the measurement %q, want measurements in docs/figures.md alone", path, found)
		}
	}
}
