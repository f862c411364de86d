package cli

import "testing"

// TestLastColon: the two colons in a C++ name do not separate a file from a name; only a single
// colon does.
func TestLastColon(t *testing.T) {
	for text, want := range map[string]int{
		"step": -1, "Solver::step": -1, "app::Solver<float>::step": -1, "main.c:42": 6, "main.c:Solver::step": 6, ":x": 0,
	} {
		if got := lastColon(text); got != want {
			t.Errorf("the last colon of `%s` is at %d, want %d", text, got, want)
		}
	}
}
