package compare

import (
	"slices"

	"github.com/pentode-dev/pentode/runs/record"
)

// Figure is a number whose values in two runs differ by more than chance.
type Figure struct {
	Name string  `json:"name"`
	Unit string  `json:"unit,omitempty"`
	Was  float64 `json:"was"`
	Is   float64 `json:"is"`
	Of   [2]int  `json:"of"` // the number of runs with the same meaning from which each median was computed
}

// The least differences that count for times: with few known runs, chance alone causes large differences.
const (
	fewRuns   = 3
	leastMany = 1.05 // the ratio of the medians, if the ranges of at least fewRuns runs do not overlap
	leastFew  = 1.5  // the ratio of two runs
	leastTime = 0.05 // seconds
)

// figures finds differences beyond noise. Counts do not change by chance; times do, as much as runs of the same meaning show.
func (d *Diff) figures(others []*record.Record) {
	was, is := alike(d.A, others), alike(d.B, others)
	for _, f := range d.A.Stats {
		a, b := values(was, f.Name), values(is, f.Name)
		if len(b) == 0 {
			continue
		}
		if f.Unit == "" {
			if now := values([]*record.Record{d.B}, f.Name); len(now) == 1 && now[0] != f.Value {
				d.Figures = append(d.Figures, Figure{Name: f.Name, Was: f.Value, Is: now[0], Of: [2]int{1, 1}})
			}
			continue
		}
		x, y := a[len(a)/2], b[len(b)/2]
		low, high := min(x, y), max(x, y)
		beyond := high > leastFew*low && high-low > leastTime
		if len(a) >= fewRuns && len(b) >= fewRuns {
			apart := a[len(a)-1] < b[0] || b[len(b)-1] < a[0]
			beyond = apart && high > leastMany*low
		}
		if beyond {
			d.Figures = append(d.Figures, Figure{f.Name, f.Unit, x, y, [2]int{len(a), len(b)}})
		}
	}
}

// alike returns a run and the runs of the same meaning on the same machine.
func alike(r *record.Record, others []*record.Record) []*record.Record {
	list := []*record.Record{r}
	for _, o := range others {
		if o.ID != r.ID && o.Exit == r.Exit && o.Host.Name == r.Host.Name && r.Whole() != "" && o.Whole() == r.Whole() {
			list = append(list, o)
		}
	}
	return list
}

// values returns the values of a figure in several runs, the smallest first.
func values(runs []*record.Record, name string) []float64 {
	var list []float64
	for _, r := range runs {
		for _, f := range r.Stats {
			if f.Name == name {
				list = append(list, f.Value)
			}
		}
	}
	slices.Sort(list)
	return list
}
