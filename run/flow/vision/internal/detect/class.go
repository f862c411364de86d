package detect

import (
	"slices"
	"strings"

	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
)

// classFilter keeps upstream's spelling of its name.
func classFilter() algo.Algorithm[SetFilter] {
	return algo.Algorithm[SetFilter]{
		Name: "class_probablity_filter",
		Doc:  "Selects detections by class and score, and keeps only the selected classes of each.",
		Keys: []pipe.Key{
			{Name: "threshold", Kind: pipe.Double, Default: "0.0", Doc: "Minimum score of a class."},
			{Name: "keep_all_classes", Kind: pipe.Bool, Default: "true", Doc: "Whether all classes are selected."},
			{Name: "keep_classes", Kind: pipe.String, Doc: "The selected classes otherwise, separated by semicolons."},
			{Name: "required_count", Kind: pipe.Unsigned, Default: "0", Doc: "If fewer detections remain, all are dropped."},
			{Name: "top_category_only", Kind: pipe.Bool, Default: "false", Doc: "Whether the likeliest class of a detection must be a selected one."},
		},
		New: func(s algo.Settings) (SetFilter, error) {
			f := &classes{threshold: s.Float("threshold"), all: s.Bool("keep_all_classes"), count: s.Int("required_count"), top: s.Bool("top_category_only"), keep: map[string]bool{}}
			for name := range strings.SplitSeq(s.Value("keep_classes"), ";") {
				f.keep[strings.TrimSpace(name)] = true
			}
			return f, nil
		},
	}
}

type classes struct {
	threshold float64
	all, top  bool
	keep      map[string]bool
	count     int
}

func (f *classes) Keep(set pic.Detections) pic.Detections {
	kept := make(pic.Detections, 0, len(set))
	for _, d := range set {
		if best := likeliest(d.Classes); f.top && !f.all && (best == nil || !f.keep[best.Name] || best.Score < f.threshold) {
			continue
		}
		fits := func(c pic.Class) bool { return c.Score >= f.threshold && (f.all || f.keep[c.Name]) }
		if !slices.ContainsFunc(d.Classes, fits) {
			continue
		}
		if !allFit(d.Classes, fits) {
			d.Classes = slices.DeleteFunc(slices.Clone(d.Classes), func(c pic.Class) bool { return !fits(c) })
		}
		kept = append(kept, d)
	}
	if len(kept) < f.count {
		return pic.Detections{}
	}
	return kept
}

func allFit(list []pic.Class, fits func(pic.Class) bool) bool {
	return !slices.ContainsFunc(list, func(c pic.Class) bool { return !fits(c) })
}

// likeliest returns the class with the best score, or nil if there is none.
func likeliest(list []pic.Class) (best *pic.Class) {
	for i := range list {
		if best == nil || list[i].Score > best.Score {
			best = &list[i]
		}
	}
	return best
}
