package data_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/datatest"
	"github.com/pentode-dev/pentode/run/data/plugin"
)

type storeCase struct {
	Group, Spec string
	Result      struct {
		Steps []storeStep
		Log   string
	}
}

type storeStep struct {
	Op         []any
	Status     string
	Errmsg     string
	Error      *failure
	Long, Int  *json.Number
	String     *string
	Null, Same *bool
}

// TestOracleStore runs every call sequence of the oracle and compares the class
// of each step's outcome, its values, and the log.
func TestOracleStore(t *testing.T) {
	var cases []storeCase
	datatest.Oracle(t, "store.json", &cases)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) {
			p := &player{t: t, spec: c.Spec, shared: map[string][][]byte{}}
			if err := p.start(); err != nil {
				t.Fatal(err)
			}
			for k, step := range c.Result.Steps {
				got, err := p.play(step.Op)
				if s := data.StatusOf(err).String(); s != step.Status {
					t.Errorf("step %d %v: %s %v, upstream has %s %s", k, step.Op, s, err, step.Status, step.Errmsg)
				}
				if diff := got.diff(step); diff != "" {
					t.Errorf("step %d %v: %s", k, step.Op, diff)
				}
			}
			if got := p.log.String(); got != c.Result.Log {
				t.Errorf("log\n%s\nupstream\n%s", got, c.Result.Log)
			}
		})
	}
}

// player runs the calls of a sequence on a store.
type player struct {
	t      *testing.T
	spec   string
	log    bytes.Buffer
	store  *data.Store
	shared map[string][][]byte
}

// seen is what a step observed.
type seen struct {
	long, number *int64
	text         *string
	null, same   *bool
	evalErr      error
}

func (g seen) diff(want storeStep) string {
	var b strings.Builder
	number := func(what string, got *int64, want *json.Number) {
		if want != nil && (got == nil || fmt.Sprint(*got) != want.String()) {
			fmt.Fprintf(&b, "%s: got %v, upstream has %v; ", what, got, want)
		}
	}
	flag := func(what string, got, want *bool) {
		if want != nil && (got == nil || *got != *want) {
			fmt.Fprintf(&b, "%s: upstream has %v; ", what, *want)
		}
	}
	number("long", g.long, want.Long)
	number("int", g.number, want.Int)
	flag("null", g.null, want.Null)
	flag("same", g.same, want.Same)
	if want.String != nil && (g.text == nil || *g.text != *want.String) {
		fmt.Fprintf(&b, "string: got %v, upstream has %q; ", g.text, *want.String)
	}
	switch {
	case want.Error == nil && g.evalErr != nil:
		fmt.Fprintf(&b, "fails: %v; ", g.evalErr)
	case want.Error != nil && data.StatusOf(g.evalErr).String() != want.Error.Status:
		fmt.Fprintf(&b, "%s %v, upstream has %s %s; ", data.StatusOf(g.evalErr), g.evalErr, want.Error.Status, want.Error.What)
	}
	return b.String()
}

func (p *player) start() error {
	functions := map[string]plugin.Function{
		"uc_hello": func(*data.Store) error { p.log.WriteString("UC hello\n"); return nil },
		"uc_fn": func(s *data.Store) error {
			memory, err := s.Access("in", data.In)
			if err != nil {
				return err
			}
			fmt.Fprintf(&p.log, "UC in=%d status=%d\n", int32(binary.LittleEndian.Uint32(memory)), data.StatusOK)
			return s.Release("in")
		},
	}
	var err error
	p.store, err = data.New(data.Tree(datatest.Tree(p.t, p.spec)), data.Options{
		Dialect: data.Upstream,
		Plugins: plugin.Builtin(functions),
		Host:    data.Host{Console: &p.log},
	})
	return err
}

// buffer makes memory of a name's type with a number in its first bytes.
func (p *player) buffer(name, value string) []byte {
	size := int64(64)
	if template, ok := p.store.Template(name); ok {
		if typ, err := template.Evaluate(); err == nil {
			size = typ.Size()
		}
	}
	b := make([]byte, max(size, 4))
	var n int32
	fmt.Sscan(value, &n)
	binary.LittleEndian.PutUint32(b, uint32(n))
	p.shared[name] = append(p.shared[name], b)
	return b
}

func access(word string) data.Access {
	return map[string]data.Access{"NONE": data.None, "IN": data.In, "OUT": data.Out, "INOUT": data.InOut}[word]
}

func (p *player) play(op []any) (seen, error) {
	arg := func(i int) string {
		if i < len(op) {
			return fmt.Sprint(op[i])
		}
		return ""
	}
	name := arg(1)
	switch arg(0) {
	case "share":
		return seen{}, p.store.Share(name, p.buffer(name, arg(3)), access(arg(2)))
	case "sharenull":
		p.shared[name] = append(p.shared[name], nil)
		return seen{}, p.store.Share(name, nil, access(arg(2)))
	case "expose":
		return seen{}, p.store.Expose(name, p.buffer(name, arg(3)), access(arg(2)))
	case "reclaim":
		return seen{}, p.store.Reclaim(name)
	case "release":
		return seen{}, p.store.Release(name)
	case "access":
		return p.access(name, access(arg(2)))
	case "poke":
		var n int32
		fmt.Sscan(arg(2), &n)
		list := p.shared[name]
		binary.LittleEndian.PutUint32(list[len(list)-1], uint32(n))
		return seen{}, nil
	case "multi2":
		return seen{}, p.store.MultiExpose(name,
			data.Item{Name: arg(2), Value: p.buffer(arg(2), "1"), Access: data.Out},
			data.Item{Name: arg(3), Value: p.buffer(arg(3), "2"), Access: data.Out})
	case "tbegin":
		return seen{}, p.store.Begin(name)
	case "tend":
		return seen{}, p.store.End()
	case "event":
		return seen{}, p.store.Event(name)
	case "finalize":
		return seen{}, p.store.Close()
	case "init":
		return seen{}, p.start()
	case "expr", "str":
		return p.evaluate(arg(0), name), nil
	}
	p.t.Fatalf("unknown step %v", op)
	return seen{}, nil
}

func (p *player) access(name string, a data.Access) (seen, error) {
	memory, err := p.store.Access(name, a)
	if err != nil {
		return seen{}, err
	}
	var last []byte
	if list := p.shared[name]; len(list) > 0 {
		last = list[len(list)-1]
	}
	null := memory == nil
	same := null && last == nil || !null && last != nil && &memory[0] == &last[0]
	s := seen{null: &null, same: &same}
	if !null {
		n := int64(int32(binary.LittleEndian.Uint32(memory)))
		s.number = &n
	}
	return s, nil
}

func (p *player) evaluate(how, text string) (s seen) {
	v, err := p.store.Env().ParseValue(data.Text(text))
	if err != nil {
		return seen{evalErr: err}
	}
	if how == "str" {
		got, err := v.Text()
		return seen{text: &got, evalErr: err}
	}
	got, err := v.Long()
	return seen{long: &got, evalErr: err}
}
