package pdi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
)

type evalContext struct {
	Spec string
	Set  [][2]string
}

type evalCase struct {
	Group, Input, Form, Context string
	Result                      json.RawMessage
}

type reading struct {
	Value any
	Error *struct{ Status string }
	Crash any
}

// TestOracleExpressions evaluates the recorded expressions as `data eval` does, with the types of a tree and values of the command line. Values that
// only a program can share are left out: pointers, and memory that may not be read.
func TestOracleExpressions(t *testing.T) {
	golden.Oracle(t, "pdi", func(t *testing.T, set golden.Set) {
		var contexts map[string]evalContext
		set.Read(t, "contexts_expr.json", &contexts)
		stores := map[string]*data.Store{}
		for name, c := range contexts {
			stores[name] = c.store(t, name)
		}
		for i, c := range golden.List[evalCase](t, set, "expressions.json") {
			if context := contexts[c.Context]; c.Form == "string" && stores[c.Context] != nil && !context.needsProgram(c.Input) {
				t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) { c.evaluate(t, stores[c.Context]) })
			}
		}
	})
}

func (c *evalContext) store(t *testing.T, name string) *data.Store {
	_, m := upstream(t, name+".yml", c.Spec)
	var set []pdi.Assignment
	for _, s := range c.Set {
		if !strings.HasPrefix(s[1], "@") {
			set = append(set, pdi.Assignment{Name: s[0], Value: s[1]})
		}
	}
	s, err := m.Values(nil, set)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// needsProgram reports whether an expression refers to a value that the command line cannot give.
func (c *evalContext) needsProgram(text string) bool {
	return slices.ContainsFunc(c.Set, func(s [2]string) bool {
		return strings.HasPrefix(s[1], "@") && regexp.MustCompile(`\$[{(]?`+regexp.QuoteMeta(s[0])+`\b`).MatchString(text)
	})
}

func (c *evalCase) evaluate(t *testing.T, s *data.Store) {
	var want struct{ Long, Double, String *reading }
	d := json.NewDecoder(bytes.NewReader(c.Result))
	d.UseNumber()
	if d.Decode(&want) != nil || want.Long == nil {
		t.Skip("not read as a number")
	}
	v, err := s.Env().ParseValue(data.Text(c.Input))
	read := func(how string, want *reading, get func() (any, error)) {
		got, err := any(nil), err
		if err == nil {
			got, err = get()
		}
		compareReading(t, c.Input, how, want, got, err)
	}
	read("long", want.Long, func() (any, error) { return v.Long() })
	read("double", want.Double, func() (any, error) { return v.Double() })
	read("string", want.String, func() (any, error) { return v.Text() })
}

func compareReading(t *testing.T, input, how string, want *reading, got any, err error) {
	t.Helper()
	switch {
	case want == nil:
	case want.Crash != nil: // upstream crashed: an error and a value are both better
	case want.Error != nil:
		if s := data.StatusOf(err).String(); s != want.Error.Status {
			t.Errorf("%q as %s: %v %s %v, upstream has %s", input, how, got, s, err, want.Error.Status)
		}
	case err != nil:
		t.Errorf("%q as %s: %v, upstream has %v", input, how, err, want.Value)
	case !sameValue(got, want.Value):
		t.Errorf("%q as %s: %v, upstream has %v", input, how, got, want.Value)
	}
}

// sameValue compares a value with the recorded one, which has doubles as texts.
func sameValue(got, want any) bool {
	if g, ok := got.(float64); ok {
		w, err := strconv.ParseFloat(strings.Replace(fmt.Sprint(want), "-nan", "nan", 1), 64)
		return err == nil && (g == w || math.IsNaN(g) && math.IsNaN(w))
	}
	return fmt.Sprint(got) == fmt.Sprint(want)
}
