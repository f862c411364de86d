package web

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/lang"
)

// hoverAnswer describes a place of a file, as the hover text of an editor does.
type hoverAnswer struct {
	Text    string        `json:"text"`    // Markdown: paragraphs, back quotes and tables
	Setting *origin.Entry `json:"setting"` // the value that the place sets or reads
}

func (s *Server) hoverView(r *http.Request) (any, error) {
	at, err := strconv.Atoi(r.FormValue("at"))
	if err != nil {
		return nil, guard.BadRequest("`at` takes a byte offset")
	}
	c, err := s.open().config(r.FormValue("path"))
	if err != nil {
		return nil, err
	}
	var list []lang.Occurrence
	for _, o := range c.Occurrences() {
		if o.Span.File == c.Document.File && o.Span.Start <= at && at < o.Span.End {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b lang.Occurrence) int { return a.Span.Len() - b.Span.Len() })
	var out hoverAnswer
	for _, o := range list { // the smallest first
		if out.Text == "" {
			out.Text = c.Describe(o)
		}
		if e, ok := c.Value(o.Key); ok && out.Setting == nil {
			out.Setting = &e
		}
	}
	return out, nil
}
