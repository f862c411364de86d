package filter

import (
	"slices"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func threshold() algo.Algorithm[Filter] {
	return algo.Algorithm[Filter]{
		Name: "vxl_threshold",
		Doc:  "Marks each pixel that is at least as bright as a level.",
		Keys: []pipe.Key{
			{Name: "threshold", Kind: pipe.Double, Default: "0.95", Doc: "The level, or the share of the pixels below it."},
			{Name: "type", Kind: pipe.String, Default: "percentile", Choices: []string{"absolute", "percentile"}, Doc: "Whether `threshold` is a level (absolute) or a share of the pixels (percentile)."},
		},
		New: func(s algo.Settings) (Filter, error) {
			f := &thresholder{level: s.Float("threshold"), absolute: s.Value("type") == "absolute"}
			if !f.absolute && !(f.level >= 0 && f.level <= 1) {
				return nil, s.Errorf("threshold", "%v must be a share of the pixels, from 0 to 1", f.level)
			}
			return f, nil
		},
	}
}

type thresholder struct {
	level    float64
	absolute bool
	samples  []float64 // scratch
}

// maxSamples is the number of pixels examined for a percentile.
const maxSamples = 1000

func (f *thresholder) Filter(t *tensor.Tensor) (*tensor.Tensor, error) {
	level := f.level
	if !t.Kind.IsFloat() {
		level = float64(int64(level))
	}
	if !f.absolute {
		f.samples = samples(f.samples[:0], t, maxSamples)
		slices.Sort(f.samples)
		if len(f.samples) == 0 {
			return tensor.New(tensor.Bool, t.Shape...), nil
		}
		level = rank(f.samples, f.level)
	}
	out := tensor.New(tensor.Bool, t.Shape...)
	row := make([]float64, t.Shape[1]*t.Shape[2])
	for y := range t.Shape[0] {
		t.Floats(row, y*len(row))
		marks := out.Data[y*len(row) : (y+1)*len(row)]
		for i, v := range row {
			if v >= level {
				marks[i] = 1
			}
		}
	}
	return out, nil
}
