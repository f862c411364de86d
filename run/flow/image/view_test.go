package image

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestViewer: the newest image can be fetched, with its texts and its number.
func TestViewer(t *testing.T) {
	v := &viewer{}
	if _, err := v.Show(); err == nil || !strings.Contains(err.Error(), "no image has arrived yet") {
		t.Errorf("have %v", err)
	}
	typ := viewerType()
	typ.New = func() pipe.Process { return v }
	img := image.NewGray(image.Rect(0, 0, 40, 20))
	img.SetGray(30, 15, color.Gray{77})
	_, err := flowtest.Feed(typ, pipe.Set("title", "plate", "footer", "below", "annotate_image", "true", "pause_time", "0.001"),
		flowtest.Data{"image": {Of(img), Of(img)}}, nil, 10, flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := v.Show()
	if err != nil || p.Title != "plate" || p.Footer != "below" {
		t.Fatalf("%+v, %v", p, err)
	}
	back, err := png.Decode(bytes.NewReader(p.PNG))
	if err != nil {
		t.Fatal(err)
	}
	if r, _, _, _ := back.At(30, 15).RGBA(); r>>8 != 77 {
		t.Errorf("a pixel is %d, want 77", r>>8)
	}
	if r, g, b, _ := back.At(0, 0).RGBA(); r>>8 != 255 || g>>8 != 255 || b != 0 {
		t.Error("the number is not drawn")
	}
}
