package pdi

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
)

// implicit yields a setting that the tree leaves to the language.
func (w *walker) implicit(key, value, typ, note string) bool {
	return w.yield(origin.Entry{Key: key, Value: value, Type: typ, Implicit: true,
		Steps: []origin.Step{{What: origin.Default, Text: value, Note: note}}})
}

// typeDefaults yields what the declaration of a type leaves out.
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

// texts are the scalars of a list, or the one that stands for it.
func (v value) texts() []string {
	if v.is(data.ScalarNode) {
		return []string{v.Text}
	}
	var list []string
	for _, item := range v.items() {
		list = append(list, item.text())
	}
	return list
}

// text is a scalar, or empty.
func (v value) text() string {
	if v.is(data.ScalarNode) {
		return v.Text
	}
	return ""
}

// defaults are what the sections besides types leave to the language.
func (w *walker) defaults() {
	w.left = maxValues
	for _, f := range w.Files {
		for key, val := range f.section(pluginsSection).pairs() {
			spec := FindPlugin(key.text())
			if spec != nil && !w.ruleDefaults(pluginsSection+"."+keyName(key.Text), val, spec.Config, nil) {
				return
			}
		}
	}
	w.logDefaults(w.main().section(loggingSection))
}

// ruleDefaults yields what the configuration of a plugin leaves out. What a file
// says holds for everything that is written to it.
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

// logDefaults yields what `logging` leaves out. A log that goes to a file leaves the
// console alone.
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
