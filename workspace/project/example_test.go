package project_test

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/workspace/project"
)

// The nearest project file in the folders above a file applies.
func ExampleFinder() {
	finder := &project.Finder{
		Opener: source.Map{"/project/pentode.toml": "exclude = [\"build/\"]\nignore = [\"pdi/unused-metadata\"]\n"},
		Names:  project.Names{Codes: []string{"pdi/unused-metadata"}, Languages: []string{"pdi"}},
	}
	p := finder.Of("/project/runs/heat.yml", false)
	fmt.Println(p.Dir, p.Excludes("/project/build", true), p.Wants("pdi/unused-metadata", nil))
	// Output:
	// /project true false
}
