package recorded

import (
	"strings"
	"testing"
)

// TestVia checks which calls are shown for a frame: the calls that led to it, except those that the
// enclosing frame was already in. The outermost calls may be missing.
func TestVia(t *testing.T) {
	calls := func(text string) (list []*Region) {
		for name := range strings.FieldsSeq(text) {
			list = append(list, &Region{Function: name})
		}
		return list
	}
	for _, c := range []struct{ around, calls, want string }{
		{"", "main solve", "main solve"},
		{"main solve", "main solve send", "send"},
		{"main solve", "main solve", ""},
		{"main solve begin_step", "main solve send", "send"}, // a function that only begins the region
		{"main solve step", "solve step send pack", "send pack"},
		{"main solve", "other send", "other send"}, // begun on another path
		{"main solve", "", ""},
	} {
		th := &Thread{stack: []Frame{{Calls: calls(c.around)}, {}}} // the enclosing frame may have no calls
		var got []string
		for _, r := range th.via(calls(c.calls)) {
			got = append(got, r.Caller())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q within %q: %q, want %q", c.calls, c.around, got, c.want)
		}
	}
	for want, r := range map[string]*Region{"f": {Function: "f", Region: "libx.so+0x10"}, "libx.so+0x10": {Region: "libx.so+0x10", Address: "0x1"}, "0x1": {Address: "0x1"}} {
		if r.Caller() != want {
			t.Errorf("%+v is called %s, want %s", r, r.Caller(), want)
		}
	}
}
