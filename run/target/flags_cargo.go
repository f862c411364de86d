package target

import (
	"fmt"
	"slices"
	"strings"
)

// cargo writes a configuration for Cargo: the target, what rustc is told for it, and the level of
// optimising of a release.
func (w *writer) cargo() {
	flags := func(stage Stage) []string {
		o := newWriter(w.view, Compiler{Name: "rustc", Major: w.c.Major})
		o.rustc(stage)
		for _, n := range o.notes {
			w.report(n)
		}
		return o.flags
	}
	compile := flags(Compiling)
	if len(compile) == 0 {
		return // a note says why
	}
	target := strings.TrimPrefix(compile[0], "--target=")
	var words []string
	level := ""
	for _, f := range slices.Concat(compile[1:], flags(Linking)) {
		if text, ok := strings.CutPrefix(f, "-Copt-level="); ok {
			level = either(strings.ContainsAny(text, "sz"), fmt.Sprintf("%q", text), text)
		} else if q := fmt.Sprintf("%q", f); !strings.HasPrefix(f, "--target=") && !slices.Contains(words, q) {
			words = append(words, q)
		}
	}
	w.add("# Cargo configuration for "+w.t.PU+" "+w.view.archName()+", for .cargo/config.toml", "[build]", fmt.Sprintf("target = %q", target), "", "[target."+tomlKey(target)+"]")
	if w.c.Program != "" {
		w.add(fmt.Sprintf("linker = %q", w.c.Program))
	}
	w.add("rustflags = ["+strings.Join(words, ", ")+"]", "", "[profile.release]", "opt-level = "+level)
}

// tomlKey is a name as a key of TOML: in quotes where it has more than letters, digits and signs.
func tomlKey(name string) string {
	return either(strings.Contains(name, "."), fmt.Sprintf("%q", name), name)
}
