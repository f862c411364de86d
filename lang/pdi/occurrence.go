package pdi

import (
	"iter"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// wordKinds are the kinds of tokens that mean the same everywhere.
var wordKinds = map[token.Kind]lang.Kind{
	syntax.Comment: lang.Comment, syntax.Plain: lang.Text, syntax.Single: lang.Text, syntax.Double: lang.Text,
	syntax.BlockText: lang.Text, syntax.Header: lang.Operator, syntax.Anchor: lang.Macro, syntax.Star: lang.Macro,
	syntax.Tag: lang.Keyword, syntax.Directive: lang.Keyword,
}

// DatumSymbol returns the symbol of metadata or data, which share one set of names.
func DatumSymbol(name string) string { return "datum " + name }

// EventSymbol returns the symbol of an event.
func EventSymbol(name string) string { return "event " + name }

func typeSymbol(name string) string { return "type " + name }

// occurrences yields the occurrences in all trees. It uses the same rules as the check, so the two always agree on what a place
// means.
func (m *Model) occurrences() iter.Seq[lang.Occurrence] {
	return func(yield func(lang.Occurrence) bool) {
		s := &survey{Model: m, yield: yield, seen: map[*data.Node]bool{}}
		for _, f := range m.Files {
			s.root(f)
			s.anchors(f, f.Tree.Root)
		}
	}
}

// survey walks a tree by its rules.
type survey struct {
	*Model
	yield func(lang.Occurrence) bool
	done  bool
	seen  map[*data.Node]bool // anchored nodes that were visited
}

// add yields the occurrence at a value, unless the value is not from a file.
func (s *survey) add(v value, o lang.Occurrence) {
	if v.syn == nil || s.isOverridden(v.Node) {
		return
	}
	if o.Span.IsZero() {
		o.Span = v.inner()
	}
	if !s.done && o.Span.Len() > 0 {
		s.done = !s.yield(o)
	}
}

// inner returns the place of a scalar's text, without its quotes.
func (v value) inner() source.Span {
	if v.is(data.ScalarNode) && len(v.Text) > 0 {
		return v.part(0, len(v.Text))
	}
	return v.span()
}

func (s *survey) root(f *File) {
	for key, val := range f.root.pairs() {
		known := rootRule.Find(key.Text)
		if known == nil || !key.is(data.ScalarNode) {
			continue
		}
		s.add(key, lang.Occurrence{Kind: lang.Section, Symbol: "section " + key.Text, Fixed: true})
		switch key.Text {
		case typesSection, metadataSection, dataSection:
			s.declarations(f, key.Text, val)
		case pluginsSection:
			s.plugins(val)
		case includeSection:
			s.includes(f, val)
		default:
			s.visit(known.Rule, val, key.Text)
		}
	}
}

func (s *survey) declarations(f *File, section string, v value) {
	for key, val := range v.pairs() {
		path := section + "." + keyName(key.Text)
		o := lang.Occurrence{Kind: lang.Datum, Symbol: DatumSymbol(key.Text), Def: true, Key: path + ".type"}
		if section == typesSection {
			o.Kind, o.Symbol = lang.Type, typeSymbol(key.Text)
		}
		if t := elementType(val); s.types[t] != nil {
			o.Type = typeSymbol(t)
		}
		s.add(key, o)
		s.datatype(val, nil, path)
	}
}

// anchors adds the anchors in a node and the aliases that refer to them.
func (s *survey) anchors(f *File, n *syntax.Node) {
	o := lang.Occurrence{Kind: lang.Macro}
	switch {
	case n.Kind == syntax.Alias:
		o.Span, o.Symbol = f.Tree.NodeSpan(n), anchorSymbol(f, n.Value)
		o.Span.Start++ // skip the star
	case !n.Anchor().Empty():
		o.Span, o.Def = f.Tree.Span(n.Anchor()), true
		o.Symbol = anchorSymbol(f, o.Span.Text())
	}
	if !s.done && o.Span.Len() > 0 {
		s.done = !s.yield(o)
	}
	for _, e := range n.Entries {
		if e.Key != nil {
			s.anchors(f, e.Key)
		}
		s.anchors(f, e.Value)
	}
}

// anchorSymbol returns the symbol of an anchor. It contains the path, because the name of an anchor is valid only in its file.
func anchorSymbol(f *File, name string) string { return "anchor " + f.Tree.File().Path() + " " + name }

// typeOf returns the name of the type of a declaration, or "".
func typeOf(v value) string {
	if v.is(data.MappingNode) {
		v = v.get("type")
	}
	if v.is(data.ScalarNode) {
		return v.Text
	}
	return ""
}

// maxNested is how many levels of arrays of arrays are followed.
const maxNested = 100

// elementType returns the name of a type, or for an array the type of its elements.
func elementType(v value) string {
	for depth := 0; typeOf(v) == "array" && depth < maxNested; depth++ {
		v = v.get("subtype")
	}
	return typeOf(v)
}

func (s *survey) plugins(v value) {
	for key, val := range v.pairs() {
		s.add(key, lang.Occurrence{Kind: lang.Plugin, Symbol: "plugin " + key.Text, Def: true, Fixed: true})
		if spec := s.FindPlugin(key.Text); spec != nil {
			s.visit(spec.Config, val, pluginsSection+"."+keyName(key.Text))
		}
	}
}

// includes adds the included files, each with its target.
func (s *survey) includes(f *File, v value) {
	add := func(path value) {
		o := lang.Occurrence{Kind: lang.Path, Fixed: true}
		for _, child := range s.Files {
			if child.Frame != nil && child.Frame.Parent == f.Frame && child.Frame.At == path.span() {
				o.Target = child.Tree.File().Span(0, 0)
			}
		}
		s.add(path, o)
	}
	one := func(v value) {
		if v.is(data.MappingNode) {
			v = v.get("file")
		}
		if v.is(data.ScalarNode) {
			add(v)
		}
	}
	if !v.is(data.SequenceNode) {
		one(v)
	}
	for _, item := range v.items() {
		one(item)
	}
}

// again reports whether an anchored value was already visited. For an alias of a scalar, it adds an occurrence of the setting at the
// alias.
func (s *survey) again(v value, key string) bool {
	if v.absent() || s.done {
		return true
	}
	if v.syn != nil && v.syn.Kind == syntax.Alias && v.is(data.ScalarNode) {
		s.add(v, lang.Occurrence{Span: v.file.Tree.NodeSpan(v.syn), Kind: lang.Text, Key: key})
	}
	if v.syn == nil || v.syn.Resolved().Anchor().Empty() {
		return false
	}
	was := s.seen[v.Node]
	s.seen[v.Node] = true
	return was
}

// visit walks a value by its rule.
func (s *survey) visit(r *config.Rule, v value, path string) {
	switch {
	case r == nil:
		return
	case r.Type:
		s.datatype(v, r.Keys, path)
		return
	case s.again(v, path):
		return
	case r.Value:
		s.expressions(v, path)
		return
	}
	switch v.Kind {
	case data.ScalarNode:
		s.scalar(r, v, path)
	case data.SequenceNode:
		for i, item := range v.items() {
			s.visit(r.List, item, path+"["+strconv.Itoa(i)+"]")
		}
	case data.MappingNode:
		for key, val := range v.pairs() {
			below := path + "." + keyName(key.Text)
			if known := r.Find(key.Text); known != nil {
				s.add(key, lang.Occurrence{Kind: lang.Key, Symbol: keySymbol(known), Key: below, Fixed: true})
				s.visit(known.Rule, val, below)
			} else if r.Names != nil {
				s.name(r.NameIs, key, below)
				s.visit(r.Names, val, below)
			}
		}
	}
}

// keySymbol returns the symbol of a key of the language. It contains the documentation, which distinguishes keys of the same name.
func keySymbol(k *config.Key) string { return "key " + k.Name + " " + k.Doc }

// datatype adds the occurrences in a type, which is a name or a mapping with `type`.
func (s *survey) datatype(v value, extra []config.Key, path string) {
	if s.again(v, path+".type") {
		return
	}
	if v.is(data.ScalarNode) {
		s.typeName(v, path+".type")
		return
	}
	r := typeRules[typeOf(v)]
	if r == nil {
		r = &config.Rule{}
	}
	for key, val := range v.pairs() {
		below := path + "." + keyName(key.Text)
		known := r.Find(key.Text)
		if known == nil {
			known = (&config.Rule{Keys: extra}).Find(key.Text)
		}
		switch {
		case key.Text == "type":
			s.add(key, lang.Occurrence{Kind: lang.Key, Symbol: "key type The name of the type: one of the language, of the section `types`, or of a plugin.", Fixed: true})
			s.typeName(val, below)
		case strings.HasPrefix(key.Text, "+"):
			s.expressions(val, below)
		case known == nil:
		case key.Text == "members" || key.Text == "elements":
			s.add(key, lang.Occurrence{Kind: lang.Key, Symbol: keySymbol(known), Fixed: true})
			s.members(val, below)
		default:
			s.add(key, lang.Occurrence{Kind: lang.Key, Symbol: keySymbol(known), Key: below, Fixed: true})
			if val.is(data.ScalarNode) && known.Rule.List != nil {
				below += "[0]"
			}
			s.visit(known.Rule, val, below)
		}
	}
}

// members adds the members of a struct, record or tuple.
func (s *survey) members(v value, path string) {
	add := func(key, val value) {
		s.add(key, lang.Occurrence{Kind: lang.Member, Symbol: "member " + path + "." + key.Text, Def: true})
		s.datatype(val, member.Keys, path+"."+keyName(key.Text))
	}
	for i, item := range v.items() {
		if _, _, named := item.NamedElement(); named {
			for key, val := range item.pairs() {
				add(key, val)
			}
		} else {
			s.datatype(item, member.Keys, path+"["+strconv.Itoa(i)+"]")
		}
	}
	for key, val := range v.pairs() {
		add(key, val)
	}
}

func (s *survey) typeName(v value, path string) {
	if v.is(data.ScalarNode) {
		s.add(v, lang.Occurrence{Kind: lang.Type, Symbol: typeSymbol(v.Text), Key: path, Fixed: s.types[v.Text] == nil})
	}
}

// scalar adds the occurrences in a scalar, which depend on its use.
func (s *survey) scalar(r *config.Rule, v value, path string) {
	switch {
	case len(r.Words) > 0 || r.Scalar == config.Level:
		s.add(v, lang.Occurrence{Kind: lang.Word, Key: path})
	case r.Scalar.Expression():
		s.expression(v, path)
	default:
		s.name(r.Scalar, v, path)
	}
}

// name adds the occurrence of a name, which depends on its use.
func (s *survey) name(u config.Use, v value, path string) {
	switch u {
	case config.Reads, config.Writes:
		s.add(v, lang.Occurrence{Kind: lang.Datum, Symbol: DatumSymbol(v.Text), Key: path})
	case config.Provides:
		s.add(v, lang.Occurrence{Kind: lang.Datum, Symbol: DatumSymbol(v.Text), Def: s.names[v.Text] == nil, Key: path})
	case config.Event:
		s.add(v, lang.Occurrence{Kind: lang.Event, Symbol: EventSymbol(v.Text), Key: path})
	}
}

// expressions adds the names that a value of any shape reads.
func (s *survey) expressions(v value, path string) {
	switch {
	case v.is(data.ScalarNode):
		s.expression(v, path)
	case v.is(data.SequenceNode):
		for i, item := range v.items() {
			s.expressions(item, path+"["+strconv.Itoa(i)+"]")
		}
	case v.is(data.MappingNode):
		for key, val := range v.pairs() {
			s.expressions(val, path+"."+keyName(key.Text))
		}
	}
}

// expression adds a scalar and the names that it reads.
func (s *survey) expression(v value, path string) {
	kind := lang.Text
	if decimal(v.Text) {
		kind = lang.Number
	}
	s.add(v, lang.Occurrence{Kind: kind, Key: path})
	if strings.IndexByte(v.Text, '$') < 0 {
		return
	}
	p, err := expr.Compile(v.Text, s.dialect)
	if err != nil {
		return
	}
	for ref := range p.Refs() {
		s.add(v, lang.Occurrence{Span: v.part(ref.NameOffset, ref.NameOffset+len(ref.Name)), Kind: lang.Datum, Symbol: DatumSymbol(ref.Name)})
	}
}
