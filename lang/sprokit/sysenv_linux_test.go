package sprokit

import "testing"

// TestInDomain: a host without a domain has just its name.
func TestInDomain(t *testing.T) {
	for domain, want := range map[string]string{"lab": "node7.lab", "(none)": "node7", "": "node7"} {
		if got := inDomain("node7", domain); got != want {
			t.Errorf("in the domain %q it is %s, want %s", domain, got, want)
		}
	}
}
