package trace

import (
	"fmt"
	"testing"
)

// TestKnobChanges: a new, changed or removed knob is a change.
func TestKnobChanges(t *testing.T) {
	before := []Knob{{Name: "same", Text: "1"}, {Name: "other", Text: "2"}, {Name: "gone", Text: "3"}}
	after := []Knob{{Name: "other", Text: "4"}, {Name: "same", Text: "1"}, {Name: "new", Text: "5"}}
	want := "[`Knob` other: 2 → 4 `Knob` new: now 5 `Knob` gone: no longer 3]"
	if got := fmt.Sprint(KnobChanges(before, after)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := KnobChanges(before, before); len(got) > 0 {
		t.Errorf("equal knobs: %v, want at most 0", got)
	}
}
