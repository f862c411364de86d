package trace

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// rounds is the number of random policies to test: PENTODE_ROUNDS, or a few.
func rounds() int {
	if n, err := strconv.Atoi(os.Getenv("PENTODE_ROUNDS")); err == nil {
		return n
	}
	return 40
}

// asked is a policy, and a question about it.
type asked struct {
	layers Layers
	query  Query
}

// Units must agree with the engine's decision for every single unit.
func TestUnits(t *testing.T) {
	const each = 16 // the ids of each of three kinds: 4,096 units
	c := fixture(t)
	random := rapid.Custom(func(t *rapid.T) asked { return asked{genLayers(t, c), genQuery(t, c)} })
	within := Constraints{
		{Domain: "OpenMP", Kind: "team", Set: NewSet(Span{0, each - 1})}, {Domain: "OpenMP", Kind: "thread", Set: NewSet(Span{0, each - 1})}, {Domain: "MPI", Kind: "rank", Set: NewSet(Span{0, each - 1})},
	}
	traced, refused := 0, 0
	for round := range rounds() {
		a := random.Example(round)
		p := compile(t, c, a.layers)
		e := NewEngine(p)
		region, err := e.Region(a.query.Region)
		if err != nil {
			t.Fatal(err)
		}
		boxes, rate := p.Units(a.query.Region, a.query.Event, within)
		sum := uint64(0)
		for _, b := range boxes {
			n := uint64(1)
			for _, k := range within {
				if i := slices.IndexFunc(b, k.SameKind); i >= 0 {
					n *= b[i].Set.Len()
				} else {
					t.Fatalf("%v does not say which %s", b, k.Unit())
				}
			}
			sum += n
		}
		u := e.Unit()
		allowed := uint64(0)
		for i := range uint32(each * each * each) {
			ids := []uint32{i % each, i / each % each, i / each / each}
			for k, id := range ids {
				u.SetID(KindID(k), id)
			}
			want := u.Allows(region, a.query.Event) && rate.Max != 0
			got := slices.ContainsFunc(boxes, func(b Constraints) bool { return Query{IDs: ids}.all(c, b) })
			if got != want {
				t.Fatalf("round %d: unit %v is traced: %v, by sets %v", round, ids, want, got)
			}
			if want {
				allowed++
				traced++
			} else {
				refused++
			}
		}
		if sum != allowed {
			t.Fatalf("round %d: the sets hold %d units, and %d are traced: some are in two; want %v", round, sum, allowed, allowed)
		}
	}
	if traced == 0 || refused == 0 {
		t.Errorf("%d units were traced, %d were not", traced, refused)
	}
}

// BenchmarkUnits computes the answer for 2^20 ranks and threads under a policy with many sections.
func BenchmarkUnits(b *testing.B) {
	c := fixture(b)
	cfg := &Config{}
	for i := range uint32(32) {
		cfg.Units = append(cfg.Units, UnitLayer{
			Domain: "OpenMP", Events: Events{"work": {On: i%2 == 0}},
			Target: Constraints{{Domain: "OpenMP", Kind: "thread", Set: NewSet(Span{i * 20, i*20 + 300})}},
			Also:   Constraints{{Domain: "MPI", Kind: "rank", Set: NewSet(Span{i * 10, i*10 + 500})}},
		})
	}
	p := compile(b, c, cfg)
	within := Constraints{{Domain: "OpenMP", Kind: "thread", Set: NewSet(Span{0, 1023})}, {Domain: "MPI", Kind: "rank", Set: NewSet(Span{0, 1023})}}
	for b.Loop() {
		if boxes, _ := p.Units(Region{Address: 0x10}, 20, within); len(boxes) == 0 {
			b.Fatal("none")
		}
	}
}
