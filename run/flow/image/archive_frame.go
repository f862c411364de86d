package image

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A frame is what an archive has of one time.
type frame struct {
	Timestamp
	Homography
	pixels  *tensor.Tensor // with three axes
	corners [][2]float64
	size    float64 // of a pixel on the ground
}

// look takes what came from the ports.
func (f *frame) look(datum, corners, size flow.Datum) error {
	t := datum.Array()
	if len(t.Shape) == 2 {
		t = &tensor.Tensor{Kind: t.Kind, Shape: []int{t.Shape[0], t.Shape[1], 1}, Data: t.Data}
	}
	if len(t.Shape) != 3 || t.Kind != tensor.Uint8 || t.Shape[2] < 1 || t.Shape[2] > 4 {
		return fmt.Errorf("%v does not go into an archive: expected an image with 8 bits for each of 1 to 4 channels", t)
	}
	f.pixels = t
	if size.IsData() {
		f.size = size.Float()
	}
	if !corners.IsData() {
		return nil
	}
	c := corners.Array()
	if len(c.Shape) != 2 || c.Shape[1] != 2 {
		return fmt.Errorf("%v are no corner points: expected a row of two numbers for each", c)
	}
	for i := range c.Shape[0] {
		f.corners = append(f.corners, [2]float64{c.At(2 * i), c.At(2*i + 1)})
	}
	return nil
}

// micros is the time in millionths of a second.
func (f *frame) micros() int64 { return int64(math.Round(f.Time * 1e6)) }

// appendMeta adds everything but the time and the image.
func (f *frame) appendMeta(b []byte) []byte {
	b = appendUint(appendUint(appendInt(b, 2), 3), 3) // a matrix
	b = appendDoubles(b, f.Matrix[:]...)
	b = appendUint(appendInt(b, 3), uint64(len(f.corners))) // a list
	if len(f.corners) > 0 {
		b = appendBool(b, false)
	}
	for _, c := range f.corners {
		b = appendDoubles(appendUint(appendInt(b, 2), 2), c[:]...)
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f.size))
	for _, v := range []int64{f.Frame, f.To, int64(f.pixels.Shape[1]), int64(f.pixels.Shape[0])} {
		b = appendInt(b, v)
	}
	return b
}

// What follows is the binary form of VXL. Each thing begins with the version of its form.

// appendMagic begins a file.
func appendMagic(b []byte) []byte {
	for _, v := range []uint16{1, 0x2c4e, 0x472b} {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	return b
}

// appendUint adds a number in groups of 7 bits, the lowest first; the last one has the
// eighth bit.
func appendUint(b []byte, v uint64) []byte {
	for ; v > 127; v >>= 7 {
		b = append(b, byte(v&127))
	}
	return append(b, byte(v|128))
}

// appendInt adds a number with a sign in the same way.
func appendInt(b []byte, v int64) []byte {
	for ; v > 63 || v < -64; v >>= 7 {
		b = append(b, byte(v&127))
	}
	return append(b, byte(v&127|128))
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 0xff)
	}
	return append(b, 0)
}

// appendDoubles adds a block of numbers, which are stored as they are.
func appendDoubles(b []byte, list ...float64) []byte {
	b = appendBool(b, true)
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// appendBytes adds a list of characters, which are stored one by one.
func appendBytes(b, list []byte) []byte {
	b = appendBool(appendUint(appendInt(b, 3), uint64(len(list))), false)
	return append(b, list...)
}

// appendImage adds an image: its size, the steps from pixel to pixel, and the memory that it is in.
func appendImage(b []byte, t *tensor.Tensor) []byte {
	height, width, channels := t.Shape[0], t.Shape[1], t.Shape[2]
	b = appendInt(b, 1)
	for _, v := range []int{width, height, channels} {
		b = appendUint(b, uint64(v))
	}
	for _, v := range []int{channels, width * channels, 1} {
		b = appendInt(b, int64(v))
	}
	if len(t.Data) == 0 {
		return b
	}
	b = appendUint(appendBool(appendInt(b, 2), true), 1)               // a pointer, the first of the frame
	b = appendBool(b, true)                                            // to something
	b = appendUint(appendInt(appendInt(b, 3), 7), uint64(len(t.Data))) // 7: pixels are bytes
	b = append(appendBool(b, true), t.Data...)
	return appendInt(b, 0) // where the image begins in it
}
