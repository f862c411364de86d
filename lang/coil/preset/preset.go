// Package preset holds targets that many people build for, ready to use or
// to inherit from.
//
// Each is a configuration of its own, embedded as text, so that what a preset
// says can be read, checked and copied like any other file. Processors that the
// tables know by name are presets too: that of their family with their features.
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

// File is a preset's text; false where there is none of that name. Case does
// not matter: SM_70 is sm_70.
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

// pathPrefix begins the path of a preset, which is no file.
const pathPrefix = "preset "

// ByPath is the preset whose text has that path.
func ByPath(path string) (*source.File, bool) {
	name, ok := strings.CutPrefix(path, pathPrefix)
	if !ok {
		return nil, false
	}
	return File(name)
}

// Title is a preset's description: the comment it begins with.
func Title(f *source.File) string {
	return strings.TrimSpace(strings.TrimPrefix(f.Line(1), "#"))
}
