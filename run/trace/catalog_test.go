package trace

import (
	"slices"
	"strconv"
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
		{"event twice", []Domain{{Name: "A", Events: []Event{{ID: 1, Name: "e"}, {ID: 2, Name: "e"}}}}, "event `e` of `A` needs a unique name"},
		{"id twice", []Domain{{Name: "A", Events: []Event{{ID: 1, Name: "e"}, {ID: 1, Name: "f"}}}}, "events `e` and `f` of `A` have the same id 1"},
		{"kind twice", []Domain{{Name: "A", Kinds: []Kind{{"k", 0, 1}, {"k", 0, 1}}}}, "unit kind `k` of `A` needs a unique name"},
		{"range", []Domain{{Name: "A", Kinds: []Kind{{"k", 2, 1}}}}, "unit kind `k` of `A` runs from 2 down to 1"},
		{"event without a name", []Domain{{Name: "A", Events: []Event{{ID: 1}}}}, "event `` of `A` needs a unique name"},
		{"kind without a name", []Domain{{Name: "A", Kinds: []Kind{{"", 0, 1}}}}, "unit kind `` of `A` needs a unique name"},
		{"too many kinds", manyKinds(257), "the catalogue has 65792 unit kinds; it can have 65535"},
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

// manyKinds returns as many domains as are asked for, each with 256 kinds, up to the maximum number of domains.
func manyKinds(domains int) []Domain {
	all := make([]Domain, min(domains, 255))
	for i := range all {
		all[i].Name = strconv.Itoa(i)
	}
	for i := range 256 * domains {
		d := &all[i%len(all)]
		d.Kinds = append(d.Kinds, Kind{strconv.Itoa(i), 0, 0})
	}
	return all
}

// A catalogue of the maximum size is accepted.
func TestLargestCatalog(t *testing.T) {
	domains := manyKinds(255)
	domains[0].Kinds = append(domains[0].Kinds, make([]Kind, 255)...)
	for i := range 255 {
		domains[0].Kinds[256+i].Name = "more" + strconv.Itoa(i)
	}
	c, err := NewCatalog(domains...)
	if err != nil || c.Kinds() != 65535 {
		t.Fatalf("%v", err)
	}
	if k, ok := c.Kind(1, "1"); !ok || k != 511 {
		t.Errorf("the first kind of the second domain is %d, %v, want 511", k, ok)
	}
}

func TestCatalogNames(t *testing.T) {
	c := fixture(t)
	mpi, ok := c.Domain("MPI")
	if !ok || c.Domains()[mpi].Name != "MPI" {
		t.Fatalf("MPI is domain %d, %v, want the domain of that name", mpi, ok)
	}
	if e, ok := c.Event(mpi, "test"); !ok || e != 10 {
		t.Errorf("MPI's test is event %d, %v, want 10", e, ok)
	}
	if k, ok := c.Kind(mpi, "rank"); !ok || k != 2 {
		t.Errorf("MPI's rank is kind %d, %v, want 2", k, ok)
	}
	if _, ok := c.Kind(mpi, "thread"); ok {
		t.Error("MPI has threads")
	}
	for _, none := range []DomainID{DomainID(len(c.Domains())), 9} {
		if _, ok := c.Event(none, "test"); ok {
			t.Errorf("domain %d has an event, want none", none)
		}
		if _, ok := c.Kind(none, "thread"); ok {
			t.Errorf("domain %d has threads, want none", none)
		}
	}
	if row := c.Row(mpi, 10); row.Name != "test" || row.ID != 10 || row.On {
		t.Errorf("event 10 of MPI is %+v, want test, not on", row)
	}
	if got := c.IDs(Constraint{Domain: "MPI", Kind: "rank"}); got != (Span{0, 127}) {
		t.Errorf("MPI's ranks are %v, want %v", got, (Span{0, 127}))
	}
	if got := c.IDs(Constraint{Domain: "MPI", Kind: "thread"}); got != (Span{}) {
		t.Errorf("MPI's threads are %v, want %v", got, (Span{}))
	}
}

// Constraints are sorted in the order of the catalogue: by domain, then by kind.
func TestByKind(t *testing.T) {
	c := fixture(t)
	rank, team, thread := Constraint{Domain: "MPI", Kind: "rank"}, Constraint{Domain: "OpenMP", Kind: "team"}, Constraint{Domain: "OpenMP", Kind: "thread"}
	all := Constraints{rank, thread, team}
	slices.SortFunc(all, c.ByKind)
	for i, want := range []Constraint{team, thread, rank} {
		if !all[i].SameKind(want) {
			t.Errorf("%d is %v, want %v", i, all[i], want)
		}
	}
	if c.ByKind(rank, rank) != 0 {
		t.Error("a kind differs from itself")
	}
}

// By default, a domain has exactly the events that are on in the catalogue.
func TestDefaults(t *testing.T) {
	c := fixture(t)
	for d, domain := range c.Domains() {
		events := c.Defaults(DomainID(d))
		for _, e := range domain.Events {
			if events.Has(e.ID) != e.On {
				t.Errorf("%s of %s is on: %v, want %v", e.Name, domain.Name, !e.On, e.On)
			}
		}
	}
}
