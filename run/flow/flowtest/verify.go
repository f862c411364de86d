package flowtest

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A Case is a process type and the data on which Verify tests it.
type Case struct {
	Type   *pipe.Type
	Config pipe.Config
	In     Data
	Out    []string // outputs to check; empty means all except patterns
	Limit  int      // maximum number of data at each output; 0 means 1000
	Dir    string   // folder of the files it reads and writes; empty means a temporary folder
}

// Verify runs a process of the type from setup to close, under every scheduler. The test fails
// if the type breaks one of these rules:
//
//   - it and its ports and keys are documented, and it can be made;
//   - it ends when its input ends, or when its output has no consumer left;
//   - it gives the same result when it runs again, and under every scheduler;
//   - it passes on empty data and errors instead of failing.
func Verify(t *testing.T, c Case) {
	t.Helper()
	documented(t, c.Type)
	if c.Limit == 0 {
		c.Limit = 1000
	}
	if c.Out == nil {
		for _, p := range c.Type.Out {
			if !p.Pattern() {
				c.Out = append(c.Out, p.Name)
			}
		}
	}
	var first Data
	for _, scheduler := range flow.Schedulers() {
		for range 2 {
			got := c.run(t, scheduler, c.In)
			if first == nil {
				first = got
			} else if !reflect.DeepEqual(got, first) {
				t.Errorf("type `%s` gave different data under %s: %v, first %v", c.Type.Name, scheduler, brief(got), brief(first))
			}
		}
	}
	if len(c.In) > 0 && c.Type.Level == pipe.CheckValid {
		c.control(t)
	}
}

func (c *Case) run(t *testing.T, scheduler string, in Data) Data {
	t.Helper()
	type result struct {
		data Data
		err  error
	}
	dir := c.Dir
	if dir == "" {
		dir = t.TempDir()
	}
	done := make(chan result, 1)
	go func() {
		data, err := Feed(c.Type, c.Config, in, c.Out, c.Limit, flow.Options{Scheduler: scheduler, Dir: dir})
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			var list problem.List
			if errors.As(r.err, &list) {
				for _, p := range list {
					t.Log(p)
				}
			}
			t.Fatalf("type `%s` under %s: %v", c.Type.Name, scheduler, r.err)
		}
		return r.data
	case <-time.After(30 * time.Second):
		t.Fatalf("type `%s` does not end under %s", c.Type.Name, scheduler)
		return nil
	}
}

// control sends empty data, errors and flushes instead of values. The process must not see them:
// the engine handles them.
func (c *Case) control(t *testing.T) {
	t.Helper()
	for _, d := range []flow.Datum{flow.OfEmpty(), flow.OfError("made for a test"), flow.OfFlush()} {
		in := Data{}
		for port := range c.In {
			n := 1
			if p, _ := c.Type.FindIn(port); d.Kind() < flow.FlushKind && p.Freq.Num > p.Freq.Den {
				n = int(p.Freq.Num / p.Freq.Den)
			}
			in[port] = slices.Repeat([]flow.Datum{d}, n)
		}
		got := c.run(t, flow.DefaultScheduler, in)
		for port, data := range got {
			for _, x := range data {
				if x.Kind() == flow.DataKind {
					t.Errorf("type `%s` made data at `%s` out of `%s`, want none", c.Type.Name, port, d.Kind())
				}
			}
		}
	}
}

func documented(t *testing.T, typ *pipe.Type) {
	t.Helper()
	if typ.New == nil {
		t.Fatalf("type `%s` has no New", typ.Name)
	}
	if a, b := typ.New(), typ.New(); a == b && reflect.TypeOf(a).Kind() == reflect.Pointer && reflect.TypeOf(a).Elem().Size() > 0 {
		t.Errorf("type `%s` makes the same process twice", typ.Name)
	}
	what := []struct{ name, doc string }{{typ.Name, typ.Doc}}
	for _, p := range slices.Concat(typ.In, typ.Out) {
		what = append(what, struct{ name, doc string }{"port " + p.Name, p.Doc})
	}
	for _, k := range typ.Keys {
		what = append(what, struct{ name, doc string }{"key " + k.Name, k.Doc})
	}
	for _, w := range what {
		if strings.TrimSpace(w.doc) == "" {
			t.Errorf("`%s` of type `%s` has no documentation", w.name, typ.Name)
		}
	}
}

func brief(d Data) map[string]int {
	m := map[string]int{}
	for k, v := range d {
		m[k] = len(v)
	}
	return m
}
