package trace

import (
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/trace/layout"
)

// TestParseActivity checks what texts of device_activity mean.
func TestParseActivity(t *testing.T) {
	for text, want := range map[string]Activity{
		"off": {Kind: layout.ActivityOff, Set: true}, "ON": {Kind: layout.ActivityOn, Set: true}, "anyone_per_node": {Kind: layout.ActivityAnyone, Set: true},
		"leader_per_node": {Kind: layout.ActivityLeader, Set: true}, "rotate_per_node": {Kind: layout.ActivityRotate, Set: true, Turn: time.Second},
		"rotate_per_node:250": {Kind: layout.ActivityRotate, Set: true, Turn: 250 * time.Millisecond}, "never": {},
	} {
		if got := ParseActivity(text); got != want {
			t.Errorf("`%s` is %+v, want %+v", text, got, want)
		}
	}
	if text := ParseActivity("rotate_per_node").String(); text != "rotate_per_node:1000" {
		t.Errorf("it is written as `%s`, want %q", text, "rotate_per_node:1000")
	}
}

// A reload keeps values that it does not set, and reports changed ones.
func TestActivityMerges(t *testing.T) {
	on := &Config{Domains: map[string]DomainLayer{"MPI": {Activity: ParseActivity("on")}}}
	merged, err := on.merge(&Config{Domains: map[string]DomainLayer{"MPI": {Mode: Monitoring}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := merged.(*Config).Domains["MPI"].Activity.String(); got != "on" {
		t.Errorf("after a reload that does not name it, it is %s", got)
	}
	c := fixture(t)
	p := compile(t, c, merged)
	if d, _ := c.Domain("MPI"); p.Activity(d).Kind != layout.ActivityOn {
		t.Errorf("the policy has %+v, want %v", p.Activity(d), layout.ActivityOn)
	}
	changes := Diff(on, &Config{Domains: map[string]DomainLayer{"MPI": {Activity: ParseActivity("leader_per_node")}}})
	if len(changes) != 1 || changes[0].Key != ActivityKey || changes[0].Old != "on" || changes[0].New != "leader_per_node" {
		t.Errorf("changes %+v, want len(changes) = 1, changes[0].Key = %v, changes[0].Old = %q and changes[0].New = %q", changes, ActivityKey, "on", "leader_per_node")
	}
}
