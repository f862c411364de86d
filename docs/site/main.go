// Site makes a static site of the documentation: `go run ./docs/site DIR`. It
// needs no server: open DIR/index.html.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "usage: go run ./docs/site DIR")
		os.Exit(2)
	}
	if err := build(os.DirFS("."), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// contents is the page that lists all others. Its headings are the headings of the menu.
const contents = "docs/README.md"

// page is a page of the site.
type page struct {
	Source string // in the repository, with slashes
	File   string // in the site
	Title  string
	Level  int // in the menu; 1 is below the page before
	Before *page
	After  *page
	parsed ast.Node
	text   []byte
}

// markdown parses the pages. Headings get the same anchors as on
// GitHub.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// build writes the site of a repository.
func build(repository fs.FS, dir string) error {
	l, err := read(repository)
	if err != nil {
		return err
	}
	copied := map[string]bool{}
	var index []entry
	for p := l.first; p != nil; p = p.After {
		content, err := p.html(l, func(name string) error {
			if copied[name] {
				return nil
			}
			copied[name] = true
			return copyFile(repository, name, filepath.Join(dir, filepath.FromSlash(name)))
		})
		if err != nil {
			return fmt.Errorf("%s: %w", p.Source, err)
		}
		index = append(index, p.entries()...)
		var b bytes.Buffer
		if err := layout.Execute(&b, map[string]any{"Page": p, "Root": p.root(), "Menu": l.menu, "Content": template.HTML(content)}); err != nil {
			return err
		}
		if err := write(filepath.Join(dir, filepath.FromSlash(p.File)), b.Bytes()); err != nil {
			return err
		}
	}
	found, err := json.Marshal(index)
	if err != nil {
		return err
	}
	// A script, because a page opened from a folder cannot fetch files.
	if err := write(filepath.Join(dir, "index.js"), append([]byte("const pages = "), append(found, ";\n"...)...)); err != nil {
		return err
	}
	for name, content := range map[string]string{"site.css": style, "search.js": search} {
		if err := write(filepath.Join(dir, name), []byte(content)); err != nil {
			return err
		}
	}
	return nil
}

// menuSection is a heading of the menu with its pages.
type menuSection struct {
	Title string
	Pages []*page
}

// library is all pages, by their names in the repository and in the order of the menu.
type library struct {
	repository fs.FS
	pages      map[string]*page
	menu       []menuSection
	first      *page
	last       *page
}

// read finds and parses all pages.
func read(repository fs.FS) (*library, error) {
	l := &library{repository: repository, pages: map[string]*page{}}
	l.section("Begin")
	for _, name := range []string{"README.md", contents} {
		if err := l.add(name, 0); err != nil {
			return nil, err
		}
	}
	if index := l.pages[contents]; index != nil {
		if err := l.follow(index); err != nil {
			return nil, err
		}
	}
	l.section("Examples")
	examples, err := fs.Glob(repository, "examples/*/README.md")
	if err != nil {
		return nil, err
	}
	for _, name := range examples {
		if err := l.add(name, 0); err != nil {
			return nil, err
		}
	}
	l.menu = slices.DeleteFunc(l.menu, func(s menuSection) bool { return len(s.Pages) == 0 })
	return l, nil
}

func (l *library) section(title string) { l.menu = append(l.menu, menuSection{Title: title}) }

// follow adds the pages that the list links to, in its order, below its headings.
func (l *library) follow(index *page) error {
	return ast.Walk(index.parsed, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				l.section(plain(n, index.text))
			}
		case *ast.Link:
			if name := path.Join(path.Dir(index.Source), string(n.Destination)); path.Ext(name) == ".md" {
				return ast.WalkContinue, l.add(name, 0)
			}
		}
		return ast.WalkContinue, nil
	})
}

// add parses a page, and the pages in the folder that has its name. A page that does not exist is found when links are checked.
func (l *library) add(name string, level int) error {
	content, err := fs.ReadFile(l.repository, name)
	if errors.Is(err, fs.ErrNotExist) || l.pages[name] != nil {
		return nil
	}
	if err != nil {
		return err
	}
	p := &page{Source: name, File: strings.TrimSuffix(name, ".md") + ".html", text: content, Level: level, Before: l.last}
	if name == "README.md" {
		p.File = "index.html"
	}
	p.parsed = markdown.Parser().Parse(text.NewReader(content))
	p.Title = p.title()
	if l.last == nil {
		l.first = p
	} else {
		l.last.After = p
	}
	l.pages[name], l.last = p, p
	section := &l.menu[len(l.menu)-1]
	section.Pages = append(section.Pages, p)
	below, err := fs.Glob(l.repository, strings.TrimSuffix(name, ".md")+"/*.md")
	if err != nil {
		return err
	}
	for _, name := range below {
		if err := l.add(name, level+1); err != nil {
			return err
		}
	}
	return nil
}

// title returns the first heading.
func (p *page) title() string {
	for n := p.parsed.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			return plain(h, p.text)
		}
	}
	return p.Source
}

// root returns the relative path to the first page.
func (p *page) root() string { return strings.Repeat("../", strings.Count(p.File, "/")) }

// html renders a page: links to pages lead to pages of the site, and images are
// copied. A broken link is an error.
func (p *page) html(l *library, copy func(string) error) (string, error) {
	err := ast.Walk(p.parsed, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			n.Destination, err = p.target(l, n.Destination, copy)
		case *ast.Image:
			n.Destination, err = p.target(l, n.Destination, copy)
		}
		return ast.WalkContinue, err
	})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = markdown.Renderer().Render(&b, p.text, p.parsed)
	return scrollable.Replace(b.String()), err
}

// scrollable lets the keyboard reach what may be wider than the page.
var scrollable = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<table tabindex="0">`)

const source = "https://github.com/pentode-dev/pentode/tree/main/"

// target converts a link of the repository to a link of the site.
func (p *page) target(l *library, link []byte, copy func(string) error) ([]byte, error) {
	name, anchor, hasAnchor := strings.Cut(string(link), "#")
	if name == "" || strings.Contains(name, "://") {
		return link, nil
	}
	full := path.Join(path.Dir(p.Source), name)
	info, err := fs.Stat(l.repository, full)
	if err != nil {
		return nil, fmt.Errorf("the link `%s` leads nowhere", link)
	}
	to := p.root() + full
	switch other := l.pages[full]; {
	case other != nil:
		to = p.root() + other.File
	case info.IsDir():
		to = source + full
	default:
		if err := copy(full); err != nil {
			return nil, err
		}
	}
	if hasAnchor {
		to += "#" + anchor
	}
	return []byte(to), nil
}

// entry is an entry of the search index: a heading, and the words below it.
type entry struct {
	File  string `json:"file"`
	Page  string `json:"page"`
	Title string `json:"title"`
	Words string `json:"words"`
}

var blanks = regexp.MustCompile(`\s+`)

// entries returns the headings of a page with their texts.
func (p *page) entries() []entry {
	var list []entry
	for n := p.parsed.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			e := entry{File: p.File, Page: p.Title, Title: plain(h, p.text)}
			if id, ok := h.AttributeString("id"); ok && h.Level > 1 {
				e.File += "#" + string(id.([]byte))
			}
			list = append(list, e)
			continue
		}
		if len(list) > 0 {
			e := &list[len(list)-1]
			e.Words = strings.TrimSpace(e.Words + " " + blanks.ReplaceAllString(plain(n, p.text), " "))
		}
	}
	return list
}

// plain returns the text of a node without formatting.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			b.WriteByte(' ')
		case *ast.FencedCodeBlock:
			b.Write(n.Lines().Value(source))
		case *ast.CodeBlock:
			b.Write(n.Lines().Value(source))
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

func copyFile(repository fs.FS, from, to string) error {
	content, err := fs.ReadFile(repository, from)
	if err != nil {
		return err
	}
	return write(to, content)
}

func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

//go:embed page.html
var layoutText string

//go:embed site.css
var style string

//go:embed search.js
var search string

var layout = template.Must(template.New("page").Parse(layoutText))
