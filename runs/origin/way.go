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

// locate finds the result among those of the run, wherever it was copied to.
func (o *Origin) locate() {
	result := o.result()
	switch {
	case result != nil:
		o.Process, o.Edge = result.Process, result.Edge
	case o.Seal.Process != "":
		o.miss("the record does not have this file: the run may still go on, or have ended before it was recorded")
	}
	if o.Process == "" && o.Seal.Process != "" {
		o.Process = o.process(o.Seal.Process)
	}
}

// way finds the processes that the data went through.
func (o *Origin) way() {
	if o.Process == "" {
		o.miss("which process wrote the file is not known, so all settings of the run are shown")
		return
	}
	for _, s := range record.Upstream(o.Record.Edges, o.Process)[1:] {
		o.Way = append(o.Way, s.Process)
	}
}

// result finds the file among the results by what it holds, else by its name.
func (o *Origin) result() *record.Result {
	sum, _ := record.Sum(o.File) // of a folder, or of a large file, there is none
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

// wrote reports whether a result can be this file by the process that its seal names.
func (o *Origin) wrote(f *record.Result) bool {
	return o.Seal.Process == "" || f.Process == "" || f.Process == o.Seal.Process || strings.HasSuffix(f.Process, "/"+o.Seal.Process)
}

// process is the name in the record of a process that a seal names.
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

// settings finds those that the result depends on, and what they are now.
func (o *Origin) settings(w *workspace.Workspace) {
	on := map[string]bool{o.Process: true}
	for _, p := range o.Way {
		on[p] = true
	}
	matters := func(s *record.Setting) bool {
		return o.Process == "" || slices.ContainsFunc(s.Of, func(p string) bool { return on[p] })
	}
	read := map[[2]string]bool{} // settings whose values others have
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
	// What belongs to the processes comes first, in the order of the files.
	slices.SortStableFunc(o.Settings, func(a, b Setting) int { return cmp.Compare(rank(a.Whole), rank(b.Whole)) })
}

func rank(whole bool) int {
	if whole {
		return 1
	}
	return 0
}

// otherDatasets says which keys of trees are about other data than the dataset that was asked for.
func (o *Origin) otherDatasets() func(key string) bool {
	if o.Dataset == "" {
		return func(string) bool { return false }
	}
	data := map[string]bool{} // that go to the dataset
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

// sameDataset reports whether the name of a dataset in a tree may be one of a file: names can hold values.
func sameDataset(pattern, name string) bool {
	pattern, name = strings.Trim(pattern, "/"), strings.Trim(name, "/")
	before, _, varies := strings.Cut(pattern, "$")
	return pattern == name || varies && strings.HasPrefix(name, before)
}

// writtenDatum splits the key of what a tree writes: its datum, and what is behind.
func writtenDatum(key string) (name, rest string, ok bool) {
	_, behind, ok := strings.Cut(key, ".write.")
	if !ok || !strings.HasPrefix(key, "plugins.") {
		return "", "", false
	}
	name, rest, _ = strings.Cut(behind, ".")
	name, _, _ = strings.Cut(name, "[")
	return name, rest, true
}

// present is the files of a run as they are now.
type present struct {
	w     *workspace.Workspace
	r     *record.Record
	files map[string]map[string]string // the values of a file that can be read
}

// of is what became of a setting.
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

// read reads the settings of a file of the run; nil: it cannot be read.
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

// inputs says what became of the data that the run has read.
func (o *Origin) inputs() {
	for _, f := range o.Record.Inputs {
		o.Inputs = append(o.Inputs, Input{f.Path, f.Now()})
	}
}
