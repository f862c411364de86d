package trace

import (
	"strings"
	"testing"
)

func TestNewCatalogRefuses(t *testing.T) {
	for _, test := range []struct {
		name    string
		domains []Domain
		want    string
	}{
		{"no name", []Domain{{}}, "domain number 0 has no name"},
		{"domain twice", []Domain{{Name: "A"}, {Name: "A"}}, "domain `A` is in the catalogue twice"},
		{"event twice", []Domain{{Name: "A", Events: []Event{{ID: 1, Name: "e"}, {ID: 2, Name: "e"}}}}, "event `e` of `A` needs a name of its own"},
		{"id twice", []Domain{{Name: "A", Events: []Event{{ID: 1, Name: "e"}, {ID: 1, Name: "f"}}}}, "events `e` and `f` of `A` have the same id 1"},
		{"kind twice", []Domain{{Name: "A", Kinds: []Kind{{"k", 0, 1}, {"k", 0, 1}}}}, "unit kind `k` of `A` needs a name of its own"},
		{"range", []Domain{{Name: "A", Kinds: []Kind{{"k", 2, 1}}}}, "unit kind `k` of `A` runs from 2 down to 1"},
		{"too many", make([]Domain, 256), "the catalogue has 256 domains; it can have 255"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := NewCatalog(test.domains...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestCatalogNames(t *testing.T) {
	c := fixture(t)
	mpi, ok := c.Domain("MPI")
	if !ok || c.Domains()[mpi].Name != "MPI" {
		t.Fatalf("MPI is domain %d, %v", mpi, ok)
	}
	if e, ok := c.Event(mpi, "test"); !ok || e != 10 {
		t.Errorf("MPI's test is event %d, %v", e, ok)
	}
	if k, ok := c.Kind(mpi, "rank"); !ok || k != 2 {
		t.Errorf("MPI's rank is kind %d, %v", k, ok)
	}
	if _, ok := c.Event(9, "test"); ok {
		t.Error("domain 9 has an event")
	}
	if _, ok := c.Kind(mpi, "thread"); ok {
		t.Error("MPI has threads")
	}
}
