package image_test

import (
	"fmt"
	stdimage "image"
	"image/color"

	"github.com/pentode-dev/pentode/run/flow/image"
)

// A Go image becomes a datum of a pipeline, an array of height, width and channels, and an image again.
func ExampleOf() {
	picture := stdimage.NewRGBA(stdimage.Rect(0, 0, 4, 2))
	picture.Set(3, 1, color.RGBA{R: 255, A: 255})
	d := image.Of(picture)
	fmt.Println(d.Noun())
	back, err := image.From(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, _, _, _ := back.At(3, 1).RGBA()
	fmt.Println(back.Bounds().Dx(), back.Bounds().Dy(), r>>8)
	// Output:
	// an array of 2 × 4 × 4 uint8
	// 4 2 255
}
