package config

import "testing"

// TestMapping checks that Mapping finds the mapping inside lists, and that a rule that is
// a mapping itself returns itself.
func TestMapping(t *testing.T) {
	keys := &Rule{Keys: []Key{{Name: "file"}}}
	either := &Rule{Keys: keys.Keys, List: Only(Text)}
	names := &Rule{Names: Only(Text), List: Only(Text)}
	scalar := Only(Text)
	for _, c := range []struct{ of, want *Rule }{
		{keys, keys}, {&Rule{List: keys}, keys}, {&Rule{List: &Rule{List: keys}}, keys}, {either, either}, {names, names}, {scalar, scalar},
	} {
		if got := c.of.Mapping(); got != c.want {
			t.Errorf("of %+v it is %+v, want %v", c.of, got, c.want)
		}
	}
}
