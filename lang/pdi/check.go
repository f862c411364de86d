package pdi

import (
	"iter"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// check applies the rules. The engine reads the declarations and reports their errors; everything else is checked against the schema. In the dialect
// upstream only two kinds of findings are errors: what the engine refuses in that dialect, and other mistakes that end the original program.
func check(m *Model) diag.List {
	c := &checker{
		Model: m, used: map[string]bool{}, provided: map[string]bool{}, read: map[string]*reading{},
		damage: damage{misplaced: map[string]*diag.Diagnostic{}}, reported: map[place]*diag.Diagnostic{},
		shapes: map[string]*expr.Type{}, seen: map[*data.Node]bool{}, fatal: map[*diag.Diagnostic]bool{}, code: m.against(m.sources),
	}
	c.assess()
	c.pluginNames()
	for _, f := range m.Files {
		c.root(f)
		c.section(f, typesSection)
		c.section(f, metadataSection)
		c.section(f, dataSection)
		c.pluginSection(f)
	}
	c.declarations()
	c.logging(m.main().section(loggingSection))
	if v := m.main().section(sealSection); !v.empty() {
		c.apply(rootRule.Find(sealSection).Rule, v, "`"+sealSection+"`")
	}
	for _, p := range m.Plugins {
		c.plugin(p)
	}
	c.refused()
	c.unused()
	c.program()
	if m.dialect == data.Upstream {
		for _, d := range c.found {
			if d.Severity == diag.Error && !c.fatal[d] {
				d.Severity = diag.Warning
			}
		}
	}
	return append(m.problems[:len(m.problems):len(m.problems)], c.found...)
}

// UnknownKey reports whether a finding is about a key that the language does not have.
func UnknownKey(d *diag.Diagnostic) bool {
	return d.Code == unknownSection || d.Code == unknownTypeKey || d.Code == unknownKey
}

// root checks the keys at the top of a tree.
func (c *checker) root(f *File) {
	if f.root.is(data.SequenceNode) || f.root.is(data.ScalarNode) && !f.root.empty() {
		c.report(wrongShape, f.root, "expected a mapping with `types`, `data`, `metadata` or `plugins`, found %s", f.root.name()).As(diag.Warning)
		return
	}
	c.duplicates(f.root)
	for key, val := range f.root.pairs() {
		if !key.is(data.ScalarNode) {
			c.report(wrongShape, key, "expected the name of a section, found %s", key.name()).As(diag.Warning).
				Note("to the original program it hides every section after it")
			continue
		}
		if near, ok := problem.Nearest(key.Text, sections); ok && !isSection(key.Text) && !strings.HasPrefix(key.Text, ".") {
			x := c.report(unknownSection, key, "`%s` is not a section and is ignored", key.Text).Suggest(false, near)
			for name := range val.pairs() {
				c.damage.misplaced[name.Text] = x
			}
		}
	}
	c.mergeKeys(f.root)
	if path := f.section(pathSection); path.is(data.MappingNode) {
		c.end(c.report(wrongShape, path, "expected a path or a list of paths after `plugin_path`, found a mapping"))
	} else if !path.absent() && !path.empty() {
		c.paths(path)
	}
}

// section checks the names that a file declares in one of its sections.
func (c *checker) section(f *File, name string) {
	names := c.names
	if name == typesSection {
		names = c.types
	}
	for key := range c.entries(f.section(name), "a mapping of names to types after `"+name+"`", "a name in `"+name+"`") {
		if first := names[key.Text]; first.key.file != f || first.key.Node != key.Node {
			c.end(c.report(duplicate, key, "`%s` is declared twice", key.Text).
				At(first.key.span(), "first here, in `%s`", first.Section).
				Helped("keep one of them; to the original program this is an error too"))
		}
	}
}

// pluginSection checks the names of the plugins that a file loads.
func (c *checker) pluginSection(f *File) {
	for key := range c.entries(f.section(pluginsSection), "a mapping of plugins to their configurations after `plugins`", "the name of a plugin") {
		if first := c.plugins[key.Text]; first.key.file != f || first.key.Node != key.Node {
			c.end(c.report(duplicate, key, "plugin `%s` is loaded twice", key.Text).At(first.key.span(), "first here"))
		}
	}
}

// entries returns the entries of a section that have a name. An empty list counts as an empty section, as in the original program.
func (c *checker) entries(sec value, mapping, name string) iter.Seq[value] {
	return func(yield func(value) bool) {
		if !sec.empty() && !sec.is(data.MappingNode) {
			x := c.report(wrongShape, sec, "expected %s, found %s", mapping, sec.name())
			if !sec.is(data.SequenceNode) || len(sec.Items) > 0 {
				c.end(x)
			}
		}
		for key := range sec.pairs() {
			if !key.is(data.ScalarNode) {
				c.end(c.report(wrongShape, key, "expected %s, found %s", name, key.name()))
			} else if !yield(key) {
				return
			}
		}
	}
}

// paths reports that plugin_path is ignored, and which shared objects the original program would load from it.
func (c *checker) paths(v value) {
	folders := []string{}
	for _, item := range v.items() {
		if !item.is(data.ScalarNode) {
			c.end(c.report(wrongShape, item, "expected a path in `plugin_path`, found %s", item.name()))
			return
		}
		folders = append(folders, item.Text)
	}
	if v.is(data.ScalarNode) {
		folders = append(folders, v.Text)
	}
	x := c.report(pathIgnored, v, "no plugin is loaded from `plugin_path`: the plugins that can run are built in")
	const maxNotes = 20
	for _, p := range c.Plugins[:min(len(c.Plugins), maxNotes)] {
		if path, ok := c.firstMatch(folders, p.Name); ok {
			x.Note("the original program loads `%s` from %s", p.Name, path)
		}
	}
}

// firstMatch returns the shared object that the original program would load. It searches the folders of the environment first.
func (c *checker) firstMatch(folders []string, plugin string) (string, bool) {
	if c.search != "" {
		folders = append(filepath.SplitList(c.search), folders...)
	}
	const maxFolders = 50
	for _, dir := range folders[:min(len(folders), maxFolders)] {
		if path := filepath.Join(dir, "libpdi_"+plugin+"_plugin.so"); c.exists(path) {
			return path, true
		}
	}
	return "", false
}

// unused finds metadata that no part of the tree reads.
func (c *checker) unused() {
	if c.blind || c.full() || len(c.damage.places) > 0 || c.damage.partial {
		return // the part that reads the metadata may not have been checked
	}
	for _, p := range c.Plugins {
		if known := c.FindPlugin(p.Name); known != nil && known.Tunes {
			return // the program may read metadata that the plugin sets
		}
	}
	for _, d := range c.Metadata {
		if !c.used[d.Name] && !d.value.empty() {
			c.report(unusedMetadata, d.key, "nothing in the tree reads the metadata `%s`", d.Name).
				Helped("remove it, or move it to `data` where a copy is not needed")
		}
	}
}
