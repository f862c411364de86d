package image

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// Of makes a datum of a Go image. If the image's pixels already have the layout of an array, they
// are shared, not copied.
func Of(img image.Image) flow.Datum {
	switch m := img.(type) {
	case *Raster:
		return flow.Of(m.array())
	case *image.Gray:
		if w, h := m.Rect.Dx(), m.Rect.Dy(); m.Stride == w && len(m.Pix) >= w*h {
			return flow.Of(&tensor.Tensor{Kind: tensor.Uint8, Shape: []int{h, w, 1}, Data: m.Pix[:w*h]})
		}
	case *image.NRGBA:
		if w, h := m.Rect.Dx(), m.Rect.Dy(); m.Stride == 4*w && len(m.Pix) >= 4*w*h {
			return flow.Of(&tensor.Tensor{Kind: tensor.Uint8, Shape: []int{h, w, 4}, Data: m.Pix[:4*w*h]})
		}
	}
	r := shape(img)
	r.Pix = make([]byte, r.Size())
	r.fill(img)
	return flow.Of(r.array())
}

// From returns the array of a datum as a Go image, without copying it. An array with two axes is a
// grey image.
func From(d flow.Datum) (image.Image, error) {
	t := d.Array()
	r := &Raster{Kind: t.Kind, Channels: 1, Pix: t.Data}
	switch len(t.Shape) {
	case 2:
	case 3:
		r.Channels = t.Shape[2]
	default:
		r.Channels = 0
	}
	if r.Channels < 1 || r.Channels > 4 {
		return nil, fmt.Errorf("%v is not an image: expected height, width and 1 to 4 channels", t)
	}
	r.Height, r.Width = t.Shape[0], t.Shape[1]
	return r.standard(), nil
}

// A Raster presents an array as a Go image. Its elements may be of any kind, and it has 1 to 4
// channels: grey, grey and alpha, RGB, or RGBA. Integers use the whole range of their kind,
// floating-point numbers the range from 0 to 1.
type Raster struct {
	Kind                    tensor.Kind
	Width, Height, Channels int
	Pix                     []byte // row by row, channel by channel, without gaps
}

// ColorModel returns the model of standard images with 16 bits per channel.
func (r *Raster) ColorModel() color.Model { return color.NRGBA64Model }

// Bounds returns a rectangle that begins at the origin.
func (r *Raster) Bounds() image.Rectangle { return image.Rect(0, 0, r.Width, r.Height) }

// At returns the colour of a pixel.
func (r *Raster) At(x, y int) color.Color {
	if !(image.Point{x, y}).In(r.Bounds()) {
		return color.NRGBA64{}
	}
	return r.pixel(x, y)
}

// RGBA64At is At without allocation. Package image/draw uses it if it exists.
func (r *Raster) RGBA64At(x, y int) color.RGBA64 {
	c := r.pixel(x, y)
	if c.A == 0xffff {
		return color.RGBA64(c)
	}
	red, green, blue, alpha := c.RGBA()
	return color.RGBA64{R: uint16(red), G: uint16(green), B: uint16(blue), A: uint16(alpha)}
}

// Opaque reports whether the image has no alpha channel.
func (r *Raster) Opaque() bool { return r.Channels == 1 || r.Channels == 3 }

func (r *Raster) pixel(x, y int) color.NRGBA64 {
	at := (y*r.Width + x) * r.Channels
	c := color.NRGBA64{A: 0xffff}
	c.R = r.level(at)
	switch r.Channels {
	case 1:
		c.G, c.B = c.R, c.R
	case 2:
		c.G, c.B, c.A = c.R, c.R, r.level(at+1)
	case 3:
		c.G, c.B = r.level(at+1), r.level(at+2)
	default:
		c.G, c.B, c.A = r.level(at+1), r.level(at+2), r.level(at+3)
	}
	return c
}

// level returns the i-th element as a number from 0 to 65535.
func (r *Raster) level(i int) uint16 {
	switch r.Kind {
	case tensor.Uint8:
		return uint16(r.Pix[i]) * 0x101
	case tensor.Uint16:
		return binary.LittleEndian.Uint16(r.Pix[2*i:])
	case tensor.Uint32:
		return uint16(binary.LittleEndian.Uint32(r.Pix[4*i:]) >> 16)
	}
	t := tensor.Tensor{Kind: r.Kind, Data: r.Pix}
	switch v := t.At(i); r.Kind {
	case tensor.Bool:
		return uint16(v) * 0xffff
	case tensor.Float16, tensor.Float32, tensor.Float64:
		if !(v > 0) { // also true if v is NaN
			return 0
		}
		return uint16(min(v, 1)*0xffff + 0.5)
	default: // the signed integer kinds
		return uint16(min(max(v, 0), 0xffff))
	}
}

// RGB converts any image to 8 bits per channel, without alpha. Transparent parts become black.
func RGB(img image.Image) *Raster {
	b := img.Bounds()
	r := &Raster{Kind: tensor.Uint8, Width: b.Dx(), Height: b.Dy(), Channels: 3, Pix: make([]byte, 3*b.Dx()*b.Dy())}
	threeOfFour(r.Pix, toRGBA(img).Pix)
	return r
}

// array returns the raster as an array that shares its pixels.
func (r *Raster) array() *tensor.Tensor {
	return &tensor.Tensor{Kind: r.Kind, Shape: []int{r.Height, r.Width, r.Channels}, Data: r.Pix}
}

// Size returns the size of the pixels in bytes.
func (r *Raster) Size() int { return r.Width * r.Height * r.Channels * r.Kind.Size() }

// shape returns a raster with the size and kind of an image, but without pixels.
func shape(img image.Image) *Raster {
	b := img.Bounds()
	r := &Raster{Kind: tensor.Uint8, Width: b.Dx(), Height: b.Dy(), Channels: channelsOf(img)}
	if Deep(img) {
		r.Kind = tensor.Uint16
	}
	return r
}

// channelsOf returns how many channels an image needs.
func channelsOf(img image.Image) int {
	switch m := img.(type) {
	case *image.Gray, *image.Gray16:
		return 1
	case *image.YCbCr:
		return 3
	case *image.NRGBA, *image.NRGBA64: // images of these types are meant to have alpha, even if they are opaque
		return 4
	case interface{ Opaque() bool }:
		if m.Opaque() {
			return 3
		}
	}
	return 4
}

// fill copies the pixels of an image of the same size into the raster.
func (r *Raster) fill(img image.Image) {
	b := img.Bounds()
	row := r.Width * r.Channels * r.Kind.Size()
	switch m := img.(type) {
	case *image.Gray:
		for y := range r.Height {
			copy(r.Pix[y*row:(y+1)*row], m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):])
		}
		return
	case *image.NRGBA:
		for y := range r.Height {
			copy(r.Pix[y*row:(y+1)*row], m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):])
		}
		return
	case *image.RGBA:
		if r.Channels == 3 {
			for y := range r.Height {
				threeOfFour(r.Pix[y*row:(y+1)*row], m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):])
			}
			return
		}
	}
	if r.Kind == tensor.Uint8 {
		r.fillBytes(img)
		return
	}
	r.fillDeep(img)
}

func threeOfFour(dst, src []byte) {
	for len(dst) >= 3 && len(src) >= 4 {
		dst[0], dst[1], dst[2] = src[0], src[1], src[2]
		dst, src = dst[3:], src[4:]
	}
}

// fillBytes converts an image to 8 bits per channel with the standard library. It is slower than
// the other ways, but can convert every image.
func (r *Raster) fillBytes(img image.Image) {
	b := img.Bounds()
	if r.Channels == 3 { // without alpha, a pixel is the same in RGBA and NRGBA
		pix := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
		draw.Draw(pix, pix.Rect, img, b.Min, draw.Src)
		threeOfFour(r.Pix, pix.Pix)
		return
	}
	pix := image.NRGBA{Pix: r.Pix, Stride: 4 * r.Width, Rect: image.Rect(0, 0, b.Dx(), b.Dy())}
	draw.Draw(&pix, pix.Rect, img, b.Min, draw.Src)
}

func (r *Raster) fillDeep(img image.Image) {
	b := img.Bounds()
	p := r.Pix
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBA64Model.Convert(img.At(x, y)).(color.NRGBA64)
			levels := [4]uint16{c.R, c.G, c.B, c.A}
			for _, v := range levels[:r.Channels] {
				binary.LittleEndian.PutUint16(p, v)
				p = p[2:]
			}
		}
	}
}

// standard returns the raster as an image type of the standard library that shares its pixels. If
// there is no such type, it returns the raster itself.
func (r *Raster) standard() image.Image {
	switch {
	case r.Kind == tensor.Uint8 && r.Channels == 1:
		return &image.Gray{Pix: r.Pix, Stride: r.Width, Rect: r.Bounds()}
	case r.Kind == tensor.Uint8 && r.Channels == 4:
		return &image.NRGBA{Pix: r.Pix, Stride: 4 * r.Width, Rect: r.Bounds()}
	}
	return r
}

// encodable returns the raster as an image of a standard type, which all encoders know.
func (r *Raster) encodable() image.Image {
	switch m := r.standard(); {
	case m != image.Image(r):
		return m
	case r.Kind.Size() == 1:
		return toRGBA(r)
	case r.Channels == 1:
		return greyOf(r)
	}
	return toRGBA64(r)
}

// toRGBA converts any image to 8 bits per channel. Its bounds then begin at (0, 0).
func toRGBA(img image.Image) *image.RGBA {
	b := img.Bounds()
	pix := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	if r, ok := img.(*Raster); ok && r.Kind == tensor.Uint8 && r.Channels == 3 {
		src, dst := r.Pix, pix.Pix
		for len(src) >= 3 && len(dst) >= 4 {
			dst[0], dst[1], dst[2], dst[3] = src[0], src[1], src[2], 0xff
			src, dst = src[3:], dst[4:]
		}
		return pix
	}
	draw.Draw(pix, pix.Rect, img, b.Min, draw.Src)
	return pix
}

// toRGBA64 converts any image to 16 bits per channel. Its bounds then begin at (0, 0).
func toRGBA64(img image.Image) *image.RGBA64 {
	b := img.Bounds()
	pix := image.NewRGBA64(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(pix, pix.Rect, img, b.Min, draw.Src)
	return pix
}

// levels returns the channels of all pixels as 16-bit numbers.
func levels(m *image.RGBA64) []uint16 {
	list := make([]uint16, len(m.Pix)/2)
	for i := range list {
		list[i] = binary.BigEndian.Uint16(m.Pix[2*i:])
	}
	return list
}

// Deep reports whether an image has more than 8 bits per channel.
func Deep(img image.Image) bool {
	switch m := img.(type) {
	case *Raster:
		return m.Kind.Size() > 1
	case *image.Gray16, *image.RGBA64, *image.NRGBA64, *image.Alpha16:
		return true
	}
	return false
}
