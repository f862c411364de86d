// Package render writes diagnostics: for people in a terminal, for editors and scripts as
// one line each, for programs as JSON and SARIF.
package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// Report is the result of checking files.
type Report struct {
	Files       []File
	Diagnostics diag.List
}

// File is a file that was checked.
type File struct{ Path, Language string }

// Summary returns the last sentence of a text report.
func (r *Report) Summary() string {
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Info} {
		if n := r.Diagnostics.Count(s); n > 0 {
			parts = append(parts, quantity.Count(n, s.String(), s.String()+"s"))
		}
	}
	files := quantity.Count(len(r.Files), "file", "files")
	if len(parts) == 0 && len(r.Files) == 0 {
		return "no file of a known language was found"
	}
	if len(parts) == 0 {
		return files + " checked, no findings"
	}
	return strings.Join(parts, ", ") + " in " + files
}

// Short writes one line for each diagnostic: `path:line:column: severity: message [code]`.
func Short(w io.Writer, list diag.List) error {
	for _, d := range list {
		if _, err := fmt.Fprintf(w, "%s: %s: %s [%s]\n", visible.Line(place(d.Span)), d.Severity, oneLine(d.Message), d.Code.ID); err != nil {
			return err
		}
	}
	return nil
}

// place returns path:line:column, or only the path if the finding is about the whole file.
func place(s source.Span) string {
	if s.IsZero() {
		return "pentode"
	}
	if s.File.Len() == 0 {
		return s.File.Path()
	}
	return s.String()
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }
