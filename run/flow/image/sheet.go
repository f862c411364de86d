package image

import (
	"fmt"
	"image"
	"image/draw"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func sheetType() *pipe.Type {
	return &pipe.Type{
		Name: "contact_sheet",
		New:  func() pipe.Process { return &sheet{} },
		Doc:  "Collects all images and combines them at the end into one, row by row, scaled to the same width.",
		In:   []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "One image of the sheet."}},
		Out:  []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Shared | pipe.Required, Freq: pipe.UnknownFreq, Doc: "The sheet, after the last image."}},
		Keys: []pipe.Key{
			{Name: "columns", Kind: pipe.Unsigned, Default: "4", Doc: "Number of images in a row."},
			{Name: "width", Kind: pipe.Unsigned, Default: "240", Doc: "Width of each image on the sheet."},
		},
		Judge: func(v pipe.Values) error {
			for _, key := range []string{"columns", "width"} {
				if v.Int(key) < 1 {
					return v.Errorf(key, "key `%s` is 0, but must be at least 1", key)
				}
			}
			return nil
		},
	}
}

// sheetGap is the gap between the images of a contact sheet, in pixels.
const sheetGap = 4

// A sheet is a process that makes a contact sheet. It keeps only the scaled images.
type sheet struct {
	columns int
	one     resize
	images  []image.Image
	pixels  int64
	in      *flow.In
	out     *flow.Out
}

func (c *sheet) Setup(s *flow.Setup) error {
	c.columns, c.one.width, c.in, c.out = int(s.Int("columns")), s.Int("width"), s.In("image"), s.Out("image")
	return nil
}

func (c *sheet) Step(pipe.Step) error {
	img, err := From(c.in.Take())
	if err != nil {
		return err
	}
	w, h, err := c.one.size(img.Bounds())
	if err != nil {
		return err
	}
	if c.pixels += int64(w) * int64(h); c.pixels > maxPixels {
		return fmt.Errorf("%d images of width %d are too many for a sheet", len(c.images)+1, w)
	}
	c.images = append(c.images, scaled(img, w, h))
	return nil
}

func (c *sheet) Finalize(pipe.Step) error {
	if len(c.images) == 0 {
		return nil
	}
	columns := min(c.columns, len(c.images))
	var places []image.Point
	y, row := 0, 0
	for i, img := range c.images {
		if i > 0 && i%columns == 0 {
			y, row = y+row+sheetGap, 0
		}
		places = append(places, image.Pt(i%columns*(int(c.one.width)+sheetGap), y))
		row = max(row, img.Bounds().Dy())
	}
	width, height := columns*(int(c.one.width)+sheetGap)-sheetGap, y+row
	if int64(width)*int64(height) > maxPixels {
		return fmt.Errorf("the sheet would have %d by %d pixels, which are too many", width, height)
	}
	whole := canvas(width, height, Deep(c.images[0]))
	draw.Draw(whole, whole.Bounds(), image.White, image.Point{}, draw.Src)
	for i, img := range c.images {
		draw.Draw(whole, img.Bounds().Add(places[i]), img, image.Point{}, draw.Src)
	}
	c.out.Push(Of(whole))
	return nil
}
