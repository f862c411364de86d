package image

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestDrawDetections checks which detections are drawn, and with which line and colour.
func TestDrawDetections(t *testing.T) {
	set := Detections{
		{Left: 20, Top: 20, Right: 30, Bottom: 30, Confidence: 0.9, Classes: []Class{{"fish", 0.8}, {"crab", 0.1}}},
		{Left: 40, Top: 20, Right: 50, Bottom: 30, Confidence: 0.3},
	}
	draw := func(config ...string) (image.Image, error) {
		in := flowtest.Data{"image": {Of(image.NewRGBA(image.Rect(0, 0, 80, 60)))}, "detected_object_set": {flow.Of(set)}}
		got, err := flowtest.Feed(drawDetectionsType(), pipe.Set(append(config, "draw_text", "false")...), in, []string{"image"}, 1, flow.Options{})
		if err != nil {
			return nil, err
		}
		return From(got["image"][0])
	}
	black, red, green := color.RGBA{0, 0, 0, 255}, color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}
	for _, c := range []struct {
		name   string
		config []string
		fish   color.Color // the first pixel of its line
		inner  color.Color // the third pixel
		other  color.Color
	}{
		{"as they come", nil, colourOf("fish"), black, colourOf("")},
		{"confident", []string{"threshold", "0.5"}, colourOf("fish"), black, black},
		{"by score", []string{"draw_algo:type", "ocv", "draw_algo:ocv:threshold", "0.85"}, black, black, black},
		{"one colour", []string{"draw_algo:ocv:default_color", "255 0 0"}, red, black, red},
		{"a colour for some", []string{"draw_algo:ocv:custom_class_color", "fish/3/0 255 0;$crab/1/0 0 9"}, green, green, colourOf("")},
		{"thick", []string{"draw_algo:ocv:default_line_thickness", "3"}, colourOf("fish"), colourOf("fish"), colourOf("")},
		{"a name among several", []string{"draw_algo:ocv:select_classes", "crab"}, colourOf("crab"), black, colourOf("")},
		{"no such name", []string{"draw_algo:ocv:select_classes", "whale"}, black, black, colourOf("")},
	} {
		img, err := draw(c.config...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, at := range []struct {
			x, y int
			want color.Color
		}{{20, 25, c.fish}, {22, 25, c.inner}, {40, 25, c.other}} {
			if r, g, b, _ := img.At(at.x, at.y).RGBA(); (color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}) != at.want {
				t.Errorf("%s: at %d,%d is %v; want %v", c.name, at.x, at.y, img.At(at.x, at.y), at.want)
			}
		}
	}
	for _, c := range [][2]string{{"default_color", "255 0"}, {"default_color", "255 0 256"}, {"custom_class_color", "fish/0 0 1"}, {"custom_class_color", "fish/-1/0 0 1"}} {
		v := pipe.ValuesOf(pipe.Set(ocvDraw+c[0], c[1]), drawDetectionsType())
		if err := drawDetectionsType().Judge(v); err == nil || !strings.Contains(err.Error(), c[0]+"`") {
			t.Errorf("%v: %v", c, err)
		}
	}
	written, err := draw("draw_algo:ocv:draw_text", "true")
	if r, g, b, _ := written.At(21, 10).RGBA(); err != nil || r+g+b == 0 {
		t.Errorf("no text is written where ocv's key wants it: %v", err)
	}
}

// TestWithin checks that a corner far outside the image is moved closer, so that the box
// can be drawn.
func TestWithin(t *testing.T) {
	for v, want := range map[float64]int{12.9: 12, 1e18: 10640, 10641: 10640, -1e18: -10000, math.Inf(1): 10640} {
		if have := within(v, 640); have != want {
			t.Errorf("%v is drawn at %d, want %d", v, have, want)
		}
	}
	if have := within(math.NaN(), 640); have != -10000 {
		t.Errorf("no number is drawn at %d", have)
	}
}
