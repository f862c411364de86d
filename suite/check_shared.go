package suite

import (
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
)

// shared finds results that several processes of the plan would write.
func (c *checker) shared() {
	folders := map[string]*Program{}
	for _, p := range c.Processes {
		if p.Out == nil {
			continue
		}
		dir := filepath.Clean(c.path(p.Out.Text))
		if first := folders[dir]; first != nil {
			c.report(twoWriters, p.Out.Span, "process `%s` would write its results to the same folder as `%s`", p.Node.ID, first.Node.ID).
				At(first.Out.Span, "the folder is named here").Helped("leave out `--output`: each process has its own folder")
			continue
		}
		folders[dir] = p
	}
	c.sharedFiles()
}

// writer is a process that writes a file.
type writer struct {
	program *Program
	at      source.Span
}

// sharedFiles finds HDF5 files that several processes would write. A computed name may differ in each of them.
func (c *checker) sharedFiles() {
	writers := map[string]writer{}
	for _, pipeline := range c.Pipelines {
		for _, p := range pipeline.By {
			for _, e := range pipeline.Exposes {
				m, ok := model[*pdi.Model](e.Tree)
				if !ok || !c.sound(e.Tree) {
					continue
				}
				for _, f := range m.WrittenFiles() {
					if f.Together || strings.Contains(f.Name, "$") || !filepath.IsAbs(f.Name) {
						continue
					}
					first, known := writers[filepath.Clean(f.Name)]
					if !known {
						writers[filepath.Clean(f.Name)] = writer{p, f.Span}
						continue
					}
					if first.program != p {
						c.report(twoWriters, f.Span, "processes `%s` and `%s` would both write `%s`", first.program.Node.ID, p.Node.ID, f.Name).
							At(first.program.Pipe.Span, "one is started here").At(p.Pipe.Span, "and one here").
							Helped("use a relative name, or a name that contains the rank")
						return
					}
				}
			}
		}
	}
}
