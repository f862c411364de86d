package suite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/launch"
)

// launch checks the programs that the plan starts.
func (c *checker) launch() {
	absent := map[string]*diag.Diagnostic{}
	for _, p := range c.Programs {
		switch {
		case p.OurOwn():
			c.arguments(p)
		case p.Local:
			c.command(p)
		}
		if p.Pipe != nil {
			c.named(p, p.Pipe, Flow, absent)
		}
		if p.Policy != nil {
			c.named(p, p.Policy, Trace, absent)
		}
	}
}

// command checks that a program exists on this machine.
func (c *checker) command(p *Program) {
	name := p.Node.Argv[0]
	path, where := name, " in PATH"
	if strings.Contains(name, "/") {
		path, where = launched(c, name), " in the folder of the run"
		if filepath.IsAbs(name) {
			where = ""
		}
	}
	_, err := c.host.LookPath(path)
	if err == nil {
		return
	}
	if launch.ViewOf(name, p.Node.Name) != "" && p.Node.Kind == launch.KindVisi && !errors.Is(err, fs.ErrPermission) {
		c.report(noSuchCommand, p.command(), "`pentode serve` shows visi `%s`: there is no program `%s`%s", p.Node.ID, name, where).As(diag.Info).
			At(p.field("host"), "it would be started on this machine").Helped("the page shows this Paradyn view with the figures of the run; if the program is installed, --visi starts it")
		return
	}
	d := c.report(noSuchCommand, p.command(), "%s `%s` cannot be started: there is no program `%s`%s", p.Node.Kind, p.Node.ID, name, where)
	if errors.Is(err, fs.ErrPermission) {
		d.Message = "the file `" + name + "` of " + string(p.Node.Kind) + " `" + p.Node.ID + "` may not be executed"
	}
	if p.Node.OnRequest {
		d.As(diag.Warning)
	}
	d.At(p.field("host"), "it is started on this machine")
	if near, at := c.nearDaemon(p); near != "" {
		d.At(at, "there is this one").Helped("did you mean the daemon `%s`?", near)
	} else if near, ok := problem.Nearest(name, []string{Self}); ok {
		d.Helped("did you mean `%s`, this program itself?", near)
	}
}

// nearDaemon finds a declared daemon with a name similar to the undeclared daemon that a process names.
func (c *checker) nearDaemon(p *Program) (string, source.Span) {
	if !p.undeclared() {
		return "", source.Span{}
	}
	var names []string
	at := map[string]source.Span{}
	for _, other := range c.Programs {
		if name := other.Node.Name; other.Block.Kind == "daemon" && name != "" {
			names = append(names, name)
			at[name] = other.field("name")
		}
	}
	near, _ := problem.Nearest(p.Node.Argv[0], names)
	return near, at[near]
}

// arguments checks the arguments that the plan gives this program, which would refuse wrong ones as soon as it starts.
func (c *checker) arguments(p *Program) {
	if c.host.Arguments == nil {
		return
	}
	args := p.arguments()
	var texts []string
	for _, w := range args {
		texts = append(texts, w.Text)
	}
	paths, word, err := c.host.Arguments(texts)
	if err != nil {
		at := p.command()
		if i := slices.Index(texts, word); i >= 0 {
			at = args[i].Span
		}
		c.report(badArguments, at, "%s `%s` cannot run: %v", p.Node.Kind, p.Node.ID, err).
			At(p.field("name"), "it is started here")
		return
	}
	if len(texts) == 0 || texts[0] != "run" || slices.ContainsFunc(texts, func(t string) bool { return strings.HasPrefix(t, "--lang") }) {
		return
	}
	if len(paths) == 0 {
		c.report(badArguments, args[0].Span, "%s `%s` has nothing to run: its arguments name no file", p.Node.Kind, p.Node.ID).
			At(p.field("name"), "it is started here").Helped("name the pipeline, such as `\"run\" \"NAME.pipe\"`")
	}
	for _, path := range paths {
		if p.Pipe == nil || p.Pipe.Text != path {
			c.startable(p, args[slices.Index(texts, path)])
		}
	}
	c.traced(p)
}

// startable checks a path of `pentode run` that does not look like a pipeline.
func (c *checker) startable(p *Program, w Word) {
	path := c.path(w.Text)
	own := c.Configs[Launch].Document.File.Path()
	if sameFile(path, own) || sameFile(path, c.Dir) {
		c.report(badArguments, w.Span, "%s `%s` starts the run to which it belongs, which would never end", p.Node.Kind, p.Node.ID).
			At(p.field("name"), "it is started here").Helped("name the pipeline to run")
		return
	}
	if info, err := os.Stat(path); err != nil {
		c.missing(w.Span, w.Text, path, Flow)
		return
	} else if info.IsDir() {
		return // another run, with its own plan
	}
	config, err := c.open(path, "")
	if err != nil {
		return // a file of another language, or of none
	}
	if l := config.Document.Language; l.Role != Flow && l.Role != Launch {
		c.report(badArguments, w.Span, "%s `%s` cannot run `%s`: %s files are not run by themselves", p.Node.Kind, p.Node.ID, w.Text, l.Title).
			At(top(config), "this file").Helped("name the pipeline to run")
	}
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// traced checks that a program with `--policy` also has `--trace`.
func (c *checker) traced(p *Program) {
	if p.Policy == nil || p.Trace != nil {
		return
	}
	for _, started := range c.Pipelines {
		if !slices.Contains(started.By, p) {
			continue
		}
		for i := range started.Plan.Nodes {
			if started.Plan.Nodes[i].Config[pipe.InstrumentKey].Value == "trace" {
				return
			}
		}
	}
	c.report(badArguments, p.Policy.Span, "%s `%s` cannot run: `--policy` filters a trace, but there is no `--trace`", p.Node.Kind, p.Node.ID).
		At(p.field("name"), "it is started here").Helped("add `\"--trace\" \"trace.json\"`")
}

// named checks that a file exists that the arguments of a program name. A missing file is reported once, even if several programs name it.
func (c *checker) named(p *Program, w *Word, role lang.Role, absent map[string]*diag.Diagnostic) {
	path := c.path(w.Text)
	if c.opened(path, role) != nil {
		return
	}
	if reported := absent[path]; reported != nil {
		reported.At(w.Span, "%s `%s` also needs it", p.Node.Kind, p.Node.ID)
		return
	}
	absent[path] = c.missing(w.Span, w.Text, path, role)
	if w == p.Policy && p.Variable != "" {
		absent[path].Note("the variable %s names it", p.Variable)
	}
}

// missing reports that a file does not exist, and which file of the same kind does.
func (c *checker) missing(at source.Span, name, path string, role lang.Role) *diag.Diagnostic {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return c.report(noSuchFile, at, "`%s` cannot be read as a %s", name, kindOf[role]).
			At(source.NewFile(path, "").Span(0, 0), "this file")
	}
	d := c.report(noSuchFile, at, "there is no %s `%s`", kindOf[role], name)
	var names []string
	for _, have := range c.Files() {
		if have.Document.Language.Role == role {
			names = append(names, filepath.Base(have.Document.File.Path()))
			d.At(top(have), "the folder has this one")
		}
	}
	if near, ok := problem.Nearest(filepath.Base(name), names); ok {
		d.Helped("did you mean `%s`?", near)
	}
	return d
}

// kindOf is the word for the files of a role in messages.
var kindOf = map[lang.Role]string{Flow: "pipeline", Trace: "trace configuration", Data: "specification tree"}

// opened returns the configuration of a file as the run uses it, or nil.
func (c *checker) opened(path string, role lang.Role) *lang.Config {
	if c.files == nil {
		c.files = map[string]*lang.Config{}
		for _, have := range c.Files() {
			c.files[filepath.Clean(have.Document.File.Path())] = have
		}
	}
	if have := c.files[filepath.Clean(path)]; have != nil && have.Document.Language.Role == role {
		return have
	}
	return nil
}

// variables checks that the plan or the environment sets the variables that the pipelines read.
func (c *checker) variables() {
	if len(c.unplanned()) > 0 {
		return
	}
	for _, p := range c.Pipelines {
		if len(p.By) == 0 {
			continue // the language reports it: no plan could set it
		}
		starter := p.By[0]
		var names []string
		for _, v := range starter.Node.Env {
			names = append(names, v.Name)
		}
		for _, v := range p.Model.Variables() {
			if !v.Missing || v.Name == "" {
				continue
			}
			d := c.report(notSet, v.Span, "neither the plan nor the environment sets `%s`", v.Name).
				Labelled("stands for nothing").
				At(starter.field("name"), "`%s` runs the pipeline without it", starter.Node.ID)
			c.unset[v.Span] = d
			for _, e := range c.findings(p.Config) {
				if e.Span == v.Span && e.Severity == diag.Error {
					d.As(diag.Error).Note("%s", e.Message)
				}
			}
			if near, ok := problem.Nearest(v.Name, names); ok {
				d.Helped("did you mean `%s`?", near)
			} else if name, ok := strings.CutPrefix(v.Name, "PARADYN_TUNABLE_"); ok {
				d.Helped("set it in the plan: `tunable_constant \"%s\" 1;`", name)
			}
		}
	}
}

// unplanned returns the variables of pipelines that have no value, if the plan has errors: its broken part may set them.
func (r *Run) unplanned() map[source.Span]bool {
	list := map[source.Span]bool{}
	if c := r.Configs[Launch]; c == nil || r.sound(c) {
		return list
	}
	for _, c := range r.Files() {
		if m, ok := model[*sprokit.Model](c); ok {
			for _, v := range m.Variables() {
				if v.Missing {
					list[v.Span] = true
				}
			}
		}
	}
	return list
}
