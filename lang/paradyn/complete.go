package paradyn

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/paradyn/syntax"
)

// complete returns the completions at an offset.
func (m *Model) complete(f *source.File, offset int) []lang.Completion {
	if f != m.tree.File() {
		return nil
	}
	line := lang.LineBefore(f, offset)
	text := strings.TrimLeft(line, " \t")
	c := completer{Model: m, file: f, offset: offset}
	kind, field := c.context()
	typed := text[strings.LastIndexAny(text, " \t{;\"")+1:]
	switch {
	case strings.HasPrefix(text, "//"):
		return nil
	case kind == "":
		return c.definitions(typed)
	case kind == "tunable_constant" && c.named:
		return nil // a number follows
	case kind == "tunable_constant":
		return c.tunableNames(typed, strings.Count(line, `"`)%2 == 1)
	case kind == "list":
		return nil
	case field != "":
		return c.values(kind, field, typed, strings.Count(line, `"`)%2 == 1)
	}
	return c.fields(kind, typed)
}

type completer struct {
	*Model
	file   *source.File
	offset int
	have   []string // the fields that the enclosing block already has
	host   string   // the host of the enclosing block
	named  bool     // the cursor follows the name of a tunable constant
}

// context returns the definition around the cursor, and the field whose value
// is being written. It reads tokens, because an unfinished definition has no
// tree.
func (c *completer) context() (kind, field string) {
	t := c.tree
	depth, word := 0, ""
	var fields []string
	next := true // a field may begin here
	for i := range t.Tokens().Len() {
		at := t.TokenSpan(i)
		if at.Start >= c.offset {
			break
		}
		inside := at.End >= c.offset
		switch t.Kind(i) {
		case syntax.BraceOpen:
			depth++
			next = depth == 1 || next
			if depth == 1 {
				fields, c.host = nil, ""
			}
		case syntax.BraceClose:
			if depth--; depth <= 0 {
				depth, kind, word, c.named = 0, "", "", false
			}
		case syntax.Semicolon:
			if depth == 0 {
				kind = ""
			}
			next, word, c.named = true, "", false
		case syntax.Word:
			switch {
			case inside:
			case depth == 0:
				if w := t.Text(i); kind == "" || slices.Contains(keywords, w) { // in PCL, a word after the keyword that is not a keyword itself is a name
					kind = w
				}
			case next:
				word, next = t.Text(i), false
				fields = append(fields, word)
			}
		case syntax.String:
			c.named = c.named || !inside
			if word == "host" {
				c.host = t.Text(i)
			}
		}
	}
	if depth == 0 && kind != "tunable_constant" {
		return "", ""
	}
	if !slices.Contains(keywords, kind) {
		return "", ""
	}
	c.have = fields
	return kind, word
}

func (c *completer) item(label string, kind lang.Kind, typed, doc string) lang.Completion {
	return lang.Completion{Label: label, Kind: kind, Doc: doc, Replace: c.file.Span(c.offset-len(typed), c.offset)}
}

func (c *completer) definitions(typed string) []lang.Completion {
	var list []lang.Completion
	for _, s := range []struct{ name, insert, doc string }{
		{daemon, "daemon {\n    command \"${1:program}\";\n    host \"${2:localhost}\";\n}\n", blocks[0].Doc},
		{process, "process {\n    command \"${1:program}\";\n    host \"${2:localhost}\";\n    daemon \"${3:daemon}\";\n}\n", blocks[1].Doc},
		{visi, "visi {\n    name \"${1:name}\";\n    command \"${2:program}\";\n}\n", blocks[2].Doc},
		{"tunable_constant", "tunable_constant \"${1:name}\" ${2:1};\n", tunables.Doc},
		{"list", "list \"${1:name}\" { \"${2:item}\" };\n", lists.Doc},
	} {
		item := c.item(s.name, lang.Keyword, typed, s.doc)
		item.Insert, item.Snippet = s.insert, true
		list = append(list, item)
	}
	return list
}

// fields returns the fields that the block does not have yet.
func (c *completer) fields(kind, typed string) []lang.Completion {
	var list []lang.Completion
	dialect := PSDL
	if !c.pcl.IsZero() {
		dialect = PCL
	}
	for _, name := range fieldNames(kind, dialect) {
		if slices.Contains(c.have, name) && name != typed {
			continue
		}
		k := section(kind).Key(name)
		item := c.item(name, lang.Key, typed, k.Describe())
		item.Insert, item.Snippet, item.Later = name+` "$1";`, true, !k.Required
		if name == "args" {
			item.Insert = `args { "$1" };`
		}
		if name == "flavor" {
			item.Insert = "flavor ${1:pvm};"
		}
		list = append(list, item)
	}
	return list
}

// values returns the words of a field; for `daemon`, these are the daemons on
// the same host.
func (c *completer) values(kind, field, typed string, quoted bool) []lang.Completion {
	var list []lang.Completion
	add := func(label, doc string, what lang.Kind) {
		item := c.item(label, what, typed, doc)
		if !quoted && what != lang.Word {
			item.Insert = `"` + label + `"`
		}
		list = append(list, item)
	}
	switch field {
	case "flavor":
		for _, name := range flavors {
			add(name, "", lang.Word)
		}
	case daemon:
		for _, b := range c.Daemons {
			if c.host == "" || b.Text("host") == c.host {
				add(b.Text("command"), "A daemon on `"+c.Model.host(b)+"`.", lang.Daemon)
			}
		}
	case "host":
		seen := map[string]bool{}
		add("localhost", "This machine.", lang.Text)
		seen["localhost"] = true
		for _, blocks := range [][]*Block{c.Daemons, c.Processes} {
			for _, b := range blocks {
				if h := b.Text("host"); h != "" && !seen[h] {
					seen[h] = true
					add(h, "", lang.Text)
				}
			}
		}
	}
	return list
}

// tunableNames returns Paradyn's constants that the file does not set.
func (c *completer) tunableNames(typed string, quoted bool) []lang.Completion {
	var list []lang.Completion
	for i := range tunables.Keys {
		k := &tunables.Keys[i]
		if slices.ContainsFunc(c.Tunables, func(t Tunable) bool { return t.Name == k.Name }) {
			continue
		}
		item := c.item(k.Name, lang.Tunable, typed, k.Describe())
		if !quoted {
			item.Insert = `"` + k.Name + `"`
		}
		list = append(list, item)
	}
	return list
}
