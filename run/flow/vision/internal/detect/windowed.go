package detect

import (
	"math"
	"slices"
	"sync"

	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// windowed returns the algorithm under one of its two names. Upstream has two implementations,
// which differ in how they resize.
func windowed(name string) algo.Algorithm[Detector] {
	return algo.Algorithm[Detector]{
		Name: name,
		Doc:  "Applies another detector to parts of the image, and combines its detections.",
		Keys: append(windowKeys(), pipe.Key{Name: "detector", Kind: pipe.Algo, Role: "image_object_detector", Known: sync.OnceValue(func() []pipe.Algorithm { return Detectors().Known() }), Doc: "The other detector; its keys are below its name."}),
		New: func(s algo.Settings) (Detector, error) {
			w, err := newWindows(s)
			if err != nil {
				return nil, err
			}
			inner, err := Detectors().Make(s, "detector")
			return &windowedDetector{w, inner}, err
		},
	}
}

// windowKeys returns the keys that decide which parts of an image another algorithm sees.
func windowKeys() []pipe.Key {
	return []pipe.Key{
		{Name: "mode", Kind: pipe.String, Default: "disabled", Choices: []string{"disabled", "maintain_ar", "scale", "chip", "chip_and_original", "original_and_resized", "adaptive"}, Doc: "Input of the other algorithm: the whole image (disabled), the image fitted to the size of a chip (maintain_ar), the scaled image (scale), chips of it (chip), chips and the whole image (chip_and_original), the scaled and the fitted image (original_and_resized), or a choice by the size of the image (adaptive)."},
		{Name: "scale", Kind: pipe.Double, Default: "1.0", Doc: "Factor by which the image is scaled before it is used or cut into chips."},
		{Name: "chip_width", Kind: pipe.Unsigned, Default: "1000", Doc: "Width of a chip."},
		{Name: "chip_height", Kind: pipe.Unsigned, Default: "1000", Doc: "Height of a chip."},
		{Name: "chip_step_width", Kind: pipe.Unsigned, Default: "500", Doc: "Distance between the left edges of neighbouring chips."},
		{Name: "chip_step_height", Kind: pipe.Unsigned, Default: "500", Doc: "Distance between the top edges of neighbouring chips."},
		{Name: "chip_edge_filter", Kind: pipe.Int, Default: "-1", Doc: "Detections this close to the edge of a chip, inside the image, are dropped; -1 means none."},
		{Name: "chip_edge_max_prob", Kind: pipe.Double, Default: "-1.0", Doc: "If set, such detections are kept with at most this score."},
		{Name: "chip_adaptive_thresh", Kind: pipe.Unsigned, Default: "2000000", Doc: "Number of pixels above which the mode adaptive cuts the image into chips."},
		{Name: "batch_size", Kind: pipe.Unsigned, Default: "1", Doc: "Accepted but not used: chips are processed one after another."},
		{Name: "min_detection_dim", Kind: pipe.Unsigned, Default: "1", Doc: "Minimum width and height of a detection."},
		{Name: "original_to_chip_size", Kind: pipe.Bool, Default: "false", Doc: "Whether the whole image is also scaled to fit the size of a chip."},
		{Name: "black_pad", Kind: pipe.Bool, Default: "false", Doc: "Whether chips at the edge are padded with black."},
	}
}

// maxChips limits the number of chips of an image.
const maxChips = 100_000

func newWindows(s algo.Settings) (windows, error) {
	w := windows{mode: s.Value("mode"), scale: s.Float("scale"), width: s.Int("chip_width"), height: s.Int("chip_height"),
		stepX: s.Int("chip_step_width"), stepY: s.Int("chip_step_height"), edge: s.Int("chip_edge_filter"), edgeScore: s.Float("chip_edge_max_prob"),
		large: s.Int("chip_adaptive_thresh"), least: s.Float("min_detection_dim"), fit: s.Bool("original_to_chip_size"), pad: s.Bool("black_pad")}
	switch {
	case w.width < 1 || w.height < 1:
		return w, s.Errorf("chip_width", "a chip needs at least one pixel")
	case w.stepX < 1 || w.stepY < 1:
		return w, s.Errorf("chip_step_width", "a step needs at least one pixel")
	case !(w.scale > 0 && w.scale <= 100):
		return w, s.Errorf("scale", "%v must be larger than 0 and at most 100", w.scale)
	}
	return w, nil
}

// windows cuts images into the parts that another algorithm sees.
type windows struct {
	mode          string
	scale         float64
	width, height int
	stepX, stepY  int
	edge          int
	edgeScore     float64
	large         int
	least         float64
	fit, pad      bool
}

type windowedDetector struct {
	windows
	inner Detector
}

// A region is a part of the image that the other algorithm gets. To convert coordinates in the
// region to coordinates in the image, multiply them by first, add x and y, and multiply by second.
type region struct {
	pixels        *tensor.Tensor
	first, second float64
	x, y          int
	chip          bool
	left, top     int // position in the image
	width, height int
	last, lowest  bool // it is the rightmost chip, or the lowest
}

func (w *windowedDetector) Detect(img *tensor.Tensor) (pic.Detections, error) {
	all := pic.Detections{}
	for _, r := range w.regions(img) {
		found, err := w.inner.Detect(r.pixels)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if d, ok := w.back(&r, d); ok && w.counts(&d) {
				all = append(all, d)
			}
		}
	}
	return all, nil
}

// counts reports whether a detection is large enough to be used.
func (w *windows) counts(d *pic.Detection) bool {
	return d.Right-d.Left >= w.least && d.Bottom-d.Top >= w.least
}

// regions returns the parts of the image that the other algorithm gets.
func (w *windows) regions(img *tensor.Tensor) []region {
	imgH, imgW := img.Shape[0], img.Shape[1]
	mode := w.mode
	if mode == "adaptive" {
		switch {
		case imgH*imgW >= w.large:
			mode = "chip_and_original"
		case w.fit:
			mode = "maintain_ar"
		default:
			mode = "disabled"
		}
	}
	whole := func(t *tensor.Tensor, scale float64) region {
		return region{pixels: t, first: 1 / scale, second: 1, width: imgW, height: imgH}
	}
	switch mode {
	case "disabled":
		return []region{whole(img, 1)}
	case "maintain_ar":
		return []region{whole(fitted(img, w.width, w.height, false))}
	case "scale":
		return []region{whole(w.scaled(img))}
	case "original_and_resized":
		if imgH <= w.height && imgW <= w.width {
			return []region{whole(img, 1)}
		}
		var list []region
		if imgH*imgW >= w.large {
			list = append(list, whole(w.scaled(img)))
		}
		return append(list, whole(fitted(img, w.width, w.height, w.pad)))
	}
	list := w.chips(img)
	if mode == "chip_and_original" {
		if w.fit {
			return append(list, whole(fitted(img, w.width, w.height, w.pad)))
		}
		list = append(list, whole(img, 1))
	}
	return list
}

// scaled returns the scaled image and the scale factor.
func (w *windows) scaled(img *tensor.Tensor) (*tensor.Tensor, float64) {
	if w.scale == 1 {
		return img, 1
	}
	return resized(img, int(math.Round(float64(img.Shape[1])*w.scale)), int(math.Round(float64(img.Shape[0])*w.scale))), w.scale
}

// chips cuts the scaled image into chips.
func (w *windows) chips(img *tensor.Tensor) (list []region) {
	t, scale := w.scaled(img)
	imgH, imgW := t.Shape[0], t.Shape[1]
	for x := 0; x < imgW-w.width+w.stepX; x += w.stepX {
		for y := 0; y < imgH-w.height+w.stepY && len(list) < maxChips; y += w.stepY {
			width, height := min(w.width, imgW-x), min(w.height, imgH-y)
			if width < 1 || height < 1 {
				continue
			}
			pixels, fit := fitted(crop(t, x, y, width, height), w.width, w.height, w.pad)
			list = append(list, region{pixels: pixels, first: 1 / fit, second: 1 / scale, x: x, y: y, chip: true,
				left: int(float64(x) / scale), top: int(float64(y) / scale), width: int(float64(width) / scale), height: int(float64(height) / scale),
				last: x+w.stepX >= imgW-w.width+w.stepX, lowest: y+w.stepY >= imgH-w.height+w.stepY})
		}
	}
	return list
}

// back converts a detection to coordinates of the whole image; ok is false if it is too close to
// the edge of its chip.
func (w *windows) back(r *region, d pic.Detection) (pic.Detection, bool) {
	d.Left, d.Right = (d.Left*r.first+float64(r.x))*r.second, (d.Right*r.first+float64(r.x))*r.second
	d.Top, d.Bottom = (d.Top*r.first+float64(r.y))*r.second, (d.Bottom*r.first+float64(r.y))*r.second
	near := float64(w.edge)
	if !r.chip || w.edge < 0 ||
		!(r.left > 0 && d.Left < float64(r.left)+near || r.top > 0 && d.Top < float64(r.top)+near ||
			!r.last && d.Right > float64(r.left+r.width)-near || !r.lowest && d.Bottom > float64(r.top+r.height)-near) {
		return d, true
	}
	if w.edgeScore <= 0 {
		return d, false
	}
	d.Confidence = min(d.Confidence, w.edgeScore)
	if best := likeliest(d.Classes); best != nil && best.Score > w.edgeScore {
		factor := w.edgeScore / best.Score
		d.Classes = slices.Clone(d.Classes)
		for i := range d.Classes {
			d.Classes[i].Score *= factor
		}
	}
	return d, true
}

// fitted scales an image so that it fits into width and height, and returns the factor. If pad is
// set, it fills the rest with black.
func fitted(img *tensor.Tensor, width, height int, pad bool) (*tensor.Tensor, float64) {
	h, w := img.Shape[0], img.Shape[1]
	scale := min(1, float64(height)/float64(h), float64(width)/float64(w))
	t := resized(img, int(math.Round(float64(w)*scale)), int(math.Round(float64(h)*scale)))
	if !pad || t.Shape[0] == height && t.Shape[1] == width {
		return t, scale
	}
	full := tensor.New(t.Kind, height, width, t.Shape[2])
	size := t.Shape[2] * t.Kind.Size()
	for y := range min(t.Shape[0], height) {
		copy(full.Data[y*width*size:(y+1)*width*size], t.Data[y*t.Shape[1]*size:(y+1)*t.Shape[1]*size])
	}
	return full, scale
}

// crop copies a part of an image.
func crop(t *tensor.Tensor, x, y, width, height int) *tensor.Tensor {
	size := t.Shape[2] * t.Kind.Size()
	part := tensor.New(t.Kind, height, width, t.Shape[2])
	for row := range height {
		from := ((y+row)*t.Shape[1] + x) * size
		copy(part.Data[row*width*size:(row+1)*width*size], t.Data[from:])
	}
	return part
}

// resized scales an image to a size, interpolating between pixels.
func resized(t *tensor.Tensor, width, height int) *tensor.Tensor {
	width, height = max(1, width), max(1, height)
	h, w, n := t.Shape[0], t.Shape[1], t.Shape[2]
	if w == width && h == height {
		return t
	}
	out := tensor.New(t.Kind, height, width, n)
	above, below, row := make([]float64, w*n), make([]float64, w*n), make([]float64, width*n)
	for y := range height {
		y0, fy := place(y, h, height)
		t.Floats(above, min(max(y0, 0), h-1)*w*n)
		t.Floats(below, min(max(y0+1, 0), h-1)*w*n)
		for x := range width {
			x0, fx := place(x, w, width)
			left, right := min(max(x0, 0), w-1)*n, min(max(x0+1, 0), w-1)*n
			for c := range n {
				top := above[left+c]*(1-fx) + above[right+c]*fx
				bottom := below[left+c]*(1-fx) + below[right+c]*fx
				v := top*(1-fy) + bottom*fy
				if !t.Kind.IsFloat() {
					v = math.Round(v)
				}
				row[x*n+c] = v
			}
		}
		out.SetFloats(y*width*n, row)
	}
	return out
}

// place returns the old pixel before the centre of a new one, and the distance of the centre from
// it.
func place(at, from, to int) (int, float64) {
	p := (float64(at)+0.5)*float64(from)/float64(to) - 0.5
	low := math.Floor(p)
	return int(low), p - low
}
