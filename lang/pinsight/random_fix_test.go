package pinsight

import (
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/workspace"
)

// TestRandomFixes applies fixes to random files: every fix offered as safe can be applied, and no fix that is applied alone leaves its own finding.
func TestRandomFixes(t *testing.T) {
	files := 150
	if need.FullSize() {
		files = 6000
	}
	made, others := 0, 0
	for i := range files {
		text := compose(randomSeed(t), uint64(i), true).String()
		for _, dialect := range []load.Dialect{load.Documented, load.Upstream} {
			w := workspace.New([]*lang.Language{New(Options{Catalog: Upstream()})}, &load.Env{Dialect: dialect, Opener: source.Map{}})
			d, err := w.Document(source.NewFile("x.pinsight", text))
			if err != nil {
				t.Fatal(err)
			}
			config := d.Resolve(w.Env)
			fixed, err := w.Draft().Fix(config)
			if err != nil {
				t.Fatal(err)
			}
			if made += fixed.Made; fixed.Refused > 0 {
				t.Errorf("file %d as %s: %d fixes are offered and refused\n%s", i, dialect, fixed.Refused, fixed.Config.Document.File.Text())
			}
			for _, found := range config.Diagnostics() {
				for _, fix := range found.Fixes {
					others++
					if still(t, config, found, fix) {
						t.Errorf("file %d as %s: `%s` leaves the finding `%s`\n%s\nwant the finding gone", i, dialect, fix.Message, found.Message, text)
					}
				}
			}
		}
	}
	t.Logf("%d files, %d safe fixes made, %d tried alone", files, made, others)
}

// still reports whether the finding that a fix should remove is still there after the fix.
func still(t *testing.T, config *lang.Config, found *diag.Diagnostic, fix diag.Fix) bool {
	changes, err := source.Changes(fix.Edits)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range config.With(changes).Diagnostics() {
		if d.Code == found.Code && d.Message == found.Message && d.Span.Start == found.Span.Start {
			return true
		}
	}
	return false
}
