// Package compare finds the differences between two runs: in settings (with the lines that set them), in results (by content) and in figures. It also
// finds which setting can have caused which difference between results.
//
//	Record ─┐             ┌─ changed settings ──graph──▶ causes of each result
//	        ├──Runs──▶ Diff ┼─ results ──Files──▶ datasets, points, rows
//	Record ─┘             └─ figures beyond noise
//
// Causes are found from the records alone: a setting belongs to processes, the processes are connected, and one of them has written the result. A
// setting without a path to a result cannot have changed it.
package compare

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/runs/record"
)

// Diff holds the differences between two runs.
type Diff struct {
	A, B     *record.Record
	Settings []Change
	Derived  int      // number of settings that changed because another of Settings did
	Others   []string // other differences: programs, machine, inputs, variables
	Results  []Result
	Figures  []Figure

	traces   map[string]int // maps the folders of traces, each with a / at the end, to the number of runs that have them
	detailed map[string]int // how many results of each process were compared by content
}

// Change is a setting that differs.
type Change struct {
	File string `json:"file"`
	Part string `json:"part"`
	Key  string `json:"key"`
	Was  string `json:"was"`
	Is   string `json:"is"`
	// The position where each value is set. Empty: the run has no such setting, or it is not set in a file.
	WasAt string `json:"was_at,omitempty"`
	IsAt  string `json:"is_at,omitempty"`

	of []string // the processes to which it belongs, directly or through other settings
}

// State says how a result differs between two runs.
type State string

// The states of results.
const (
	Equal    State = "equal"
	Differs  State = "differs"
	OnlyA    State = "only the first"
	OnlyB    State = "only the second"
	Unknown  State = "unknown"  // one of them has no hash and no longer exists
	Measured State = "measured" // the result contains times, so it always differs
)

// JSONValues returns all states, for the JSON Schema of answers.
func (State) JSONValues() []string {
	return []string{string(Equal), string(Differs), string(OnlyA), string(OnlyB), string(Unknown), string(Measured)}
}

// Result is a result of two runs, or of only one of them.
type Result struct {
	Path    string       `json:"path"`
	Process string       `json:"process,omitempty"`
	State   State        `json:"state"`
	How     []Difference `json:"how,omitempty"`  // the differences
	Note    string       `json:"note,omitempty"` // why they are not known
	Causes  []Cause      `json:"causes,omitempty"`

	trace bool // part of a trace
}

// Runs compares two runs. It uses others to judge how much figures differ by chance.
func Runs(a, b *record.Record, others []*record.Record) *Diff {
	d := &Diff{A: a, B: b, traces: map[string]int{}, detailed: map[string]int{}}
	d.Settings, d.Derived = Settings(a, b)
	d.others()
	d.results()
	d.figures(others)
	d.causes()
	return d
}

// SameResults reports whether all results are the same, apart from measurements.
func (d *Diff) SameResults() bool {
	return !slices.ContainsFunc(d.Results, func(r Result) bool { return r.State != Equal && r.State != Measured })
}

// Same reports whether there are no differences, apart from measurements.
func (d *Diff) Same() bool { return len(d.Settings)+len(d.Others) == 0 && d.SameResults() }

type settingKey struct{ file, key string }

func byKey(r *record.Record) map[settingKey]record.Setting {
	m := make(map[settingKey]record.Setting, len(r.Settings))
	for _, s := range r.Settings {
		m[settingKey{s.File, s.Key}] = s
	}
	return m
}

// Settings finds the settings that differ. It only counts a setting as derived if its value comes from another setting that differs, because the user
// changed the other one.
func Settings(a, b *record.Record) (changes []Change, derived int) {
	was, is := byKey(a), byKey(b)
	differ := map[settingKey]bool{}
	for k, s := range was {
		if now, ok := is[k]; !ok || now.Value != s.Value {
			differ[k] = true
		}
	}
	for k := range is {
		if _, ok := was[k]; !ok {
			differ[k] = true
		}
	}
	from := func(k settingKey) (settingKey, bool) { // returns the setting from which a setting has its value, if that differs too
		for _, side := range []map[settingKey]record.Setting{is, was} {
			if s := side[k]; s.From != "" && s.From != s.Key && differ[settingKey{k.file, s.From}] {
				return settingKey{k.file, s.From}, true
			}
		}
		return k, false
	}
	root := func(k settingKey) settingKey {
		for range maxChain {
			next, ok := from(k)
			if !ok {
				break
			}
			k = next
		}
		return k
	}
	of := map[settingKey][]string{}
	for k := range differ {
		r := root(k)
		of[r] = append(of[r], was[k].Of...)
		of[r] = append(of[r], is[k].Of...)
		if r != k {
			derived++
		}
	}
	for k := range of {
		c := Change{File: k.file, Part: cmp.Or(is[k].Part, was[k].Part), Key: k.key, Was: was[k].Value, Is: is[k].Value, WasAt: was[k].At, IsAt: is[k].At, of: of[k]}
		slices.Sort(c.of)
		c.of = slices.Compact(c.of)
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Key, b.Key)) })
	return changes, derived
}

// maxChain limits chains of settings, each of which has its value from the next one.
const maxChain = 64

// others finds other differences that may have changed a result.
func (d *Diff) others() {
	add := func(format string, args ...any) { d.Others = append(d.Others, fmt.Sprintf(format, args...)) }
	if d.A.Target != d.B.Target {
		add("the target was `%s` and is now `%s`", d.A.Target, d.B.Target)
	}
	if a, b := d.A.Host, d.B.Host; a.Name != b.Name || a.System != b.System {
		add("the machine was `%s` (%s) and is now `%s` (%s)", a.Name, a.System, b.Name, b.System)
	}
	programs := map[string]record.Program{}
	for _, p := range d.A.Programs {
		programs[p.Path] = p
	}
	for _, p := range d.B.Programs {
		if was, ok := programs[p.Path]; ok && was.BuildID != p.BuildID {
			add("the program `%s` was rebuilt", p.Path)
		}
	}
	inputs := map[string]record.File{}
	for _, f := range d.A.Inputs {
		inputs[f.Path] = f
	}
	for _, f := range d.B.Inputs {
		if was, ok := inputs[f.Path]; ok && (was.Hash != f.Hash || was.Size != f.Size) {
			add("the input `%s` has other data", f.Path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.B.Env)) {
		if was, ok := d.A.Env[name]; ok && was != d.B.Env[name] {
			add("the variable `%s` was `%s` and is now `%s`", name, was, d.B.Env[name])
		}
	}
}

// byPath returns the results of a run by path, and notes the folders of its traces.
func (d *Diff) byPath(r *record.Record) map[string]record.Result {
	m := make(map[string]record.Result, len(r.Results))
	for _, f := range r.Results {
		m[f.Path] = f
		if dir, ok := strings.CutSuffix("/"+f.Path, "/ctf/metadata"); ok {
			d.traces[dir]++
		}
	}
	return m
}

// results compares the files that the runs have written.
func (d *Diff) results() {
	was, is := d.byPath(d.A), d.byPath(d.B)
	for _, r := range d.A.Results {
		now, ok := is[r.Path]
		if !ok {
			d.Results = append(d.Results, Result{Path: r.Path, Process: r.Process, State: OnlyA})
			continue
		}
		d.Results = append(d.Results, d.result(r, now))
	}
	for _, r := range d.B.Results {
		if _, ok := was[r.Path]; !ok {
			d.Results = append(d.Results, Result{Path: r.Path, Process: r.Process, State: OnlyB})
		}
	}
	for i := range d.Results {
		r := &d.Results[i]
		runs := d.traced(r.Path)
		if r.trace = runs > 0; runs > 1 && (r.State == OnlyA || r.State == OnlyB) { // stream names contain process IDs, so they differ in every run
			r.State = Measured
		}
	}
	slices.SortFunc(d.Results, func(a, b Result) int { return strings.Compare(a.Path, b.Path) })
}

// maxDetailed is how many results of one process are compared by content: a run may write thousands of pictures.
const maxDetailed = 8

func (d *Diff) result(was, now record.Result) Result {
	r := Result{Path: now.Path, Process: now.Process, State: Differs}
	if was.Hash != "" && was.Hash == now.Hash {
		r.State = Equal
		return r
	}
	if d.traced(now.Path) > 0 {
		r.State = Measured
		return r
	}
	if was.Hash != "" && now.Hash != "" {
		if d.detailed[r.Process]++; d.detailed[r.Process] > maxDetailed {
			r.Note = "not compared by content, like other results of its process"
			return r
		}
	}
	paths := [2]string{}
	for i, side := range []struct {
		run    *record.Record
		result record.Result
	}{{d.A, was}, {d.B, now}} {
		paths[i] = filepath.Join(side.run.Out, filepath.FromSlash(side.result.Path))
		if why := gone(side.run.Out, side.result); why != "" {
			r.Note = "of run " + side.run.ID + " it " + why
			if was.Hash == "" || now.Hash == "" {
				r.State = Unknown
			}
			return r
		}
	}
	how, err := Files(paths[0], paths[1])
	switch {
	case err != nil:
		r.Note = "it cannot be read"
	case len(how) == 0 && was.Hash == "":
		r.State = Equal
	case len(how) == 0:
		r.Note = "the data are equal, but the bytes differ"
	}
	r.How = how
	return r
}

// gone explains why a result is no longer as the run left it; empty: it is unchanged. It does not follow a link, which may lead to a file that no run
// has written.
func gone(out string, r record.Result) string {
	root, err := os.OpenRoot(out)
	if err != nil {
		return "is gone, so only its hash is compared"
	}
	defer root.Close()
	name := filepath.FromSlash(r.Path)
	path := filepath.Join(out, name)
	info, err := root.Stat(name)
	switch {
	case record.Linked(root, name):
		return "is a link now, so only its hash is compared"
	case err != nil:
		return "is gone, so only its hash is compared"
	case !info.Mode().IsRegular() || info.Size() != r.Size:
		return "was written again since, so only its hash is compared"
	case r.Hash != "":
		if sum, err := record.Sum(path); err != nil || sum != r.Hash {
			return "was written again since, so only its hash is compared"
		}
	case !info.ModTime().Equal(r.Time):
		return "was written again since"
	}
	return ""
}
