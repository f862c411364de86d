package suite

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/workspace"
)

// The parts of a run, in the order from building to tracing.
const (
	Target lang.Role = "TARGET"
	Launch lang.Role = "LAUNCH"
	Flow   lang.Role = "FLOW"
	Data   lang.Role = "DATA"
	Trace  lang.Role = "TRACE"
)

// Run is the set of files in one folder that belong together: at most one for each part of a run.
type Run struct {
	Dir     string
	Configs map[lang.Role]*lang.Config
	// Named are files of other folders, or further pipelines, that the plan or the pipeline names, by path.
	Named map[string]*lang.Config

	Programs  []*Program     // programs that the plan starts, in plan order
	Processes []*Program     // programs that have a rank, in order of rank
	Pipelines []*Pipeline    // pipelines that the programs run, each once
	Started   []*Program     // programs that processes of the pipelines start
	Policies  []*lang.Config // the trace configuration of the folder, and those that the plan names

	// Targets are the targets of single sites of a pipeline, by the name of the site: SITE.coilcfg.
	Targets map[string]*lang.Config

	ambiguous map[lang.Role]bool // roles with several files, none of which is named

	workspace *workspace.Workspace
	read      map[fileAs]*lang.Config
	problems  diag.List
	known     map[*lang.Config]diag.List // the findings of single files
	located   map[source.Span]bool       // source lines in trace configurations whose program is known
}

// IsRunFolder reports whether a folder is a run folder: it contains a launch plan, or exactly one pipeline.
func IsRunFolder(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	plans, pipes := 0, 0
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".psdl":
			plans++
		case ".pipe":
			pipes++
		}
	}
	return plans > 0 || pipes == 1
}

// Open reads the files of a run folder. It ignores files of no language, and reports files that cannot be read as findings.
func Open(w *workspace.Workspace, dir string) (*Run, error) {
	paths, err := w.Entries(dir)
	if err != nil {
		return nil, err
	}
	r := newRun(w, dir)
	found := map[lang.Role][]*lang.Config{}
	for _, path := range paths {
		c, err := r.open(path, "")
		if err != nil {
			r.problems.Add(workspace.Refused(path, err))
			continue
		}
		role := c.Document.Language.Role
		if role == Flow && filepath.Ext(path) != ".pipe" {
			continue // a cluster or a part that is included: not a run by itself
		}
		found[role] = append(found[role], c)
	}
	for _, role := range []lang.Role{Launch, Flow, Data, Trace} { // files of the first two may name others
		r.choose(role, workspace.Leaves(found[role]))
	}
	r.follow()
	r.choose(Target, r.siteTargets(workspace.Leaves(found[Target])))
	return r, nil
}

// Alone returns the run of a plan or a pipeline without the other files of its folder, except for those that it names. Those names are relative to
// dir.
func Alone(w *workspace.Workspace, dir string, c *lang.Config) *Run {
	r := newRun(w, dir)
	r.Configs[c.Document.Language.Role] = c
	r.follow()
	return r
}

func newRun(w *workspace.Workspace, dir string) *Run {
	return &Run{
		Dir: dir, Configs: map[lang.Role]*lang.Config{}, Named: map[string]*lang.Config{}, Targets: map[string]*lang.Config{}, workspace: w,
		ambiguous: map[lang.Role]bool{}, read: map[fileAs]*lang.Config{}, known: map[*lang.Config]diag.List{}, located: map[source.Span]bool{},
	}
}

// follow finds the programs that the plan and the pipeline start, and the files that they name.
func (r *Run) follow() {
	r.plan()
	r.pipelines()
	for _, p := range r.Pipelines {
		r.started(p)
	}
	r.owns()
	r.policies()
}

// siteTargets takes the targets that are named after a site of a pipeline, and returns the others.
func (r *Run) siteTargets(list []*lang.Config) (others []*lang.Config) {
	sites := map[string]bool{}
	for _, p := range r.Pipelines {
		if names := p.Plan.Sites(); len(names) > 1 {
			for _, name := range names {
				sites[name] = true
			}
		}
	}
	for _, c := range list {
		name := filepath.Base(c.Document.File.Path())
		if site := strings.TrimSuffix(name, filepath.Ext(name)); sites[site] {
			r.Targets[site] = c
		} else {
			others = append(others, c)
		}
	}
	return others
}

// Files returns the files of the run, each as it is in the run: a pipeline in the environment that the plan gives it.
func (r *Run) Files() []*lang.Config {
	var list []*lang.Config
	seen := map[string]bool{}
	add := func(c *lang.Config) {
		if c != nil && !seen[filepath.Clean(c.Document.File.Path())] {
			seen[filepath.Clean(c.Document.File.Path())] = true
			list = append(list, c)
		}
	}
	add(r.Configs[Target])
	for _, site := range slices.Sorted(maps.Keys(r.Targets)) {
		add(r.Targets[site])
	}
	add(r.Configs[Launch])
	for _, p := range r.Pipelines {
		add(p.Config)
		for _, e := range p.Exposes {
			add(e.Tree)
		}
	}
	add(r.Configs[Flow])
	for _, p := range r.owners() {
		for _, t := range p.Own.Trees {
			add(t.Config)
		}
	}
	add(r.Configs[Data])
	for _, c := range r.Policies {
		add(c)
	}
	for _, path := range slices.Sorted(maps.Keys(r.Named)) {
		add(r.Named[path])
	}
	return list
}

// Starts returns the file that is started: the plan, or else the pipeline; nil if there are several.
func (r *Run) Starts() *lang.Config {
	if r.Configs[Launch] != nil || r.ambiguous[Launch] {
		return r.Configs[Launch]
	}
	return r.Configs[Flow]
}

// fileAs is a file that is read as a file of a language.
type fileAs struct{ path, language string }

// Known returns a file that was already read as a file of a language; nil if it was not.
func (r *Run) Known(path, language string) *lang.Config { return r.read[keyOf(path, language)] }

func keyOf(path, language string) fileAs {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return fileAs{path, language}
}

// open reads a file as a file of a language, whatever its name; without a language, the name decides. It reads each file once.
func (r *Run) open(path, language string) (*lang.Config, error) {
	if c := r.Known(path, language); c != nil {
		return c, nil
	}
	w := r.workspace
	if language != "" {
		own, err := w.As(language)
		if err != nil {
			return nil, err
		}
		w = own
	}
	c, err := w.Config(path)
	if err == nil {
		r.read[keyOf(path, language)], r.read[keyOf(path, c.Document.Language.Name)] = c, c
	}
	return c, err
}

// findings returns the findings of one file; for a pipeline that the plan starts, the findings that a run reports.
func (r *Run) findings(c *lang.Config) diag.List {
	if list, ok := r.known[c]; ok {
		return list
	}
	list := c.Found()
	if slices.ContainsFunc(r.Pipelines, func(p *Pipeline) bool { return p.Config == c && len(p.By) > 0 }) {
		list = sprokit.AtRun(list)
	}
	r.known[c] = list
	return list
}

// choose takes the only file of a role; if there are several, it takes the file that the plan or the pipeline names.
func (r *Run) choose(role lang.Role, list []*lang.Config) {
	switch len(list) {
	case 0:
		return
	case 1:
		r.Configs[role] = list[0]
		return
	}
	named := r.namedFiles()
	for _, c := range list {
		if named[filepath.Base(c.Document.File.Path())] {
			if r.Configs[role] == nil {
				r.Configs[role] = c
			}
			r.Named[c.Document.File.Path()] = c
		}
	}
	if r.Configs[role] != nil {
		return
	}
	var names []string
	for _, c := range list {
		names = append(names, filepath.Base(c.Document.File.Path()))
	}
	r.ambiguous[role] = true
	d := r.problems.Report(ambiguous, top(list[0]), "the folder has %d %s files, but no file names the one to use: %s", len(list), list[0].Document.Language.Title, strings.Join(names, ", "))
	for _, c := range list[1:] {
		d.At(top(c), "another one")
	}
	if role == Launch {
		d.Helped("keep one here, and move the others to separate folders")
		return
	}
	d.Helped("name one in the plan or the pipeline, or move the others to another folder")
}

// top returns the beginning of a document.
func top(c *lang.Config) source.Span { return c.Document.File.Span(0, 0) }

// namedFiles returns the base names of all words in the settings of the plan and the pipeline that could be files.
func (r *Run) namedFiles() map[string]bool {
	names := map[string]bool{}
	for _, role := range []lang.Role{Launch, Flow} {
		c := r.Configs[role]
		if c == nil {
			continue
		}
		for e := range c.Values() {
			for _, word := range strings.Fields(e.Value) {
				if strings.Contains(word, ".") {
					names[filepath.Base(word)] = true
				}
			}
		}
	}
	return names
}

// Problems returns the findings about the folder itself.
func (r *Run) Problems() diag.List { return r.problems }

// sound reports whether a file has no errors. Rules between a file with errors and other files are not checked: what seems missing may be in the part
// that could not be read.
func (r *Run) sound(c *lang.Config) bool { return c != nil && !r.findings(c).HasErrors() }

// model returns the typed model of a file, if the run has the file.
func model[M any](c *lang.Config) (m M, ok bool) {
	if c == nil {
		return m, false
	}
	return lang.Model[M](c)
}
