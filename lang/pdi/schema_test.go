package pdi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
)

// TestTypeKeys compares the documented keys of types with the keys that the engine reads.
func TestTypeKeys(t *testing.T) {
	documented := 0
	for _, sec := range language.Schema().Sections {
		name, ok := strings.CutPrefix(sec.Name, "type: ")
		if !ok {
			continue
		}
		documented++
		var keys []string
		for _, k := range sec.Keys {
			keys = append(keys, k.Name)
		}
		read := data.TypeKeys(name)
		slices.Sort(keys)
		slices.Sort(read)
		if !slices.Equal(keys, read) {
			t.Errorf("%s: the schema has %v, the engine reads %v; want %v", name, keys, read, read)
		}
	}
	for _, name := range data.TypeNames() {
		if len(data.TypeKeys(name)) > 0 {
			documented--
		}
	}
	if documented != 0 {
		t.Errorf("the schema has %d types more than the engine", documented)
	}
}
