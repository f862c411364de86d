package broker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naive matches patterns token by token.
func naive(pattern, subject []string) bool {
	switch {
	case len(pattern) == 0 || len(subject) == 0:
		return len(pattern) == len(subject)
	case pattern[0] == ">" && len(pattern) == 1:
		return true
	case pattern[0] != "*" && pattern[0] != subject[0]:
		return false
	}
	return naive(pattern[1:], subject[1:])
}

// TestFind: a table finds exactly the subscriptions whose patterns match, after any additions and
// removals.
func TestFind(t *testing.T) {
	subjects := func(tokens ...string) *rapid.Generator[string] {
		return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(tokens), 1, 4), func(list []string) string { return strings.Join(list, ".") })
	}
	rapid.Check(t, func(t *rapid.T) {
		var table table
		var there []*subscription
		for i := range rapid.IntRange(0, 30).Draw(t, "changes") {
			if len(there) > 0 && rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
				j := rapid.IntRange(0, len(there)-1).Draw(t, "which")
				table.remove(there[j])
				table.remove(there[j]) // removing it again changes nothing
				there = slices.Delete(there, j, j+1)
				continue
			}
			pattern := subjects("a", "b", "*", ">", "a*", ">b").Filter(isSubject).Draw(t, "pattern")
			s := &subscription{subject: pattern, group: rapid.SampledFrom([]string{"", "", "g", "h"}).Draw(t, "group"), id: fmt.Sprint(i)}
			table.add(s)
			there = append(there, s)
		}
		if table.size() != len(there) {
			t.Fatalf("the table has %d subscriptions, want %d", table.size(), len(there))
		}
		subject := subjects("a", "b", "a*", ">b", "c").Draw(t, "subject")
		a := table.find(subject)
		got := slices.Concat(append(a.groups, a.each)...)
		for _, s := range there {
			if want := naive(strings.Split(s.subject, "."), strings.Split(subject, ".")); slices.Contains(got, s) != want {
				t.Fatalf("%q finds %q: %v, want %v", subject, s.subject, !want, want)
			}
		}
		for _, g := range a.groups {
			for _, s := range g {
				if s.group != g[0].group || s.group == "" {
					t.Fatalf("group %q has one of group %q", g[0].group, s.group)
				}
			}
		}
	})
}
