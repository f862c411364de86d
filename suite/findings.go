package suite

import (
	"path/filepath"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/paradyn"
	"github.com/pentode-dev/pentode/run/launch"
)

// Diagnostics returns the findings of every file, as it is in the run, and the findings between files: one for each cause.
func Diagnostics(r *Run, h Host) diag.List {
	return r.workspace.Review(Found(r, h), r.Files()...)
}

// Found returns all findings, sorted, before the settings of the project apply.
func Found(r *Run, h Host) diag.List {
	between := Check(r, h)
	reported := map[source.Span]*diag.Code{}
	for _, d := range between {
		if superseding[d.Code] != nil {
			reported[d.Span] = d.Code
		}
	}
	for span := range r.unplanned() {
		reported[span] = notSet
	}
	used, needs := r.usedTunables(), r.needed()
	var list diag.List
	for _, c := range r.Files() {
		needed := needs[filepath.Clean(c.Document.File.Path())]
		for _, d := range r.findings(c) {
			if by := superseding[reported[d.Span]]; by != nil && by(d.Code.ID) {
				continue // the finding about both files replaces it
			}
			if d.Code.ID == unknownTunable && used[d.Span] || d.Code.ID == needsProgram && r.located[d.Span] {
				continue
			}
			if d.Severity == diag.Error && len(needed) > 0 {
				d = withPlaces(d, needed)
				needed = nil
			}
			list.Add(d)
		}
	}
	list = append(list, between...)
	list.Sort()
	return list
}

// superseding are the findings between files that replace the findings of a single file at the same position.
var superseding = map[*diag.Code]func(id string) bool{
	notSet:          func(string) bool { return true },
	noSuchCommand:   func(id string) bool { return id == "paradyn/implicit-daemon" },
	doesNotFit:      func(id string) bool { return id == treeLayout },
	otherEndianness: func(id string) bool { return id == "coil/endianness" },
}

// need is a place that names a file, and says what cannot work while the file has errors.
type need struct {
	at   source.Span
	what string
}

// needed returns the places that name a file, by its path: the arguments of programs, and the processes that feed a tree.
func (r *Run) needed() map[string][]need {
	list := map[string][]need{}
	add := func(path string, n need) { list[filepath.Clean(path)] = append(list[filepath.Clean(path)], n) }
	for _, p := range slices.Concat(r.Programs, r.Started) {
		for _, w := range []*Word{p.Pipe, p.Policy} {
			if w != nil {
				add(r.path(w.Text), need{w.Span, string(p.Node.Kind) + " `" + p.Node.ID + "` cannot run with this file"})
			}
		}
		if p.Own != nil {
			for _, t := range p.Own.Trees {
				add(r.path(t.Text), need{t.Span, string(p.Node.Kind) + " `" + p.Node.ID + "` is started with this file"})
			}
		}
	}
	for _, p := range r.Pipelines {
		for _, e := range p.Exposes {
			add(e.Path, need{e.Spec, "process `" + e.Node.Name + "` cannot be set up with this file"})
		}
	}
	return list
}

// withPlaces returns a copy of a finding with more labels; the original does not change.
func withPlaces(d *diag.Diagnostic, more []need) *diag.Diagnostic {
	const limit = 4
	out := *d
	out.Labels = slices.Clone(d.Labels)
	for _, n := range more[:min(limit, len(more))] {
		out.At(n.at, "%s", n.what)
	}
	return &out
}

// unknownTunable is the code with which the language of the plan reports constants that are not Paradyn's. Here they belong to the run, if a pipeline
// reads them.
const unknownTunable = "paradyn/unknown-tunable"

// needsProgram is the code with which the language of trace configurations asks for the program to which a line of source belongs. A plan that traces
// the program answers that.
const needsProgram = "pinsight/needs-program"

// usedTunables returns the positions that set constants which a pipeline reads.
func (r *Run) usedTunables() map[source.Span]bool {
	read := map[string]bool{}
	for _, p := range r.Pipelines {
		for _, v := range p.Model.Variables() {
			read[v.Name] = true
		}
	}
	used := map[source.Span]bool{}
	if m, ok := model[*paradyn.Model](r.Configs[Launch]); ok {
		for _, t := range m.Tunables {
			if read[launch.TunableVariable(t.Name)] {
				used[t.At] = true
			}
		}
	}
	return used
}
