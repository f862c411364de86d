package pdi

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/expr"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// pluginNames collects the names that plugins declare, before references to them are checked.
func (c *checker) pluginNames() {
	for _, p := range c.Plugins {
		spec := c.FindPlugin(p.Name)
		if spec == nil {
			continue
		}
		for _, name := range spec.Data {
			c.provided[name] = true
		}
		c.collect(spec.Config, p.config)
	}
}

// exposes matches a call with which a script declares a datum.
var exposes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bpdi\.(?:expose|share)\(\s*['"]([^'"]+)['"]`) })

// collect walks a configuration for names that the configuration itself declares.
func (c *checker) collect(r *config.Rule, v value) {
	switch {
	case r == nil:
	case v.is(data.ScalarNode):
		switch r.Scalar {
		case config.Provides:
			c.provided[v.Text] = true
		case config.Script:
			for _, call := range exposes().FindAllStringSubmatch(v.Text, -1) {
				c.provided[call[1]] = true
			}
		}
	case v.is(data.SequenceNode):
		for _, item := range v.items() {
			c.collect(r.List, item)
		}
	case v.is(data.MappingNode):
		for key, val := range v.pairs() {
			if known := r.Find(key.Text); known != nil {
				c.collect(known.Rule, val)
				continue
			}
			if r.Names != nil && (r.NameIs == config.Provides || r.NameIs == config.Writes) {
				c.provided[key.Text] = true
			}
			c.collect(r.Names, val)
		}
	}
}

// plugin checks the configuration of a plugin.
func (c *checker) plugin(p *Plugin) {
	spec := c.FindPlugin(p.Name)
	switch {
	case spec == nil:
		c.report(unknownPlugin, p.key, "`%s` is not a plugin of PDI, so its configuration is not checked", p.Name).
			Suggest(false, c.known.names()...)
		c.expressionNames(p.config)
		return
	case spec.Removed != "":
		c.report(unknownPlugin, p.key, "plugin `%s` was removed from PDI; its last release was %s", p.Name, spec.Removed)
		c.expressionNames(p.config)
		return
	case spec.Runs != data.Everywhere && !spec.Tunes: // a plugin that tunes its program is always started together with one
		c.report(pluginMissing, p.key, "plugin `%s` %s", p.Name, whereRuns(spec))
	}
	if p.config.empty() || p.config.is(data.ScalarNode) && p.config.Text == "~" && spec.Config.Scalar != config.Nothing {
		return
	}
	before := len(c.found)
	c.apply(spec.Config, p.config, "plugin `"+p.Name+"`")
	c.values(p)
	for _, d := range c.found[before:] {
		if len(d.Notes) == 0 && d.Code == unknownKey {
			d.Note("in the configuration of the plugin `%s`", p.Name)
		}
	}
}

// expressionNames marks the names in the configuration of an unknown plugin as used, so that they are not reported as unused.
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

// apply checks a value against a rule. where names the place in messages.
func (c *checker) apply(r *config.Rule, v value, where string) {
	switch {
	case r.Value:
		c.expressions(v, config.Anything)
		return
	case r.Type:
		c.typeOf(r, v)
		return
	case v.absent() || c.again(v):
		return
	}
	switch v.Kind {
	case data.ScalarNode:
		switch {
		case v.empty() && (r.Keys != nil || r.Names != nil || r.List != nil || r.Scalar == config.Text || r.Scalar == config.Path || r.Scalar == config.Script):
		case r.Scalar == config.Nothing || v.empty() && r.Scalar.Expression():
			c.unexpected(r, v, where)
		default:
			c.scalar(r, v, where)
		}
	case data.SequenceNode:
		if r.List == nil {
			c.unexpected(r, v, where)
			return
		}
		for _, item := range v.items() {
			c.apply(r.List, item, where)
		}
	case data.MappingNode:
		if r.Keys == nil && r.Names == nil && !r.Open {
			c.unexpected(r, v, where)
			return
		}
		c.mapping(r, v, where)
	}
}

// leftOut stands for omitted text in examples.
const leftOut = "..."

// unexpected reports a value whose shape does not match the rule.
func (c *checker) unexpected(r *config.Rule, v value, where string) {
	x := c.report(wrongShape, v, "expected %s after %s, found %s", r.Expected(), where, v.name())
	if v.Text == leftOut {
		x.As(diag.Warning).Note("it seems to mark omitted text")
		return
	}
	if !r.Lax {
		c.end(x)
	}
}

// mapping checks the keys of a mapping and their values.
func (c *checker) mapping(r *config.Rule, v value, where string) {
	c.duplicates(v)
	merged := c.mergeKeys(v)
	switch {
	case merged == nil:
		c.missing(v, r)
	case r.Strict:
		c.end(merged.As(diag.Error))
	case slices.ContainsFunc(r.Keys, func(k config.Key) bool { return k.Required && v.get(k.Name).empty() }):
		merged.As(diag.Error)
	}
	for key, val := range v.pairs() {
		if !key.is(data.ScalarNode) {
			c.report(wrongShape, key, "expected a key of %s, found %s", where, key.name())
			continue
		}
		if known := r.Find(key.Text); known != nil {
			c.apply(known.Rule, val, "`"+key.Text+"`")
			if known.Idle != "" {
				c.report(notCarriedOut, key, "`%s` is not carried out here: %s", key.Text, known.Idle)
			}
			continue
		}
		if key.Text == mergeWord {
			continue
		}
		if r.Names == nil {
			if !r.Open {
				x := c.report(unknownKey, key, "%s has no key `%s`", where, key.Text).Suggest(true, r.KeyNames()...)
				if r.Strict {
					c.end(x)
				}
			}
			continue
		}
		c.name(r.NameIs, key, r.KeyNames())
		c.apply(r.Names, val, "`"+problem.Clip(key.Text, problem.Short)+"`")
	}
}

// missing reports required keys that are absent. An empty expression has its own finding.
func (c *checker) missing(v value, r *config.Rule) {
	for _, k := range r.Keys {
		if !k.Required {
			continue
		}
		if _, val, ok := v.find(k.Name); ok && (!val.empty() || k.Rule.Scalar.Expression()) || misspelt(v, k.Name, r) {
			continue
		}
		x := c.report(missingKey, v, "the key `%s` is missing", k.Name)
		if strings.Count(k.Doc, " ") > 2 {
			x.Note("%s", lowerFirst(strings.TrimSuffix(k.Doc, ".")))
		}
	}
}

// misspelt reports whether an unknown key of a mapping is probably a misspelling of name. The unknown key is reported elsewhere.
func misspelt(v value, name string, r *config.Rule) bool {
	for key := range v.pairs() {
		if r.Find(key.Text) != nil {
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
func (c *checker) scalar(r *config.Rule, v value, where string) {
	switch {
	case r.Scalar == config.Level:
		c.level(v)
	case r.Scalar == config.LogPattern || r.Scalar == config.LivePattern:
		c.pattern(v, r.Scalar == config.LivePattern)
	case len(r.Words) > 0:
		c.word(r, v, where)
	case r.Scalar.Expression():
		c.expression(v, r.Scalar)
	default:
		c.name(r.Scalar, v, nil)
	}
}

// word checks a value that must be one of a few words. If it contains an expression, it may still become one of them.
func (c *checker) word(r *config.Rule, v value, where string) {
	for _, w := range r.Words {
		if w == v.Text || r.Fold && strings.EqualFold(w, v.Text) {
			return
		}
	}
	if strings.Contains(v.Text, "$") {
		c.expression(v, config.Label)
		return
	}
	c.report(unknownWord, v, "%s takes %s, not %s", where, strings.Join(r.Words, ", "), v.name()).Suggest(true, r.Words...)
}

// name checks a name by its use.
func (c *checker) name(u config.Use, v value, near []string) {
	switch u {
	case config.Reads, config.Writes:
		name := v.Text
		if strings.ContainsAny(name, "#$/") || name == leftOut {
			return // skip a path, an attribute of a dataset, or omitted text
		}
		c.used[name] = true
		if _, ok := c.names[name]; ok || u == config.Reads && c.provided[name] || c.lost(name, false) {
			return
		}
		x := c.report(undeclared, v, "`%s` is not declared", name)
		if _, ok := problem.Nearest(name, near); ok {
			x.Suggest(false, near...)
		} else {
			c.suggestName(x, name)
		}
		if u == config.Writes {
			x.Labelled("its type is not known, so there is no memory for it")
		}
	case config.Provides:
		c.used[v.Text] = true
	}
}

// logging checks the logging section of the tree.
func (c *checker) logging(v value) {
	if !v.empty() {
		c.apply(config.Logging, v, "`logging`")
	}
}

func (c *checker) level(v value) {
	for _, l := range logging.Levels {
		if l == v.Text {
			return
		}
	}
	if strings.Contains(v.Text, "$") {
		c.expression(v, config.Label)
		return
	}
	c.report(unknownWord, v, "%s is not a logging level", v.name()).
		Helped("the levels are %s", strings.Join(logging.Levels[:], ", ")).Suggest(true, logging.Levels[:]...)
}

// pattern checks the names in a pattern for log lines: `%{NAME}` is evaluated after the plugins are loaded, but before the data
// exist.
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
				Helped("use what a plugin provides, such as `%s` of `mpi`", data.RankName)
			continue
		}
		x := c.end(c.reportAt(undeclared, at, "`%s` is not declared", ref.Name))
		if slices.Contains(c.FindPlugin("mpi").Data, ref.Name) {
			x.As(diag.Warning).Helped("it is a name of the plugin `mpi`, which is not loaded")
		}
	}
}

// builtinName reports whether a loaded plugin provides a name by itself.
func (c *checker) builtinName(name string) bool {
	for _, p := range c.Plugins {
		if spec := c.FindPlugin(p.Name); spec != nil && slices.Contains(spec.Data, name) {
			return true
		}
	}
	return false
}
