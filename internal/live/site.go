package live

import (
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
)

// siteTable is the sites of a run on several. One that is away stands out.
func siteTable(f *figures.Figures) Section {
	t := Section{Head: []string{"site", "state", "host", "last said"}, Columns: []columns.Column{{Kind: columns.Name}, {Keep: 3}, {Keep: 1}, {Kind: columns.Line, Keep: 2}}}
	for i := range f.Sites {
		site := &f.Sites[i]
		t.Rows = append(t.Rows, Row{Name: site.Name, Hot: site.State == "away", Cells: []string{site.Name, siteState(site), site.Host, site.Last}})
	}
	return t
}

// siteState is what a site does, and for how long it has not been heard.
func siteState(s *flow.SiteStats) string {
	if s.State != "away" {
		return s.State
	}
	return "away for " + roughly(s.Silent)
}

// siteHead is the head of the column of sites: a run that has none has no such column.
func siteHead(f *figures.Figures) string {
	if len(f.Sites) == 0 {
		return ""
	}
	return "site"
}
