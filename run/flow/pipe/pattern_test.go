package pipe

import "testing"

// TestFind: a port is found by its own name first, then by the first pattern that fits all parts of
// the name.
func TestFind(t *testing.T) {
	typ := &Type{In: []Port{
		{Name: "item/<n>", Type: "number/<n>"},
		{Name: "item/last", Type: "own"},
		{Name: "cam<n>_image", Type: "image"},
		{Name: "<side>/<what>", Type: "<what>"},
	}}
	for _, c := range []struct{ name, typ, group string }{
		{"item/3", "number/3", "3"},
		{"item/last", "own", ""},
		{"item/x", "x", "item"},
		{"left/3", "3", "left"},
		{"cam12_image", "image", "12"},
		{"camera_image", "", ""},
		{"cam_image", "", ""},
		{"cam1_imag", "", ""},
		{"item", "", ""},
		{"item/3/4", "", ""},
		{"item/", "", ""},
		{"_left/x", "", ""},
		{"", "", ""},
	} {
		p, group := typ.FindIn(c.name)
		if p == nil {
			p = &Port{}
		} else if p.Name != c.name {
			t.Errorf("%s became %s; want %v", c.name, p.Name, c.name)
		}
		if p.Type != c.typ || group != c.group {
			t.Errorf("%s: type %q of group %q, want %q of %q", c.name, p.Type, group, c.typ, c.group)
		}
	}
}
