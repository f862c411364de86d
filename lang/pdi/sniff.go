package pdi

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// sniff reports whether a text is a tree. YAML belongs to many programs, and so do words such as `data`, `plugins` and
// `types`: a section counts only with values as no other program has them.
func sniff(text string) bool {
	if start, end, ok := syntax.Embedded(text); ok {
		text = text[start:end]
	}
	if !slices.ContainsFunc([]string{dataSection, typesSection, pluginsSection, wrapped}, func(word string) bool { return strings.Contains(text, word) }) {
		return false // it saves parsing; `metadata` has `data` in it
	}
	root := syntax.Parse(source.NewFile("", text)).Root.Resolved()
	if root.Kind != syntax.Mapping || slices.ContainsFunc(root.Entries, isForeign) {
		return false
	}
	if e, ok := root.Find(wrapped); ok && e.Value.Resolved().Kind == syntax.Mapping {
		root = e.Value.Resolved()
	}
	return has(root, metadataSection, declares) || has(root, dataSection, declares) || has(root, typesSection, declares) || has(root, typesSection, defines) ||
		has(root, pluginsSection, func(e syntax.Entry) bool { return FindPlugin(name(e.Key)) != nil })
}

// wrapped is the key of a tree inside a larger document.
const wrapped = "pdi"

// isForeign reports whether an outermost key is one of another program's files.
func isForeign(e syntax.Entry) bool {
	switch name(e.Key) {
	case "apiVersion", "kind", "services", "version", "jobs", "stages", "image", "script", "steps", "openapi", "swagger", "$schema":
		return true
	}
	return false
}

// has reports whether a section has an entry of the right shape. A section is a mapping, or a list of them.
func has(root *syntax.Node, section string, right func(syntax.Entry) bool) bool {
	e, ok := root.Find(section)
	if !ok || e.Value == nil {
		return false
	}
	n := e.Value.Resolved()
	if slices.ContainsFunc(n.Entries, right) {
		return true
	}
	return n.Kind == syntax.Sequence && slices.ContainsFunc(n.Entries, func(item syntax.Entry) bool {
		return item.Value != nil && slices.ContainsFunc(item.Value.Resolved().Entries, right)
	})
}

// declares reports whether an entry gives a name a type.
func declares(e syntax.Entry) bool {
	key := name(e.Key)
	return key != "" && key != "type" && e.Value != nil && isType(e.Value.Resolved())
}

// defines reports whether an item of a list is a type with a name of its own.
func defines(e syntax.Entry) bool {
	return e.Key == nil && e.Value != nil && e.Value.Resolved().Kind == syntax.Mapping && isType(e.Value.Resolved())
}

// isType reports whether a value describes a type: its name, or a mapping that names it. In a mapping a misspelt
// name counts: hardly anything else can be intended there.
func isType(n *syntax.Node) bool {
	if n.Kind == syntax.Scalar {
		return isTypeName(n.Value)
	}
	e, ok := n.Find("type")
	if n.Kind != syntax.Mapping || !ok || e.Value == nil {
		return false
	}
	typ := e.Value.Resolved()
	if typ.Kind != syntax.Scalar {
		return isType(typ)
	}
	_, near := problem.Nearest(typ.Value, data.TypeNames())
	return near || isTypeName(typ.Value)
}

// isTypeName reports whether a word is a type of the language or of a plugin.
func isTypeName(word string) bool {
	return isBuiltin(word) || typeOwner(word) != nil
}

// name is the text of a key, or "".
func name(key *syntax.Node) string {
	if key == nil || key.Resolved().Kind != syntax.Scalar {
		return ""
	}
	return key.Resolved().Value
}
