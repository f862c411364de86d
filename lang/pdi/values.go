package pdi

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// values yields the settings: every scalar of the sections, under the key that leads to it. The shortcuts of the language are expanded: `d: int` is
// `data.d.type`.
func (m *Model) values(yield func(origin.Entry) bool) {
	m.walk(&walker{Model: m, yield: yield, uses: m.collectUses()})
}

// value returns the setting of a key, without its uses.
func (m *Model) value(key string) (found origin.Entry, ok bool) {
	m.walk(&walker{Model: m, only: key, yield: func(e origin.Entry) bool {
		if e.Key == key {
			found, ok = e, true
		}
		return !ok
	}})
	return found, ok
}

func (m *Model) walk(w *walker) {
	for _, f := range m.Files {
		seen := map[string]bool{}
		for key, val := range f.root.pairs() {
			name := key.Text
			if !key.is(data.ScalarNode) || !isSection(name) || seen[name] {
				continue
			}
			if mainOnly(name) && f != m.main() {
				continue // the section is ignored in included files
			}
			seen[name] = true
			if !w.section(name, val) {
				return
			}
		}
	}
	w.defaults()
}

type walker struct {
	*Model
	yield func(origin.Entry) bool
	uses  map[string][]origin.Use // the uses of a name or a type, by its key
	alias []*syntax.Node          // aliases that were followed on the way to the value
	left  int
	only  string // if not empty, the only key that is wanted
}

// maxValues limits the number of values, because aliases can multiply them.
const maxValues = 4_000_000

func (w *walker) section(name string, v value) bool {
	w.left = maxValues
	switch name {
	case typesSection, metadataSection, dataSection:
		return w.entries(name, v, w.datatype)
	case loggingSection:
		if v.is(data.ScalarNode) {
			return w.scalar(name+".level", v, "enum")
		}
	case pathSection:
		if v.is(data.ScalarNode) {
			return w.scalar(name+"[0]", v, "path")
		}
	}
	return w.any(name, v)
}

// enter follows the alias of a value, if it is one. The function it returns must be called when the value is done.
func (w *walker) enter(v value) func() {
	w.left--
	if v.syn == nil || v.syn.Kind != syntax.Alias || len(w.alias) > 0 && w.alias[len(w.alias)-1] == v.syn {
		return func() {}
	}
	w.alias = append(w.alias, v.syn)
	return func() { w.alias = w.alias[:len(w.alias)-1] }
}

// entries visits a mapping; the first of two equal keys counts.
func (w *walker) entries(prefix string, v value, visit func(string, value) bool) bool {
	defer w.enter(v)()
	if v.Node == nil || w.left < 0 {
		return true
	}
	var seen map[string]bool
	if len(v.Pairs) > 1 {
		seen = make(map[string]bool, len(v.Pairs))
	}
	for key, val := range v.pairs() {
		if !key.is(data.ScalarNode) || seen[key.Text] {
			continue
		}
		if seen != nil {
			seen[key.Text] = true
		}
		below := prefix + "." + keyName(key.Text)
		if w.only != "" && !strings.HasPrefix(w.only, below) {
			continue
		}
		if !visit(below, val) {
			return false
		}
	}
	return true
}

// datatype visits a type.
func (w *walker) datatype(prefix string, v value) bool {
	defer w.enter(v)()
	if v.is(data.ScalarNode) {
		return w.scalar(prefix+".type", v, "type") && w.typeDefaults(prefix, v.Text, v)
	}
	if v.is(data.SequenceNode) {
		return w.any(prefix, v)
	}
	more := w.entries(prefix, v, func(key string, val value) bool {
		switch key[len(prefix)+1:] {
		case "type":
			return w.scalarOr(key, val, "type")
		case "size", "subsize", "start":
			if val.is(data.ScalarNode) {
				return w.scalar(key+"[0]", val, "expression")
			}
		case "subtype":
			return w.datatype(key, val)
		case "members":
			return w.members(key, val)
		case "elements":
			return w.elements(key, val)
		}
		return w.any(key, val)
	})
	return more && w.typeDefaults(prefix, v.get("type").text(), v)
}

// members visits the members of a record, or the members of a struct in their order.
func (w *walker) members(prefix string, v value) bool {
	defer w.enter(v)()
	if !v.is(data.SequenceNode) {
		return w.entries(prefix, v, w.datatype)
	}
	seen := map[string]bool{}
	for i, item := range v.items() {
		key := fmt.Sprintf("%s[%d]", prefix, i)
		if item.is(data.MappingNode) && len(item.Pairs) == 1 && !seen[item.Pairs[0].Key.Text] {
			seen[item.Pairs[0].Key.Text] = true
			key = prefix
		}
		if !w.entries(key, item, w.datatype) {
			return false
		}
	}
	return true
}

func (w *walker) elements(prefix string, v value) bool {
	defer w.enter(v)()
	for i, item := range v.items() {
		key := fmt.Sprintf("%s[%d]", prefix, i)
		visit := w.datatype
		if _, _, named := item.NamedElement(); named {
			visit = func(key string, v value) bool { return w.entries(key, v, w.datatype) }
		}
		if !visit(key, item) {
			return false
		}
	}
	return true
}

// any visits a value of any shape.
func (w *walker) any(key string, v value) bool {
	defer w.enter(v)()
	switch {
	case v.Node == nil || w.left < 0:
		return true
	case v.Kind == data.ScalarNode:
		return w.scalar(key, v, "expression")
	case v.Kind == data.SequenceNode:
		for i, item := range v.items() {
			if !w.any(fmt.Sprintf("%s[%d]", key, i), item) {
				return false
			}
		}
		return true
	}
	return w.entries(key, v, w.any)
}

func (w *walker) scalarOr(key string, v value, typ string) bool {
	if v.is(data.ScalarNode) {
		return w.scalar(key, v, typ)
	}
	return w.any(key, v)
}

// scalar yields one setting with its origin.
func (w *walker) scalar(key string, v value, typ string) bool {
	e := origin.Entry{Key: key, Value: v.Text, Type: typ, Uses: w.uses[key]}
	note := v.file.note()
	over, overridden := w.overrides[v.Node]
	text := v.Text
	if overridden {
		text = over.was
	}
	if v.syn != nil {
		e.Steps = append(e.Steps, origin.Step{What: origin.Set, Text: text, Span: v.span(), Note: note})
		defer w.enter(v)()
		aliases := w.alias
		for i := len(aliases) - 1; i >= 0; i-- {
			e.Steps = append(e.Steps, origin.Step{What: origin.Alias, Text: text, Span: v.file.Tree.NodeSpan(aliases[i]), Note: "the value of `&" + problem.Clip(aliases[i].Value, problem.Short) + "`"})
		}
	}
	if overridden {
		e.Steps = append(e.Steps, origin.Step{What: origin.Override, Text: v.Text, Note: "-s " + over.Key + "=" + over.Value})
	}
	if user, ok := w.types[v.Text]; ok && typ == "type" {
		last := &e.Steps[len(e.Steps)-1]
		if last.Note != "" {
			last.Note += "; "
		}
		last.Note += fmt.Sprintf("declared as %s at %s", typeText(user.value), user.key.span())
	}
	return w.yield(e)
}

// typeText returns the word for a type.
func typeText(v value) string {
	if v.is(data.MappingNode) {
		v = v.get("type")
	}
	if v.is(data.ScalarNode) {
		return "`" + problem.Clip(v.Text, problem.Short) + "`"
	}
	return "something that is not a type"
}

// collectUses finds the uses of names: expressions read metadata and data, declarations read types.
func (m *Model) collectUses() map[string][]origin.Use {
	u := &userSearch{Model: m, uses: map[string][]origin.Use{}, compiled: map[string]*expr.Program{}}
	w := &walker{Model: m, yield: u.entry}
	u.walker = w
	for _, f := range m.Files {
		for key, val := range f.root.pairs() {
			if key.is(data.ScalarNode) && isSection(key.Text) {
				w.section(key.Text, val)
			}
		}
	}
	return u.uses
}

type userSearch struct {
	*Model
	walker   *walker
	uses     map[string][]origin.Use
	compiled map[string]*expr.Program
}

// maxUses is how many uses of one name are kept.
const maxUses = 1000

func (u *userSearch) add(key, by, text string, at source.Span) {
	if len(u.uses[key]) < maxUses {
		u.uses[key] = append(u.uses[key], origin.Use{Key: by, Text: text, Span: at})
	}
}

func (u *userSearch) entry(e origin.Entry) bool {
	if e.Implicit {
		return true
	}
	at := e.Decided().Span
	if e.Type == "type" {
		if d, ok := u.types[e.Value]; ok {
			u.add(typeKey(d), e.Key, e.Value, at)
		}
		return true
	}
	if decimal(e.Value) || !strings.Contains(e.Value, "$") {
		if d, ok := u.names[e.Value]; ok && strings.HasPrefix(e.Key, pluginsSection+".") {
			u.add(typeKey(d), e.Key, e.Value, at)
		}
		return true
	}
	p, known := u.compiled[e.Value]
	if !known {
		p, _ = expr.Compile(e.Value, u.dialect)
		u.compiled[e.Value] = p
	}
	if p == nil {
		return true
	}
	for ref := range p.Refs() {
		if d, ok := u.names[ref.Name]; ok {
			u.add(typeKey(d), e.Key, e.Value[ref.Offset:ref.End], at)
		}
	}
	return true
}

// typeKey returns the setting that represents a declaration.
func typeKey(d *Declaration) string { return d.Section + "." + keyName(d.Name) + ".type" }

// implicit yields a setting that is missing from the tree, with its default.
func (w *walker) implicit(key, value, typ, note string) bool {
	return w.yield(origin.Entry{Key: key, Value: value, Type: typ, Implicit: true,
		Steps: []origin.Step{{What: origin.Default, Text: value, Note: note}}})
}

// typeDefaults yields the defaults of keys that are missing from the declaration of a type.
func (w *walker) typeDefaults(prefix, name string, v value) bool {
	absent := func(key string) bool { return !v.is(data.MappingNode) || v.get(key).absent() }
	switch name {
	case "array":
		sizes := v.get("size").texts()
		for i, size := range sizes {
			if absent("subsize") && !w.implicit(fmt.Sprintf("%s.subsize[%d]", prefix, i), size, "expression", "the whole array") {
				return false
			}
		}
		for i := range sizes {
			if absent("start") && !w.implicit(fmt.Sprintf("%s.start[%d]", prefix, i), "0", "expression", "of the language") {
				return false
			}
		}
	case "integer", "real", "logical", "character":
		m := data.X86_64()
		kind := map[string]int64{"integer": m.Integer, "real": m.Real, "logical": m.Logical, "character": m.Character}[name]
		if absent("kind") {
			return w.implicit(prefix+".kind", strconv.FormatInt(kind, 10), "expression", "of the compiler")
		}
	}
	return true
}

// defaults yields the defaults of the plugins and of the log.
func (w *walker) defaults() {
	w.left = maxValues
	for _, f := range w.Files {
		for key, val := range f.section(pluginsSection).pairs() {
			spec := w.FindPlugin(key.text())
			if spec != nil && !w.ruleDefaults(pluginsSection+"."+keyName(key.Text), val, spec.Config, nil) {
				return
			}
		}
	}
	w.logDefaults(w.main().section(loggingSection))
}

// ruleDefaults yields the defaults of keys that are missing from the configuration of a plugin. A setting of a file applies to all data that are
// written to the file.
func (w *walker) ruleDefaults(prefix string, v value, r *config.Rule, above map[string]string) bool {
	w.left--
	switch {
	case r == nil || w.left < 0:
	case v.is(data.SequenceNode) && r.List != nil:
		for i, item := range v.items() {
			if !w.ruleDefaults(fmt.Sprintf("%s[%d]", prefix, i), item, r.List, above) {
				return false
			}
		}
	case v.is(data.MappingNode):
		given := maps.Clone(above)
		for key, val := range v.pairs() {
			if r.Find(key.text()) != nil && val.is(data.ScalarNode) {
				if given == nil {
					given = map[string]string{}
				}
				given[key.Text] = val.Text
			}
		}
		for _, k := range r.Keys {
			if !v.get(k.Name).absent() || k.Default == "" || k.Idle != "" {
				continue
			}
			dflt, note := k.Default, "of the language"
			if text, ok := above[k.Name]; ok {
				dflt, note = text, "of the file"
			}
			if !w.implicit(prefix+"."+k.Name, dflt, schemaType(k.Rule).String(), note) {
				return false
			}
		}
		for key, val := range v.pairs() {
			below := r.Names
			if k := r.Find(key.text()); k != nil {
				below = k.Rule
			}
			if key.text() != loggingSection && !w.ruleDefaults(prefix+"."+keyName(key.Text), val, below, given) {
				return false
			}
		}
	}
	return true
}

// logDefaults yields the defaults of keys that are missing from `logging`. If the log goes to a file, the console is off by default.
func (w *walker) logDefaults(log value) {
	for _, k := range config.Logging.Keys {
		if k.Default == "" || log.is(data.ScalarNode) && !log.empty() && k.Name == "level" || !log.get(k.Name).absent() {
			continue
		}
		if !w.implicit(loggingSection+"."+k.Name, k.Default, schemaType(k.Rule).String(), "of the language") {
			return
		}
	}
	output := log.get("output")
	if !output.get("console").absent() {
		return
	}
	console, note := "on", "of the language"
	if !output.get("file").absent() {
		console, note = "off", "there is a file"
	}
	w.implicit(loggingSection+".output.console", console, "enum", note)
}
