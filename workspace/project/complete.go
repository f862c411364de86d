package project

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// Completion is a text that can be inserted at a place in a project file.
type Completion struct {
	Label   string
	Insert  string
	Takes   string      // what the value of the key looks like; empty if the completion is a value
	Doc     string      // Markdown
	Replace source.Span // the text that was already typed
}

// Complete returns the completions at an offset. programs are the names of the programs in the
// project's launch plans.
func Complete(f *source.File, offset int, n Names, programs []string) []Completion {
	p, ok := locate(f.Text(), offset)
	if !ok {
		return nil
	}
	at := f.Span(p.start, p.end)
	if p.value {
		return p.values(n, at)
	}
	var list []Completion
	for _, k := range n.below(p.path, p.head) {
		c := Completion{Label: k.Name, Insert: k.Name, Takes: k.Takes, Doc: k.Doc, Replace: at}
		switch {
		case p.head && k.Name == launchTable && len(p.path) == 0:
			c.Insert += "." // the name of a program must follow
		case !p.head && k.Table:
			c.Insert += "."
		case !p.head && !strings.Contains(f.Text()[p.end:][:lineEnd(f.Text()[p.end:])], "="):
			c.Insert += " = "
		}
		list = append(list, c)
	}
	if slices.Equal(p.path, []string{launchTable}) {
		for _, name := range programs {
			list = append(list, Completion{Label: name, Insert: quoteKey(name), Takes: "a program", Doc: "the project's settings for `" + name + "`", Replace: at})
		}
	}
	return list
}

// below returns the keys that can follow a path, named relative to it.
func (n Names) below(path []string, head bool) (list []Key) {
	switch {
	case len(path) == 1 && path[0] == launchTable:
		return nil
	case len(path) == 1 && path[0] == runTable:
		return slices.DeleteFunc(slices.Clone(n.Launch.Runs), func(k Key) bool { return head && !k.Table })
	case len(path) == 2 && path[0] == launchTable:
		return slices.DeleteFunc(slices.Clone(n.Launch.Programs), func(k Key) bool { return head && !k.Table })
	case len(path) == 1 && path[0] == "severity":
		for _, code := range n.Codes {
			list = append(list, Key{Name: quoteKey(code), Takes: "`error`, `warning` or `info`"})
		}
		return list
	case len(path) > 1:
		return nil
	}
	sections := map[string]bool{}
	for _, k := range keyList(n) {
		section, name, ok := strings.Cut(k.Name, ".")
		switch {
		case len(path) == 1:
			if ok && section == path[0] && !head {
				k.Name = name
				list = append(list, k)
			}
		case ok && !sections[section]:
			sections[section] = true
			list = append(list, Key{Name: section, Table: true, Takes: "a table", Doc: "the settings for files of this language"})
		case !ok && (!head || k.Table):
			list = append(list, k)
		}
	}
	return list
}

// key returns the setting to which a full key refers.
func (n Names) key(path []string) (Key, bool) {
	switch {
	case len(path) > 2 && path[0] == launchTable:
		return find(n.Launch.Programs, path[2])
	case len(path) > 1 && path[0] == runTable:
		return find(n.Launch.Runs, path[1])
	case len(path) == 2:
		if k, ok := find(keyList(n), path[0]+"."+path[1]); ok {
			return k, true
		}
	}
	if len(path) == 0 || len(path) > 2 {
		return Key{}, false
	}
	k, ok := find(keyList(n), path[0])
	return k, ok && (len(path) == 1 || k.Table)
}

// values returns the words that a value can be.
func (p place) values(n Names, at source.Span) (list []Completion) {
	k, ok := n.key(p.path)
	if !ok {
		return nil
	}
	for _, word := range k.Words {
		c := Completion{Label: word, Insert: word, Replace: at}
		if !p.quoted {
			c.Insert = `"` + word + `"`
		}
		list = append(list, c)
	}
	return list
}

// Describe describes the setting at a place in Markdown, and returns the place of the key or value.
func Describe(f *source.File, offset int, n Names) (text string, at source.Span, ok bool) {
	p, ok := locate(f.Text(), offset)
	if !ok || p.start == p.end {
		return "", at, false
	}
	path := p.path
	if !p.value {
		path = append(path[:len(path):len(path)], strings.Trim(f.Text()[p.start:p.end], "\"'"))
	}
	at = f.Span(p.start, p.end)
	k, ok := n.key(path)
	if !ok && len(path) == 1 && slices.ContainsFunc(n.below(nil, true), func(k Key) bool { return k.Name == path[0] }) {
		return fmt.Sprintf("`[%s]`\n\nthe settings for files of this language", path[0]), at, true
	}
	if !ok {
		return "", at, false
	}
	return fmt.Sprintf("`%s`\n\n%s\n\nIt takes %s.", strings.Join(path, "."), k.Doc, k.Takes), at, true
}

// quoteKey returns a part of a key, in quotes if that is necessary.
func quoteKey(name string) string {
	bare := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !bare(r) }) < 0 {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}
