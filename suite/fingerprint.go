package suite

import (
	"path/filepath"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/lang"
)

// Print is the fingerprint of one file of a run.
type Print struct {
	Role        lang.Role       `json:"role"`
	Path        string          `json:"path"` // relative to the folder of the run
	Fingerprint fingerprint.Sum `json:"fingerprint"`
}

// Fingerprints returns the fingerprint of each file of a run, with the settings of the run, and one fingerprint of all files together. A file that
// is used only as part of another file has no fingerprint: it counts as part of that file.
func Fingerprints(r *Run) (parts []Print, whole fingerprint.Sum) {
	for _, c := range r.Files() {
		sum, err := c.Fingerprint()
		if err != nil {
			continue
		}
		path := c.Document.File.Path()
		if way, err := filepath.Rel(r.Dir, path); err == nil {
			path = way
		}
		parts = append(parts, Print{c.Document.Language.Role, filepath.ToSlash(path), sum})
	}
	return parts, fingerprint.Of(struct {
		Parts []Print `fingerprint:"set"`
	}{parts})
}
