package workspace

import (
	"slices"

	"github.com/pentode-dev/pentode/core/source"
)

// Draft holds new texts of files until all of them are known. Its workspace
// reads them in place of the files; the disk has them after Write.
type Draft struct {
	workspace *Workspace
	texts     *source.Overlay
	changes   []source.Change
}

// Draft begins a draft.
func (w *Workspace) Draft() *Draft {
	texts := &source.Overlay{Under: w.Env.Opener}
	w.Env.Opener = texts
	return &Draft{workspace: w, texts: texts}
}

// Changes are the files that change, each once, from what is on the disk.
func (d *Draft) Changes() []source.Change { return d.changes }

// Write brings the new texts to the disk, all of them or none.
func (d *Draft) Write() error { return Write(d.changes...) }

// keep adds new texts to the draft.
func (d *Draft) keep(changes []source.Change) {
	for _, c := range changes {
		d.texts.Set(c.File.Path(), c.Text)
		i := slices.IndexFunc(d.changes, func(have source.Change) bool { return have.File.Path() == c.File.Path() })
		if i < 0 {
			d.changes = append(d.changes, c)
		} else {
			d.changes[i].Text = c.Text
		}
	}
}
