package web

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/pentode-dev/pentode/core/schema"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
)

// fieldEntry is a setting in a form.
type fieldEntry struct {
	Key     string   `json:"key"`
	Value   string   `json:"value"`
	Type    string   `json:"type"` // int, float, bool, enum; else it is a text
	Doc     string   `json:"doc"`
	Default string   `json:"default"`
	Choices []string `json:"choices"`
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
	Tunable bool     `json:"tunable"` // it may change during a run
	Readers []string `json:"readers"` // settings that read it
	placeEntry
}

// formView returns the settings that a file offers to its users.
func (s *Server) formView(r *http.Request) (any, error) {
	c, err := s.open().config(r.FormValue("path"))
	if err != nil {
		return nil, err
	}
	out := []fieldEntry{}
	for _, f := range suite.Form(c) {
		out = append(out, entryOfField(f))
	}
	return out, nil
}

func entryOfField(f suite.Field) fieldEntry {
	d := f.Declared
	e := fieldEntry{
		Key: f.Key, Value: f.Value, Type: f.Type, Doc: d.Doc, Default: d.Default, Choices: append([]string{}, d.Enum...), Tunable: slices.Contains(f.Flags, "tunable"), Readers: []string{},
	}
	if d.Type != schema.String {
		e.Type = d.Type.String()
	}
	if d.Min.Set {
		e.Min = &d.Min.Value
	}
	if d.Max.Set {
		e.Max = &d.Max.Value
	}
	for _, u := range f.Uses {
		e.Readers = append(e.Readers, u.Key)
	}
	if at := f.Decided().Span; at.File != nil {
		e.placeEntry = placeEntry{at.File.Path(), at.Position().Line}
	}
	return e
}

// fill changes several settings at once, in the files that decide them. Without write it only shows what would change.
func (s *Server) fill(r *http.Request) (any, error) {
	in, err := change[struct {
		editTarget
		Values []struct {
			Key   string `json:"key"`
			Value string `json:"value"`
		} `json:"values"`
	}](s, r)
	if err != nil {
		return nil, err
	}
	if len(in.Values) == 0 {
		return nil, guard.BadRequest("no value is given")
	}
	var wanted []lang.Assignment
	for _, v := range in.Values {
		wanted = append(wanted, lang.Assignment{Key: v.Key, Value: v.Value})
	}
	slices.SortStableFunc(wanted, func(a, b lang.Assignment) int { return cmp.Compare(a.Key, b.Key) })
	return s.assign(in.editTarget, wanted)
}
