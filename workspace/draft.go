package workspace

import (
	"slices"

	"github.com/pentode-dev/pentode/core/source"
)

// Draft collects new texts of files. Its workspace reads these texts instead
// of the files on the disk. Write writes all of them to the disk.
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

// Changes returns each file that changes once, with its text on the disk and
// its new text.
func (d *Draft) Changes() []source.Change { return d.changes }

// Write writes the new texts to the disk, all of them or none.
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
