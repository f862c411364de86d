package problem

import "testing"

// TestNearestFile: a file with the same extension may have a similar name; a file with another extension needs the
// same name.
func TestNearestFile(t *testing.T) {
	for _, c := range []struct {
		name  string
		names []string
		want  string
	}{
		{"wrods.txt", []string{"a.txt", "words.txt", "words.csv"}, "words.txt"},
		{"words.TXT", []string{"words.txt"}, "words.txt"},
		{"list.txt", []string{"out.txt", "list2.png"}, ""},
		{"list.txt", []string{"list.csv"}, "list.csv"},
		{"results", []string{"result", "a.txt"}, "result"},
		{"words.txt", nil, ""},
	} {
		if have, ok := NearestFile(c.name, c.names); have != c.want || ok != (c.want != "") {
			t.Errorf("%s in %v: have %q, want %q", c.name, c.names, have, c.want)
		}
	}
}
