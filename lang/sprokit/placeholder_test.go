package sprokit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

// TestPlaceholders: in a template, a placeholder that differs from a known one only in capitals is an error. Other names are unknown, and elsewhere
// placeholders are plain text.
func TestPlaceholders(t *testing.T) {
	types := catalog.Standard()
	if err := catalog.AddTypes(types, strings.NewReader(`[{"placeholder": "MODEL-FILE", "origin": "train.py"}, {"placeholder": "both", "origin": "a.py"}, {"placeholder": "BOTH", "origin": "b.py"}]`)); err != nil {
		t.Fatal(err)
	}
	l := sprokit.New(sprokit.Options{Types: types, Template: func(path string) bool { return path == "a.tmpl.pipe" }})
	const text = "process a\n  :: orphan\n  # [-model-file-]\n  x = [-MODEL-FILE-]/[-Model-File-] [-\n  y = [-OTHER-][-both-][-BOTH-]\n[-model-FILE-]\n[-MODEL-FILE-]\n"
	for path, want := range map[string][]string{
		"a.tmpl.pipe": {"a.tmpl.pipe:4:22 [-Model-File-] for [-MODEL-FILE-]", "a.tmpl.pipe:6:1 [-model-FILE-] for [-MODEL-FILE-]"},
		"a.pipe":      nil,
	} {
		var have []string
		for _, d := range l.Parse(source.NewFile(path, text)).Resolve(&load.Env{}).Diagnostics() {
			if strings.Contains(d.Message, "nothing replaces") {
				if !strings.Contains(d.Message, "`train.py`") || d.Severity.String() != "error" {
					t.Errorf("%s: %s; want %q in d.Message and d.Severity.String() = %q", d.Severity, d.Message, "`train.py`", "error")
				}
				have = append(have, d.Span.String()+" "+d.Span.Text()+" for "+d.Fixes[0].Edits[0].Text)
			}
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s: have %q, want %q", path, have, want)
		}
	}
}
