package render

import (
	"io"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// JSONReport is the JSON form of a Report.
type JSONReport struct {
	Version     int              `json:"version"`
	Files       []jsonFile       `json:"files"`
	Diagnostics []jsonDiagnostic `json:"diagnostics"`
	Summary     jsonSummary      `json:"summary"`
}

type jsonFile struct {
	Path     string `json:"path"`
	Language string `json:"language"`
}

type jsonSummary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
}

type jsonPlace struct {
	Path  string        `json:"path"`
	Start *jsonPosition `json:"start,omitempty"`
	End   *jsonPosition `json:"end,omitempty"`
}

type jsonPosition struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"offset"`
}

type jsonDiagnostic struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	jsonPlace
	Labels []jsonLabel `json:"labels"`
	Notes  []string    `json:"notes"`
	Help   []string    `json:"help"`
	Fixes  []jsonFix   `json:"fixes"`
}

type jsonLabel struct {
	Message string `json:"message"`
	jsonPlace
}

type jsonFix struct {
	Message string     `json:"message"`
	Safe    bool       `json:"safe"`
	Edits   []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// JSON writes the report as one object.
func JSON(w io.Writer, r *Report) error {
	out := JSONReport{
		Version: 1, Files: []jsonFile{}, Diagnostics: []jsonDiagnostic{},
		Summary: jsonSummary{r.Diagnostics.Count(diag.Error), r.Diagnostics.Count(diag.Warning), r.Diagnostics.Count(diag.Info)},
	}
	for _, f := range r.Files {
		out.Files = append(out.Files, jsonFile(f))
	}
	for _, d := range r.Diagnostics {
		out.Diagnostics = append(out.Diagnostics, toJSON(d))
	}
	return jsontext.Write(w, out)
}

func toJSON(d *diag.Diagnostic) jsonDiagnostic {
	out := jsonDiagnostic{
		Code: d.Code.ID, Severity: d.Severity.String(), Message: d.Message, jsonPlace: placeJSON(d.Span),
		Labels: []jsonLabel{}, Notes: append([]string{}, d.Notes...), Help: append([]string{}, d.Help...), Fixes: []jsonFix{},
	}
	for _, l := range d.Labels {
		out.Labels = append(out.Labels, jsonLabel{l.Message, placeJSON(l.Span)})
	}
	for _, f := range d.Fixes {
		fix := jsonFix{Message: f.Message, Safe: f.Safe, Edits: []jsonEdit{}}
		for _, e := range f.Edits {
			fix.Edits = append(fix.Edits, jsonEdit{e.Span.File.Path(), e.Span.Start, e.Span.End, e.Text})
		}
		out.Fixes = append(out.Fixes, fix)
	}
	return out
}

func placeJSON(s source.Span) jsonPlace {
	if s.IsZero() {
		return jsonPlace{}
	}
	start, end := jsonPosition(s.File.Position(s.Start)), jsonPosition(s.File.Position(s.End))
	return jsonPlace{Path: s.File.Path(), Start: &start, End: &end}
}
