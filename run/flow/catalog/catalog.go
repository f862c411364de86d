// Package catalog lists all process types of this program, and reads declarations of further
// types.
//
// It is separate from package flow because it imports every package of types, and these
// import flow. A program that runs other types does not need it. Some types of KWIVER need
// algorithms that this program does not have. They are only declared, in kwiver.json, in the
// same form in which users declare types of their own programs. Pipelines that use them can
// be checked, explained and drawn like all others. Running such a pipeline reports what is
// missing.
package catalog

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/run/flow/adapter"
	"github.com/pentode-dev/pentode/run/flow/array"
	"github.com/pentode-dev/pentode/run/flow/child"
	"github.com/pentode-dev/pentode/run/flow/example"
	"github.com/pentode-dev/pentode/run/flow/heat"
	"github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/program"
	"github.com/pentode-dev/pentode/run/flow/route"
	"github.com/pentode-dev/pentode/run/flow/serial"
	"github.com/pentode-dev/pentode/run/flow/text"
	"github.com/pentode-dev/pentode/run/flow/video"
	"github.com/pentode-dev/pentode/run/flow/vision"
	"github.com/pentode-dev/pentode/run/flow/vision/track"
	"github.com/pentode-dev/pentode/run/flow/web"
)

//go:embed kwiver.json
var kwiver []byte

// declared returns the types in kwiver.json, which is read at the first call.
var declared = sync.OnceValue(func() []*pipe.Type {
	all, err := read(kwiver)
	if err != nil {
		panic(err) // cannot happen: the file is embedded in this program
	}
	return all.Types
})

// Standard returns a new registry with all types of this program. Pipelines are checked
// against the ports and keys of KWIVER's types; the registry can also run types that only
// VIAME has.
func Standard() *pipe.Registry {
	types := slices.Concat(
		example.Types(), route.Types(), adapter.Types(), image.Types(), vision.Types(),
		text.Types(), web.Types(), child.Types(), program.Types(), array.Types(), heat.Types(), video.Types(), serial.Types(), track.Types(), declared(),
	)
	for i, t := range types {
		types[i] = vision.Extend(child.Algorithmic(t))
	}
	r := pipe.NewRegistry(types...)
	for t := range r.All() {
		if err := r.Replace(t.Common()); err != nil {
			panic(err) // cannot happen: the types are built into this program
		}
	}
	for _, k := range known {
		r.AddKnown(k)
	}
	python, _ := r.Lookup("python")
	python.Narrow = narrowPython(python)
	return r
}
