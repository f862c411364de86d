package image

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// TestPNG: files of all kinds become the arrays that image/png would give, whichever decoder reads
// them.
func TestPNG(t *testing.T) {
	r := image.Rect(0, 0, 9, 5)
	half := image.NewNRGBA(r)
	half.SetNRGBA(3, 2, color.NRGBA{1, 2, 3, 100})
	deepHalf := image.NewNRGBA64(r)
	deepHalf.SetNRGBA64(3, 2, color.NRGBA64{1, 2000, 3, 400})
	for name, m := range map[string]interface {
		image.Image
		Set(x, y int, c color.Color)
	}{
		"grey": image.NewGray(r), "deep grey": image.NewGray16(r), "colours": image.NewRGBA(r), "deep colours": image.NewRGBA64(r), "alpha": half, "deep alpha": deepHalf,
		"a palette": image.NewPaletted(r, color.Palette{color.Black, color.White, color.RGBA{9, 8, 7, 255}}),
	} {
		for y := range 5 {
			for x := range 9 {
				if x != 3 || y != 2 {
					m.Set(x, y, color.NRGBA64{uint16(x * 7001), uint16(y * 9001), uint16(x * y * 1001), 0xffff})
				}
			}
		}
		if name == "colours" || name == "deep colours" {
			m.Set(3, 2, color.White)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		theirs, err := png.Decode(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		ours, err := decode(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		have, want := flow.As[*tensor.Tensor](Of(ours)), flow.As[*tensor.Tensor](Of(theirs))
		if have.String() != want.String() || !bytes.Equal(have.Data, want.Data) {
			t.Errorf("%s: have %v, want %v", name, have, want)
		}
	}
}
