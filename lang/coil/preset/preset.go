// Package preset holds common targets, ready to use or to inherit from.
//
// Each preset is a configuration, embedded as text, so that it can be read,
// checked and copied like any other file. Processors that the tables know by
// name are presets too: each is its family's preset with the processor's
// features.
package preset

import (
	"embed"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

//go:embed *.coilcfg
var files embed.FS

const ending = ".coilcfg"

// Names lists the presets, sorted.
func Names() []string {
	entries, _ := files.ReadDir(".") // an embedded folder can always be read
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ending))
	}
	names = append(names, processorNames()...)
	slices.Sort(names)
	return names
}

// File returns the text of a preset; false if there is no preset of that name.
// Case does not matter: SM_70 is sm_70.
func File(name string) (*source.File, bool) {
	name = strings.ToLower(strings.TrimSuffix(name, ending))
	if p, ok := processors()[name]; ok {
		return source.NewFile(pathPrefix+name, p.text()), true
	}
	text, err := files.ReadFile(name + ending)
	if err != nil {
		return nil, false
	}
	return source.NewFile(pathPrefix+name, string(text)), true
}

// pathPrefix begins the path of a preset, which is not a file.
const pathPrefix = "preset "

// ByPath returns the preset whose text has that path.
func ByPath(path string) (*source.File, bool) {
	name, ok := strings.CutPrefix(path, pathPrefix)
	if !ok {
		return nil, false
	}
	return File(name)
}

// Title returns a preset's description: the comment it begins with.
func Title(f *source.File) string {
	return strings.TrimSpace(strings.TrimPrefix(f.Line(1), "#"))
}
