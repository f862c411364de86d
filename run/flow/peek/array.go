package peek

import (
	"bytes"
	"fmt"
	stdimage "image"
	"image/png"

	"github.com/pentode-dev/pentode/core/downsample"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// Limits for reading and drawing an array.
const (
	maxRead   = 1 << 20 // number of elements that are read
	maxPoints = 256     // number of points of a curve
	maxCells  = 128     // number of cells of a map along each axis
	maxSide   = 400     // length of an image's longer side in pixels
)

// array draws a value that is an array, or a list that forms one. It returns false for other values.
func (v *View) array(value any) bool {
	t, err := tensor.Of(value)
	if err != nil {
		return false
	}
	v.Noun, v.Bytes = t.String(), len(t.Data)
	axes := len(t.Shape)
	switch {
	case t.Count() == 0:
		v.Kind = Other
		v.text(t.String())
	case axes == 0:
		v.Kind, v.Text = Number, string(t.AppendText(nil, 0))
	case axes == 1:
		v.Kind, v.Drawing = Curve, draw(t, 1, t.Shape[0], maxPoints, false)
	case v.Type == pipe.ImageType || axes == 3 && t.Kind == tensor.Uint8 && t.Shape[2] <= 4:
		if v.image(t) {
			break
		}
		fallthrough
	default:
		rows, columns := t.Shape[axes-2], t.Shape[axes-1]
		v.Kind, v.Drawing = Map, draw(t, rows, columns, maxCells, true)
		if axes > 2 {
			v.Part = fmt.Sprintf("the first %d × %d", rows, columns)
		}
	}
	return true
}

// image draws an array as an image. It returns false if the array cannot be an image.
func (v *View) image(t *tensor.Tensor) bool {
	img, err := image.From(flow.Of(t))
	if err != nil {
		return false
	}
	var b bytes.Buffer
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	if fast.Encode(&b, smaller(img)) != nil {
		return false
	}
	v.Kind, v.PNG = Image, b.Bytes()
	return true
}

// smaller returns an image of at most maxSide pixels per side. It picks pixels and does not average.
func smaller(img stdimage.Image) stdimage.Image {
	b := img.Bounds()
	long := max(b.Dx(), b.Dy())
	side := min(long, maxSide)
	out := stdimage.NewNRGBA(stdimage.Rect(0, 0, max(1, b.Dx()*side/long), max(1, b.Dy()*side/long)))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, img.At(b.Min.X+x*b.Dx()/out.Rect.Dx(), b.Min.Y+y*b.Dy()/out.Rect.Dy()))
		}
	}
	return out
}

// draw divides the first rows of an array into at most `most` cells along each axis. If mean is true, a cell shows the mean of its elements, as in
// maps; otherwise it shows the smallest and the largest one. If the array has more than maxRead elements, only evenly spaced elements are read.
func draw(t *tensor.Tensor, rows, columns, most int, mean bool) *downsample.Drawing {
	down := min(rows, 1024)
	across := min(columns, maxRead/down)
	out := &downsample.Drawing{Shape: [2]uint64{uint64(rows), uint64(columns)}, Cells: [2]int{min(down, most), min(across, most)}}
	sums := downsample.NewSums(out.Cells[0] * out.Cells[1])
	line := make([]float64, across)
	for i := range down {
		from := i * rows / down * columns
		if across == columns {
			t.Floats(line, from)
		} else {
			for j := range line {
				line[j] = t.At(from + j*columns/across)
			}
		}
		cells := i * out.Cells[0] / down * out.Cells[1]
		for j, value := range line {
			sums.Add(cells+j*out.Cells[1]/across, value)
		}
	}
	sums.Into(out, mean)
	return out
}
