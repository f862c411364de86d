package all_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace/project"
)

const docs = "../../docs"

// TestGoldenPages compares docs/reference and docs/codes.md with the schema tables and codes.
func TestGoldenPages(t *testing.T) {
	languages := all.Languages(all.Options{})
	for _, l := range languages {
		var b bytes.Buffer
		if err := l.Schema().Markdown(&b); err != nil {
			t.Fatal(err)
		}
		page(t, filepath.Join("reference", l.Name+".md"), b.String())
	}
	page(t, "codes.md", codes(languages))
}

// TestCodesAreListed: every declared code is in a list of codes, so that `explain` finds it.
func TestCodesAreListed(t *testing.T) {
	listed := map[string]bool{}
	for _, list := range append([][]*diag.Code{lang.SharedCodes(), project.Codes(), suite.Codes()}, codesOf(all.Languages(all.Options{}))...) {
		for _, c := range list {
			listed[c.ID] = true
		}
	}
	seen := 0
	for _, pattern := range []string{"../*.go", "../*/*.go", "../*/*/*.go", "../../suite/*.go", "../../workspace/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range regexp.MustCompile(`\bID:\s+"([a-z]+/[a-z0-9-]+)"`).FindAllStringSubmatch(string(text), -1) {
				if seen++; !listed[m[1]] {
					t.Errorf("%s declares %s, which is in no list of codes", file, m[1])
				}
			}
		}
	}
	if seen < 300 {
		t.Errorf("%d codes are declared, want more than 300", seen)
	}
}

func codesOf(languages []*lang.Language) (lists [][]*diag.Code) {
	for _, l := range languages {
		lists = append(lists, l.Codes)
	}
	return lists
}

func page(t *testing.T, name, text string) {
	path := filepath.Join(docs, name)
	if golden.Updating() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil || string(have) != text {
		t.Errorf("%s is not up to date: go test ./lang/all -update", name)
	}
}

// section is a part of codes.md.
type section struct {
	title string
	codes []*diag.Code
}

func codes(languages []*lang.Language) string {
	sections := []section{{"All languages", lang.SharedCodes()}, {"The project file", project.Codes()}}
	for _, l := range languages {
		sections = append(sections, section{l.Title, l.Codes})
	}
	sections = append(sections, section{"The files of a run together", suite.Codes()})

	var b strings.Builder
	b.WriteString("# Codes\n\nEvery finding has one of these codes. `pentode explain CODE` prints the same.\n\n| codes | of | how many |\n|---|---|---|\n")
	for _, s := range sections {
		prefix, _, _ := strings.Cut(s.codes[0].ID, "/")
		fmt.Fprintf(&b, "| `%s/` | [%s](#%s) | %d |\n", prefix, s.title, anchor(s.title), len(s.codes))
	}
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n| code | it says |\n|---|---|\n", s.title)
		for _, c := range s.codes {
			_, link, _ := strings.Cut(c.URL(), "#")
			_, name, _ := strings.Cut(c.ID, "/")
			fmt.Fprintf(&b, "| [%s](#%s) | %s: %s |\n", name, link, c.Severity, strings.ReplaceAll(c.Title, "|", "\\|"))
		}
		for _, c := range s.codes {
			fmt.Fprintf(&b, "\n### `%s`\n\n%s: %s.\n\n%s\n\nBad:\n\n```\n%s\n```\n\nGood:\n\n```\n%s\n```\n",
				c.ID, c.Severity, c.Title, c.Doc, example(c.Bad), example(c.Good))
		}
	}
	return b.String()
}

// anchor returns the anchor of a heading of plain words.
func anchor(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }

// example returns an example as a page shows it.
func example(text string) string { return visible.Text(strings.TrimRight(text, "\n")) }

// TestLanguagesAgree checks that every language has the required parts.
func TestLanguagesAgree(t *testing.T) {
	languages := all.Languages(all.Options{})
	roles := map[lang.Role]string{}
	for _, l := range languages {
		if other, taken := roles[l.Role]; taken {
			t.Errorf("%s and %s have the same role %s; want one each", l.Name, other, l.Role)
		}
		roles[l.Role] = l.Name
		if l.Schema() == nil || len(l.Codes) == 0 || len(l.Globs) == 0 {
			t.Errorf("%s lacks a schema, codes or file names", l.Name)
		}
		for _, c := range l.Codes {
			if !strings.HasPrefix(c.ID, l.Name+"/") {
				t.Errorf("%s has the code %s; want %q at the start", l.Name, c.ID, l.Name+"/")
			}
		}
	}
}
