package sprokit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// values yields the settings with their origins: first those that a file or an override set, then the other values of the processes.
func (m *Model) values(yield func(origin.Entry) bool) {
	uses := m.uses()
	refusals := m.refusals()
	for s := range m.each {
		e := m.entry(s)
		e.Uses = uses[s.Key]
		if list := refusals[s.Key]; len(list) > 0 {
			at := len(e.Steps) - m.lastSteps(s)
			e.Steps = slices.Insert(e.Steps, at, list...)
		}
		if !yield(e) {
			return
		}
	}
	m.implicit(uses, yield)
}

// value returns a setting without its uses, if a file or an override set it. It does not find defaults.
func (m *Model) value(key string) (origin.Entry, bool) {
	if s, ok := m.Lookup(key); ok {
		return m.entry(s), true
	}
	for e := range m.values {
		if e.Key == key {
			return e, true
		}
	}
	return origin.Entry{}, false
}

// entry returns a setting with its history.
func (m *Model) entry(s *Setting) origin.Entry {
	e := origin.Entry{Key: s.Key, Value: s.Value, Type: schema.String.String()}
	if s.is(readOnly) {
		e.Flags = append(e.Flags, "ro")
	}
	if s.is(tunable) {
		e.Flags = append(e.Flags, "tunable")
	}
	if key, note := m.declared(s.Key); key != nil {
		e.Type = kindName(key.Kind)
		if key.Default != "" {
			e.Steps = append(e.Steps, origin.Step{What: origin.Default, Text: key.Default, Note: note})
		}
	}
	if s.prev < 0 {
		e.Steps = m.addSteps(e.Steps, s)
		return e
	}
	for _, h := range m.history(s) {
		e.Steps = m.addSteps(e.Steps, h)
	}
	return e
}

// maxHistory is the number of assignments of one key that are shown.
const maxHistory = 32

// history returns the last assignments of a key, oldest first.
func (m *Model) history(s *Setting) []*Setting {
	list := []*Setting{s}
	for s.prev >= 0 && len(list) < maxHistory {
		s = &m.settings[s.prev]
		list = append(list, s)
	}
	slices.Reverse(list)
	return list
}

// addSteps adds the steps that lead to the value of an assignment: its text, the macros in it, the folder before it.
func (m *Model) addSteps(list []origin.Step, s *Setting) []origin.Step {
	set := origin.Step{What: origin.Set, Text: s.Raw, Span: s.keySpan(), Note: m.context(s)}
	switch {
	case s.from != nil:
		set.What, set.Note = origin.Override, "given by the user of the cluster"
	case s.unit == nil:
		set.What, set.Note = origin.Override, fmt.Sprintf("-s %s=%s on the command line", s.Key, s.Raw)
	}
	text, list := m.addMacros(append(list, set), s)
	if trimmed := trim(text); s.count > 0 && m.dialect != 0 && trimmed != text {
		text = trimmed
		list = append(list, origin.Step{What: origin.Trim, Text: text, Span: s.ValueSpan(), Note: "blanks around the value are dropped"})
	}
	if s.path > 0 {
		text = s.Value[:s.path] + text
		list = append(list, origin.Step{What: origin.Path, Text: text, Span: s.Span(), Note: "relativepath puts the folder of the file before it"})
	}
	if s.is(mapped) && s.Value != text {
		list = append(list, origin.Step{What: origin.Map, Text: s.Value, Span: s.ValueSpan(), Note: "the value of the cluster's key `" + m.source(s) + "`"})
	}
	return list
}

// maxMacros is how many macros of one value are shown. Each of them repeats the whole value.
const maxMacros = 64

// addMacros adds a step for each macro of an assignment, and returns the resulting text. The macros above the limit are combined in one step.
func (m *Model) addMacros(list []origin.Step, s *Setting) (text string, _ []origin.Step) {
	reads := m.reads[s.first : s.first+s.count]
	shown := reads[:min(len(reads), maxMacros)]
	text = s.Raw
	shift := 0
	for i := range shown {
		r := &shown[i]
		at := int(r.at) + shift
		text = text[:at] + r.value + text[at+int(r.len):]
		shift += len(r.value) - int(r.len)
		list = append(list, origin.Step{What: origin.Macro, Text: text, Span: s.macroSpan(r), Note: m.why(r)})
	}
	rest := reads[len(shown):]
	if len(rest) == 0 {
		return text, list
	}
	first, last := &rest[0], &rest[len(rest)-1]
	var made strings.Builder
	end := int(first.at)
	for i := range rest {
		made.WriteString(s.Raw[end:rest[i].at] + rest[i].value)
		end = int(rest[i].at + rest[i].len)
	}
	text = text[:int(first.at)+shift] + made.String() + s.Raw[end:]
	span := s.macroSpan(first).To(s.macroSpan(last))
	note := fmt.Sprintf("%d more macros make `%s`", len(rest), problem.Clip(made.String(), problem.Short))
	return text, append(list, origin.Step{What: origin.Macro, Text: text, Span: span, Note: note})
}

// lastSteps returns the number of steps of the last assignment, which decides the value.
func (m *Model) lastSteps(s *Setting) int { return len(m.addSteps(nil, s)) }

// macroSpan returns the place of a macro.
func (s *Setting) macroSpan(r *read) source.Span {
	span := s.ValueSpan()
	if s.unit == nil || s.stmt.Value.Empty() {
		return span
	}
	span.Start += int(r.at) + span.Len() - len(s.Raw)
	span.End = span.Start + int(r.len)
	return span
}

// context describes the place of an assignment: section, blocks, includes.
func (m *Model) context(s *Setting) string {
	if s.unit == nil {
		return ""
	}
	parts := make([]string, 0, 2)
	if s.root > 0 {
		parts = append(parts, "in `"+s.Root()+"`")
	}
	name := s.unit.tree.Name(s.stmt)
	if inner := s.Key[:len(s.Key)-len(name)]; len(inner) > int(s.root)+1 {
		start := int(s.root)
		if start > 0 {
			start++
		}
		parts = append(parts, "in block `"+strings.TrimSuffix(inner[start:], ":")+"`")
	}
	for f, n := s.unit.frame, 0; f.Parent != nil; f, n = f.Parent, n+1 {
		if n == 8 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, "included from "+f.At.String())
	}
	return strings.Join(parts, ", ")
}

// why describes where a macro's value comes from.
func (m *Model) why(r *read) string {
	switch {
	case r.missing:
		return string(r.provider) + " has no `" + r.name + "`"
	case r.given != nil:
		return fmt.Sprintf("%s is %s, given at %s", r.name, problem.Clip(r.value, problem.Short), r.given.keySpan())
	case r.override:
		return fmt.Sprintf("-s %s=%s on the command line", r.name, problem.Clip(r.value, problem.Short))
	case r.of >= 0:
		from := &m.settings[r.of]
		return fmt.Sprintf("%s was %s at %s", r.name, problem.Clip(r.value, problem.Short), from.keySpan())
	}
	return fmt.Sprintf("%s has %s = %s", r.provider, r.name, problem.Clip(r.value, problem.Short))
}

// uses returns the macros that read each key.
func (m *Model) uses() map[string][]origin.Use {
	all := map[string][]origin.Use{}
	for i := range m.reads {
		r := &m.reads[i]
		key := ""
		switch {
		case r.of >= 0:
			key = m.settings[r.of].Key
		case r.provider == fromConfig:
			key = r.name
		default:
			continue
		}
		if int(r.by) >= len(m.settings) {
			continue
		}
		by := &m.settings[r.by]
		all[key] = append(all[key], origin.Use{Key: by.Key, Text: "$" + string(r.provider) + "{" + r.name + "}", Span: by.macroSpan(r)})
	}
	for i := range m.Processes {
		p := &m.Processes[i]
		if p.Inside == nil {
			continue
		}
		for j := range p.Inside.reads {
			r := &p.Inside.reads[j]
			if r.given == nil || int(r.by) >= len(p.Inside.settings) {
				continue
			}
			by := &p.Inside.settings[r.by]
			all[r.given.Key] = append(all[r.given.Key], origin.Use{
				Key: p.Name + ":" + by.Key, Text: "$" + string(r.provider) + "{" + r.name + "}", Span: by.macroSpan(r)})
		}
	}
	return all
}

// refusals returns the assignments to read-only keys.
func (m *Model) refusals() map[string][]origin.Step {
	var all map[string][]origin.Step
	for i := range m.settings {
		s := &m.settings[i]
		if !s.is(refused) {
			continue
		}
		if all == nil {
			all = map[string][]origin.Step{}
		}
		if len(all[s.Key]) < 8 {
			all[s.Key] = append(all[s.Key], origin.Step{What: origin.Refused, Text: s.Value, Span: s.keySpan(), Note: "the key is read-only"})
		}
	}
	return all
}

// declared returns the declaration of a key in the type of its process.
func (m *Model) declared(key string) (*pipe.Key, string) {
	process, rest, ok := strings.Cut(key, ":")
	if !ok {
		return nil, ""
	}
	p := m.process(process)
	if p == nil {
		return specialKey(key), "of the language"
	}
	t, known := m.Registry.Lookup(p.Type)
	if !known {
		return nil, ""
	}
	if k, found := t.KeyFor(rest); found && k.Kind != pipe.Algo && k.Kind != pipe.Any {
		return k, "of process type `" + t.Name + "`"
	}
	n := m.Registry.NestedKey(t, rest)
	switch {
	case n == nil:
		return nil, ""
	case n.Of != nil && n.Choices == nil:
		return &n.Key, "of algorithm `" + n.Of.Name + "`"
	}
	n.Key.Choices = algorithmNames(n.Choices)
	return &n.Key, "of process type `" + t.Name + "`"
}

func algorithmNames(list []pipe.Algorithm) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}

// process finds a process by name.
func (m *Model) process(name string) *Process {
	if i, ok := m.byName[name]; ok {
		return &m.Processes[i]
	}
	return nil
}

func kindName(k pipe.Kind) string {
	switch k {
	case pipe.Int, pipe.Unsigned:
		return schema.Int.String()
	case pipe.Double, pipe.Float:
		return schema.Float.String()
	case pipe.Bool:
		return schema.Bool.String()
	}
	return schema.String.String()
}

// implicit yields the values that are not set in a file: defaults of process types, and settings inside clusters.
func (m *Model) implicit(uses map[string][]origin.Use, yield func(origin.Entry) bool) bool {
	for _, k := range specialKeys {
		if _, set := m.last[k.Name]; !set && k.Default != "" && len(m.Processes) > 0 && m.Cluster == nil {
			if !yield(defaultEntry(k.Name, &k.Key, "of the language", uses)) {
				return false
			}
		}
	}
	for i := range m.Processes {
		p := &m.Processes[i]
		if t, known := m.Registry.Lookup(p.Type); known {
			for j := range t.Keys {
				k := &t.Keys[j]
				key := p.Name + ":" + k.Name
				if _, set := m.last[key]; set || k.Default == "" || k.Kind == pipe.Algo || k.Kind == pipe.Any {
					continue
				}
				if !yield(defaultEntry(key, k, "of process type `"+t.Name+"`", uses)) {
					return false
				}
			}
		}
		if !m.algorithmDefaults(p, uses, yield) || p.Inside != nil && !m.insideValues(p, yield) {
			return false
		}
	}
	return true
}

// algorithmDefaults yields the defaults for the algorithms of a process, as far as no file sets them.
func (m *Model) algorithmDefaults(p *Process, uses map[string][]origin.Use, yield func(origin.Entry) bool) bool {
	t, known := m.Registry.Lookup(p.Type)
	if !known {
		return true
	}
	for _, n := range m.Registry.ChosenKeys(t, func(key string) string { return m.valueOf(p.Name + ":" + key) }) {
		key := p.Name + ":" + n.Name
		if _, set := m.last[key]; set || n.Default == "" || n.Choices != nil {
			continue
		}
		if !yield(defaultEntry(key, &n.Key, "of algorithm `"+n.Of.Name+"`", uses)) {
			return false
		}
	}
	return true
}

// valueOf returns the value of a key, or "" if none is set.
func (m *Model) valueOf(key string) string {
	if i, set := m.last[key]; set {
		return m.settings[i].Value
	}
	return ""
}

func defaultEntry(key string, k *pipe.Key, note string, uses map[string][]origin.Use) origin.Entry {
	return origin.Entry{Key: key, Value: k.Default, Type: kindName(k.Kind), Implicit: true, Uses: uses[key],
		Steps: []origin.Step{{What: origin.Default, Text: k.Default, Note: note}}}
}

// insideValues yields the settings of the processes in a cluster that a pipeline uses.
func (m *Model) insideValues(p *Process, yield func(origin.Entry) bool) bool {
	head := p.Inside.Cluster.Name + ":"
	ok := true
	p.Inside.values(func(e origin.Entry) bool {
		if strings.HasPrefix(e.Key, head) {
			return true
		}
		e.Key = p.Name + ":" + e.Key
		if _, set := m.last[e.Key]; set {
			return true
		}
		e.Implicit = true
		for i := range e.Uses {
			e.Uses[i].Key = p.Name + ":" + e.Uses[i].Key
		}
		ok = yield(e)
		return ok
	})
	return ok
}

// Variable is a place in a setting that reads an environment variable.
type Variable struct {
	Name    string
	Missing bool // the variable has no value
	Span    source.Span
}

// Variables returns all places in settings that read environment variables, in order.
func (m *Model) Variables() []Variable {
	var list []Variable
	for i := range m.reads {
		r := &m.reads[i]
		if r.provider != fromEnv {
			continue
		}
		if s := &m.settings[r.by]; s.unit != nil {
			list = append(list, Variable{Name: r.name, Missing: r.missing, Span: s.macroSpan(r)})
		}
	}
	return list
}

// Adjustable yields the settings that users of a pipeline are meant to change, each with its declaration: the settings in its `config` blocks, and
// the tunable keys of its processes. A setting in a `config` block has the declaration of the first process key that reads it.
func (m *Model) Adjustable(yield func(origin.Entry, schema.Key) bool) {
	for e := range m.values {
		root, _, _ := strings.Cut(e.Key, ":")
		block := m.process(root) == nil && !strings.HasPrefix(root, "_")
		if e.Implicit || slices.Contains(e.Flags, "ro") || !block && !slices.Contains(e.Flags, "tunable") {
			continue
		}
		key, _ := m.declared(e.Key)
		for i := 0; key == nil && i < len(e.Uses); i++ {
			key, _ = m.declared(e.Uses[i].Key)
		}
		if !yield(e, declaration(e.Key, key)) {
			return
		}
	}
}

// declaration converts a key of a process type to the form of the tables that all languages share.
func declaration(name string, k *pipe.Key) schema.Key {
	if k == nil {
		return schema.Key{Name: name}
	}
	out := schemaKey(k)
	out.Name, out.Pattern = name, ""
	if k.Kind == pipe.Any {
		out.Type = schema.String // the value is text, because the setting may be any of the values below that key
	}
	return out
}
