//go:build linux

package collect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// older declares a trace as an earlier version may have done: with fewer events, in another order, with fewer fields.
func older(g *rand.Rand) *ctf.Trace {
	schema := Schema()
	g.Shuffle(len(schema.Events), func(i, j int) { schema.Events[i], schema.Events[j] = schema.Events[j], schema.Events[i] })
	schema.Events = schema.Events[:len(schema.Events)/2+g.IntN(len(schema.Events)/2)]
	for i := range schema.Events {
		f := schema.Events[i].Fields
		schema.Events[i].Fields = f[:len(f)-g.IntN(min(len(f), 2)+1)]
	}
	return schema
}

// seenEvent is an event without the numbers that depend on the layout.
type seenEvent struct {
	Name    string
	Time    int64
	Context string
	Fields  map[string]string
}

func seenAs(name string, time int64, context []ctf.Value, fields []ctf.Field, values []ctf.Value) seenEvent {
	e := seenEvent{name, time, fmt.Sprint(context), map[string]string{}}
	for i, f := range fields {
		e.Fields[f.Name] = fmt.Sprint(values[i])
	}
	return e
}

// writeRandom writes a stream of random events and returns them.
func writeRandom(t *testing.T, g *rand.Rand, dir string, trace *ctf.Trace) (list []seenEvent) {
	t.Helper()
	if err := ctf.Create(dir, trace); err != nil {
		t.Fatal(err)
	}
	if err := trace.Describe(ctf.Clock{Frequency: 1e9, Offset: 5}); err != nil {
		t.Fatal(err)
	}
	s, err := trace.Stream("stream_0", 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	random := func(fields []ctf.Field) (values []ctf.Value) {
		for i, f := range fields {
			v := ctf.Value{Number: g.Uint64()}
			if i+1 < len(fields) && fields[i+1].Type == ctf.Hexes {
				v.Number %= 5 // the length of a list
			}
			switch f.Type {
			case ctf.Hexes:
				v = ctf.Value{List: make([]ctf.Value, values[i-1].Number)}
				for j := range v.List {
					v.List[j].Number = g.Uint64()
				}
			case ctf.Text:
				v = ctf.Value{Text: fmt.Sprint("text ", g.IntN(20))}
			case ctf.U16:
				v.Number = uint64(uint16(v.Number))
			case ctf.U32:
				v.Number = uint64(uint32(v.Number))
			case ctf.I32:
				v.Number = uint64(int64(int32(v.Number)))
			}
			values = append(values, v)
		}
		return values
	}
	for now := range uint64(g.IntN(300)) {
		event := g.IntN(len(trace.Events))
		e := &trace.Events[event]
		if e.Name == eventName(&agent.Records[agent.ClockRecord]) {
			continue // a mark would move the times of a merge
		}
		if err := s.Event(event, now); err != nil {
			t.Fatal(err)
		}
		context, fields := random(trace.Context), random(e.Fields)
		put(s, trace.Context, context)
		put(s, e.Fields, fields)
		list = append(list, seenAs(e.Name, int64(now)+5, context, e.Fields, fields))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return list
}

// readAll returns the events of a trace, read by its own declarations.
func readAll(t *testing.T, dir string) (list []seenEvent) {
	t.Helper()
	r, err := ctf.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range r.Streams {
		for o, err := range r.Events(stream) {
			if err != nil {
				t.Fatal(err)
			}
			k := r.Kinds[o.Event]
			fields, ok := asFields(k.Fields)
			if !ok {
				t.Fatalf("the fields of %s are not those that are written", k.Name)
			}
			list = append(list, seenAs(k.Name, k.Clock.Nanoseconds(o.Time), o.Context, fields, o.Fields))
		}
	}
	return list
}

// Traces of this version and of earlier ones are read correctly, and can be merged with each other.
func TestOlderLayouts(t *testing.T) {
	dir := t.TempDir()
	rounds := 5
	if need.Full() {
		rounds = 20
	}
	if n, err := strconv.Atoi(os.Getenv("PENTODE_ROUNDS")); err == nil {
		rounds = n
	}
	for seed := range uint64(rounds) {
		g := rand.New(rand.NewPCG(seed, 0))
		at := func(name string) string { return filepath.Join(dir, fmt.Sprint(seed), name) }
		want := writeRandom(t, g, at("new"), Schema())
		old := writeRandom(t, g, at("old"), older(g))
		for name, want := range map[string][]seenEvent{"new": want, "old": old} {
			if got := readAll(t, at(name)); !reflect.DeepEqual(want, got) {
				t.Fatalf("%d, %s (-want +got):\n%s", seed, name, cmp.Diff(want, got))
			}
		}
		if _, _, err := Merge(at("all"), []string{at("new"), at("old")}, nil); err != nil {
			t.Fatal(err)
		}
		if both, got := slices.Concat(want, old), readAll(t, at("all")); !reflect.DeepEqual(both, got) {
			t.Fatalf("%d, merged (-want +got):\n%s", seed, cmp.Diff(both, got))
		}
	}
}
