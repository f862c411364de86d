package detect

import (
	"image"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/core/outfile"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// windowedRefine returns the algorithm under one of its two names, as windowed does.
func windowedRefine(name string) algo.Algorithm[Refiner] {
	return algo.Algorithm[Refiner]{
		Name: name,
		Doc:  "Applies another refiner to the detections in parts of the image. The number and order of detections stay the same.",
		Keys: append(windowKeys(),
			pipe.Key{Name: "min_refine_dimension", Kind: pipe.Unsigned, Default: "1", Doc: "Detections of a smaller width or height are not refined."},
			pipe.Key{Name: "process_boundary_dets", Kind: pipe.Bool, Default: "false", Doc: "Whether detections that touch the edge of a part are left unrefined."},
			pipe.Key{Name: "overlapping_proc_once", Kind: pipe.Bool, Default: "true", Doc: "Whether a detection that lies in several parts is refined in only one of them."},
			pipe.Key{Name: "process_empty", Kind: pipe.Bool, Default: "false", Doc: "Whether the other refiner also gets parts without detections."},
			pipe.Key{Name: "prefer_containing_tile", Kind: pipe.Bool, Default: "true", Doc: "Whether this is the smallest part that contains the whole detection, not the first one."},
			pipe.Key{Name: "mask_overlap_thresh", Kind: pipe.Double, Default: "0.0", Doc: "Two detections of different parts are merged if, in the area common to both parts, at least this share of each lies in the other; 0 means never. Boxes are compared, not masks."},
			pipe.Key{Name: "refiner", Kind: pipe.Algo, Role: "refine_detections", Known: sync.OnceValue(func() []pipe.Algorithm { return Refiners().Known() }), Doc: "The other refiner; its keys are below its name."}),
		New: func(s algo.Settings) (Refiner, error) {
			parts, err := newWindows(s)
			if err != nil {
				return nil, err
			}
			w := &windowedRefiner{windows: parts, small: s.Float("min_refine_dimension"), skipEdges: s.Bool("process_boundary_dets"),
				once: s.Bool("overlapping_proc_once"), empty: s.Bool("process_empty"), overlap: s.Float("mask_overlap_thresh")}
			w.holding = w.once && s.Bool("prefer_containing_tile")
			w.inner, err = Refiners().Make(s, "refiner")
			return w, err
		},
	}
}

type windowedRefiner struct {
	windows
	small     float64 // minimum width and height of a detection
	skipEdges bool
	once      bool
	empty     bool // also refine parts without detections
	holding   bool // a detection belongs to the part that contains it
	overlap   float64
	inner     Refiner
}

// WriteTo passes the folder for files to the other refiner.
func (w *windowedRefiner) WriteTo(out outfile.Folder) {
	if inner, ok := w.inner.(Writer); ok {
		inner.WriteTo(out)
	}
}

func (w *windowedRefiner) Refine(img *tensor.Tensor, set pic.Detections) (pic.Detections, error) {
	if img == nil || len(img.Data) == 0 {
		return set, nil
	}
	tooSmall := func(d *pic.Detection) bool { return d.Right-d.Left < w.small || d.Bottom-d.Top < w.small }
	some := make(pic.Detections, 0, len(set))
	for i := range set {
		if !tooSmall(&set[i]) {
			some = append(some, set[i])
		}
	}
	refined, err := w.refine(img, some)
	if err != nil {
		return nil, err
	}
	out := make(pic.Detections, len(set))
	for i := range set {
		if out[i] = set[i]; !tooSmall(&set[i]) && len(refined) > 0 {
			out[i], refined = refined[0], refined[1:]
		}
	}
	return out, nil
}

// A found is a detection in a region.
type found struct {
	pic.Detection
	in *region
	of int // index of the original detection
}

// refine gives each region with its detections to the other refiner.
func (w *windowedRefiner) refine(img *tensor.Tensor, set pic.Detections) (pic.Detections, error) {
	regions := w.regions(img)
	done := make([]bool, len(set))
	belongs := make([]int, len(set))
	for i := range set {
		belongs[i] = -1
		if w.holding {
			belongs[i] = holder(regions, &set[i])
		}
	}
	var all []found
	for n := range regions {
		r := &regions[n]
		var pass, improve []found
		touched := false
		for i := range set {
			if !r.overlaps(&set[i]) {
				continue
			}
			touched = true
			if w.once && done[i] || belongs[i] >= 0 && belongs[i] != n {
				continue
			}
			done[i] = true
			if f := (found{r.to(set[i]), r, i}); w.skipEdges && r.atEdge(&f.Detection) {
				pass = append(pass, f)
			} else {
				improve = append(improve, f)
			}
		}
		if len(improve) > 0 || !touched && w.empty {
			refined, err := w.improved(r, improve, len(set))
			if err != nil {
				return nil, err
			}
			pass = append(pass, refined...)
		}
		for _, f := range pass {
			var ok bool
			if f.Detection, ok = w.back(r, f.Detection); ok {
				all = append(all, f)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.of - b.of })
	if w.overlap > 0 {
		all = w.join(all, image.Rect(0, 0, img.Shape[1], img.Shape[0]))
	}
	out := make(pic.Detections, 0, len(all))
	for i := range all {
		if w.counts(&all[i].Detection) {
			out = append(out, all[i].Detection)
		}
	}
	return out, nil
}

// improved returns the other refiner's result for the detections in a region. If their number
// changes, the original detections are not known, and the new ones come after all others.
func (w *windowedRefiner) improved(r *region, list []found, behind int) ([]found, error) {
	set := make(pic.Detections, len(list))
	for i := range list {
		set[i] = list[i].Detection
	}
	refined, err := w.inner.Refine(r.pixels, set)
	if err != nil {
		return nil, err
	}
	out := make([]found, len(refined))
	for i, d := range refined {
		out[i] = found{d, r, behind}
		if len(refined) == len(list) {
			out[i].of = list[i].of
		}
	}
	return out, nil
}

// holder returns the smallest region that contains a whole detection; among equal ones, the one in
// which it is farthest from the edges. If no region contains it, holder returns the region with most
// of it, or -1.
func holder(regions []region, d *pic.Detection) int {
	best, area, margin := -1, 0, 0.0
	most, part := -1, 0.0
	for i := range regions {
		r := &regions[i]
		left, top, right, bottom := float64(r.left), float64(r.top), float64(r.left+r.width), float64(r.top+r.height)
		if m := min(d.Left-left, right-d.Right, d.Top-top, bottom-d.Bottom); m >= 0 {
			if a := r.width * r.height; best < 0 || a < area || a == area && m > margin {
				best, area, margin = i, a, m
			}
		}
		w, h := min(d.Right, right)-max(d.Left, left), min(d.Bottom, bottom)-max(d.Top, top)
		if w > 0 && h > 0 && w*h > part {
			most, part = i, w*h
		}
	}
	if best < 0 {
		return most
	}
	return best
}

// overlaps reports whether a part of a detection lies in the region.
func (r *region) overlaps(d *pic.Detection) bool {
	return d.Left < float64(r.left+r.width) && d.Right > float64(r.left) && d.Right > d.Left &&
		d.Top < float64(r.top+r.height) && d.Bottom > float64(r.top) && d.Bottom > d.Top
}

// to converts a detection to coordinates of the region; windows.back is the reverse.
func (r *region) to(d pic.Detection) pic.Detection {
	x, y := float64(r.x), float64(r.y)
	d.Left, d.Right = (d.Left/r.second-x)/r.first, (d.Right/r.second-x)/r.first
	d.Top, d.Bottom = (d.Top/r.second-y)/r.first, (d.Bottom/r.second-y)/r.first
	return d
}

// atEdge reports whether a detection touches the edge of its region.
func (r *region) atEdge(d *pic.Detection) bool {
	return d.Left <= 0 || d.Top <= 0 || d.Right >= float64(r.pixels.Shape[1]-1) || d.Bottom >= float64(r.pixels.Shape[0]-1)
}

// join merges two detections of different regions that cover the same area in the overlap of the
// regions: the one with more confidence is kept and enlarged.
func (w *windowedRefiner) join(all []found, bounds image.Rectangle) []found {
	gone := make([]bool, len(all))
	for i := range all {
		for j := i + 1; j < len(all) && !gone[i]; j++ {
			keep, drop := i, j
			if all[j].Confidence > all[i].Confidence {
				keep, drop = j, i
			}
			if !gone[j] && w.same(&all[i], &all[j]) {
				d := &all[keep]
				b := d.bounds().Union(all[drop].bounds()).Intersect(bounds)
				d.Left, d.Top, d.Right, d.Bottom = float64(b.Min.X), float64(b.Min.Y), float64(b.Max.X), float64(b.Max.Y)
				gone[drop] = true
			}
		}
	}
	kept := all[:0]
	for i := range all {
		if !gone[i] {
			kept = append(kept, all[i])
		}
	}
	return kept
}

// same reports whether two detections cover the same area in the overlap of their regions.
func (w *windowedRefiner) same(a, b *found) bool {
	if a.in.left == b.in.left && a.in.top == b.in.top {
		return false
	}
	strip := a.in.bounds().Intersect(b.in.bounds())
	one, two := strip.Intersect(a.bounds()), strip.Intersect(b.bounds())
	both := area(one.Intersect(two))
	return both > 0 && both >= w.overlap*area(one) && both >= w.overlap*area(two)
}

// bounds returns the whole pixels that a detection covers.
func (f *found) bounds() image.Rectangle {
	return image.Rect(int(f.Left), int(f.Top), int(f.Right), int(f.Bottom))
}

// bounds returns the position of the region in the image.
func (r *region) bounds() image.Rectangle {
	return image.Rect(r.left, r.top, r.left+r.width, r.top+r.height)
}

func area(r image.Rectangle) float64 { return float64(r.Dx()) * float64(r.Dy()) }
