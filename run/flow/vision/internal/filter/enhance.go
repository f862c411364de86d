package filter

import (
	"math"
	"slices"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func enhancer() algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: "ocv_enhancer",
		Doc:  "Smoothes, balances colours, evens out brightness and sharpens.",
		Keys: []pipe.Key{
			{Name: "apply_smoothing", Kind: pipe.Bool, Default: "false", Doc: "Whether each pixel is replaced by the median around it."},
			{Name: "smoothing_kernel", Kind: pipe.Unsigned, Default: "3", Doc: "Side of the square around a pixel, an odd number."},
			{Name: "apply_denoising", Kind: pipe.Bool, Default: "false", Doc: "Whether noise is removed by comparing distant parts; this needs OpenCV."},
			{Name: "denoise_kernel", Kind: pipe.Unsigned, Default: "3", Doc: "Side of the compared parts."},
			{Name: "denoise_coeff", Kind: pipe.Unsigned, Default: "3", Doc: "Strength of the noise removal."},
			{Name: "force_8bit", Kind: pipe.Bool, Default: "false", Doc: "Whether deeper images are stretched to 8 bits, from the darkest to the brightest level."},
			{Name: "auto_balance", Kind: pipe.Bool, Default: "false", Doc: "Whether red, green and blue get the same average brightness."},
			{Name: "apply_clahe", Kind: pipe.Bool, Default: "false", Doc: "Whether brightness is evened out, in each of 8 × 8 parts. Colours differ from OpenCV's result by at most 2 of 255 levels, grey not at all."},
			{Name: "clip_limit", Kind: pipe.Unsigned, Default: "4", Doc: "Limit for evening out brightness."},
			{Name: "saturation", Kind: pipe.Double, Default: "1.0", Doc: "Factor for the saturation of colours."},
			{Name: "apply_sharpening", Kind: pipe.Bool, Default: "false", Doc: "Whether edges are sharpened."},
			{Name: "sharpening_kernel", Kind: pipe.Unsigned, Default: "3", Doc: "Standard deviation of the blur that is subtracted."},
			{Name: "sharpening_weight", Kind: pipe.Double, Default: "0.5", Doc: "Share of the blurred image that is subtracted."},
		},
		New: newEnhancer,
	}
}

func newEnhancer(s algo.Settings) (Filter, error) {
	e := &enhance{smooth: s.Bool("apply_smoothing"), kernel: s.Int("smoothing_kernel"), bytes: s.Bool("force_8bit"), balance: s.Bool("auto_balance"),
		light: s.Bool("apply_clahe"), clip: s.Float("clip_limit"), saturation: float32(s.Float("saturation")),
		sharpen: s.Bool("apply_sharpening"), radius: s.Float("sharpening_kernel"), weight: s.Float("sharpening_weight")}
	switch {
	case s.Bool("apply_denoising"):
		return nil, s.Errorf("apply_denoising", "removing noise needs OpenCV, which is not part of this program; use `filter:type = python` with a class of yours")
	case e.smooth && (e.kernel%2 == 0 || e.kernel > 31):
		return nil, s.Errorf("smoothing_kernel", "%d must be an odd number, at most 31", e.kernel)
	case e.sharpen && !(e.radius > 0 && e.radius <= maxRadius):
		return nil, s.Errorf("sharpening_kernel", "%v must be larger than 0 and at most %d", e.radius, maxRadius)
	}
	return e, nil
}

type enhance struct {
	smooth, bytes, balance, light, sharpen bool
	kernel                                 int
	clip, radius, weight                   float64
	saturation                             float32
}

func (e *enhance) Filter(t *tensor.Tensor) (*tensor.Tensor, error) {
	stretched := e.bytes && !e.smooth && !e.balance // in one step, from numbers of any kind
	if t.Kind != tensor.Uint8 && t.Kind != tensor.Uint16 && !stretched || t.Shape[2] == 2 {
		return nil, errKind("ocv_enhancer", t, "one, three or four channels of 8 or 16 bits, or any numbers with `force_8bit` alone")
	}
	if e.smooth {
		t = median(t, e.kernel)
	}
	if e.balance && t.Shape[2] == 3 {
		t = balanced(t)
	}
	if e.bytes && t.Kind != tensor.Uint8 {
		t = toBytes(t)
	}
	colours := t.Shape[2] == 3
	if (e.light || e.saturation != 1 && colours) && t.Kind != tensor.Uint8 {
		return nil, errKind("ocv_enhancer", t, "8 bits for `apply_clahe` and `saturation`; set `force_8bit`")
	}
	if e.light {
		t = evenLight(t, e.clip)
	}
	if e.saturation != 1 && colours {
		t = saturated(t, e.saturation)
	}
	if e.sharpen {
		t = sharpened(t, e.radius, e.weight)
	}
	return t, nil
}

// median replaces each pixel by the median of the square around it; the edge is repeated.
func median(t *tensor.Tensor, side int) *tensor.Tensor {
	h, w, n, r := t.Shape[0], t.Shape[1], t.Shape[2], side/2
	out := tensor.New(t.Kind, t.Shape...)
	around := make([]int64, 0, side*side)
	for y := range h {
		for x := range w {
			for c := range n {
				around = around[:0]
				for dy := -r; dy <= r; dy++ {
					row := min(max(y+dy, 0), h-1) * w
					for dx := -r; dx <= r; dx++ {
						around = append(around, t.Int((row+min(max(x+dx, 0), w-1))*n+c))
					}
				}
				slices.Sort(around)
				out.SetInt((y*w+x)*n+c, around[len(around)/2])
			}
		}
	}
	return out
}

// balanced makes the means of the three channels equal.
func balanced(t *tensor.Tensor) *tensor.Tensor {
	var mean [3]float64
	row := make([]float64, t.Shape[1]*3)
	for y := range t.Shape[0] {
		t.Floats(row, y*len(row))
		for i, v := range row {
			mean[i%3] += v
		}
	}
	all := (mean[0] + mean[1] + mean[2]) / 3
	var factor [3]float64
	for c := range factor {
		if mean[c] > 0 {
			factor[c] = all / mean[c]
		}
	}
	out := tensor.New(t.Kind, t.Shape...)
	eachRow(out, t, func(row []float64) {
		for i, v := range row {
			row[i] = math.RoundToEven(v * factor[i%3])
		}
	})
	return out
}

// evenLight evens out the brightness of an image of bytes; for colours, their L*.
func evenLight(t *tensor.Tensor, clip float64) *tensor.Tensor {
	out := tensor.New(tensor.Uint8, t.Shape...)
	n := t.Shape[2]
	if n != 3 {
		copy(out.Data, t.Data)
		if n == 1 {
			equalize(out.Data, t.Shape[1], t.Shape[0], clip)
		}
		return out
	}
	light, lab := make([]byte, pixels(t)), labs()
	for i := range light {
		p := out.Data[3*i : 3*i+3]
		light[i], p[1], p[2] = lab.of(t.Data[3*i], t.Data[3*i+1], t.Data[3*i+2])
	}
	equalize(light, t.Shape[1], t.Shape[0], clip)
	for i, l := range light {
		p := out.Data[3*i : 3*i+3]
		p[0], p[1], p[2] = fromLab(l, p[1], p[2])
	}
	return out
}

// saturated changes the saturation of colours.
func saturated(t *tensor.Tensor, factor float32) *tensor.Tensor {
	out := tensor.New(tensor.Uint8, t.Shape...)
	for i := 0; i < len(t.Data); i += 3 {
		h, s, v := toHSV(t.Data[i], t.Data[i+1], t.Data[i+2])
		out.Data[i], out.Data[i+1], out.Data[i+2] = fromHSV(h, level(float64(float32(s)*factor)), v)
	}
	return out
}

// sharpened subtracts a share of the blurred image. The edge is mirrored.
func sharpened(t *tensor.Tensor, sigma, weight float64) *tensor.Tensor {
	blur := blurred(t, sigma)
	out := tensor.New(t.Kind, t.Shape...)
	n := t.Shape[1] * t.Shape[2]
	row := make([]float64, n)
	for y := range t.Shape[0] {
		t.Floats(row, y*n)
		for i, v := range row {
			row[i] = math.RoundToEven(v*(1+weight) - blur[y*n+i]*weight)
		}
		out.SetFloats(y*n, row)
	}
	return out
}

// blurred returns the image convolved with a Gaussian, rounded to whole numbers.
func blurred(t *tensor.Tensor, sigma float64) []float64 {
	r := int(math.Round(sigma*6+1)) / 2
	if t.Kind != tensor.Uint8 {
		r = int(math.Round(sigma*8+1)) / 2
	}
	kernel, sum := make([]float64, 2*r+1), 0.0
	for i := range kernel {
		d := float64(i - r)
		kernel[i] = math.Exp(-d * d / (2 * sigma * sigma))
		sum += kernel[i]
	}
	for i := range kernel {
		kernel[i] /= sum
	}
	h, w, n := t.Shape[0], t.Shape[1], t.Shape[2]
	across, down := make([]float64, h*w*n), make([]float64, h*w*n)
	row := make([]float64, w*n)
	for y := range h {
		t.Floats(row, y*w*n)
		for x := range w {
			for k, weight := range kernel {
				from := mirrored(x+k-r, w) * n
				for c := range n {
					across[(y*w+x)*n+c] += weight * row[from+c]
				}
			}
		}
	}
	for y := range h {
		to := down[y*w*n : (y+1)*w*n]
		for k, weight := range kernel {
			from := across[mirrored(y+k-r, h)*w*n:]
			for i := range to {
				to[i] += weight * from[i]
			}
		}
		for i, v := range to {
			to[i] = math.RoundToEven(v)
		}
	}
	return down
}
