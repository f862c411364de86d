package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func viewerType() *pipe.Type {
	return &pipe.Type{
		Name:    "image_viewer",
		Version: kwiver,
		New:     func() pipe.Process { return &viewer{} },
		Doc:     "Shows the newest image on the page of `pentode serve`; `pentode control picture` fetches it from any run.",
		In: []pipe.Port{
			{Name: "timestamp", Type: timestampType, Doc: "Time and number of the frame."},
			{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "The image."},
		},
		Keys: []pipe.Key{
			{Name: "pause_time", Kind: pipe.Float, Default: "0", Doc: "Seconds each image is shown. With 0 the next image replaces it as soon as it arrives; keys are not waited for."},
			{Name: "annotate_image", Kind: pipe.Bool, Default: "false", Doc: "Whether the frame number is drawn."},
			{Name: "title", Kind: pipe.String, Default: "Display window", Doc: "Title of the image."},
			{Name: "header", Kind: pipe.String, Doc: "Text above the image."},
			{Name: "footer", Kind: pipe.String, Doc: "Text below the image."},
		},
		Judge: func(v pipe.Values) error {
			if s := v.Float("pause_time"); !(s >= 0) || s > 1e6 {
				return v.Errorf("pause_time", "key `pause_time` is %v, but must be a number of seconds", s)
			}
			return nil
		},
	}
}

// viewer is a process that keeps the newest image, to show it on request.
type viewer struct {
	in, stamp *flow.In
	pause     time.Duration
	annotate  bool
	words     flow.Picture // the texts around the picture; its image is not set

	mu    sync.Mutex
	image image.Image // the newest image; the image itself is never changed
	frame int64
}

func (v *viewer) Setup(s *flow.Setup) error {
	v.in, v.stamp = s.In("image"), s.In("timestamp")
	v.pause, v.annotate = time.Duration(s.Float("pause_time")*float64(time.Second)), s.Bool("annotate_image")
	v.words = flow.Picture{Title: s.Value("title"), Header: s.Value("header"), Footer: s.Value("footer")}
	return nil
}

func (v *viewer) Step(s pipe.Step) error {
	img, err := From(v.in.Take())
	if err != nil {
		return err
	}
	frame := int64(s.Number())
	if t, ok := v.stamp.Take().Value().(Timestamp); ok {
		frame = t.Frame
	}
	v.mu.Lock()
	v.image, v.frame = img, frame
	v.mu.Unlock()
	if v.pause > 0 {
		s.Await(func(ctx context.Context) {
			select {
			case <-time.After(v.pause):
			case <-ctx.Done():
			}
		})
	}
	return nil
}

// Show returns the newest image. Drawing and encoding happen here, only on request.
func (v *viewer) Show() (flow.Picture, error) {
	v.mu.Lock()
	img, frame := v.image, v.frame
	v.mu.Unlock()
	if img == nil {
		return flow.Picture{}, errors.New("no image has arrived yet")
	}
	if v.annotate {
		pen := newPen(img, 1)
		pen.colour = color.RGBA{255, 255, 0, 255}
		pen.label(0, labelHeight, fmt.Sprint(frame))
		img = pen.canvas
	}
	if r, ok := img.(*Raster); ok {
		img = r.encodable()
	}
	p := v.words
	var b bytes.Buffer
	err := png.Encode(&b, img)
	p.PNG = b.Bytes()
	return p, err
}
