package target

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/target/table"
)

// processor finds a processor of the tables by its name.
func (v *view) processor(name string) *table.Processor {
	for i := range v.isa.Processors {
		if p := &v.isa.Processors[i]; strings.EqualFold(p.Name, name) {
			return p
		}
	}
	return nil
}

// tunable refuses a processor to tune for that the architecture does not have.
func (v *view) tunable(name string) error {
	if name == "" || v.processor(name) != nil {
		return nil
	}
	var known []string
	for _, p := range v.isa.Processors {
		known = append(known, p.Name)
	}
	near, _ := problem.Nearest(name, known)
	return &problem.Problem{Kind: UnknownMachine, Subject: problem.Subject{Name: name}, Message: fmt.Sprintf("there is no processor `%s` of %s to tune for", name, v.arch.Name),
		Expected: "`pentode target list presets` lists them", Suggestion: near}
}

// tune writes for which processor code is made fast.
func (w *writer) tune() {
	if w.c.Tune == "" {
		return
	}
	p := w.view.processor(w.c.Tune)
	switch o := p.Tune(w.clang()); {
	case o.Flag == "":
		w.note(KeyFeatures, "the tables have no name of %s for `%s` to tune for: no -mtune", w.c.Name, p.Name)
	case !o.In(w.c.Major):
		w.note(KeyFeatures, "%s %d has no -mtune for `%s`: it came with version %d", w.c.Name, w.c.Major, p.Name, o.Since)
	default:
		w.addSince("-mtune="+o.Flag, o.Since)
	}
}

// untuned notes that a compiler makes code fast for the processor alone that it builds for.
func (w *writer) untuned() {
	if w.c.Tune != "" && slices.Contains([]string{"cargo", "go", "nvc", "rustc", "zig"}, w.c.Name) {
		w.note(KeyFeatures, "%s has no flag to tune for another processor than it builds for: nothing for `%s`", w.c.Name, w.c.Tune)
	}
}
