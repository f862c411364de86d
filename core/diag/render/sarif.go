package render

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// object is a JSON object; SARIF has too many kinds for a struct each.
type object = map[string]any

// SARIF writes the report as SARIF 2.1.0, which code hosts show next to the
// lines.
func SARIF(w io.Writer, r *Report, version string) error {
	var codes []*diag.Code
	for _, d := range r.Diagnostics {
		if !slices.Contains(codes, d.Code) {
			codes = append(codes, d.Code)
		}
	}
	rules := make([]object, 0, len(codes))
	for _, c := range codes {
		rules = append(rules, object{
			"id":                   c.ID,
			"shortDescription":     object{"text": c.Title},
			"fullDescription":      object{"text": c.Doc},
			"helpUri":              c.URL(),
			"defaultConfiguration": object{"level": level(c.Severity)},
		})
	}
	results := make([]object, 0, len(r.Diagnostics))
	for _, d := range r.Diagnostics {
		results = append(results, sarifResult(d, slices.Index(codes, d.Code)))
	}
	return jsontext.Write(w, object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []object{{
			"tool":       object{"driver": object{"name": "pentode", "version": version, "rules": rules}},
			"columnKind": "unicodeCodePoints",
			"results":    results,
		}},
	})
}

func level(s diag.Severity) string { return [...]string{"error", "warning", "note"}[s] }

func sarifResult(d *diag.Diagnostic, rule int) object {
	text := d.Message
	for _, h := range d.Help {
		text += "; " + h
	}
	result := object{
		"ruleId": d.Code.ID, "ruleIndex": rule, "level": level(d.Severity),
		"message": object{"text": text},
	}
	if !d.Span.IsZero() {
		result["locations"] = []object{location(d.Span)}
	}
	var related []object
	for i, l := range d.Labels {
		at := location(l.Span)
		at["id"] = i
		at["message"] = object{"text": l.Message}
		related = append(related, at)
	}
	if related != nil {
		result["relatedLocations"] = related
	}
	var fixes []object
	for _, f := range d.Fixes {
		fixes = append(fixes, sarifFix(f))
	}
	if fixes != nil {
		result["fixes"] = fixes
	}
	return result
}

func sarifFix(f diag.Fix) object {
	var changes []object
	for _, e := range f.Edits {
		changes = append(changes, object{
			"artifactLocation": artifact(e.Span.File),
			"replacements":     []object{{"deletedRegion": region(e.Span), "insertedContent": object{"text": e.Text}}},
		})
	}
	return object{"description": object{"text": f.Message}, "artifactChanges": changes}
}

func location(s source.Span) object {
	return object{"physicalLocation": object{"artifactLocation": artifact(s.File), "region": region(s)}}
}

func artifact(f *source.File) object {
	u := url.URL{Path: filepath.ToSlash(f.Path())}
	if filepath.IsAbs(f.Path()) {
		u.Scheme = "file"
	}
	return object{"uri": u.String()}
}

func region(s source.Span) object {
	start, end := s.File.Position(s.Start), s.File.Position(s.End)
	r := object{"startLine": start.Line, "startColumn": start.Column, "endLine": end.Line, "endColumn": end.Column}
	// A snippet must be text, but a file may have any bytes.
	if text := s.Text(); text != "" && utf8.ValidString(text) {
		r["snippet"] = object{"text": text}
	}
	return r
}
