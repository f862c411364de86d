package pdi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
)

// TestAliasBombStopsEverything checks that aliases are not expanded at all if they would expand to too many nodes. So no
// command can turn such a small file into a huge output.
func TestAliasBombStopsEverything(t *testing.T) {
	text := "data: {}\nplugins:\n  trace:\n    l0: &l0 [a, a, a, a, a, a, a, a, a, a]\n"
	for i := 1; i < 9; i++ {
		text += fmt.Sprintf("    l%d: &l%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d, ", i-1), 10), ", "))
	}
	c := pdi.New(pdi.Options{}).Parse(source.NewFile("a.yml", text)).Resolve(&load.Env{})
	found := c.Diagnostics()
	if len(found) == 0 || found[0].Code.ID != "pdi/yaml-alias-bomb" {
		t.Fatalf("found %v, want len(found) other than 0 and found[0].Code.ID = %q", found, "pdi/yaml-alias-bomb")
	}
	values := 0
	for range c.Values() {
		values++
	}
	var flat, json strings.Builder
	if _, err := c.Flatten(&flat); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Convert("json", &json); err != nil {
		t.Fatal(err)
	}
	if values > 1000 || flat.Len() > 10*len(text) || json.Len() > 10*len(text) {
		t.Errorf("%d bytes become %d values, %d bytes flattened and %d of JSON; want values at most 1000, flat.Len() at most %v and json.Len() at most %v", len(text), values, flat.Len(), json.Len(), 10*len(text), 10*len(text))
	}
}
