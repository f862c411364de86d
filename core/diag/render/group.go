package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
)

// Many is the number of findings above which only a summary is shown.
const Many = 20

// Group is the findings with one code and severity.
type Group struct {
	Code     *diag.Code
	Severity diag.Severity // of all of them
	Count    int
	First    *diag.Diagnostic
}

// Groups sorts findings into groups by code and severity: the most serious first, then
// the most frequent.
func Groups(list diag.List) []*Group {
	type key struct {
		code     string
		severity diag.Severity
	}
	known := map[key]*Group{}
	var groups []*Group
	for _, d := range list {
		k := key{d.Code.ID, d.Severity}
		if known[k] == nil {
			known[k] = &Group{Code: d.Code, Severity: d.Severity, First: d}
			groups = append(groups, known[k])
		}
		known[k].Count++
	}
	slices.SortStableFunc(groups, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code.ID, b.Code.ID))
	})
	return groups
}

// Grouped writes one line for each group: how many, of what, and where the first is.
func Grouped(w io.Writer, groups []*Group) error {
	for _, g := range groups {
		where := ""
		if !g.First.Span.IsZero() {
			where = ", first at " + visible.Line(g.First.Span.String())
		}
		if _, err := fmt.Fprintf(w, "%6d × %s[%s]: %s%s\n", g.Count, g.Severity, g.Code.ID, g.Code.Title, where); err != nil {
			return err
		}
	}
	return nil
}
