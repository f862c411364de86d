package suite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
)

// launch checks what the plan starts.
func (c *checker) launch() {
	broken := map[string]*diag.Diagnostic{}
	for _, p := range c.Programs {
		if p.Local && !p.OurOwn() {
			c.command(p)
		}
		if p.Pipe != nil {
			c.named(p, *p.Pipe, Flow, broken)
		}
		if p.Policy != nil {
			c.named(p, *p.Policy, Trace, broken)
		}
	}
}

// command checks that a program exists on this machine.
func (c *checker) command(p *Program) {
	name := p.Node.Argv[0]
	where := "in PATH"
	path := name
	if strings.Contains(name, "/") {
		where = "in the folder of the run"
		path = c.path(name)
	}
	_, err := c.host.LookPath(path)
	if err == nil {
		return
	}
	d := c.report(noSuchCommand, p.command(), "%s `%s` cannot be started: there is no program `%s` %s", p.Node.Kind, p.Node.ID, name, where)
	if errors.Is(err, fs.ErrPermission) {
		d.Message = "the file `" + name + "` of " + string(p.Node.Kind) + " `" + p.Node.ID + "` may not be executed"
	}
	if p.Node.OnRequest {
		d.As(diag.Warning)
	}
	d.At(p.field("host"), "it is started on this machine")
	if near, ok := diag.Nearest(name, []string{Self}); ok {
		d.Helped("did you mean `%s`, this very program?", near)
	}
}

// named checks a file that the arguments of a program name. broken are the
// findings so far about files with errors: each is said once.
func (c *checker) named(p *Program, w Word, role string, broken map[string]*diag.Diagnostic) {
	path := c.path(w.Text)
	config := c.opened(path, role)
	if config == nil {
		c.missing(w.Span, w.Text, path, role)
		return
	}
	if said := broken[path]; said != nil {
		said.At(w.Span, "nor can `%s`", p.Node.ID)
		return
	}
	for _, d := range c.findings(config) {
		if d.Severity != diag.Error || c.reads[d.Span] {
			continue
		}
		broken[path] = c.report(brokenFile, w.Span, "%s `%s` cannot run: `%s` has errors", p.Node.Kind, p.Node.ID, w.Text).
			At(d.Span, "%s", d.Message)
		return
	}
}

// missing says that a file is not there, and where one of its kind is.
func (c *checker) missing(at source.Span, name, path, role string) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		c.report(noSuchFile, at, "`%s` cannot be read as a %s", name, kindOf[role]).
			At(source.NewFile(path, "").Span(0, 0), "this file")
		return
	}
	d := c.report(noSuchFile, at, "there is no %s `%s`", kindOf[role], name)
	var names []string
	for _, have := range c.Files() {
		if have.Document.Language.Role == role {
			names = append(names, filepath.Base(have.Document.File.Path()))
			d.At(top(have), "this one is in the folder")
		}
	}
	if near, ok := diag.Nearest(filepath.Base(name), names); ok {
		d.Helped("did you mean `%s`?", near)
	}
}

// kindOf names the files of a role in messages.
var kindOf = map[string]string{Flow: "pipeline", Trace: "trace configuration", Data: "specification tree"}

// opened is a file of the run as it is in the run, or nil.
func (c *checker) opened(path, role string) *lang.Config {
	for _, have := range c.Files() {
		if filepath.Clean(have.Document.File.Path()) == filepath.Clean(path) && have.Document.Language.Role == role {
			return have
		}
	}
	return nil
}

// variables checks that somebody sets what the pipelines read.
func (c *checker) variables() {
	for _, p := range c.Pipelines {
		if len(p.By) == 0 {
			continue // the language says it: there is no plan that could set it
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
			c.reads[v.Span] = true
			d := c.report(notSet, v.Span, "neither the plan nor the environment sets `%s`", v.Name).
				Labelled("stands for nothing").
				At(starter.field("name"), "`%s` runs the pipeline without it", starter.Node.ID)
			for _, e := range c.findings(p.Config) {
				if e.Span == v.Span && e.Severity == diag.Error {
					d.As(diag.Error).Note("%s", e.Message)
				}
			}
			if near, ok := diag.Nearest(v.Name, names); ok {
				d.Helped("did you mean `%s`?", near)
			} else if name, ok := strings.CutPrefix(v.Name, "PARADYN_TUNABLE_"); ok {
				d.Helped("set it in the plan: `tunable_constant \"%s\" 1;`", name)
			}
		}
	}
}
