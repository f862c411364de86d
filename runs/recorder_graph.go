package runs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/suite"
)

// paths notes how settings lead to results: to which processes each setting belongs, how the processes are connected, and which files they write.
func (r *recorder) paths(run *suite.Run) {
	of := map[*lang.Config][]string{} // the processes that a file configures
	for _, p := range run.Pipelines {
		name := r.named(run, p.Config)
		for _, e := range p.Plan.Edges {
			r.Edges = append(r.Edges, record.Edge{From: name + "/" + e.From.String(), To: name + "/" + e.To.String()})
		}
		for _, e := range p.Exposes {
			of[e.Tree] = append(of[e.Tree], name+"/"+e.Node.Name)
		}
		r.pipelineWriters(run, p, name)
	}
	for _, p := range slices.Concat(run.Programs, run.Started) {
		if p.Own == nil {
			continue
		}
		process := p.Node.ID
		if p.In != nil {
			process = r.named(run, p.In.Config) + "/" + process
		}
		for _, t := range p.Own.Trees {
			of[t.Config] = append(of[t.Config], process)
			r.treeWriters(t.Config, state.FileName(p.Node.ID), process, "")
		}
	}
	for _, c := range run.Files() {
		r.settings(r.named(run, c), c, of[c])
	}
}

// named returns the name of a file in the run.
func (r *recorder) named(run *suite.Run, c *lang.Config) string {
	path := c.Document.File.Path()
	if name, err := filepath.Rel(run.Dir, path); err == nil && filepath.IsLocal(name) {
		return filepath.ToSlash(name)
	}
	return filepath.Base(path)
}

// pipelineWriters notes which processes of a pipeline write which files, in the folder of each program that runs the pipeline.
func (r *recorder) pipelineWriters(run *suite.Run, p *suite.Pipeline, name string) {
	folders := []string{""}
	if len(p.By) > 0 && r.Kind == record.Folder {
		folders = nil
		for _, by := range p.By {
			folders = append(folders, state.FileName(by.Node.ID))
		}
	}
	for _, dir := range folders {
		for i := range p.Plan.Nodes {
			n := &p.Plan.Nodes[i]
			if n.Type == nil {
				continue
			}
			process := name + "/" + n.Name
			for _, key := range n.Type.Keys {
				value := key.Default
				if s, set := n.Config[key.Name]; set {
					value = s.Value
				}
				switch {
				case value == "":
				case key.Writes:
					r.writes(pattern(dir, value), process, edgeTo(p.Plan, n.Name))
				case key.Reads:
					r.input(beneath(beneath(r.here, run.Dir), value))
				}
			}
		}
		for _, e := range p.Exposes {
			r.treeWriters(e.Tree, dir, name+"/"+e.Node.Name, edgeTo(p.Plan, e.Node.Name))
		}
	}
}

func (r *recorder) treeWriters(tree *lang.Config, dir, process, edge string) {
	if tree == nil { // it cannot be read, which is reported
		return
	}
	m, ok := lang.Model[*pdi.Model](tree)
	if !ok {
		return
	}
	for _, f := range m.WrittenFiles() {
		r.writes(pattern(dir, f.Name), process, edge)
	}
}

func (r *recorder) writes(pattern, process, edge string) {
	r.Writes.By = append(r.Writes.By, record.Writer{Pattern: pattern, Process: process, Edge: edge})
}

// edgeTo returns the port that sends data to a process; empty: none, or several.
func edgeTo(plan *pipe.Plan, process string) (from string) {
	for _, e := range plan.Edges {
		if e.To.Process != process {
			continue
		}
		if from != "" {
			return ""
		}
		from = e.From.String()
	}
	return from
}

// varying matches the parts of a file name that differ between files: a number such as `%04d`, a value of a tree, the time.
var varying = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`%[-+ 0#]*[0-9]*(\.[0-9]+)?[a-zA-Z]|\$\{[^}]*\}|\$[A-Za-z_][A-Za-z_0-9]*|\[CURRENT_TIME\]`)
})

// pattern returns the name of a result as a pattern of filepath.Match.
func pattern(dir, name string) string {
	var b strings.Builder
	end := 0
	for _, at := range varying().FindAllStringIndex(name, -1) {
		b.WriteString(record.Globbed(name[end:at[0]]) + "*")
		end = at[1]
	}
	b.WriteString(record.Globbed(name[end:]))
	return filepath.Join(record.Globbed(dir), b.String())
}

// maxInput is the largest size of an input file that gets a hash.
const maxInput = 8 << 20

// input notes a data file that a process reads.
func (r *recorder) input(path string) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || r.seen[path] {
		return // a folder, or a missing file that the run itself reports
	}
	r.seen[path] = true
	f := record.File{Path: path, Size: info.Size()}
	if info.Size() <= maxInput {
		if text, err := os.ReadFile(path); err == nil {
			f.Hash = record.Hash(string(text))
		}
	}
	r.Inputs = append(r.Inputs, f)
}

// maxSettings is how many settings a record keeps: a configuration may have millions.
const maxSettings = 5000

// settings notes the settings of a file that have a position. of are the processes to which all of them belong.
func (r *recorder) settings(name string, c *lang.Config, of []string) {
	from := map[string]string{}
	var list []record.Setting
	for e := range c.Values() {
		for _, u := range e.Uses {
			from[u.Key] = e.Key
		}
		if e.Implicit || len(r.Settings)+len(list) >= maxSettings {
			continue
		}
		s := record.Setting{File: name, Part: strings.ToLower(string(c.Document.Language.Role)), Key: e.Key, Value: r.hidden.Replace(e.Value), At: r.writtenAt(&e), Of: of}
		if process, _, ok := strings.Cut(e.Key, ":"); ok && c.Document.Language.Role == suite.Flow {
			s.Of = []string{name + "/" + process}
		}
		list = append(list, s)
	}
	for i := range list {
		list[i].From = from[list[i].Key]
	}
	r.Settings = append(r.Settings, list...)
}

// writtenAt returns the position of a setting, relative to the folder of the command if the file is in it.
func (r *recorder) writtenAt(e *origin.Entry) string {
	for _, s := range slices.Backward(e.Steps) {
		if (s.What == origin.Set || s.What == origin.Include) && !s.Span.IsZero() {
			return s.Span.String()
		}
	}
	if at := e.Decided().Span; !at.IsZero() {
		return at.String()
	}
	return ""
}

// program notes a program of the run.
func (r *recorder) program(name string) {
	path, err := exec.LookPath(name)
	path = filepath.Clean(beneath(r.here, path))
	if err != nil || slices.ContainsFunc(r.Programs, func(p record.Program) bool { return p.Path == path }) {
		return
	}
	r.Programs = append(r.Programs, newProgram(path))
}

// newProgram describes a program by its build ID; a program without one, such as a script, by the hash of its text.
func newProgram(path string) record.Program {
	p := record.Program{Path: path, BuildID: debuginfo.BuildID(path)}
	if info, err := os.Stat(path); p.BuildID == "" && err == nil && info.Size() <= maxInput {
		if text, err := os.ReadFile(path); err == nil {
			p.BuildID = "sha256:" + record.Hash(string(text))
		}
	}
	return p
}
