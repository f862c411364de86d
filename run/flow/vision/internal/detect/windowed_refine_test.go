package detect

import (
	"fmt"
	"strings"
	"testing"

	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// noting is a refiner that records its input, and extends each box by a pixel to the right.
type noting struct{ seen []string }

func (n *noting) Refine(img *tensor.Tensor, set pic.Detections) (pic.Detections, error) {
	n.seen = append(n.seen, fmt.Sprintf("%dx%d %s", img.Shape[1], img.Shape[0], places(set)))
	out := make(pic.Detections, len(set))
	for i, d := range set {
		d.Right++
		out[i] = d
	}
	return out, nil
}

func places(set pic.Detections) string {
	var s []string
	for _, d := range set {
		s = append(s, fmt.Sprintf("%v,%v-%v,%v", d.Left, d.Top, d.Right, d.Bottom))
	}
	return strings.Join(s, " ")
}

// TestWindowedRefiner: the other refiner's input for an image of 30 × 10 pixels in chips of 10 × 10, five
// pixels apart, and the result.
func TestWindowedRefiner(t *testing.T) {
	at := func(left, top, right, bottom float64) pic.Detection {
		return pic.Detection{Left: left, Top: top, Right: right, Bottom: bottom, Confidence: 0.5}
	}
	chips := []string{"mode", "chip", "chip_width", "10", "chip_height", "10", "chip_step_width", "5", "chip_step_height", "10"}
	for _, c := range []struct {
		name      string
		config    []string
		in        pic.Detections
		seen, out string
	}{
		{"the whole image", nil, pic.Detections{at(1, 1, 3, 3)}, "30x10 1,1-3,3", "1,1-4,3"},
		{"scaled", []string{"mode", "scale", "scale", "2"}, pic.Detections{at(1, 1, 3, 3)}, "60x20 2,2-6,6", "1,1-3.5,3"},
		{"the chip in whose middle it is", chips, pic.Detections{at(8, 4, 11, 6)}, "10x10 3,4-6,6", "8,4-12,6"},
		{"the first chip that has a part of it", append([]string{"prefer_containing_tile", "false"}, chips...), pic.Detections{at(8, 4, 11, 6)}, "10x10 8,4-11,6", "8,4-12,6"},
		{"the chip with most of it", chips, pic.Detections{at(2, 4, 16, 6)}, "10x10 -3,4-11,6", "2,4-17,6"},
		{"the order stays", chips, pic.Detections{at(21, 1, 22, 2), at(1, 1, 2, 2)}, "10x10 1,1-2,2|10x10 6,1-7,2", "21,1-23,2 1,1-3,2"},
		{"too small", append([]string{"min_refine_dimension", "2"}, chips...), pic.Detections{at(1, 1, 2, 9), at(1, 1, 4, 4)}, "10x10 1,1-4,4", "1,1-2,9 1,1-5,4"},
		{"at the edge of a chip", append([]string{"process_boundary_dets", "true"}, chips...), pic.Detections{at(0, 1, 4, 4)}, "", "0,1-4,4"},
		{"without detections", append([]string{"process_empty", "true"}, chips...), nil, "10x10 |10x10 |10x10 |10x10 |10x10 ", ""},
		{"near the edge of a chip, and kept out", append([]string{"chip_edge_filter", "1"}, chips...), pic.Detections{at(2, 4, 16, 6)}, "10x10 -3,4-11,6", "2,4-16,6"},
	} {
		all := []string{"refiner:type", "windowed", "refiner:windowed:refiner:type", "nms"}
		for i := 0; i < len(c.config); i += 2 {
			all = append(all, "refiner:windowed:"+c.config[i], c.config[i+1])
		}
		made, err := Refiners().Make(algo.Of(pipe.ValuesOf(pipe.Set(all...), nil)), "refiner")
		if err != nil {
			t.Fatal(err)
		}
		w, inner := made.(*windowedRefiner), &noting{}
		w.inner = inner
		out, err := w.Refine(tensor.New(tensor.Uint8, 10, 30, 1), c.in)
		if have := strings.Join(inner.seen, "|"); err != nil || have != c.seen {
			t.Errorf("%s: the other one sees %s %v, want %s", c.name, have, err, c.seen)
		}
		if have := places(out); have != c.out {
			t.Errorf("%s: have %s, want %s", c.name, have, c.out)
		}
	}
}

// TestWindowedJoin: detections of two chips are merged if they cover the same area in the overlap of the
// chips.
func TestWindowedJoin(t *testing.T) {
	w := &windowedRefiner{windows: windows{mode: "chip", scale: 1, width: 10, height: 10, stepX: 5, stepY: 10}, overlap: 0.8, inner: &noting{}}
	set := pic.Detections{{Left: 4, Top: 2, Right: 9, Bottom: 8, Confidence: 0.4}, {Left: 5, Top: 2, Right: 13, Bottom: 8, Confidence: 0.9}, {Left: 22, Top: 1, Right: 24, Bottom: 2, Confidence: 1}}
	out, err := w.refine(tensor.New(tensor.Uint8, 10, 30, 1), set)
	if have, want := places(out), "4,2-14,8 22,1-25,2"; err != nil || have != want || out[0].Confidence != 0.9 {
		t.Errorf("have %s %v, want %s", have, err, want)
	}
}
