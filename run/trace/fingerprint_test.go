package trace

import (
	"reflect"
	"testing"

	"github.com/pentode-dev/pentode/core/fingerprint"
)

// TestFingerprint: the order of layers matters, the order of constraints does not.
func TestFingerprint(t *testing.T) {
	c, err := NewCatalog(Domain{Name: "D", Events: []Event{{ID: 1, Name: "e"}}, Kinds: []Kind{{Name: "rank"}, {Name: "thread"}}})
	if err != nil {
		t.Fatal(err)
	}
	more, err := NewCatalog(Domain{Name: "D", Events: []Event{{ID: 1, Name: "e", On: true}}, Kinds: []Kind{{Name: "rank"}, {Name: "thread"}}})
	if err != nil {
		t.Fatal(err)
	}
	rank := Constraint{Domain: "D", Kind: "rank", Set: NewSet(Span{0, 3})}
	thread := Constraint{Domain: "D", Kind: "thread", Set: NewSet(Span{0, 1}, Span{2, 3})}
	joined := Constraint{Domain: "D", Kind: "thread", Set: NewSet(Span{0, 3})}
	unit := func(on bool, of ...Constraint) UnitLayer {
		return UnitLayer{Domain: "D", Target: of, Events: Events{"e": {On: on}}}
	}
	units := func(list ...UnitLayer) Layers { return &Config{Units: list} }
	sum := func(l Layers, knobs ...Knob) fingerprint.Sum { return Fingerprint(c, l, knobs) }
	region := func(m Match) Layers { return &Config{Regions: []RegionEntry{{Match: m}}} }
	for name, c := range map[string]struct {
		a, b fingerprint.Sum
		same bool
	}{
		"order of constraints": {sum(units(unit(true, rank, thread))), sum(units(unit(true, thread, rank))), true},
		"spelling of a set":    {sum(units(unit(true, thread))), sum(units(unit(true, joined))), true},
		"a set":                {sum(units(unit(true, thread))), sum(units(unit(true, Constraint{Domain: "D", Kind: "thread", Set: NewSet(Span{0, 4})}))), false},
		"order of layers":      {sum(units(unit(true, rank), unit(false, thread))), sum(units(unit(false, thread), unit(true, rank))), false},
		"an event off":         {sum(units(unit(true, rank))), sum(units(unit(false, rank))), false},
		"an event not named":   {sum(units(unit(false, rank))), sum(units(UnitLayer{Domain: "D", Target: Constraints{rank}})), false},
		"a rate of 0":          {sum(&Config{}), sum(&Config{Default: RegionLayer{Rate: RateLayer{Start: Number{Set: true}}}}), false},
		"a window end":         {sum(&Config{}), sum(&Config{Default: RegionLayer{End: &WindowEnd{}}}), false},
		"region":               {sum(region(Match{Address: 16})), sum(region(Match{Address: 17})), false},
		"order of knobs":       {sum(&Config{}, Knob{Name: "a"}, Knob{Name: "b", Text: "1"}), sum(&Config{}, Knob{Name: "b", Text: "1"}, Knob{Name: "a"}), true},
		"digits of a knob":     {sum(&Config{}, Knob{Name: "a", Text: "1"}), sum(&Config{}, Knob{Name: "a", Text: "01"}), false},
		"dialect":              {sum(&Config{}), sum(&Installed{}), false},
		"catalogue":            {sum(&Config{}), Fingerprint(more, &Config{}, nil), false},
	} {
		if same := c.a == c.b; same != c.same {
			t.Errorf("%s: the same %v, want %v", name, same, c.same)
		}
	}
	if found := fingerprint.Neutral(reflect.TypeFor[Config](), reflect.TypeFor[Installed](), reflect.TypeFor[Knob](), reflect.TypeFor[Domain]()); len(found) > 0 {
		t.Errorf("%v do not count", found)
	}
}
