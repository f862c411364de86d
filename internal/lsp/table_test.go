package lsp_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
)

const (
	tablePath  = "../../docs/editors.md"
	tableBegin = "<!-- what each language answers: made by go test ./internal/lsp -update -->\n"
	tableEnd   = "<!-- end -->\n"
)

// languages are the columns of the table.
var languages = []string{"coil", "paradyn", "sprokit", "pdi", "pinsight"}

// checkTable checks that the table in the documentation agrees with the requests that the archives
// got answers to.
func checkTable(t *testing.T, answered map[string]map[string]bool) {
	t.Helper()
	page, err := os.ReadFile(tablePath)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), tableBegin)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", tablePath)
	}
	want := before + tableBegin + table(answered) + tableEnd + after
	switch {
	case golden.Updating():
		if err := os.WriteFile(tablePath, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	case want != string(page):
		t.Errorf("the table in %s is another one; make it with -update, want %v", tablePath, string(page))
	}
}

func table(answered map[string]map[string]bool) string {
	var requests []string
	for _, of := range answered {
		for name := range of {
			if !slices.Contains(requests, name) {
				requests = append(requests, name)
			}
		}
	}
	slices.Sort(requests)
	var b strings.Builder
	fmt.Fprintf(&b, "| request | %s |\n|---|%s\n", strings.Join(languages, " | "), strings.Repeat("---|", len(languages)))
	for _, name := range requests {
		fmt.Fprintf(&b, "| %s |", name)
		for _, l := range languages {
			mark := " – |"
			if answered[l][name] {
				mark = " yes |"
			}
			b.WriteString(mark)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
