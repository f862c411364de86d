package child

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// TestVision: the OpenCV algorithms of the Python package run in a child process, if it has OpenCV. The
// Python tests, run by TestVisionPackage, check what each of them finds.
func TestVision(t *testing.T) {
	need.Slow(t)
	python := need.Python(t, "cv2")
	typ := Algorithmic(&pipe.Type{Name: "compute_stereo_depth_map", Needs: "a stereo algorithm",
		In:   []pipe.Port{{Name: "left_image", Type: "kwiver:image", Flags: pipe.Required}, {Name: "right_image", Type: "kwiver:image", Flags: pipe.Required}},
		Out:  []pipe.Port{{Name: "depth_map", Type: "kwiver:image"}},
		Keys: []pipe.Key{{Name: "computer", Kind: pipe.Algo}},
	})
	feed := func(path string, more ...string) (flowtest.Data, error) {
		pkg, err := filepath.Abs("../../../python")
		if err != nil {
			t.Fatal(err)
		}
		config := append(more, "computer:python:interpreter", python, "computer:python:path", path+":"+pkg)
		in := flowtest.Data{"left_image": {flow.Of(striped(0))}, "right_image": {flow.Of(striped(8))}}
		return flowtest.Feed(typ, pipe.Set(config...), in, []string{"depth_map"}, 10, flow.Options{})
	}
	got, err := feed("", "computer:type", "ocv_stereo_disparity", "computer:ocv_stereo_disparity:num_disparities", "32")
	if err != nil {
		t.Fatal(err)
	}
	depth := got["depth_map"][0].Value().(*tensor.Tensor)
	middle := 2 * (30*200 + 100) // 16 bits a pixel, in sixteenths of a pixel
	if have := int(depth.Data[middle]) | int(depth.Data[middle+1])<<8; depth.Kind != tensor.Int16 || have < 7*16 || have > 9*16 {
		t.Errorf("%v: the pixels are %d sixteenths apart; want %d", depth.Kind, have, 8*16)
	}
	nocv, err := filepath.Abs("testdata/nocv")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kind, path, want string }{
		{"ocv_stereo_disparity", nocv, "`ocv_stereo_disparity` is not an algorithm of this program, and it needs OpenCV for Python: install the package python3-opencv"},
		{"ocv_stereo_disparty", "", "registers `ocv_stereo_disparty` as compute_stereo_depth_map, but `ocv_stereo_disparity`"},
	} {
		t.Run(c.kind, func(t *testing.T) {
			if c.path == "" {
				need.Slow(t) // loads OpenCV once more
			}
			if _, err := feed(c.path, "computer:type", c.kind); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("have %v\nwant %s", err, c.want)
			}
		})
	}
}

// striped returns a grey image with distinct stripes, shifted to the left.
func striped(by int) *tensor.Tensor {
	p := tensor.New(tensor.Uint8, 60, 200, 1)
	for y := range 60 {
		for x := range 200 {
			u := uint32((x+by)/3)*2654435761 ^ uint32(y/3)*40503
			p.Data[y*200+x] = byte(u >> 13)
		}
	}
	return p
}
