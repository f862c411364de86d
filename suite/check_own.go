package suite

import (
	"debug/elf"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
)

// owns checks the programs of the user against their files and this machine. Programs on other machines cannot be inspected.
func (c *checker) owns() {
	folders, writers, absent := map[string]*Program{}, map[string]*Tree{}, map[string]*diag.Diagnostic{}
	for _, p := range slices.Concat(c.Programs, c.Started) {
		if p.Own == nil && p.tracesProgram() {
			c.report(badArguments, p.arguments()[1].Span, "process `%s` has nothing to trace: its arguments name no program", p.Node.ID).
				At(p.field("name"), "it is started here").Helped("name the program after `\"--\"`")
		}
		if p.In != nil && p.Policy != nil {
			c.named(p, p.Policy, Trace, absent)
		}
		if p.Own == nil || !p.Local || c.workspace.Confined(c.Starts().Document.File.Path()) {
			continue
		}
		if (p.Own.Traced || p.In != nil) && !c.startsProgram(p) {
			continue
		}
		o := c.look(p)
		c.programs = append(c.programs, o)
		c.traceable(o)
		c.absentTrees(o)
		c.builtFor(o)
		for _, t := range p.Own.Trees {
			c.ownTree(o, t)
			c.sourced(o, t)
			c.writes(o, t, writers)
		}
		if w := p.Own.Out; w != nil && filepath.IsAbs(w.Text) {
			if first := folders[filepath.Clean(w.Text)]; first != nil {
				c.report(twoWriters, w.Span, "process `%s` would write its trace to the same folder as `%s`", p.Node.ID, first.Node.ID).
					At(first.Own.Out.Span, "the folder is named here").Helped("use a relative name: each process has its own folder")
			} else {
				folders[filepath.Clean(w.Text)] = p
			}
		}
	}
}

// startsProgram checks that the program exists that `trace record` or a pipeline starts. For a name without a folder in a pipeline, the pipeline
// reports it.
func (c *checker) startsProgram(p *Program) bool {
	w, does := p.Own.Argv[0], "start"
	if p.Own.Traced {
		does = "trace"
	}
	path := launched(c, w.Text)
	if path == w.Text && filepath.Base(path) == path && !p.Own.Traced {
		return true
	}
	_, err := c.host.LookPath(path)
	if err == nil {
		return true
	}
	d := c.report(noSuchCommand, w.Span, "there is no program `%s` that process `%s` could %s", w.Text, p.Node.ID, does)
	if errors.Is(err, fs.ErrPermission) {
		d.Message = "the file `" + w.Text + "`, which process `" + p.Node.ID + "` " + does + "s, may not be executed"
	}
	if source, ok := sourceOf(path); ok {
		d.Helped("build it first: `%s` is in the folder", source)
	}
	switch {
	case p.In == nil:
		d.At(p.field("name"), "it is started here")
	case len(p.In.By) > 0:
		by := p.In.By[0]
		d.At(by.Pipe.Span, "%s `%s` runs this pipeline", by.Node.Kind, by.Node.ID)
	}
	return false
}

// sourceOf returns the name of a source file from which a program may be built.
func sourceOf(path string) (string, bool) {
	for _, ext := range []string{".c", ".cc", ".cpp", ".cxx", ".f90", ".F90", ".f"} {
		if _, err := os.Stat(path + ext); err == nil {
			return filepath.Base(path) + ext, true
		}
	}
	return "", false
}

// look finds the program among the words: launchers such as mpirun come before it.
func (c *checker) look(p *Program) *owned {
	o := &owned{Program: p, word: p.Own.Argv[0]}
	for i, w := range p.Own.Argv {
		path := c.path(w.Text)
		if i == 0 {
			if found, err := c.host.LookPath(launched(c, w.Text)); err == nil {
				path = found
			}
		}
		if b := readExecutable(path); b != nil {
			o.binary, o.word = b, w
		}
	}
	if o.word != p.Own.Argv[0] {
		o.ranks = ranksOf(p.Own.Argv)
	} else if o.binary != nil {
		o.ranks = 1
	}
	return o
}

// launched returns the path of a command as the run looks for it: in PATH only if it has no folder.
func launched(c *checker, name string) string {
	if filepath.Base(name) == name {
		return name
	}
	path := c.path(name)
	if filepath.Base(path) == path {
		path = "." + string(filepath.Separator) + path
	}
	return path
}

// ranksOf returns how many ranks a launcher starts; 0 if its arguments do not say so in a known form.
func ranksOf(argv []Word) int {
	for i, w := range argv[:len(argv)-1] {
		switch w.Text {
		case "-n", "-np", "--ntasks":
			n, err := strconv.Atoi(argv[i+1].Text)
			if err != nil {
				return 0
			}
			return n
		}
	}
	return 0
}

// traceable checks that a tracer can be loaded into the program.
func (c *checker) traceable(o *owned) {
	if !o.Own.Traced || o.binary == nil {
		return
	}
	switch {
	case o.binary.static:
		c.report(untraceable, o.word.Span, "`%s` is linked statically, so a tracer cannot be loaded into it", o.word.Text).
			At(o.field("name"), "process `%s` is traced", o.Node.ID).Helped("link it with shared libraries")
	case o.binary.others:
		c.report(untraceable, o.word.Span, "`%s` runs as another user (setuid), and the system loads no tracer into such programs", o.word.Text).
			At(o.field("name"), "process `%s` is traced", o.Node.ID)
	}
}

// absentTrees finds arguments that look like trees but do not exist. A program that is linked with PDI reads a tree; whether another program reads
// such a file is not known.
func (c *checker) absentTrees(o *owned) {
	for _, w := range o.Own.Argv[1:] {
		if !looksLikeTree(w.Text) {
			continue
		}
		if _, err := os.Stat(c.path(w.Text)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		d := c.missing(w.Span, w.Text, c.path(w.Text), Data)
		if o.binary == nil || !o.binary.linked(pdiLibrary) {
			d.As(diag.Warning).Note("it is not known whether `%s` reads or writes this file", o.word.Text)
		}
	}
}

// builtFor checks the program against the target.
func (c *checker) builtFor(o *owned) {
	m, ok := model[*coil.Model](c.Configs[Target])
	if !ok || o.binary == nil || !c.sound(c.Configs[Target]) {
		return
	}
	is, ok := machines[o.binary.machine]
	if built := m.Target(); ok && (is.architecture != built.Architecture || is.mode != built.Mode) {
		c.report(otherMachine, o.word.Span, "`%s` was built for %s with %d bits", o.word.Text, is.architecture, is.mode).
			At(settingSpan(m, "Target", "Architecture"), "the target is %s with %d bits", built.Architecture, built.Mode)
	}
}

// machines maps the processors of compiled programs to the names in targets.
var machines = map[elf.Machine]struct {
	architecture string
	mode         int
}{

	elf.EM_X86_64: {"x86", 64}, elf.EM_386: {"x86", 32}, elf.EM_AARCH64: {"ARM", 64}, elf.EM_ARM: {"ARM", 32},
}

// ownTree checks a tree against the program that reads it.
func (c *checker) ownTree(o *owned, t *Tree) {
	m, ok := model[*pdi.Model](t.Config)
	if !ok || !c.sound(t.Config) || o.binary == nil || !o.binary.linked(pdiLibrary) {
		return
	}
	for _, p := range m.Plugins {
		known := m.FindPlugin(p.Name)
		switch {
		case known == nil:
		case known.Runs&data.Programs == 0:
			c.report(pluginElsewhere, p.Span(), "the plugin `%s` cannot run in a program", p.Name).
				At(t.Span, "process `%s` is started with the tree", o.Node.ID)
		case p.Name == "mpi" && o.binary.whole && !o.binary.linked(MPILibrary):
			c.report(pluginElsewhere, p.Span(), "the plugin `mpi` needs an MPI, and `%s` is not linked with one", o.word.Text).
				At(t.Span, "process `%s` is started with the tree", o.Node.ID)
		}
	}
	for _, f := range m.CalledFunctions() {
		if o.binary.exported[f.Name] || !o.binary.whole || o.binary.libraryHas(f.Name) {
			continue
		}
		d := c.report(noSuchFunction, f.Span, "`%s` exports no function `%s`", o.word.Text, f.Name).
			At(t.Span, "process `%s` is started with the tree", o.Node.ID)
		if near, ok := problem.Nearest(f.Name, slices.Sorted(maps.Keys(o.binary.exported))); ok {
			d.Helped("did you mean `%s`?", near)
		} else {
			d.Helped("link the program with -rdynamic, and do not make the function static")
		}
	}
}

// writes finds files with absolute names that two programs would write. Relative names are in different folders, and a computed name may differ in
// each.
func (c *checker) writes(o *owned, t *Tree, writers map[string]*Tree) {
	m, ok := model[*pdi.Model](t.Config)
	if !ok || !c.sound(t.Config) {
		return
	}
	for _, f := range m.WrittenFiles() {
		if f.Together || strings.Contains(f.Name, "$") || !filepath.IsAbs(f.Name) {
			continue
		}
		first := writers[filepath.Clean(f.Name)]
		if first == nil {
			writers[filepath.Clean(f.Name)] = t
			continue
		}
		c.report(twoWriters, f.Span, "processes `%s` and `%s` would both write `%s`", first.By.Node.ID, o.Node.ID, f.Name).
			At(first.Span, "one is started here").At(t.Span, "and one here").
			Helped("use a relative name, or a name that contains the rank")
	}
}
