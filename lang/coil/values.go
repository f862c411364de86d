package coil

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/schema"
)

// values are the settings in order of first mention, each with its origin.
func (m *Model) values(yield func(origin.Entry) bool) {
	for _, sec := range m.Sections {
		for _, s := range sec.settings {
			if !yield(m.entry(s)) {
				return
			}
		}
	}
}

func (m *Model) entry(s *Setting) origin.Entry {
	e := origin.Entry{Key: s.Path(), Value: s.shown(), Type: s.Value.Type.String()}
	e.Steps = make([]origin.Step, s.depth+1)
	last := &e.Steps[s.depth]
	for i, p := s.depth, s; p != nil; i, p = i-1, p.prev {
		e.Steps[i] = p.step()
	}
	if note := m.meaning(e.Key); note != "" {
		last.Note = strings.TrimPrefix(last.Note+"; "+note, "; ")
	}
	return e
}

// shown returns the value in its plainest form: decimal numbers, words for
// booleans, texts without unnecessary quotes.
func (s *Setting) shown() string {
	v := &s.Value
	switch {
	case isTooLong(s.Text.Text()):
		return fmt.Sprintf("(more than %d elements)", maxItems)
	case !v.OK && isListKey(s.Key):
		return join(cut(s.Text))
	case !v.OK:
		return s.Text.Text()
	case v.Type == schema.Int:
		return strconv.FormatUint(v.Int, 10)
	case v.Type == schema.Bool:
		return strconv.FormatBool(v.Bool)
	case v.Type == schema.List && len(v.Items) == 0:
		return `""`
	case v.Type == schema.List:
		return join(v.Items)
	}
	return v.Text
}

func join(items []Item) string {
	raw := make([]string, len(items))
	for i, it := range items {
		raw[i] = it.Raw
	}
	return strings.Join(raw, ",")
}

func (s *Setting) step() origin.Step {
	step := origin.Step{What: origin.Set, Text: s.Text.Text(), Span: s.At()}
	switch {
	case s.override:
		step.What, step.Note = origin.Override, "-s "+s.Path()+"="+s.Text.Text()
	case s.frame.Parent != nil:
		step.What, step.Note = origin.Include, s.frame.Chain()
	}
	return step
}

// meaning returns what a setting implies without writing it, or "".
func (m *Model) meaning(path string) string {
	switch path {
	case "Target.Features":
		return m.implied()
	case "Optimization.SizeOptimization", "Optimization.SpeedOptimization":
		size, speed := m.good(optimizeSect, "SizeOptimization"), m.good(optimizeSect, "SpeedOptimization")
		if size != nil && speed != nil && size.Value.Bool && speed.Value.Bool {
			return "both are preferred: " + m.preference() + " wins at this level"
		}
	}
	return ""
}

// implied lists the features that are implied by the features in the file.
func (m *Model) implied() string {
	isa := m.machine.isa
	if isa == nil || isa.Open {
		return ""
	}
	var names []string
	for _, it := range m.items(targetSection, "Features") {
		names = append(names, it.Key)
	}
	set, _ := isa.Meaning(names)
	for _, n := range names {
		if f := isa.Feature(n).Feature; f != nil {
			names = append(names, f.Name)
		}
	}
	more := slices.DeleteFunc(set.List().Names(isa), func(n string) bool { return slices.Contains(names, n) })
	if len(more) == 0 {
		return ""
	}
	return "implies " + strings.Join(more, ", ")
}

// preference returns which preference wins if both are on.
func (m *Model) preference() string {
	if level := m.good(optimizeSect, "Level"); level != nil && level.Value.Int >= 2 {
		return "speed"
	}
	return "size"
}
