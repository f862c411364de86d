package sprokit

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

var includeCodes = load.Codes{Missing: includeMissing, Unreadable: includeUnreadable, Cycle: includeCycle, Limit: includeLimit}

// include reads another file in the place of the statement. Section and blocks continue in that file and after it. begun is the beginning of a
// statement that the file completes: it is read as if it were before the first line, without changing the line numbers.
func (r *resolver) include(u *unit, s *syntax.Stmt, begun string) {
	at := u.tree.Span(s.Name)
	if s.Has(syntax.Tabbed) {
		r.differs(upstreamIncludeTab, u, u.tree.Head(s), "the original program accepts `include` only with a blank after it, not with a tab").
			Helped("write a blank")
		if r.upstream() {
			return
		}
	}
	name, ok := r.includeName(u, at)
	if !ok {
		r.m.partial = true
		return
	}
	candidates := r.candidates(u.frame, name)
	frame, problem := r.loader.Include(u.frame, at, candidates...)
	if problem != nil {
		r.m.partial = true
		if problem.Kind == load.Limit {
			if r.limited {
				return
			}
			r.limited = true
		}
		d := problem.Diagnostic(includeCodes)
		if problem.Kind == load.Missing {
			r.elsewhere(d, name)
			r.misspelt(d, u, name)
		}
		if problem.Kind == load.Missing && strings.IndexAny(name, `"'<`) == 0 {
			d.Helped("quotes are part of the name: write it without them")
		}
		if strings.HasPrefix(name, "=") {
			d.Helped("a line that begins with `include` is an include; a key of this name is written `:include VALUE`")
		}
		r.once(d)
		return
	}
	if d := lang.Marked(frame.File); d != nil {
		r.m.partial = true
		r.once(d.Note("it is included from %s", at))
		return
	}
	r.ambiguous(u, at, name, frame)
	if begun != "" {
		tree := syntax.Parse(source.NewFile(frame.File.Path(), begun+" "+frame.File.Text()))
		r.m.problems = append(r.m.problems, tree.Problems()...)
		r.file(&unit{frame: frame, tree: tree, joined: true})
		return
	}
	tree, known := r.trees[frame.File]
	if !known {
		tree = syntax.Parse(frame.File)
		r.trees[frame.File] = tree
		r.m.problems = append(r.m.problems, tree.Problems()...)
	}
	r.file(&unit{frame: frame, tree: tree})
}

// includeName returns a file name with its macros replaced.
func (r *resolver) includeName(u *unit, at source.Span) (string, bool) {
	name := at.Text()
	if !strings.Contains(name, "$") {
		return name, true
	}
	ok := true
	var b strings.Builder
	rest := 0
	for m := range macros(name, r.upstream()) {
		value, found, known := "", false, true
		switch m.provider {
		case fromEnv:
			value, found = r.env.Getenv(m.name)
		case fromSysenv:
			value, found = r.sysenv(m.name)
		default:
			if known = r.isConf(); known {
				value, found = r.setting(m)
			}
		}
		if !found {
			if r.upstream() && !known {
				continue // leave the macro unchanged in the name
			}
			span := source.Span{File: at.File, Start: at.Start + m.start, End: at.Start + m.end}
			switch {
			case m.provider == fromEnv || m.provider == fromSysenv:
				r.unset(u, span, m, name[m.end:])
			case !known:
				r.report(includeMacro, u, span, "the name of an included file may use ENV and SYSENV only, not `%s`", string(m.provider))
			} // in all other cases, the file that includes this one sets the value
			ok = false
			continue
		}
		b.WriteString(name[rest:m.start])
		b.WriteString(value)
		rest = m.end
	}
	b.WriteString(name[rest:])
	return b.String(), ok
}

// isConf reports whether the document is a configuration of the library on which the pipelines are built. That library replaces all macros in the
// names of included files.
func (r *resolver) isConf() bool {
	switch filepath.Ext(r.m.tree.File().Path()) {
	case ".conf", ".config":
		return r.m.Cluster == nil && len(r.m.Processes) == 0
	}
	return false
}

// setting returns the current value of $LOCAL or $CONFIG.
func (r *resolver) setting(m macro) (string, bool) {
	var i int32
	var ok bool
	switch m.provider {
	case fromLocal:
		i, ok = r.names[m.name]
	case fromConfig:
		i, ok = r.m.last[m.name]
	}
	if !ok {
		return "", false
	}
	r.m.settings[i].flags |= wasRead
	return r.read(i), true
}

// unset reports a variable without a value. If some value would find the file, it suggests that value.
func (r *resolver) unset(u *unit, at source.Span, m macro, rest string) {
	d := r.report(includeMacro, u, at, "`%s` is not set, so the file to include is not known", at.Text()).As(diag.Warning)
	rest = strings.TrimLeft(rest, "/")
	if m.provider != fromEnv || strings.Contains(rest, "$") {
		return
	}
	if path, folder, ok := r.env.FindElsewhere(rest); ok {
		value := "${project}"
		if folder != "." {
			value += "/" + folder
		}
		r.displace(path)
		d.Note("looked for `%s`, which exists as `%s`", rest, path)
		d.Helped("write `%s = \"%s\"` below `[env]` in pentode.toml", m.name, value)
		return
	}
	d.Note("looked for `%s` in the folder that it names", rest)
	if path, _, ok := r.env.FindElsewhere(filepath.Base(rest)); ok {
		d.Note("a file of that name exists as `%s`", path)
	}
	d.Helped("set it, or write `%s = \"…\"` below `[env]` in pentode.toml", m.name)
}

// elsewhere adds a note that says where in the project a missing file is. In that case only the search path is wrong, which is a warning.
func (r *resolver) elsewhere(d *diag.Diagnostic, name string) {
	path, folder, ok := r.env.FindElsewhere(name)
	if !ok {
		return
	}
	r.displace(path)
	d.As(diag.Warning).Note("it exists as `%s`", path)
	if strings.HasPrefix(filepath.ToSlash(filepath.Clean(name)), "../") {
		d.Helped("write the path from this file, or lay the files out as they are installed")
		return
	}
	d.Helped("write `include = [\"%s\"]` below `[sprokit]` in pentode.toml", folder)
}

// misspelt suggests a file with a similar name, if including that file would succeed.
func (r *resolver) misspelt(d *diag.Diagnostic, u *unit, name string) {
	if r.env.Names == nil || r.misspellings == maxMisspellings {
		return
	}
	r.misspellings++
	own := filepath.Base(u.frame.File.Path())
	names := slices.DeleteFunc(r.env.Names(), func(n string) bool { return n == own })
	for range maxMisspellings {
		base, ok := problem.Nearest(filepath.Base(name), names)
		if !ok {
			return
		}
		near := strings.TrimSuffix(name, filepath.Base(name)) + base
		for _, path := range r.candidates(u.frame, near) {
			if _, err := r.env.Opener.Open(path); err == nil {
				d.Helped("%s", problem.DidYouMean(near))
				if d.Span.Text() == name {
					d.Spell(false, near)
				}
				return
			}
		}
		names = slices.DeleteFunc(names, func(n string) bool { return n == base })
	}
}

// maxMisspellings is the number of missing files for which similar names are searched, and the number of names that are tried for each.
const maxMisspellings = 10

// displace records an included file that was only found elsewhere in the project.
func (r *resolver) displace(path string) {
	if f, err := r.env.Opener.Open(path); err == nil {
		r.m.displaced = append(r.m.displaced, f)
	}
}

// candidates returns the paths at which a file is searched, in order.
func (r *resolver) candidates(from *load.Frame, name string) []string {
	if filepath.IsAbs(name) {
		return []string{name}
	}
	var list []string
	tried := map[string]bool{}
	add := func(dir string) {
		path := filepath.Join(dir, name)
		if !tried[path] {
			tried[path] = true
			list = append(list, path)
		}
	}
	for _, dir := range pathList(r.env, "SPROKIT_PIPE_INCLUDE_PATH") {
		add(dir)
	}
	for _, dir := range slices.Concat(r.env.Include, r.o.Include) {
		add(dir)
	}
	if r.upstream() {
		for _, dir := range r.installed() {
			add(dir)
		}
	}
	for f := from; f != nil; f = f.Parent {
		add(filepath.Dir(f.File.Path()))
	}
	add(".")
	return list
}

// installed returns the folders that only the original program searches.
func (r *resolver) installed() []string {
	list := append([]string{"."}, pathList(r.env, "KWIVER_CONFIG_PATH")...)
	home, _ := r.env.Getenv("HOME")
	if config, ok := r.env.Getenv("XDG_CONFIG_HOME"); ok && config != "" {
		list = append(list, filepath.Join(config, "kwiver"))
	} else if home != "" {
		list = append(list, filepath.Join(home, ".config", "kwiver"))
	}
	return append(list, "/etc/xdg/kwiver", "/etc/kwiver", "/usr/local/share/kwiver/config", "/usr/share/kwiver/config")
}

// ambiguous warns if the file exists both in the folder of the including file and in the working directory, because users may expect the other one.
func (r *resolver) ambiguous(u *unit, at source.Span, name string, found *load.Frame) {
	dir := filepath.Dir(u.frame.File.Path())
	if filepath.IsAbs(name) || dir == "." || dir == filepath.Clean(r.env.Dir) {
		return
	}
	beside, here := filepath.Join(dir, name), filepath.Join(".", name)
	path := found.File.Path()
	other := here
	switch path {
	case beside:
	case here:
		other = beside
	default:
		return
	}
	if _, err := r.env.Opener.Open(other); err != nil || r.real(other) == r.real(path) {
		return
	}
	r.report(includeAmbiguous, u, at, "both `%s` and `%s` exist; this is the first", path, other).
		Helped("write a path that means one of them")
}
