package detect

import (
	"cmp"
	"slices"

	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func nms() algo.Algorithm[Refiner] {
	return algo.Algorithm[Refiner]{
		Name: "nms",
		Doc:  "Keeps only the detection with the highest confidence among overlapping ones (non-maximum suppression).",
		Keys: []pipe.Key{
			{Name: "nms_scale_factor", Kind: pipe.Double, Default: "1.0", Doc: "Factor by which boxes are scaled for the comparison."},
			{Name: "output_scale_factor", Kind: pipe.Double, Default: "1.0", Doc: "Factor by which the remaining boxes are scaled."},
			{Name: "max_scale_difference", Kind: pipe.Double, Default: "4.0", Doc: "Boxes whose areas differ by a larger factor do not exclude each other; 0 means that all boxes do."},
			{Name: "max_overlap", Kind: pipe.Double, Default: "0.5", Doc: "Share of the smaller box that may lie in the other."},
		},
		New: func(s algo.Settings) (Refiner, error) {
			n := &suppressor{scale: s.Float("nms_scale_factor"), output: s.Float("output_scale_factor"), ratio: s.Float("max_scale_difference"), overlap: s.Float("max_overlap")}
			if n.ratio < 0 {
				return nil, s.Errorf("max_scale_difference", "%v must be 0 or larger", n.ratio)
			}
			if n.ratio > 0 && n.ratio < 1 {
				n.ratio = 1 / n.ratio
			}
			return n, nil
		},
	}
}

type suppressor struct {
	scale, output float64
	ratio         float64 // ratio of areas; 0: any
	overlap       float64
	order         []int // scratch
	boxes         []box // boxes of kept detections; scratch
}

// A box is a rectangle with its area.
type box struct{ left, top, right, bottom, area float64 }

// boxOf returns the box of a detection, scaled by a factor around its centre.
func boxOf(d *pic.Detection, scale float64) box {
	x, y := (d.Left+d.Right)/2, (d.Top+d.Bottom)/2
	w, h := (d.Right-d.Left)*scale/2, (d.Bottom-d.Top)*scale/2
	return box{x - w, y - h, x + w, y + h, 4 * w * h}
}

// Refine visits the detections in order of decreasing confidence.
func (n *suppressor) Refine(_ *tensor.Tensor, set pic.Detections) (pic.Detections, error) {
	n.order, n.boxes = n.order[:0], n.boxes[:0]
	for i := range set {
		n.order = append(n.order, i)
	}
	slices.SortStableFunc(n.order, func(a, b int) int { return cmp.Compare(set[b].Confidence, set[a].Confidence) })
	kept := make(pic.Detections, 0, len(set))
	for _, i := range n.order {
		b := boxOf(&set[i], n.scale)
		if n.covered(&b) {
			continue
		}
		n.boxes = append(n.boxes, b)
		d := set[i]
		if n.output != 1 {
			larger := boxOf(&d, n.output)
			d.Left, d.Top, d.Right, d.Bottom = larger.left, larger.top, larger.right, larger.bottom
		}
		kept = append(kept, d)
	}
	return kept, nil
}

// covered reports whether one of the kept boxes excludes b.
func (n *suppressor) covered(b *box) bool {
	for i := range n.boxes {
		k := &n.boxes[i]
		if k.right <= b.left || b.right <= k.left || k.bottom <= b.top || b.bottom <= k.top { // most boxes do not overlap
			continue
		}
		w, h := min(b.right, k.right)-max(b.left, k.left), min(b.bottom, k.bottom)-max(b.top, k.top)
		if w <= 0 || h <= 0 || !(w*h > n.overlap*min(b.area, k.area)) {
			continue
		}
		if n.ratio == 0 || max(b.area, k.area) <= n.ratio*min(b.area, k.area) {
			return true
		}
	}
	return false
}
