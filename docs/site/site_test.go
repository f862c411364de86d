package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pentode-dev/pentode/internal/golden"
)

var (
	link   = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	anchor = regexp.MustCompile(`id="([^"]*)"`)
)

// TestSite builds the site of the repository: every link inside it leads to a
// file, and to a heading if it names one; no page loads anything from elsewhere.
func TestSite(t *testing.T) {
	dir := t.TempDir()
	if err := build(os.DirFS(golden.Root(t)), dir); err != nil {
		t.Fatal(err)
	}
	held := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		held[filepath.ToSlash(rel)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for name, content := range held {
		for _, m := range anchor.FindAllStringSubmatch(content, -1) {
			ids[name+"#"+m[1]] = true
		}
	}
	links := 0
	for name, content := range held {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(content, -1) {
			to, part, hasPart := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				if strings.Contains(m[0], "src=") {
					t.Errorf("%s loads %s from another site, want no %q in it", name, to, "src=")
				}
				continue
			}
			links++
			full := name
			if to != "" {
				full = path.Join(path.Dir(name), to)
			}
			if _, ok := held[full]; !ok {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			} else if hasPart && !ids[full+"#"+part] {
				t.Errorf("%s links to %s, but the page has no such heading", name, m[1])
			}
		}
	}
	if len(held) < 30 || links < 500 {
		t.Errorf("the site has %d files and %d links, want at least 30 and 500", len(held), links)
	}
	if !strings.Contains(held["index.js"], `"file":"docs/codes/sprokit.html#sprokitunknown-type"`) {
		t.Error("the search index has no code")
	}
}

// TestAllPages: the list of pages names every page of the documentation, and each page leads to the next.
func TestAllPages(t *testing.T) {
	root := golden.Root(t)
	l, err := read(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	err = fs.WalkDir(os.DirFS(root), "docs", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" && l.pages[name] == nil {
			t.Errorf("%s is not in %s", name, contents)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	chain := 0
	for p := l.first; p != nil; p = p.After {
		if chain++; p.After != nil && p.After.Before != p {
			t.Errorf("the page before %s is not %s", p.After.Source, p.Source)
		}
	}
	if chain != len(l.pages) || chain < 50 {
		t.Errorf("%d of %d pages follow each other, want all, and at least 50", chain, len(l.pages))
	}
}

// TestBadLink: a page that leads nowhere makes no site.
func TestBadLink(t *testing.T) {
	err := build(fstest.MapFS{"README.md": {Data: []byte("# A\n\n[b](b.md)\n")}}, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "README.md: the link `b.md` leads nowhere") {
		t.Errorf("got %v", err)
	}
}
