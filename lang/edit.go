package lang

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// Assignment gives a key a value.
type Assignment struct{ Key, Value string }

// Edited is a configuration after assignments.
type Edited struct {
	Config  *Config
	Changes []source.Change // each file once, from the text it had before
	// Decided is the place where each assignment was written, in their order.
	// It is zero if the key had the value already.
	Decided []source.Span
	Added   diag.List // errors and warnings that were not there before
}

// Refused is the error for assignments that would add errors.
type Refused struct{ Added diag.List }

// Error returns the first added error with its advice.
func (e *Refused) Error() string {
	i := slices.IndexFunc(e.Added, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error })
	return strings.Join(append([]string{e.Added[i].Message}, e.Added[i].Help...), "; ")
}

// Edit changes each key at the place that decides its value. The result is
// checked once, after the last assignment. If they add an error, Edit returns
// the changes together with a *Refused.
func (c *Config) Edit(assignments ...Assignment) (*Edited, error) {
	if c.edit == nil {
		return nil, missing(c.Document.Language, "cannot be edited by key")
	}
	if unread := c.Document.refused; unread != nil {
		return nil, errors.New(unread.Message)
	}
	e := &Edited{Config: c}
	for _, a := range assignments {
		if err := e.assign(c, a); err != nil {
			return nil, err
		}
	}
	if len(e.Changes) == 0 {
		return e, nil
	}
	e.Added = Added(c.findings(), e.Config.findings()).Limit()
	if e.Added.HasErrors() {
		return e, &Refused{e.Added}
	}
	return e, e.verify(assignments)
}

// assign makes one assignment on top of the earlier ones.
func (e *Edited) assign(before *Config, a Assignment) error {
	edits, err := e.Config.edit(a.Key, a.Value)
	if err != nil {
		return err
	}
	changes, err := source.Changes(edits)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		e.Decided = append(e.Decided, source.Span{})
		return nil
	}
	e.Decided = append(e.Decided, edits[0].Span)
	for _, change := range changes {
		i := slices.IndexFunc(e.Changes, func(c source.Change) bool { return samePath(c.File, change.File) })
		if i < 0 {
			e.Changes = append(e.Changes, change)
		} else {
			e.Changes[i].Text = change.Text
		}
	}
	e.Config = before.With(e.Changes)
	return nil
}

// verify returns an error if an assignment had no effect: assigning the value
// again would change the text again.
func (e *Edited) verify(assignments []Assignment) error {
	last := map[string]string{}
	for _, a := range assignments {
		last[a.Key] = a.Value
	}
	for _, a := range assignments {
		if last[a.Key] != a.Value {
			continue
		}
		edits, err := e.Config.edit(a.Key, a.Value)
		if err == nil {
			edits = slices.DeleteFunc(edits, func(e source.Edit) bool { return e.Span.Text() == e.Text })
		}
		if err != nil || len(edits) > 0 {
			return fmt.Errorf("`%s` cannot be set to `%s`: reading the file again would give another value",
				problem.Clip(a.Key, problem.Short), problem.Clip(a.Value, problem.Short))
		}
	}
	return nil
}

// Changed is a setting that was not assigned but whose value changed because
// another setting did.
type Changed struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Was   string `json:"was"`
}

// AlsoChanged returns the settings that changed besides the wanted ones.
func AlsoChanged(before, after *Config, wanted []Assignment) []Changed {
	was := map[string]string{}
	for e := range before.Values() {
		was[e.Key] = e.Value
	}
	var list []Changed
	for e := range after.Values() {
		isWanted := slices.ContainsFunc(wanted, func(a Assignment) bool { return a.Key == e.Key })
		if old, ok := was[e.Key]; ok && old != e.Value && !isWanted {
			list = append(list, Changed{e.Key, e.Value, old})
		}
	}
	return list
}

// With returns the configuration as it would be if its files had other texts.
func (c *Config) With(changes []source.Change) *Config {
	over := &source.Overlay{Under: c.env.Opener}
	docs := append(slices.Clone(c.Lower), c.Document)
	for _, change := range changes {
		over.Set(change.File.Path(), change.Text)
		for i, d := range docs {
			if samePath(d.File, change.File) {
				docs[i] = d.Language.Parse(source.NewFile(d.File.Path(), change.Text))
			}
		}
	}
	env := *c.env
	env.Opener = over
	last := len(docs) - 1
	return docs[last].Resolve(&env, docs[:last]...)
}

func samePath(a, b *source.File) bool { return filepath.Clean(a.Path()) == filepath.Clean(b.Path()) }

// Added returns the errors and warnings of after that are not in before,
// wherever they are in the file.
func Added(before, after diag.List) diag.List {
	type finding struct {
		code    *diag.Code
		message string
	}
	known := map[finding]int{}
	for _, d := range before {
		known[finding{d.Code, d.Message}]++
	}
	var list diag.List
	for _, d := range after {
		f := finding{d.Code, d.Message}
		if known[f]--; known[f] < 0 && d.Severity != diag.Info {
			list.Add(d)
		}
	}
	return list
}
