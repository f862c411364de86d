package pdi

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// pluginNames collects the names that plugins declare, before anything refers to them.
func (c *checker) pluginNames() {
	for _, p := range c.Plugins {
		spec := findPlugin(p.Name)
		if spec == nil {
			continue
		}
		for _, name := range spec.names {
			c.provided[name] = true
		}
		c.collect(spec.rule, p.config)
	}
}

// exposes is a call by which a script declares a datum.
var exposes = regexp.MustCompile(`\bpdi\.(?:expose|share)\(\s*['"]([^'"]+)['"]`)

// collect walks a configuration for names that exist because it has them.
func (c *checker) collect(r *rule, v value) {
	switch {
	case r == nil:
	case v.is(data.ScalarNode):
		switch r.scalar {
		case provides:
			c.provided[v.Text] = true
		case script:
			for _, call := range exposes.FindAllStringSubmatch(v.Text, -1) {
				c.provided[call[1]] = true
			}
		}
	case v.is(data.SequenceNode):
		for _, item := range v.items() {
			c.collect(r.list, item)
		}
	case v.is(data.MappingNode):
		for key, val := range v.pairs() {
			if known := r.find(key.Text); known != nil {
				c.collect(known.rule, val)
				continue
			}
			if r.names != nil && (r.nameIs == provides || r.nameIs == writes) {
				c.provided[key.Text] = true
			}
			c.collect(r.names, val)
		}
	}
}

// plugin checks the configuration of a plugin.
func (c *checker) plugin(p *Plugin) {
	spec := findPlugin(p.Name)
	switch {
	case spec == nil:
		c.report(unknownPlugin, p.key, "`%s` is not a plugin of PDI, so its configuration is not checked", p.Name).
			Suggest(false, pluginNames()...)
		c.expressionNames(p.config)
		return
	case spec.removed != "":
		c.report(unknownPlugin, p.key, "plugin `%s` was removed from PDI; its last release was %s", p.Name, spec.removed)
		c.expressionNames(p.config)
		return
	case !spec.builtin:
		c.report(pluginMissing, p.key, "plugin `%s` is known but not built in: its configuration is checked, it cannot run here", p.Name)
	}
	if p.config.empty() || p.config.is(data.ScalarNode) && p.config.Text == "~" && spec.rule.scalar != nothing {
		return
	}
	before := len(c.found)
	c.apply(spec.rule, p.config, "plugin `"+p.Name+"`")
	c.values(p)
	for _, d := range c.found[before:] {
		if len(d.Notes) == 0 && d.Code == unknownKey {
			d.Note("in the configuration of the plugin `%s`", p.Name)
		}
		if d.Code == badExpression && slices.Contains(eagerPlugins, p.Name) {
			c.end(d)
		}
	}
}

// eagerPlugins read every expression when the original program loads them.
var eagerPlugins = []string{"decl_hdf5", "json", "pycall"}

// expressionNames marks what an unknown plugin seems to read, so that it does not count as unused.
func (c *checker) expressionNames(v value) {
	switch {
	case v.is(data.ScalarNode):
		c.used[v.Text] = true
		if strings.Contains(v.Text, "$") {
			for _, ref := range c.compile(v.Text).refs {
				c.used[ref.Name] = true
			}
		}
	case v.is(data.SequenceNode):
		for _, item := range v.items() {
			c.expressionNames(item)
		}
	case v.is(data.MappingNode):
		for key, val := range v.pairs() {
			c.used[key.Text] = true
			c.expressionNames(val)
		}
	}
}

// apply checks a value against a rule. where is how messages call its place.
func (c *checker) apply(r *rule, v value, where string) {
	switch {
	case r.value:
		c.expressions(v, anything)
		return
	case r.typ:
		c.typeOf(r, v)
		return
	case v.absent() || c.again(v):
		return
	}
	switch v.Kind {
	case data.ScalarNode:
		switch {
		case v.empty() && (r.keys != nil || r.names != nil || r.list != nil || r.scalar == text || r.scalar == script):
		case r.scalar == nothing || v.empty() && r.scalar.expression():
			c.unexpected(r, v, where)
		default:
			c.scalar(r, v, where)
		}
	case data.SequenceNode:
		if r.list == nil {
			c.unexpected(r, v, where)
			return
		}
		for _, item := range v.items() {
			c.apply(r.list, item, where)
		}
	case data.MappingNode:
		if r.keys == nil && r.names == nil && !r.open {
			c.unexpected(r, v, where)
			return
		}
		c.mapping(r, v, where)
	}
}

// unexpected reports a value of another shape than the rule has.
func (c *checker) unexpected(r *rule, v value, where string) {
	x := c.report(wrongShape, v, "expected %s behind %s, found %s", r.expected(), where, v.name())
	if v.Text == "..." {
		x.As(diag.Warning).Note("it seems to stand for something that is left out")
		return
	}
	if !r.lax {
		c.end(x)
	}
}

// expected says in words what a rule takes.
func (r *rule) expected() string {
	var words []string
	if r.scalar != nothing {
		words = append(words, map[use]string{
			number: "a number or an expression", condition: "a condition", label: "a text", anything: "an expression", reads: "the name of a datum",
			writes: "the name of a datum", provides: "a name", event: "the name of an event", level: "a logging level", logPattern: "a pattern", livePattern: "a pattern",
		}[r.scalar])
		if words[0] == "" {
			words[0] = "a text"
		}
	}
	if r.list != nil {
		words = append(words, "a list")
	}
	if r.keys != nil || r.names != nil || r.open {
		words = append(words, "a mapping")
	}
	return strings.Join(words, " or ")
}

// mapping checks the keys of a mapping and what stands behind them.
func (c *checker) mapping(r *rule, v value, where string) {
	c.duplicates(v)
	merged := c.mergeKeys(v)
	switch {
	case merged == nil:
		c.missing(v, r)
	case r.strict:
		c.end(merged.As(diag.Error))
	case slices.ContainsFunc(r.keys, func(k key) bool { return k.Required && v.get(k.Name).empty() }):
		merged.As(diag.Error)
	}
	for key, val := range v.pairs() {
		if !key.is(data.ScalarNode) {
			c.report(wrongShape, key, "expected a key of %s, found %s", where, key.name())
			continue
		}
		if known := r.find(key.Text); known != nil {
			c.apply(known.rule, val, "`"+key.Text+"`")
			if known.idle != "" {
				c.report(notCarriedOut, key, "`%s` is not carried out here: %s", key.Text, known.idle)
			}
			continue
		}
		if key.Text == mergeWord {
			continue
		}
		if r.names == nil {
			if !r.open {
				x := c.report(unknownKey, key, "%s has no key `%s`", where, key.Text).Suggest(true, r.keyNames()...)
				if r.strict {
					c.end(x)
				}
			}
			continue
		}
		c.name(r.nameIs, key, r.keyNames())
		c.apply(r.names, val, "`"+problem.Clip(key.Text, problem.Short)+"`")
	}
}

// missing reports required keys that are not there. An expression that is empty is
// reported itself.
func (c *checker) missing(v value, r *rule) {
	for _, k := range r.keys {
		if !k.Required {
			continue
		}
		if _, val, ok := v.find(k.Name); ok && (!val.empty() || k.rule.scalar.expression()) || misspelt(v, k.Name, r) {
			continue
		}
		x := c.report(missingKey, v, "the key `%s` is missing", k.Name)
		if strings.Count(k.Doc, " ") > 2 {
			x.Note("%s", lowerFirst(strings.TrimSuffix(k.Doc, ".")))
		}
	}
}

// misspelt reports whether an unknown key of a mapping is intended to be this one; it is reported itself.
func misspelt(v value, name string, r *rule) bool {
	for key := range v.pairs() {
		if r.find(key.Text) != nil {
			continue
		}
		if _, ok := problem.Nearest(key.Text, []string{name}); ok {
			return true
		}
	}
	return false
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// scalar checks a scalar by its use.
func (c *checker) scalar(r *rule, v value, where string) {
	switch {
	case r.scalar == level:
		c.level(v)
	case r.scalar == logPattern || r.scalar == livePattern:
		c.pattern(v, r.scalar == livePattern)
	case len(r.words) > 0:
		c.word(r.words, v, where)
	case r.scalar.expression():
		c.expression(v, r.scalar)
	default:
		c.name(r.scalar, v, nil)
	}
}

// word checks a value that is one of a few. An expression may become one of them later.
func (c *checker) word(words []string, v value, where string) {
	for _, w := range words {
		if w == v.Text {
			return
		}
	}
	if strings.Contains(v.Text, "$") {
		c.expression(v, label)
		return
	}
	c.report(unknownWord, v, "%s takes %s, not %s", where, strings.Join(words, ", "), v.name()).Suggest(true, words...)
}

// name checks a name by its use.
func (c *checker) name(u use, v value, near []string) {
	switch u {
	case reads, writes:
		name := v.Text
		if strings.ContainsAny(name, "#$/") || name == "..." {
			return // a path, an attribute of a dataset, or something left out
		}
		c.used[name] = true
		if _, ok := c.names[name]; ok || u == reads && c.provided[name] || c.lost(name, false) {
			return
		}
		x := c.report(undeclared, v, "`%s` is not declared", name)
		if _, ok := problem.Nearest(name, near); ok {
			x.Suggest(false, near...)
		} else {
			c.suggestName(x, name)
		}
		if u == writes {
			x.Labelled("its type is not known, so there is no memory for it")
		}
	case provides:
		c.used[v.Text] = true
	}
}

// logging checks the log of the tree.
func (c *checker) logging(v value) {
	if !v.empty() {
		c.apply(loggingRule, v, "`logging`")
	}
}

func (c *checker) level(v value) {
	for _, l := range levels {
		if l == v.Text {
			return
		}
	}
	if strings.Contains(v.Text, "$") {
		c.expression(v, label)
		return
	}
	c.report(unknownWord, v, "%s is not a logging level", v.name()).
		Helped("the levels are %s", strings.Join(levels, ", ")).Suggest(true, append([]string{}, levels...)...)
}

// pattern checks the names in a pattern of log lines: `%{NAME}` is evaluated when the plugins
// are there and the data is not yet.
func (c *checker) pattern(v value, live bool) {
	s := v.Text
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		if s[i+1] != '{' {
			i++
			continue
		}
		start := i + 2
		length := strings.IndexByte(s[start:], '}')
		if length < 0 {
			c.end(c.reportAt(badPattern, v.part(i, len(s)), "`%%{` has no closing `}`"))
			return
		}
		c.patternName(v, start, start+length, live)
		i = start + length
	}
}

func (c *checker) patternName(v value, start, end int, live bool) {
	p, failed := expr.CompileReference(v.Text[start:end], c.dialect)
	if err, ok := failed.(*expr.Error); ok {
		x := c.end(c.reportAt(badPattern, v.part(start+min(err.Offset, end-start), start+min(err.End, end-start)), "%s", err.Msg))
		if strings.Contains(v.Text[start:end], "$") {
			x.Helped("a name in a pattern is written without `$`: `%%{%s}`", strings.ReplaceAll(v.Text[start:end], "$", ""))
		}
		return
	}
	for ref := range p.Refs() {
		c.used[ref.Name] = true
		at := v.part(start+ref.NameOffset, start+ref.NameOffset+len(ref.Name))
		if c.builtinName(ref.Name) || live && (c.names[ref.Name] != nil || c.provided[ref.Name]) {
			continue
		}
		if d, ok := c.names[ref.Name]; ok {
			c.end(c.reportAt(badPattern, at, "`%s` has no value yet when the pattern is evaluated", ref.Name)).
				At(d.key.span(), "declared here").
				Note("patterns are filled in when the plugins are loaded, before data and metadata exist").
				Helped("use what a plugin provides, such as `%s` of `mpi`", rankName)
			continue
		}
		x := c.end(c.reportAt(undeclared, at, "`%s` is not declared", ref.Name))
		if slices.Contains(findPlugin("mpi").names, ref.Name) {
			x.As(diag.Warning).Helped("it is a name of the plugin `mpi`, which is not loaded")
		}
	}
}

// builtinName reports whether a loaded plugin provides a name by itself.
func (c *checker) builtinName(name string) bool {
	for _, p := range c.Plugins {
		if spec := findPlugin(p.Name); spec != nil && slices.Contains(spec.names, name) {
			return true
		}
	}
	return false
}
