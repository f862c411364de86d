package detect

import (
	"slices"
	"strings"

	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
)

// together returns the algorithm under one of its two names.
func together(name string) algo.Algorithm[Merger] {
	return algo.Algorithm[Merger]{Name: name, Doc: "Combines all detections into one set.", New: func(algo.Settings) (Merger, error) { return All{}, nil }}
}

// All combines the detections of all sets.
type All struct{}

// Merge keeps the order of the sets.
func (All) Merge(sets []pic.Detections) pic.Detections {
	all := slices.Concat(sets...)
	if all == nil {
		all = pic.Detections{}
	}
	return all
}

func suppress() algo.Algorithm[Merger] {
	return algo.Algorithm[Merger]{
		Name: "suppress_in_regions",
		Doc:  "Drops, or lowers the scores of, detections that lie in regions. The regions are the detections of the first set, by port name.",
		Keys: []pipe.Key{
			{Name: "suppression_class", Kind: pipe.String, Doc: "Class of the regions in which detections are dropped; if this key and `borderline_class` are empty, all regions drop them."},
			{Name: "borderline_class", Kind: pipe.String, Doc: "Class of the regions in which scores are lowered."},
			{Name: "borderline_scale_factor", Kind: pipe.Double, Default: "0.5", Doc: "Factor for lowered scores."},
			{Name: "min_overlap", Kind: pipe.Double, Default: "0.5", Doc: "Share of a detection that must lie in a region."},
			{Name: "output_region_classes", Kind: pipe.Bool, Default: "true", Doc: "Whether the regions are part of the result."},
			{Name: "case_sensitive", Kind: pipe.Bool, Default: "false", Doc: "Whether upper and lower case differ in class names."},
		},
		New: func(s algo.Settings) (Merger, error) {
			m := &inRegions{none: s.Value("suppression_class"), less: s.Value("borderline_class"), factor: s.Float("borderline_scale_factor"),
				overlap: s.Float("min_overlap"), output: s.Bool("output_region_classes"), same: strings.EqualFold}
			if s.Bool("case_sensitive") {
				m.same = func(a, b string) bool { return a == b }
			}
			return m, nil
		},
	}
}

type inRegions struct {
	none, less      string
	factor, overlap float64
	output          bool
	same            func(a, b string) bool
}

func (m *inRegions) Merge(sets []pic.Detections) pic.Detections {
	if len(sets) == 1 {
		return sets[0]
	}
	result := pic.Detections{}
	if len(sets) == 0 {
		return result
	}
	regions := sets[0]
	for _, set := range sets[1:] {
		for _, d := range set {
			drop, weaken := m.judge(&d, regions)
			if drop {
				continue
			}
			if weaken {
				d.Classes = slices.Clone(d.Classes)
				for i := range d.Classes {
					d.Classes[i].Score *= m.factor
				}
			}
			result = append(result, d)
		}
	}
	if m.output {
		result = append(result, regions...)
	}
	return result
}

// judge reports whether a detection is dropped or gets less confidence because of the
// regions.
func (m *inRegions) judge(d *pic.Detection, regions pic.Detections) (drop, weaken bool) {
	b := boxOf(d, 1)
	for i := range regions {
		r := boxOf(&regions[i], 1)
		w, h := min(b.right, r.right)-max(b.left, r.left), min(b.bottom, r.bottom)-max(b.top, r.top)
		if w <= 0 || h <= 0 || w*h < m.overlap*b.area {
			continue
		}
		name := ""
		if best := likeliest(regions[i].Classes); best != nil {
			name = best.Name
		}
		switch {
		case m.same(m.none, name), m.none == "" && m.less == "":
			drop = true
		case m.less != "" && m.same(m.less, name):
			weaken = true
		}
	}
	return drop, weaken
}
