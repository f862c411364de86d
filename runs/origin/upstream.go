package origin

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/workspace"
)

// locate finds the file among the results of the run, even if the file was copied.
func (o *Origin) locate() {
	result := o.result()
	switch {
	case result != nil:
		o.Process, o.Edge = result.Process, result.Edge
	case o.Seal.Process != "":
		o.miss("the record does not contain this file: the run may still be live, or it ended before the file was recorded")
	}
	if o.Process == "" && o.Seal.Process != "" {
		o.Process = o.process(o.Seal.Process)
	}
}

// way finds the processes through which the data went.
func (o *Origin) way() {
	if o.Process == "" {
		o.miss("the process that wrote the file is not known, so all settings of the run are shown")
		return
	}
	for _, s := range record.Upstream(o.Record.Edges, o.Process)[1:] {
		o.Way = append(o.Way, s.Process)
	}
}

// result finds the file among the results by content, or else by name.
func (o *Origin) result() *record.Result {
	sum, _ := record.Sum(o.File) // a folder or a large file has no sum
	var named *record.Result
	for i := range o.Record.Results {
		f := &o.Record.Results[i]
		if sum != "" && f.Hash == sum && o.wrote(f) {
			return f
		}
		if path.Base(f.Path) == filepath.Base(o.File) && o.wrote(f) && named == nil {
			named = f
		}
	}
	o.Changed = named != nil && named.Hash != "" && sum != ""
	return named
}

// wrote reports whether the process in the file's seal can have written the result.
func (o *Origin) wrote(f *record.Result) bool {
	return o.Seal.Process == "" || f.Process == "" || f.Process == o.Seal.Process || strings.HasSuffix(f.Process, "/"+o.Seal.Process)
}

// process returns the name in the record for a process in a seal.
func (o *Origin) process(name string) string {
	for _, e := range o.Record.Edges {
		for _, port := range []string{e.From, e.To} {
			if p := record.ProcessOf(port); p == name || strings.HasSuffix(p, "/"+name) {
				return p
			}
		}
	}
	return ""
}

// settings finds the settings on which the result depends, and their current values.
func (o *Origin) settings(w *workspace.Workspace) {
	on := map[string]bool{o.Process: true}
	for _, p := range o.Way {
		on[p] = true
	}
	matters := func(s *record.Setting) bool {
		return o.Process == "" || slices.ContainsFunc(s.Of, func(p string) bool { return on[p] })
	}
	read := map[[2]string]bool{} // settings whose values other settings use
	for i := range o.Record.Settings {
		if s := &o.Record.Settings[i]; s.From != "" && matters(s) {
			read[[2]string{s.File, s.From}] = true
		}
	}
	other := o.otherDatasets()
	now := &present{w: w, r: o.Record, files: map[string]map[string]string{}}
	for _, s := range o.Record.Settings {
		whole := len(s.Of) == 0 && o.Process != "" && !read[[2]string{s.File, s.Key}]
		if !matters(&s) && !read[[2]string{s.File, s.Key}] && !whole || other(s.Key) {
			continue
		}
		state, value := now.of(&s)
		o.Settings = append(o.Settings, Setting{Setting: s, Whole: whole, State: state, Now: value})
	}
	// Settings of the processes come first, in the order of the files.
	slices.SortStableFunc(o.Settings, func(a, b Setting) int { return cmp.Compare(rank(a.Whole), rank(b.Whole)) })
}

func rank(whole bool) int {
	if whole {
		return 1
	}
	return 0
}

// otherDatasets returns a function that reports whether a key of a tree is about a dataset other than the requested one.
func (o *Origin) otherDatasets() func(key string) bool {
	if o.Dataset == "" {
		return func(string) bool { return false }
	}
	data := map[string]bool{} // the data that go to the dataset
	written := map[string]bool{}
	for _, s := range o.Record.Settings {
		name, rest, ok := writtenDatum(s.Key)
		if !ok {
			continue
		}
		written[name] = true
		if name == o.Dataset || strings.HasSuffix(rest, "dataset") && sameDataset(s.Value, o.Dataset) {
			data[name] = true
		}
	}
	return func(key string) bool {
		name, _, ok := writtenDatum(key)
		if !ok {
			name, ok = strings.CutPrefix(key, "data.")
			name, _, _ = strings.Cut(name, ".")
		}
		return ok && len(data) > 0 && written[name] && !data[name]
	}
}

// sameDataset reports whether the name of a dataset in a tree may mean a dataset of the file: names can contain values.
func sameDataset(pattern, name string) bool {
	pattern, name = strings.Trim(pattern, "/"), strings.Trim(name, "/")
	before, _, varies := strings.Cut(pattern, "$")
	return pattern == name || varies && strings.HasPrefix(name, before)
}

// writtenDatum splits a key under `write` of a tree into its datum and the rest.
func writtenDatum(key string) (name, rest string, ok bool) {
	_, behind, ok := strings.Cut(key, ".write.")
	if !ok || !strings.HasPrefix(key, "plugins.") {
		return "", "", false
	}
	name, rest, _ = strings.Cut(behind, ".")
	name, _, _ = strings.Cut(name, "[")
	return name, rest, true
}

// present holds the files of a run as they are now.
type present struct {
	w     *workspace.Workspace
	r     *record.Record
	files map[string]map[string]string // the values of each file that can be read
}

// of returns what became of a setting, and its current value.
func (p *present) of(s *record.Setting) (record.State, string) {
	values, ok := p.files[s.File]
	if !ok {
		values = p.read(s.File)
		p.files[s.File] = values
	}
	now, there := values[s.Key]
	switch {
	case values == nil || strings.Contains(s.Value, record.Hidden):
		return record.Unknown, ""
	case !there:
		return record.Gone, ""
	case now != s.Value:
		return record.Changed, now
	}
	return record.Same, ""
}

// read reads the settings of a file of the run; nil: the file cannot be read.
func (p *present) read(name string) map[string]string {
	i := slices.IndexFunc(p.r.Files, func(f record.File) bool {
		return f.Path == name || strings.HasSuffix(filepath.ToSlash(f.Path), "/"+name)
	})
	if i < 0 {
		return nil
	}
	c, err := p.w.Config(p.r.Files[i].Path)
	if err != nil {
		return nil
	}
	values := map[string]string{}
	for e := range c.Values() {
		values[e.Key] = e.Value
	}
	return values
}

// inputs notes what became of the data that the run has read.
func (o *Origin) inputs() {
	for _, f := range o.Record.Inputs {
		o.Inputs = append(o.Inputs, Input{f.Path, f.Now()})
	}
}
