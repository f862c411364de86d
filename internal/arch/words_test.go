package arch

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// turn is a turn of phrase that plain English rarely needs. The budgets are a thermometer: a sentence that has one
// is better written anew than with another word in its place.
type turn struct {
	name   string
	find   *regexp.Regexp
	budget float64 // in 1,000 lines of comments, or in 11,000 words of documents
	inText int     // in strings that reach users
}

var turns = []turn{
	{"that of, those of", regexp.MustCompile(`\b(that|those) of\b`), 3, 0},
	{"where it, where there", regexp.MustCompile(`\bwhere (it|that|there|they)\b`), 5, 15},
	{"behind", regexp.MustCompile(`\bbehind\b`), 2, 0},
	{"a statement that begins with What", regexp.MustCompile(`(?:^|[.;:] )What [a-z][^?]*$`), 2, 0},
	{"one that", regexp.MustCompile(`\b[Oo]ne that\b`), 1, 0},
	{"nobody, somebody, anybody", regexp.MustCompile(`\b([Nn]o|[Ss]ome|[Aa]ny)body\b`), 0.5, 0},
}

// texts are the lines of prose in the repository.
type texts struct {
	comments, documents, strings []prose
}

// prose is a line of text and its place.
type prose struct{ place, line string }

// TestWords: comments, documents and messages are written in plain English.
func TestWords(t *testing.T) {
	all := readTexts(t)
	if len(all.comments) < 20000 || len(all.documents) < 3000 || len(all.strings) < 10000 {
		t.Fatalf("only %d lines of comments, %d of documents and %d strings were read", len(all.comments), len(all.documents), len(all.strings))
	}
	words := 0
	for _, p := range all.documents {
		words += len(strings.Fields(p.line))
	}
	for _, turn := range turns {
		within(t, turn, "1,000 lines of comments", all.comments, turn.budget*float64(len(all.comments))/1000)
		within(t, turn, "11,000 words of documents", all.documents, turn.budget*float64(words)/11000)
		within(t, turn, "all strings that reach users", all.strings, float64(turn.inText))
	}
}

func within(t *testing.T, turn turn, where string, lines []prose, budget float64) {
	t.Helper()
	var found []string
	for _, p := range lines {
		for range turn.find.FindAllString(p.line, -1) {
			found = append(found, p.place+": "+p.line)
		}
	}
	if float64(len(found)) > budget {
		t.Errorf("%q is there %d times, and at most %.0f fit the budget of %s:\n\t%s", turn.name, len(found), budget, where, strings.Join(found[:min(len(found), 30)], "\n\t"))
	}
}

// readTexts reads every file of the repository that people write.
func readTexts(t *testing.T) (all texts) {
	t.Helper()
	root := golden.Root(t)
	out, err := exec.Command("git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z").Output()
	need.Ability(t, "a clone made by git", err)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if strings.Contains(name, "testdata/") || strings.HasPrefix(filepath.Base(name), "zz_") {
			continue
		}
		how, markdown := languageOf(name)
		if how == nil && !markdown {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue // deleted, and not committed yet
		}
		if markdown {
			all.documents = append(all.documents, document(name, string(text))...)
			continue
		}
		comments, literals := split(name, string(text), how)
		all.comments = append(all.comments, comments...)
		if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "bench/") && !strings.HasPrefix(name, "tools/") && !strings.HasPrefix(name, "python/tests/") {
			all.strings = append(all.strings, literals...)
		}
	}
	return all
}

// notation is how a programming language writes comments and strings.
type notation struct {
	line   string // begins a comment
	block  [2]string
	quotes []string // the longest first; `raw` ones have no escapes
	raw    []string
}

var notations = map[string]*notation{
	".go":  {line: "//", block: [2]string{"/*", "*/"}, quotes: []string{`"`, "'"}, raw: []string{"`"}},
	".c":   {line: "//", block: [2]string{"/*", "*/"}, quotes: []string{`"`, "'"}},
	".h":   {line: "//", block: [2]string{"/*", "*/"}, quotes: []string{`"`, "'"}},
	".js":  {line: "//", block: [2]string{"/*", "*/"}, quotes: []string{`"`, "'", "`"}},
	".mjs": {line: "//", block: [2]string{"/*", "*/"}, quotes: []string{`"`, "'", "`"}},
	".py":  {line: "#", quotes: []string{`"""`, `"`, "'"}},
	".lua": {line: "--", quotes: []string{`"`, "'"}},
	".el":  {line: ";", quotes: []string{`"`}},
}

func languageOf(name string) (how *notation, markdown bool) {
	ending := filepath.Ext(name)
	return notations[ending], ending == ".md"
}

// document is what a page says, without its blocks of code.
func document(name, text string) (lines []prose) {
	code := false
	n := 0
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		n++
		switch line := s.Text(); {
		case strings.HasPrefix(line, "```"):
			code = !code
		case !code && strings.TrimSpace(line) != "":
			lines = append(lines, prose{fmt.Sprintf("%s:%d", name, n), line})
		}
	}
	return lines
}

// split takes the comments and the strings out of a program.
func split(name, text string, how *notation) (comments, literals []prose) {
	n := 1
	take := func(list *[]prose, length int) {
		for line := range strings.SplitSeq(text[:length], "\n") {
			*list = append(*list, prose{fmt.Sprintf("%s:%d", name, n), strings.TrimSpace(line)})
			n++
		}
		n--
		text = text[length:]
	}
	for text != "" {
		switch q, raw := opening(text, how); {
		case strings.HasPrefix(text, how.line):
			length := strings.IndexByte(text, '\n')
			if length < 0 {
				length = len(text)
			}
			text = text[len(how.line):]
			take(&comments, length-len(how.line))
		case how.block[0] != "" && strings.HasPrefix(text, how.block[0]):
			length := strings.Index(text, how.block[1])
			if length < 0 {
				length = len(text)
			}
			take(&comments, length)
		case q != "":
			text = text[len(q):]
			length := closing(text, q, raw)
			take(&literals, length)
			text = text[min(len(q), len(text)):]
		case text[0] == '\n':
			n++
			fallthrough
		default:
			text = text[1:]
		}
	}
	return comments, literals
}

// opening is the quote that a text begins with.
func opening(text string, how *notation) (quote string, raw bool) {
	for _, q := range how.raw {
		if strings.HasPrefix(text, q) {
			return q, true
		}
	}
	for _, q := range how.quotes {
		if strings.HasPrefix(text, q) {
			return q, false
		}
	}
	return "", false
}

// closing is where the string ends that the quote has begun.
func closing(text, quote string, raw bool) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && !raw:
			i++
		case strings.HasPrefix(text[i:], quote):
			return i
		}
	}
	return len(text)
}

// TestWordsBite: each turn is found in the comments, strings and documents that have it, and not in code.
func TestWordsBite(t *testing.T) {
	const code = `package p // that of the caller
/* behind it
   where there is none */
var s, r = "nobody \" one that", ` + "`What is raw`" + `
var c, those = '"', of(behind)
`
	comments, literals := split("p.go", code, notations[".go"])
	want := map[string][]string{
		"that of, those of": {"p.go:1"}, "behind": {"p.go:2"}, "where it, where there": {"p.go:3"},
		"nobody, somebody, anybody": {"p.go:4"}, "one that": {"p.go:4"}, "a statement that begins with What": {"p.go:4"},
	}
	found := map[string][]string{}
	for _, turn := range turns {
		for _, p := range append(slices.Clone(comments), literals...) {
			if turn.find.MatchString(p.line) {
				found[turn.name] = append(found[turn.name], p.place)
			}
		}
	}
	if !maps.EqualFunc(found, want, slices.Equal) {
		t.Errorf("found %v, want %v", found, want)
	}
	if lines := document("p.md", "a\n```\nbehind\n```\nb\n"); len(lines) != 2 || lines[1] != (prose{"p.md:5", "b"}) {
		t.Errorf("a page has the lines %v, want its two lines without the code", lines)
	}
	python, _ := split("p.py", "\"\"\"a # b\n'c'\"\"\"\nx = 'd' # e\n", notations[".py"])
	if len(python) != 1 || python[0] != (prose{"p.py:3", "e"}) {
		t.Errorf("the comments of a Python program are %v, want one", python)
	}
}
