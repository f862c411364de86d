package pdi

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// complete lists what may be written at an offset. A half-written line is seldom valid YAML, so the keys around it are found by indentation.
//
//	lines above ──▶ keys around ──▶ rule ──▶ names that fit
func (m *Model) complete(f *source.File, offset int) []lang.Completion {
	line := lang.LineBefore(f, offset)
	c := completer{Model: m, file: f, offset: offset}
	text, indent, dashes := bullet(line)
	if strings.HasPrefix(text, "#") || strings.Contains(text, " #") {
		return nil // a comment
	}
	c.begins = dashes > 0
	c.around(f.Text()[:offset-len(line)], line, indent)
	if i := strings.LastIndexByte(line, '$'); i >= 0 && !strings.ContainsAny(line[i:], " }],") {
		return c.names(strings.TrimPrefix(line[i+1:], "{"), true)
	}
	if i := strings.LastIndexAny(text, "{,"); i >= 0 && strings.Contains(text, "{") {
		return c.inFlow(strings.TrimLeft(text[i+1:], " "))
	}
	key, value, ok := strings.Cut(text, ":")
	if !ok || value != "" && value[0] != ' ' {
		keys := c.mappingKeys(text, indent)
		if len(c.siblings(indent)) > 0 || strings.HasPrefix(lang.LineAfter(f, offset), ":") {
			return keys
		}
		return append(keys, c.scalars(c.rule(), text)...)
	}
	r := c.below(c.rule(), strings.Trim(key, `"' `))
	typed := value[strings.LastIndexAny(value, " [{,\"'")+1:]
	if len(c.keys) == 0 && strings.TrimSpace(key) == includeSection {
		return lang.CompleteFiles(f, offset, typed, []string{filepath.Dir(f.Path())}, isTree)
	}
	if strings.TrimSpace(key) == "type" && c.rule() != nil && c.rule().Type {
		return c.types(typed, true)
	}
	return c.scalars(r, typed)
}

// inFlow completes a part of `{type: array, …}`, which has the keys of a type.
func (c *completer) inFlow(text string) []lang.Completion {
	key, value, ok := strings.Cut(text, ":")
	typed := strings.TrimLeft(value, " ")
	switch {
	case !ok || strings.ContainsAny(typed, "[ "):
		return nil
	case key == "type":
		return c.types(typed, true)
	case key == "subtype":
		return c.types(typed, false)
	}
	return nil
}

func isTree(name string) bool { return filepath.Ext(name) == ".yml" || filepath.Ext(name) == ".yaml" }

// bullet removes the dashes at the start of a line. indent is the column of the text after them.
func bullet(line string) (text string, indent, dashes int) {
	text = strings.TrimLeft(line, " ")
	for strings.HasPrefix(text, "- ") || text == "-" {
		text = strings.TrimLeft(strings.TrimPrefix(text, "-"), " ")
		dashes++
	}
	return text, len(line) - len(text), dashes
}

type completer struct {
	*Model
	file   *source.File
	offset int
	keys   []string // the enclosing keys; `-` is an item of a list
	above  []string // the lines before
	begins bool     // the line begins an item of a list
}

// around finds the keys that enclose a line. indent is the column of the line's text after its dashes.
func (c *completer) around(text, line string, indent int) {
	c.above = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	list := indent // the column of the enclosing list; other items of that list are skipped
	item := func(line string, dashes int) {
		for range dashes {
			c.keys = append([]string{"-"}, c.keys...)
		}
		if dashes > 0 {
			list = len(line) - len(strings.TrimLeft(line, " "))
			indent = list + 1 // the key of a list may be in the same column as its dashes
		}
	}
	_, _, dashes := bullet(line)
	item(line, dashes)
	for i := len(c.above) - 1; i >= 0 && indent > 0; i-- {
		body, at, dashes := bullet(strings.TrimRight(c.above[i], "\r"))
		if body == "" || body[0] == '#' {
			continue
		}
		if at < indent {
			if key, _, ok := strings.Cut(body, ":"); ok {
				c.keys = append([]string{strings.Trim(key, `"' `)}, c.keys...)
				indent, list = at, at
			}
		}
		if start := len(c.above[i]) - len(strings.TrimLeft(c.above[i], " ")); start < list {
			item(c.above[i], dashes)
		}
	}
	if len(c.keys) > 0 && c.keys[0] == "pdi" {
		c.keys = c.keys[1:]
	}
}

// rule returns the rule for the place of the cursor, or nil.
func (c *completer) rule() *config.Rule {
	r := rootRule
	for i, key := range c.keys {
		if i == 1 && c.keys[0] == pluginsSection {
			spec := c.FindPlugin(key)
			if spec == nil {
				return nil
			}
			r = spec.Config
			continue
		}
		r = c.below(r, key)
		if r == nil {
			return nil
		}
	}
	return r
}

// members are the rules for the members of a struct, which are a list of names with their types, and of a record, which are a mapping.
var members = &config.Rule{List: &config.Rule{Names: datatype}, Names: &config.Rule{Type: true, Keys: member.Keys}}

// below returns the rule of a key's value.
func (c *completer) below(r *config.Rule, key string) *config.Rule {
	switch {
	case r == nil:
		return nil
	case key == "-":
		return r.List
	case r.Type && key == "members":
		return members
	case r.Type && key == "elements":
		return &config.Rule{List: &config.Rule{Type: true, Keys: member.Keys}}
	case r.Type:
		own := (&config.Rule{Keys: r.Keys}).Find(key)
		for _, t := range typeRules {
			if k := t.Find(key); k != nil && own == nil {
				own = k
			}
		}
		if own == nil {
			return nil
		}
		return own.Rule
	}
	if k := r.Find(key); k != nil {
		return k.Rule
	}
	return r.Names
}

func (c *completer) item(label string, kind lang.Kind, typed, doc string) lang.Completion {
	return lang.Completion{Label: label, Kind: kind, Doc: doc, Replace: c.file.Span(c.offset-len(typed), c.offset)}
}

// mappingKeys returns the keys that may be added at the cursor.
func (c *completer) mappingKeys(typed string, indent int) []lang.Completion {
	r := c.rule()
	if r == nil {
		return nil
	}
	written := c.siblings(indent)
	if len(c.keys) == 1 && c.keys[0] == pluginsSection {
		var list []lang.Completion
		for i := range c.known {
			if p := &c.known[i]; p.Removed == "" && written[p.Name] == "" {
				item := c.item(p.Name, lang.Plugin, typed, pluginDoc(p))
				item.Insert, item.Later = p.Name+":", p.Runs != data.Everywhere
				list = append(list, item)
			}
		}
		return list
	}
	keys := r.Keys
	if r.Type {
		keys = append(slices.Clone(keys), config.Key{Name: "type", Rule: &config.Rule{}, Doc: "The name of the type."})
		if t := typeRules[strings.TrimSpace(written["type"])]; t != nil {
			keys = append(keys, t.Keys...)
		}
	}
	var list []lang.Completion
	for i := range keys {
		k := &keys[i]
		if _, have := written[k.Name]; have {
			continue
		}
		item := c.item(k.Name, lang.Key, typed, describeKey(*k))
		item.Insert, item.Later = k.Name+": ", !k.Required && k.Name != "type"
		list = append(list, item)
	}
	if r.NameIs == config.Reads || r.NameIs == config.Writes {
		for _, n := range c.names(typed, false) {
			n.Insert = n.Label + ": "
			list = append(list, n)
		}
	}
	return list
}

// siblings returns the keys above the cursor in the same mapping, with their values.
func (c *completer) siblings(indent int) map[string]string {
	found := map[string]string{}
	if c.begins {
		return found
	}
	for i := len(c.above) - 1; i >= 0; i-- {
		body, at, dashes := bullet(strings.TrimRight(c.above[i], "\r"))
		if body == "" || body[0] == '#' || at > indent {
			continue
		}
		if at < indent {
			break
		}
		if key, value, ok := strings.Cut(body, ":"); ok {
			value, _, _ = strings.Cut(value, "#")
			found[strings.Trim(key, `"' `)] = value + " "
		}
		if dashes > 0 {
			break
		}
	}
	return found
}

// scalars returns the words and names that may be written at the cursor.
func (c *completer) scalars(r *config.Rule, typed string) []lang.Completion {
	switch {
	case r == nil:
		return nil
	case r.Type:
		return c.types(typed, false)
	}
	words := r.Words
	if r.Scalar == config.Level {
		words = logging.Levels[:]
	}
	var list []lang.Completion
	for _, w := range words {
		list = append(list, c.item(w, lang.Word, typed, ""))
	}
	switch r.Scalar {
	case config.Reads, config.Writes:
		list = append(list, c.names(typed, false)...)
	case config.Event:
		seen := map[string]bool{}
		for o := range c.occurrences() {
			if _, name, _ := strings.Cut(o.Symbol, " "); o.Kind == lang.Event && !seen[name] {
				seen[name] = true
				list = append(list, c.item(name, lang.Event, typed, ""))
			}
		}
	}
	if r.List != nil && r.List != r {
		list = append(list, c.scalars(r.List, typed)...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(item lang.Completion) bool { // a name may be allowed both alone and in a list
		twice := seen[item.Label]
		seen[item.Label] = true
		return twice
	})
}

// types returns the types of the language and of the tree. It includes types that need further keys only if mapping is set, and omits a type
// inside its own declaration.
func (c *completer) types(typed string, mapping bool) []lang.Completion {
	var list []lang.Completion
	for _, d := range c.Types {
		if len(c.keys) > 1 && c.keys[0] == typesSection && c.keys[1] == d.Name {
			continue
		}
		list = append(list, c.item(d.Name, lang.Type, typed, "Declared in `types`."))
	}
	for _, name := range data.TypeNames() {
		needs := typeRules[name]
		if !mapping && needs != nil && slices.ContainsFunc(needs.Keys, func(k config.Key) bool { return k.Required }) {
			continue
		}
		list = append(list, c.item(name, lang.Type, typed, typeDocs[name]))
	}
	return list
}

// names returns the metadata and, if they may be read, the data. Expressions of sizes and conditions read metadata only.
func (c *completer) names(typed string, reference bool) []lang.Completion {
	var list []lang.Completion
	for _, d := range c.Metadata {
		list = append(list, c.item(d.Name, lang.Datum, typed, "Metadata of type `"+typeOf(d.value)+"`."))
	}
	if reference && c.inPlugins() || !reference {
		for _, d := range c.Data {
			item := c.item(d.Name, lang.Datum, typed, "Data of type `"+typeOf(d.value)+"`.")
			item.Later = reference
			list = append(list, item)
		}
	}
	return list
}

// inPlugins reports whether the cursor is in the configuration of a plugin. The values there may read data that are shared at the time.
func (c *completer) inPlugins() bool { return len(c.keys) > 0 && c.keys[0] == pluginsSection }
