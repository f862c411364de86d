package live

import (
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
)

// siteTable returns the sites of a run on several sites. A site that is away stands out.
func siteTable(f *figures.Figures) Section {
	t := Section{Head: []string{"site", "state", "host", "last heard"}, Columns: []columns.Column{{Kind: columns.Name}, {Keep: 3}, {Keep: 1}, {Kind: columns.Line, Keep: 2}}}
	for i := range f.Sites {
		site := &f.Sites[i]
		t.Rows = append(t.Rows, Row{Name: site.Name, Hot: site.State == "away", Cells: []string{site.Name, siteState(site), site.Host, site.Last}})
	}
	return t
}

// siteState returns the state of a site, and how long ago it was last heard.
func siteState(s *flow.SiteStats) string {
	if s.State != "away" {
		return s.State
	}
	return "away for " + roughly(s.Silent)
}

// siteHead returns the head of the column of sites, or an empty head if the run has no sites.
func siteHead(f *figures.Figures) string {
	if len(f.Sites) == 0 {
		return ""
	}
	return "site"
}
