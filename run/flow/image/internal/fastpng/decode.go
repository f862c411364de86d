package fastpng

import (
	"encoding/binary"
	"hash/crc32"
)

// An Image has pixels in rows, with the channels of a pixel side by side and without gaps.
// Pixels of 16 bits are little-endian.
type Image struct {
	Width, Height, Channels int
	Deep                    bool // 16 bits per channel
	Pix                     []byte
}

const (
	signature = "\x89PNG\r\n\x1a\n"

	// maxSize limits the bytes of one image, so that 32 bits can count them.
	maxSize = 1 << 30
)

// header describes an image and its data.
type header struct {
	width, height, channels, depth int
	data                           []byte // the pixels as a zlib stream
}

// Decode decodes a PNG file of at most maxPixels. It overwrites file. It returns nil for files
// that it does not support or that are damaged; use image/png for these.
func Decode(file []byte, maxPixels int) *Image {
	h, ok := readChunks(file)
	if !ok || h.width > maxPixels/h.height {
		return nil
	}
	bytesPerPixel := h.channels * h.depth / 8
	stride := int64(h.width) * int64(bytesPerPixel)
	if stride > maxSize || (stride+1)*int64(h.height) > maxSize {
		return nil
	}
	size := h.height * (int(stride) + 1)
	if size/maxRatio > len(h.data) {
		return nil // the data are too few for so many pixels, so do not allocate memory for the pixels
	}
	pix := make([]byte, size)
	if !inflate(pix, h.data) || !unfilter(pix, h.height, int(stride), bytesPerPixel) {
		return nil
	}
	pix = pix[:h.height*int(stride)]
	if h.depth == 16 {
		for i := 0; i+1 < len(pix); i += 2 {
			pix[i], pix[i+1] = pix[i+1], pix[i]
		}
	}
	return &Image{Width: h.width, Height: h.height, Channels: h.channels, Deep: h.depth == 16, Pix: pix}
}

// readChunks checks the chunks of a file, and joins its data in place.
func readChunks(file []byte) (h header, ok bool) {
	if len(file) < len(signature) || string(file[:len(signature)]) != signature {
		return h, false
	}
	begin, end := 0, 0 // position of the image data in the file
	complete := false  // the last chunk of image data was read
	for at := len(signature); len(file)-at >= 12; {
		length := binary.BigEndian.Uint32(file[at:])
		if uint64(length) > uint64(len(file)-at-12) {
			return h, false
		}
		checked := file[at+4 : at+8+int(length)]
		name, body := string(checked[:4]), checked[4:]
		next := at + 12 + int(length)
		if crc32.ChecksumIEEE(checked) != binary.BigEndian.Uint32(file[next-4:]) {
			return h, false
		}
		switch {
		case h.width == 0:
			if name != "IHDR" || !h.read(body) {
				return h, false
			}
		case name == "IDAT" && !complete:
			if begin == 0 {
				begin, end = at+8, at+8
			}
			end += copy(file[end:], body)
		case name == "IEND":
			if begin == 0 || length != 0 {
				return h, false
			}
			h.data = file[begin:end]
			return h, true
		case name == "tRNS" || name[0]&0x20 == 0: // a transparent colour, or an unknown chunk that must not be ignored
			return h, false
		default:
			complete = begin != 0
		}
		at = next
	}
	return h, false
}

// read reads the chunk IHDR. It reports whether Decode supports such an image.
func (h *header) read(body []byte) bool {
	if len(body) != 13 || body[10] != 0 || body[11] != 0 || body[12] != 0 {
		return false
	}
	width, height := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
	if width == 0 || width > maxSize || height == 0 || height > maxSize {
		return false
	}
	h.width, h.height, h.depth = int(width), int(height), int(body[8])
	h.channels = map[byte]int{0: 1, 2: 3, 6: 4}[body[9]] // grey, red green blue, the same with alpha
	return h.channels != 0 && (h.depth == 8 || h.depth == 16)
}
