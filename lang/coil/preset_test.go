package coil_test

import (
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang/coil/preset"
)

// TestPresets: every preset is a configuration that nobody has to warn about,
// in our style, and keeps the laws.
func TestPresets(t *testing.T) {
	for _, name := range preset.Names() {
		t.Run(name, func(t *testing.T) {
			f, ok := preset.File(name)
			if !ok {
				t.Fatal("it is listed and cannot be read")
			}
			if preset.Title(f) == "" {
				t.Error("it has no title")
			}
			env := &load.Env{Opener: source.Map{}, Dir: "."}
			doc := language.Parse(f)
			for _, d := range doc.Resolve(env).Diagnostics() {
				if d.Severity != diag.Info {
					t.Errorf("%s: %s: %s", d.Span, d.Code.ID, d.Message)
				} else {
					t.Logf("%s: %s: %s", d.Span, d.Code.ID, d.Message)
				}
			}
			if text, _ := doc.Format(); text != f.Text() {
				t.Errorf("the formatter would change it:\n%s", text)
			}
			golden.Laws(t, language, env, f)
		})
	}
}
