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

// Fingerprints returns the fingerprints of the files of a run, as they are in the run, and the fingerprint of all files together. A file that runs
// only as a part of another file has none: it counts as part of the other file.
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
