package data_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/data"
)

type reading struct {
	Value any
	Error *failure
	Crash any
}

type expressionCase struct {
	Group, Input, Form, Context, As string
	Result                          map[string]reading
	Error                           *failure
}

// TestOracleExpressions evaluates the expressions of the oracle over a real store, as
// integers and as text. This checks what the store tells expressions about its data.
func TestOracleExpressions(t *testing.T) {
	golden.Oracle(t, "pdi", func(t *testing.T, set golden.Set) {
		var contexts map[string]context
		set.Read(t, "contexts_expr.json", &contexts)
		stores := map[string]*data.Store{}
		for name, c := range contexts {
			stores[name] = storeOf(t, c)
		}
		for i, c := range golden.List[expressionCase](t, set, "expressions.json") {
			if c.As != "" {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) {
				if stores[c.Context] == nil {
					t.Fatalf("no context is called %q", c.Context)
				}
				c.evaluate(t, stores[c.Context])
			})
		}
	})
}

func (c *expressionCase) evaluate(t *testing.T, s *data.Store) {
	node := data.Text(c.Input)
	if c.Form == "yaml" {
		node = datatest.Tree(t, c.Input)
	}
	v, err := s.Env().ParseValue(node)
	switch {
	case c.Error != nil && c.Error.Crash != nil:
		return
	case c.Error != nil || err != nil:
		if c.Error == nil || data.StatusOf(err).String() != c.Error.Status {
			t.Errorf("%s: %v, upstream has %+v", c.Input, err, c.Error)
		}
		return
	}
	long, err := v.Long()
	c.compare(t, "long", fmt.Sprint(long), err)
	text, err := v.Text()
	c.compare(t, "string", text, err)
}

func (c *expressionCase) compare(t *testing.T, what, got string, err error) {
	t.Helper()
	want, ok := c.Result[what]
	switch {
	case !ok:
	case want.Crash != nil: // an error or a value are both better
	case want.Error != nil:
		if data.StatusOf(err).String() != want.Error.Status {
			t.Errorf("%s as %s: %s %v, upstream has %s %s", c.Input, what, got, err, want.Error.Status, want.Error.What)
		}
	case err != nil:
		t.Errorf("%s as %s: %v, upstream has %v", c.Input, what, err, want.Value)
	default:
		if n, ok := want.Value.(json.Number); ok {
			want.Value = n.String()
		}
		if got != want.Value {
			t.Errorf("%s as %s: %q, upstream has %q", c.Input, what, got, want.Value)
		}
	}
}

// storeOf makes a store with the values of a context; `@…` describes values that a tree
// cannot express.
func storeOf(t *testing.T, c context) *data.Store {
	t.Helper()
	s, err := data.New(data.Tree(datatest.Tree(t, c.Spec)), data.Options{Dialect: data.Upstream})
	must(t, err)
	target := &[3]int32{7, 8, 9}
	must(t, s.Reveal(target))
	for _, set := range c.Set {
		switch set[1] {
		case "@ptr_int", "@ptr_arr":
			must(t, s.Expose(set[0], &target, data.Out))
		case "@wo":
			must(t, s.Share(set[0], new(int32), data.In))
		default:
			memory := valueOf(t, s, set[0], set[1])
			must(t, s.Share(set[0], memory, data.Out))
		}
	}
	return s
}
