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

// TestGoldenPages keeps docs/reference, docs/codes.md and the pages in docs/codes in step with the schema tables and codes.
func TestGoldenPages(t *testing.T) {
	languages := all.Languages(all.Options{})
	for _, l := range languages {
		var b bytes.Buffer
		if err := l.Schema().Markdown(&b); err != nil {
			t.Fatal(err)
		}
		page(t, filepath.Join("reference", l.Name+".md"), b.String())
	}
	sections := sectionsOf(languages)
	page(t, "codes.md", codesPage(sections))
	names := map[string]bool{}
	for i := range sections {
		page(t, filepath.Join("codes", sections[i].file()), sections[i].page())
		names[sections[i].file()] = true
	}
	files, err := os.ReadDir(filepath.Join(docs, "codes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !names[f.Name()] {
			t.Errorf("docs/codes/%s belongs to no language: delete it", f.Name())
		}
	}
}

// TestCodesAreListed: a code that is declared is one that people can ask for.
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

// TestCodePages: the address of each code leads to its heading on a page of docs/codes.
func TestCodePages(t *testing.T) {
	pages := map[string]string{}
	languages := all.Languages(all.Options{})
	for _, list := range append([][]*diag.Code{lang.SharedCodes(), project.Codes(), suite.Codes()}, codesOf(languages)...) {
		for _, c := range list {
			address, anchor, _ := strings.Cut(c.URL(), "#")
			_, name, ok := strings.Cut(address, "/docs/")
			if pages[name] == "" {
				text, err := os.ReadFile(filepath.Join(docs, filepath.FromSlash(name)))
				if err != nil || !ok {
					t.Fatalf("%s is explained at %s: %v", c.ID, address, err)
				}
				pages[name] = string(text)
			}
			if !strings.Contains(pages[name], "\n## `"+c.ID+"`\n") || anchor != strings.ReplaceAll(c.ID, "/", "") {
				t.Errorf("%s has no heading at %s", c.ID, c.URL())
			}
		}
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

// section is the codes of one language, or the codes that languages share.
type section struct {
	title string
	codes []*diag.Code
}

func sectionsOf(languages []*lang.Language) []section {
	sections := []section{{"All languages", lang.SharedCodes()}, {"The project file", project.Codes()}}
	for _, l := range languages {
		sections = append(sections, section{l.Title, l.Codes})
	}
	return append(sections, section{"The files of a run together", suite.Codes()})
}

// prefix begins the codes of the section.
func (s *section) prefix() string {
	prefix, _, _ := strings.Cut(s.codes[0].ID, "/")
	return prefix
}

// file is the page of the section, in docs/codes.
func (s *section) file() string { return s.prefix() + ".md" }

// codesPage lists the pages of codes.
func codesPage(sections []section) string {
	var b strings.Builder
	b.WriteString("# Codes\n\nEvery finding has a code. This reference lists the pages that explain them; `pentode explain CODE` prints the same text.\n\n| codes | of | how many |\n|---|---|---|\n")
	for _, s := range sections {
		fmt.Fprintf(&b, "| [`%s/`](codes/%s) | %s | %d |\n", s.prefix(), s.file(), s.title, len(s.codes))
	}
	b.WriteString("\nA comment in a file or a key of `pentode.toml` silences a code, or gives it another severity: [the project file](project.md).\n")
	return b.String()
}

// page lists the codes of the section, then explains each.
func (s *section) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Codes: %s\n\nEach finding whose code begins with `%s/`: what it means, an example that triggers it, and the same text without the fault. [All codes](../codes.md).\n\n| code | finding |\n|---|---|\n", s.title, s.prefix())
	for _, c := range s.codes {
		_, link, _ := strings.Cut(c.URL(), "#")
		_, name, _ := strings.Cut(c.ID, "/")
		fmt.Fprintf(&b, "| [%s](#%s) | %s: %s |\n", name, link, c.Severity, strings.ReplaceAll(c.Title, "|", "\\|"))
	}
	for _, c := range s.codes {
		fmt.Fprintf(&b, "\n## `%s`\n\n%s: %s.\n\n%s\n\nBad:\n\n```\n%s\n```\n\nGood:\n\n```\n%s\n```\n",
			c.ID, c.Severity, c.Title, c.Doc, example(c.Bad), example(c.Good))
	}
	return b.String()
}

// example is an example as a page shows it.
func example(text string) string { return visible.Text(strings.TrimRight(text, "\n")) }

// TestLanguagesAgree checks what the languages must have in common.
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
