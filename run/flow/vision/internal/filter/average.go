package filter

import (
	"math"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func averageFrames() algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: "vxl_average",
		Doc:  "Averages each image with the previous images, or computes its deviation from them.",
		Keys: []pipe.Key{
			{Name: "type", Kind: pipe.String, Default: "window", Choices: []string{"cumulative", "window", "exponential", "disabled"}, Doc: "Which images are averaged: all, the last ones, or all with decreasing weight."},
			{Name: "window_size", Kind: pipe.Unsigned, Default: "10", Doc: "Number of images in the window."},
			{Name: "exp_weight", Kind: pipe.Double, Default: "0.3", Doc: "Weight of the newest image, for type exponential."},
			{Name: "round", Kind: pipe.Bool, Default: "false", Doc: "Whether means are rounded to whole numbers instead of truncated; the means of a window are always truncated."},
			{Name: "output_variance", Kind: pipe.Bool, Default: "false", Doc: "Whether the result is, for each pixel in float64, its deviation from the mean before this image times its deviation from the mean that includes it."},
		},
		New: func(s algo.Settings) (Filter, error) {
			a := &averager{kind: s.Value("type"), size: s.Int("window_size"), weight: s.Float("exp_weight"), round: s.Bool("round"), variance: s.Bool("output_variance")}
			if a.kind == "exponential" && !(a.weight > 0 && a.weight < 1) {
				return nil, s.Errorf("exp_weight", "%v must be larger than 0 and less than 1", a.weight)
			}
			if a.kind == "window" && a.size < 1 {
				return nil, s.Errorf("window_size", "a window needs at least one image")
			}
			return a, nil
		},
	}
}

// An averager keeps the mean of the images so far.
type averager struct {
	kind            string
	size            int
	weight          float64
	round, variance bool
	mean            []float64
	count           int              // images in the mean
	window          []*tensor.Tensor // the last images, as a ring buffer
	next            int              // index of the next image in the window
	shape           [3]int
	row             []float64
}

func (a *averager) Filter(t *tensor.Tensor) (*tensor.Tensor, error) {
	if a.kind == "disabled" {
		return t, nil
	}
	first := a.mean == nil || a.shape != [3]int(t.Shape)
	if first {
		a.shape, a.count, a.next = [3]int(t.Shape), 0, 0
		a.mean, a.row, a.window = make([]float64, t.Count()), make([]float64, t.Shape[1]*t.Shape[2]), a.window[:0]
	}
	kind := t.Kind
	if a.variance {
		kind = tensor.Float64
	}
	out := tensor.New(kind, t.Shape...)
	var old *tensor.Tensor // the image that is removed from the mean
	if a.kind == "window" && len(a.window) == a.size {
		old = a.window[a.next]
	}
	a.update(out, t, old, first)
	a.count++
	if a.kind == "window" {
		if old == nil {
			a.window = append(a.window, t)
		} else {
			a.window[a.next] = t
		}
		a.next = (a.next + 1) % a.size
	}
	return out, nil
}

// update adds an image to the mean, row by row, and fills the result.
func (a *averager) update(out, t, old *tensor.Tensor, first bool) {
	n := len(a.row)
	weight := a.weight
	if a.kind != "exponential" {
		weight = 1 / float64(a.count+1)
	}
	if first {
		weight = 1
	}
	var gone []float64
	if old != nil {
		gone = make([]float64, n)
	}
	for y := range t.Shape[0] {
		t.Floats(a.row, y*n)
		mean := a.mean[y*n : (y+1)*n]
		if old != nil {
			old.Floats(gone, y*n)
		}
		for i, v := range a.row {
			before := mean[i]
			if old != nil {
				mean[i] += (v - gone[i]) / float64(a.size)
			} else {
				mean[i] = (1-weight)*before + weight*v
			}
			switch {
			case a.variance && first:
				a.row[i] = 0
			case a.variance:
				a.row[i] = math.Abs(v-before) * math.Abs(v-a.shown(t.Kind, mean[i]))
			default:
				a.row[i] = a.shown(t.Kind, mean[i])
			}
		}
		out.SetFloats(y*n, a.row)
	}
}

// shown returns the mean converted to a kind of pixel.
func (a *averager) shown(k tensor.Kind, mean float64) float64 {
	switch {
	case k.IsFloat():
		return mean
	case a.round && a.kind != "window":
		return math.Floor(mean + 0.5)
	}
	return math.Trunc(mean + 1e-9) // add a little, because a sum of fractions may be just below a whole number
}
