package pdi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
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

// TestOracleExpressions evaluates the oracle's expressions as `data eval` does: types of a tree, values of the
// command line. Values that only a program can share, a pointer or memory without the right to read, are left out.
func TestOracleExpressions(t *testing.T) {
	oracle := golden.Oracle(t)
	var contexts map[string]evalContext
	recorded(t, oracle, "contexts_expr.json", &contexts)
	var cases []evalCase
	recorded(t, oracle, "expressions.json", &cases)
	stores := map[string]*data.Store{}
	for name, c := range contexts {
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
		defer s.Close()
		stores[name] = s
	}
	for i, c := range cases {
		if c.Form != "string" || stores[c.Context] == nil || needsProgram(c.Input) {
			continue
		}
		t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) {
			var want struct{ Long, Double, String *reading }
			d := json.NewDecoder(bytes.NewReader(c.Result))
			d.UseNumber()
			if d.Decode(&want) != nil || want.Long == nil {
				t.Skip("not read as a number")
			}
			v, err := stores[c.Context].Env().ParseValue(data.Text(c.Input))
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
		})
	}
}

func needsProgram(text string) bool {
	return strings.Contains(text, "pint") || strings.Contains(text, "parr") || strings.Contains(text, "wo")
}

func compareReading(t *testing.T, input, how string, want *reading, got any, err error) {
	t.Helper()
	switch {
	case want == nil:
	case want.Crash != nil:
		if err == nil {
			t.Errorf("%q as %s: upstream dies, we have %v", input, how, got)
		}
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

// sameValue compares a value with the recorded one, in which doubles are texts.
func sameValue(got, want any) bool {
	if g, ok := got.(float64); ok {
		w, err := strconv.ParseFloat(strings.Replace(fmt.Sprint(want), "-nan", "nan", 1), 64)
		return err == nil && (g == w || math.IsNaN(g) && math.IsNaN(w))
	}
	return fmt.Sprint(got) == fmt.Sprint(want)
}
