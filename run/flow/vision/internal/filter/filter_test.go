package filter

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// made returns a filter by name, with some of its keys.
func made(name string, config ...string) (Filter, error) {
	full := []string{"filter:type", name}
	for i := 0; i < len(config); i += 2 {
		full = append(full, "filter:"+name+":"+config[i], config[i+1])
	}
	return Algorithms().Make(algo.Of(pipe.ValuesOf(pipe.Set(full...), nil)), "filter")
}

// of returns an image of some kind with the given pixels.
func of(kind tensor.Kind, height, width, channels int, pixels ...float64) *tensor.Tensor {
	t := tensor.New(kind, height, width, channels)
	t.SetFloats(0, pixels)
	return t
}

// shown formats the pixels of an image.
func shown(t *tensor.Tensor) string {
	s := t.Kind.String()
	for i := range t.Count() {
		s += fmt.Sprintf(" %.4g", t.At(i))
	}
	return s
}

// TestByHand compares the results of filters with values computed by hand.
func TestByHand(t *testing.T) {
	grey := func(p ...float64) *tensor.Tensor { return of(tensor.Uint8, 1, len(p), 1, p...) }
	deep := func(p ...float64) *tensor.Tensor { return of(tensor.Uint16, 1, len(p), 1, p...) }
	mask := func(p ...float64) *tensor.Tensor { return of(tensor.Bool, 1, len(p), 1, p...) }
	for _, c := range []struct {
		name   string
		config []string
		in     []*tensor.Tensor
		want   string // result for the last image
	}{
		{"vxl_convert_image", nil, []*tensor.Tensor{deep(255, 256, 300)}, "uint8 255 0 44"},
		{"vxl_convert_image", []string{"scale_factor", "0.5"}, []*tensor.Tensor{deep(3, 600, 20)}, "uint8 2 255 10"},
		{"vxl_convert_image", []string{"format", "float", "scale_factor", "0.5"}, []*tensor.Tensor{of(tensor.Float32, 1, 2, 1, 0.25, 3)}, "float32 0.625 2"},
		{"vxl_convert_image", []string{"format", "copy", "single_channel", "true"}, []*tensor.Tensor{of(tensor.Uint8, 1, 1, 3, 100, 200, 50)}, "uint8 167"},
		{"vxl_convert_image", []string{"single_channel", "true"}, []*tensor.Tensor{of(tensor.Uint8, 1, 1, 2, 100, 201)}, "uint8 150"},
		{"vxl_convert_image", []string{"force_three_channel", "true"}, []*tensor.Tensor{grey(1, 2)}, "uint8 1 1 1 2 2 2"},
		{"vxl_convert_image", []string{"force_three_channel", "true"}, []*tensor.Tensor{of(tensor.Uint8, 1, 1, 4, 1, 2, 3, 4)}, "uint8 1 2 3"},
		{"vxl_convert_image", []string{"random_grayscale", "1"}, []*tensor.Tensor{of(tensor.Uint8, 1, 1, 3, 100, 200, 50)}, "uint8 167 167 167"},
		{"vxl_convert_image", []string{"percentile_norm", "0"}, []*tensor.Tensor{deep(0, 100, 200, 300, 65535)}, "uint8 0 0 127 255 255"},
		{"vxl_convert_image", []string{"percentile_norm", "0"}, []*tensor.Tensor{deep(0, 0)}, "uint8 0 0"},
		{"vxl_convert_image", []string{"format", "disable"}, []*tensor.Tensor{deep(300)}, "uint16 300"},
		{"vxl_average", []string{"type", "cumulative"}, []*tensor.Tensor{grey(10, 0), grey(20, 1), grey(60, 1)}, "uint8 30 0"},
		{"vxl_average", []string{"type", "cumulative", "round", "true"}, []*tensor.Tensor{grey(0), grey(1), grey(1)}, "uint8 1"},
		{"vxl_average", []string{"type", "window", "window_size", "2"}, []*tensor.Tensor{grey(100), grey(10), grey(20)}, "uint8 15"},
		{"vxl_average", []string{"type", "exponential", "exp_weight", "0.25"}, []*tensor.Tensor{grey(100), grey(20)}, "uint8 80"},
		{"vxl_average", []string{"output_variance", "true"}, []*tensor.Tensor{grey(10)}, "float64 0"},
		{"vxl_average", []string{"output_variance", "true"}, []*tensor.Tensor{grey(10), grey(20)}, "float64 50"},
		{"vxl_average", []string{"type", "window"}, []*tensor.Tensor{grey(10), grey(2, 4)}, "uint8 2 4"}, // an image of another size resets the filter
		{"vxl_threshold", []string{"type", "absolute", "threshold", "10.7"}, []*tensor.Tensor{grey(9, 10, 11)}, "bool 0 1 1"},
		{"vxl_threshold", []string{"threshold", "0.5"}, []*tensor.Tensor{grey(5, 1, 3, 4, 2)}, "bool 1 0 1 1 0"},
		{"vxl_morphology", nil, []*tensor.Tensor{mask(0, 0, 1, 0, 0, 0)}, "bool 0 1 1 1 0 0"},
		{"vxl_morphology", []string{"morphology", "erode"}, []*tensor.Tensor{mask(1, 1, 1, 0, 1, 0)}, "bool 1 1 0 0 0 0"},
		{"vxl_morphology", []string{"morphology", "close"}, []*tensor.Tensor{mask(0, 1, 0, 1, 0, 0)}, "bool 1 1 1 1 0 0"},
		{"vxl_morphology", []string{"morphology", "open", "element_shape", "iline"}, []*tensor.Tensor{mask(0, 1, 0, 1, 1, 1)}, "bool 0 0 0 1 1 1"},
		{"vxl_morphology", []string{"morphology", "none", "channel_combination", "union"}, []*tensor.Tensor{of(tensor.Bool, 1, 2, 2, 1, 0, 0, 0)}, "bool 1 0"},
		{"vxl_morphology", []string{"morphology", "none", "channel_combination", "intersection"}, []*tensor.Tensor{of(tensor.Bool, 1, 2, 2, 1, 0, 1, 1)}, "bool 0 1"},
		{"vxl_color_commonality", nil, []*tensor.Tensor{grey(0, 15, 16, 255)}, "uint8 127 127 63 63"},
		{"vxl_color_commonality", []string{"output_scale", "4"}, []*tensor.Tensor{of(tensor.Uint8, 1, 2, 3, 0, 0, 0, 0, 0, 255)}, "uint8 2 2"},
		{"vxl_color_commonality", []string{"grid_image", "true", "grid_resolution_width", "2", "grid_resolution_height", "1"}, []*tensor.Tensor{grey(0, 255, 7, 7)}, "uint8 127 127 255 255"},
		{"percentile_norm", []string{"lower_percentile", "0"}, []*tensor.Tensor{deep(100, 200, 300)}, "uint8 0 127 255"},
		{"percentile_norm", []string{"lower_percentile", "25", "upper_percentile", "75", "output_format", "native"}, []*tensor.Tensor{deep(100, 200, 300)}, "uint16 0 3.277e+04 6.554e+04"},
		{"percentile_norm_npy", []string{"lower_percentile", "0", "output_format", "native"}, []*tensor.Tensor{of(tensor.Float32, 1, 3, 1, 2, 4, 3)}, "float32 0 1 0.5"},
		{"percentile_norm", nil, []*tensor.Tensor{deep(7, 7)}, "uint8 0 0"},
		{"ocv_enhancer", []string{"apply_smoothing", "true"}, []*tensor.Tensor{grey(9, 1, 1, 7, 8)}, "uint8 9 1 1 7 8"},
		{"ocv_enhancer", []string{"auto_balance", "true"}, []*tensor.Tensor{of(tensor.Uint8, 1, 2, 3, 10, 20, 30, 10, 20, 30)}, "uint8 20 20 20 20 20 20"},
		{"ocv_enhancer", []string{"force_8bit", "true"}, []*tensor.Tensor{deep(100, 200, 355)}, "uint8 0 100 255"},
		{"ocv_enhancer", []string{"force_8bit", "true"}, []*tensor.Tensor{of(tensor.Int16, 1, 3, 1, -16, 0, 239)}, "uint8 0 16 255"},
		{"ocv_enhancer", []string{"force_8bit", "true"}, []*tensor.Tensor{of(tensor.Float32, 1, 3, 1, -0.5, 0, 0.5)}, "uint8 0 128 255"},
		{"ocv_enhancer", []string{"saturation", "0"}, []*tensor.Tensor{of(tensor.Uint8, 1, 1, 3, 10, 200, 30)}, "uint8 200 200 200"},
		{"ocv_debayer", nil, []*tensor.Tensor{of(tensor.Uint8, 1, 1, 3, 1, 2, 3)}, "uint8 1 2 3"},
		{"ocv_random_hue_shift", []string{"trigger_percent", "0"}, []*tensor.Tensor{grey(5)}, "uint8 5"},
	} {
		f, err := made(c.name, c.config...)
		if err != nil {
			t.Errorf("%s %v: %v", c.name, c.config, err)
			continue
		}
		var out *tensor.Tensor
		for _, in := range c.in {
			before := string(in.Data)
			if out, err = f.Filter(in); err != nil {
				t.Fatalf("%s %v: %v", c.name, c.config, err)
			}
			if string(in.Data) != before {
				t.Errorf("%s %v changed what it was given", c.name, c.config)
			}
		}
		if have := shown(out); have != c.want {
			t.Errorf("%s %v: have %s, want %s", c.name, c.config, have, c.want)
		}
	}
}

// TestRefused checks the errors for settings and images that a filter cannot use.
func TestRefused(t *testing.T) {
	for _, c := range [][]string{
		{"vxl_average", "0.9", "type", "exponential", "exp_weight", "1"},
		{"vxl_average", "at least one image", "window_size", "0"},
		{"vxl_threshold", "from 0 to 1", "threshold", "2"},
		{"vxl_morphology", "from 0 to 100", "kernel_radius", "-1"},
		{"vxl_morphology", "has no pixel", "kernel_radius", "0"},
		{"vxl_color_commonality", "power of two", "intensity_resolution", "6"},
		{"vxl_color_commonality", "at least one row", "grid_image", "true", "grid_resolution_width", "0"},
		{"percentile_norm", "in increasing order, from 0 to 100", "lower_percentile", "100"},
		{"ocv_enhancer", "odd number", "apply_smoothing", "true", "smoothing_kernel", "4"},
		{"ocv_enhancer", "needs OpenCV", "apply_denoising", "true"},
		{"ocv_enhancer", "larger than 0", "apply_sharpening", "true", "sharpening_kernel", "0"},
		{"ocv_convert_color", "expected RGB, BGR or HSV", "input_color_space", "XYZ"},
		{"ocv_convert_color", "HLS or Lab", "output_color_space", "XYZ"},
		{"surf", "is not an algorithm of this program: expected vxl_convert_image,"},
	} {
		_, err := made(c[0], c[2:]...)
		if c[1] == "0.9" {
			c[1] = "less than 1"
		}
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%v: have %v", c, err)
		}
	}
	float := of(tensor.Float32, 4, 4, 1)
	for _, name := range []string{"vxl_morphology", "vxl_color_commonality", "ocv_debayer", "ocv_enhancer", "ocv_convert_color"} {
		f, err := made(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Filter(float); err == nil || !strings.Contains(err.Error(), "does not take an array of 4 × 4 × 1 float32: expected") {
			t.Errorf("%s: have %v", name, err)
		}
	}
}

// TestHueShift checks that a shift by the middle of each range changes nothing, except for
// rounding.
func TestHueShift(t *testing.T) {
	for _, c := range []struct {
		random float64
		want   string
	}{{0.5, "uint8 200 100 100"}, {0, "uint8 200 100 150"}} {
		s := &shifter{trigger: 1, hue: 30, random: func() float64 { return c.random }}
		out, err := s.Filter(of(tensor.Uint8, 1, 1, 3, 200, 100, 100))
		if err != nil {
			t.Fatal(err)
		}
		if have := shown(out); have != c.want {
			t.Errorf("%v: have %s, want %s", c.random, have, c.want)
		}
	}
}

// TestLab checks that colours are nearly unchanged after a conversion to L*a*b* and back.
func TestLab(t *testing.T) {
	for rgb, want := range map[[3]uint8][3]uint8{{0, 0, 0}: {0, 128, 128}, {255, 255, 255}: {255, 128, 128}, {255, 0, 0}: {136, 208, 195}, {0, 0, 255}: {82, 207, 20}} {
		l, a, b := labs().of(rgb[0], rgb[1], rgb[2])
		if [3]uint8{l, a, b} != want {
			t.Errorf("%v: have %d %d %d, want %v", rgb, l, a, b, want)
		}
		red, green, blue := fromLab(l, a, b)
		for i, v := range [3]uint8{red, green, blue} {
			if math.Abs(float64(v)-float64(rgb[i])) > 2 {
				t.Errorf("%v comes back as %d %d %d, want at most 2", rgb, red, green, blue)
			}
		}
	}
}

// scene returns an image of 1080 rows with many levels.
func scene(kind tensor.Kind, channels int) *tensor.Tensor {
	t := tensor.New(kind, 1080, 1920, channels)
	for i := range t.Count() {
		v := uint16(i*i>>7 ^ i*40503)
		if kind == tensor.Uint8 {
			t.Data[i] = byte(v)
		} else {
			binary.LittleEndian.PutUint16(t.Data[2*i:], v)
		}
	}
	return t
}

func BenchmarkFilters(b *testing.B) {
	for _, c := range []struct {
		name     string
		kind     tensor.Kind
		channels int
		config   []string
	}{
		{"vxl_convert_image", tensor.Uint16, 1, []string{"scale_factor", "0.00389"}},
		{"vxl_average", tensor.Uint8, 3, nil},
		{"vxl_threshold", tensor.Uint8, 1, nil},
		{"vxl_color_commonality", tensor.Uint8, 3, nil},
		{"percentile_norm", tensor.Uint16, 1, nil},
		{"ocv_debayer", tensor.Uint8, 1, nil},
		{"ocv_enhancer", tensor.Uint8, 3, []string{"apply_clahe", "true", "auto_balance", "true", "saturation", "1.2"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			f, err := made(c.name, c.config...)
			if err != nil {
				b.Fatal(err)
			}
			img := scene(c.kind, c.channels)
			b.SetBytes(int64(len(img.Data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Filter(img); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestDebayerWidths checks that processing eight pixels at once gives the same result as one at a
// time, for any width.
func TestDebayerWidths(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for w := 3; w < 40; w++ {
		for at := range 4 {
			const h = 5
			in, deep := make([]uint8, h*w), make([]uint16, h*w)
			for i := range in {
				in[i] = uint8(random.Uint32())
				deep[i] = uint16(in[i])
			}
			out, want := make([]uint8, 3*h*w), make([]uint16, 3*h*w)
			interpolate(out, in, h, w, at&1, at>>1)
			interpolate(want, deep, h, w, at&1, at>>1)
			for i := range out {
				if uint16(out[i]) != want[i] {
					t.Fatalf("width %d, red at %d: byte %d is %d, not %d", w, at, i, out[i], want[i])
				}
			}
		}
	}
}
