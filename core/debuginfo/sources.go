package debuginfo

import (
	"fmt"
	"maps"
	"slices"
)

// Sources are the files that a program was compiled from, headers included, as the compiler
// was given them; none where it has no debug information.
func (f *File) Sources() ([]string, error) {
	return guarded(f, func() ([]string, error) {
		x, err := f.contents()
		if err != nil {
			return nil, err
		}
		found := map[string]bool{}
		for _, u := range x.units {
			t, err := f.lineTable(u)
			if err != nil {
				return nil, fmt.Errorf("the line table of `%s` is damaged", f.name())
			}
			if t == nil {
				continue
			}
			for i := range t.files {
				if name := t.path(uint64(i)); name != "" {
					found[name] = true
				}
			}
			if len(found) > maxFiles {
				return nil, f.tooMuch("source files")
			}
		}
		return slices.Sorted(maps.Keys(found)), nil
	})
}
