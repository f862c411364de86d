package pdi

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// declaration checks the type of a name.
func (c *checker) declaration(d *Declaration) {
	if d.Section == typesSection && isBuiltin(d.Name) {
		c.end(c.report(duplicate, d.key, "`%s` is a type of the language and cannot be declared again", clip(d.Name)))
	}
	c.dynamic, c.compare = false, false
	if d.Name == mergeWord {
		c.reason[d] = c.mergeKeys(d.file.section(d.Section))
		if _, _, ok := d.value.find("type"); !ok && d.value.is(data.MappingNode) {
			return
		}
	}
	if c.plenty() {
		return
	}
	c.datatype(d.value, nil, d)
	d.dynamic, d.compare = c.dynamic, c.compare
}

var builtinTypes = func() []string {
	names := data.TypeNames()
	slices.Sort(names)
	return names
}()

// datatype checks a type: a name, or a mapping with `type`. extra are the keys that its place
// adds to those of the type; d is the declaration it is a part of, if it is.
func (c *checker) datatype(v value, extra []key, d *Declaration) {
	if c.again(v) {
		return
	}
	switch {
	case v.is(data.ScalarNode):
		c.typeName(v, v, d)
		c.missing(v, nil, extra)
		if r := typeRules[v.Text]; r != nil {
			c.missing(v, r.keys, nil)
		}
		return
	case v.is(data.SequenceNode):
		c.report(wrongShape, v, "expected a type: a name, or a mapping with the key `type`; found a sequence")
		return
	}
	c.duplicates(v)
	merged := c.mergeKeys(v) != nil
	_, t, ok := v.find("type")
	if !ok {
		if merged {
			return
		}
		x := c.report(missingKey, v, "the key `type` is missing")
		for key := range v.pairs() {
			if near, ok := problem.Nearest(key.Text, []string{"type"}); ok && key.is(data.ScalarNode) {
				x.At(key.span(), "did you mean `%s`?", near)
			}
			if before, after, ok := strings.Cut(key.Text, ":"); ok && before == "type" {
				x.Helped("write a blank after the colon: `type: %s`", clip(after))
			}
		}
		return
	}
	if !t.is(data.ScalarNode) {
		c.report(wrongShape, t, "expected the name of a type behind `type`, found %s", t.name())
		return
	}
	if !c.typeName(t, v, d) {
		c.expressionNames(v) // of which type the keys are is not known
		return
	}
	r := typeRules[t.Text]
	c.compare = c.compare || t.Text == "struct" || t.Text == "tuple" || t.Text == "pointer"
	if r == nil {
		r = &rule{}
	}
	if !merged {
		c.missing(v, r.keys, extra)
	}
	c.typeKeys(v, t.Text, r, extra, d)
}

// typeKeys checks what a type has besides its name.
func (c *checker) typeKeys(v value, name string, r *rule, extra []key, d *Declaration) {
	for key, val := range v.pairs() {
		if !key.is(data.ScalarNode) {
			c.report(wrongShape, key, "expected a key of the type `%s`, found %s", clip(name), key.name())
			continue
		}
		if key.Text == "type" || key.Text == mergeWord {
			continue
		}
		if strings.HasPrefix(key.Text, "+") {
			c.attribute(key, val, name)
			continue
		}
		known := r.find(key.Text)
		if known == nil {
			known = (&rule{keys: extra}).find(key.Text)
		}
		if known == nil {
			if name != "array" || key.Text != "order" { // which the engine refuses
				c.unknownTypeKey(key, name, r, extra)
			}
			continue
		}
		switch key.Text {
		case "members":
			c.members(val, name, d)
		case "elements":
			c.elements(val, d)
		default:
			if name == "pointer" && key.Text == "subtype" {
				c.behindPointer(val, d)
			} else {
				c.apply(known.rule, val, "`"+key.Text+"`", d)
			}
		}
		c.upstreamKind(key, val)
	}
	c.sliced(v, name)
}

func (c *checker) unknownTypeKey(key value, name string, r *rule, extra []key) {
	names := append(r.keyNames(), (&rule{keys: extra}).keyNames()...)
	_, user := c.types[name]
	x := c.report(unknownTypeKey, key, "`%s` has no key `%s`, it is ignored", clip(name), clip(key.Text))
	switch {
	case (key.Text == "size" || key.Text == "sizes") && name != "array":
		x.Helped("only an `array` has a size: `{type: array, subtype: %s, size: …}`", clip(name))
	case user:
		x.Helped("write it where `%s` is declared; a use may add `+attributes` only", clip(name))
	default:
		x.Suggest(false, names...)
	}
}

// attribute checks a `+name` of a type.
func (c *checker) attribute(key, val value, name string) {
	c.expressions(val, anything)
	if _, user := c.types[name]; user {
		c.report(dialectsDiffer, key, "the original program drops the attributes of a type that is used by its name").
			Helped("write it where `%s` is declared", clip(name))
	}
}

// upstreamKind says where the original program reads a kind in another way.
func (c *checker) upstreamKind(key, val value) {
	if key.Text != "kind" || !val.is(data.ScalarNode) || decimal(val.Text) {
		return
	}
	p := c.compile(val.Text).program
	if plain := strings.TrimRight(val.Text, " \t\r\n") == val.Text; p == nil || p.Form() != expr.IntLiteral || !plain {
		c.report(dialectsDiffer, val, "the original program takes only a number as a kind; for %s it uses the default", val.name())
	}
}

// sliced warns of a start without a subsize.
func (c *checker) sliced(v value, name string) {
	if name != "array" {
		return
	}
	if _, start, ok := v.find("start"); ok && v.get("subsize").absent() {
		c.compare = true
		c.report(startAlone, start, "an array with a `start` needs a `subsize` too").
			Note("without one all elements carry data, and only a start of 0 fits")
	}
}

// missing reports required keys that are not there.
func (c *checker) missing(v value, own, extra []key) {
	for _, list := range [][]key{own, extra} {
		for i := range list {
			if !list[i].Required {
				continue
			}
			name := list[i].Name
			if _, val, ok := v.find(name); ok && !val.empty() || misspelt(v, name, own, extra) {
				continue
			}
			x := c.report(missingKey, v, "the key `%s` is missing", name)
			if strings.Count(list[i].Doc, " ") > 2 {
				x.Note("%s", lowerFirst(strings.TrimSuffix(list[i].Doc, ".")))
			}
			if list[i].Name == "subtype" {
				x.Note("the document says that it is optional, but without it no size can be computed")
			}
		}
	}
}

// misspelt reports whether an unknown key of a mapping is meant to be this one; it is reported itself.
func misspelt(v value, name string, own, extra []key) bool {
	for key := range v.pairs() {
		if (&rule{keys: own}).find(key.Text) != nil || (&rule{keys: extra}).find(key.Text) != nil {
			continue
		}
		if _, ok := problem.Nearest(key.Text, []string{name}); ok {
			return true
		}
	}
	return false
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// typeName checks that a type exists, and reports whether it does.
func (c *checker) typeName(name, use value, d *Declaration) bool {
	if isBuiltin(name.Text) {
		return true
	}
	if user, ok := c.types[name.Text]; ok {
		c.contains = append(c.contains, containment{in: d, of: user, at: name, pointer: c.pointers > 0})
		c.dynamic = c.dynamic || user.dynamic
		c.compare = true
		return true
	}
	if _, ok := slices.BinarySearch(builtinTypes, strings.TrimSpace(name.Text)); ok {
		c.report(unknownType, name, "%s is not a type: there are blanks or a line break around it", name.name()).
			Helped("a block scalar keeps its line break; write `|-`, or the name on the line of the key")
		return false
	}
	for i := range knownPlugins {
		p := &knownPlugins[i]
		if !slices.Contains(p.types, name.Text) {
			continue
		}
		if c.plugins[p.name] == nil {
			c.report(unknownType, name, "`%s` is a type of the plugin `%s`, which is not loaded", name.Text, p.name).
				Helped("add `%s:` to `plugins`", p.name)
		}
		return true
	}
	if c.damage.lost(name.Text) {
		c.damage.types[use.Node] = c.damage.astray[name.Text]
		return false
	}
	x := c.report(unknownType, name, "unknown type %s", name.name())
	if name.empty() {
		x.Message = "expected a type, found nothing"
		if before, after, ok := strings.Cut(nameOf(d), ":"); ok {
			x.Helped("write a blank after the colon: `%s: %s`", clip(before), clip(after))
		}
	}
	if use, ok := elsewhere[name.Text]; ok {
		x.Helped("write `%s`", use)
		return false
	}
	if c.suggested++; c.suggested < 200 {
		names := append([]string{}, builtinTypes...)
		for _, t := range c.Types[:min(len(c.Types), 1000)] {
			names = append(names, t.Name)
		}
		x.Suggest(false, names...)
	}
	return false
}

// nameOf is the name that a declaration gives, empty where there is none.
func nameOf(d *Declaration) string {
	if d == nil {
		return ""
	}
	return d.Name
}

// elsewhere are names of other languages, with what to write instead.
var elsewhere = map[string]string{
	"bool": "uint8", "string": "{type: array, subtype: char, size: N}", "uint": "uint32", "unsigned": "uint32",
	"unsigned int": "uint32", "unsigned char": "uint8", "signed char": "int8", "ssize_t": "ptrdiff_t",
	"long double": "{type: real, kind: 16}", "complex": "{type: array, subtype: double, size: 2}",
	"float32": "float", "float64": "double",
}

// behindPointer checks what a pointer leads to, which may be the type around it.
func (c *checker) behindPointer(v value, d *Declaration) {
	c.pointers++
	c.datatype(v, nil, d)
	c.pointers--
}

// members checks the members of a struct, in order, or those of a record.
func (c *checker) members(v value, name string, d *Declaration) {
	if v.empty() {
		return
	}
	if name == "record" {
		if !v.is(data.MappingNode) {
			c.report(wrongShape, v, "expected the members of a record as a mapping `name: {disp: N, type: T}`, found %s", v.name())
			return
		}
		c.duplicates(v)
		for key, val := range v.pairs() {
			if !key.is(data.ScalarNode) {
				c.report(wrongShape, key, "expected the name of a member, found %s", key.name())
				continue
			}
			c.datatype(val, placed.keys, d)
		}
		return
	}
	if !v.is(data.SequenceNode) {
		c.report(wrongShape, v, "expected the members of a struct as a list of `- name: type`, found %s", v.name()).
			Note("the order of members is what a struct is about, and a mapping has none")
		return
	}
	first := map[string]value{}
	for _, item := range v.items() {
		if !item.is(data.MappingNode) || len(item.Pairs) != 1 || item.Pairs[0].Key.Kind != data.ScalarNode {
			c.report(wrongShape, item, "expected one member, `name: type`, found %s", memberText(item))
			continue
		}
		for key, val := range item.pairs() {
			if have, ok := first[key.Text]; ok {
				c.report(duplicate, key, "member `%s` is there twice", clip(key.Text)).At(have.span(), "first here")
			}
			first[key.Text] = key
			c.datatype(val, nil, d)
		}
	}
}

func memberText(v value) string {
	if v.is(data.MappingNode) && len(v.Pairs) != 1 {
		return "several in one item"
	}
	return v.name()
}

// elements checks the elements of a tuple.
func (c *checker) elements(v value, d *Declaration) {
	if v.empty() {
		return
	}
	if !v.is(data.SequenceNode) {
		c.report(wrongShape, v, "expected the elements of a tuple as a list, found %s", v.name())
		return
	}
	first := map[string]value{}
	for _, item := range v.items() {
		key, val, named := namedElement(item)
		if !named {
			c.datatype(item, element.keys, d)
			continue
		}
		if have, ok := first[key.Text]; ok {
			c.report(duplicate, key, "element `%s` is there twice", clip(key.Text)).At(have.span(), "first here")
		}
		first[key.Text] = key
		c.report(dialectsDiffer, key, "the original program refuses elements with a name, although its document shows them").
			Helped("leave the name out where it must run there: `- {type: …}`")
		c.datatype(val, element.keys, d)
	}
}

// namedElement splits `name: type` from a type that is a mapping itself.
func namedElement(item value) (key, val value, ok bool) {
	if !item.is(data.MappingNode) || len(item.Pairs) != 1 {
		return
	}
	for k, x := range item.pairs() {
		if k.is(data.ScalarNode) && k.Text != "type" && !strings.HasPrefix(k.Text, "+") {
			return k, x, true
		}
	}
	return
}

// containment is a user type inside a declaration.
type containment struct {
	in      *Declaration
	of      *Declaration
	at      value
	pointer bool
}

// recursion finds types that contain themselves: they would never end. A pointer may lead back.
func (c *checker) recursion() {
	inside := map[*Declaration][]containment{}
	for _, x := range c.contains {
		if x.in != nil && !x.pointer {
			inside[x.in] = append(inside[x.in], x)
		}
	}
	const open, done = 1, 2
	state := map[*Declaration]int{}
	var visit func(d *Declaration, depth int)
	visit = func(d *Declaration, depth int) {
		state[d] = open
		for _, x := range inside[d] {
			switch {
			case state[x.of] == open:
				c.reason[d] = c.report(recursiveType, x.at, "type `%s` contains itself", clip(x.of.Name)).
					At(x.of.key.span(), "declared here").
					Helped("a type may lead back to itself through a pointer: `{type: pointer, subtype: %s}`", clip(x.of.Name))
			case state[x.of] == 0 && depth < maxShape:
				visit(x.of, depth+1)
			}
			if why := c.reason[x.of]; why != nil {
				c.reason[d] = why
			}
		}
		state[d] = done
	}
	for _, list := range [][]*Declaration{c.Types, c.Metadata, c.Data} {
		for _, d := range list {
			if state[d] == 0 {
				visit(d, 0)
			}
		}
	}
}

func isBuiltin(name string) bool {
	_, ok := slices.BinarySearch(builtinTypes, name)
	return ok
}
