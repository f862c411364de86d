package fastpng

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// file builds a PNG file, with its data in chunks of limited size.
func file(width, height int, depth, kind byte, data []byte, most int) []byte {
	head := binary.BigEndian.AppendUint32(nil, uint32(width))
	head = binary.BigEndian.AppendUint32(head, uint32(height))
	f := chunk([]byte(signature), "IHDR", append(head, depth, kind, 0, 0, 0))
	f = chunk(f, "tEXt", []byte("Title\x00skipped"))
	for part := range slices.Chunk(data, most) {
		f = chunk(f, "IDAT", part)
	}
	return chunk(f, "IEND", nil)
}

func chunk(f []byte, name string, body []byte) []byte {
	f = binary.BigEndian.AppendUint32(f, uint32(len(body)))
	checked := append([]byte(name), body...)
	f = append(f, checked...)
	return binary.BigEndian.AppendUint32(f, crc32.ChecksumIEEE(checked))
}

// compressed returns a zlib stream.
func compressed(data []byte, level int) []byte {
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, level) // cannot fail: the level is valid
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// rows returns the uncompressed bytes of an image: slopes with noise, with a random filter before each row.
func rows(random *rand.Rand, height, stride int) []byte {
	data := make([]byte, height*(1+stride))
	noise := random.IntN(4) * 20
	for i := range data {
		data[i] = byte(i / 9)
		if noise > 0 {
			data[i] += byte(random.IntN(noise))
		}
		if i%(1+stride) == 0 {
			data[i] = byte(random.IntN(5))
		}
	}
	return data
}

// same compares an image with the result of image/png.
func same(t *testing.T, m *Image, want image.Image) {
	t.Helper()
	if b := want.Bounds(); m.Width != b.Dx() || m.Height != b.Dy() {
		t.Fatalf("have %d by %d pixels, want %v", m.Width, m.Height, b)
	}
	p := m.Pix
	level := func() uint16 {
		if m.Deep {
			v := binary.LittleEndian.Uint16(p)
			p = p[2:]
			return v
		}
		v := uint16(p[0]) * 0x101
		p = p[1:]
		return v
	}
	for y := range m.Height {
		for x := range m.Width {
			var have [4]uint16
			for i := range m.Channels {
				have[i] = level()
			}
			c := color.NRGBA64Model.Convert(want.At(x, y)).(color.NRGBA64)
			switch n := want.(type) { // avoids a round trip through premultiplied colours
			case *image.NRGBA:
				v := n.NRGBAAt(x, y)
				c = color.NRGBA64{R: uint16(v.R) * 0x101, G: uint16(v.G) * 0x101, B: uint16(v.B) * 0x101, A: uint16(v.A) * 0x101}
			case *image.NRGBA64:
				c = n.NRGBA64At(x, y)
			}
			if levels := [4]uint16{c.R, c.G, c.B, c.A}; !slices.Equal(have[:m.Channels], levels[:m.Channels]) {
				t.Fatalf("pixel %d %d is %v, not %v", x, y, have[:m.Channels], levels)
			}
		}
	}
	if len(p) != 0 {
		t.Fatalf("%d bytes are left", len(p))
	}
}

// TestDecode: images of all sizes and kinds, with all filters and compressed in all ways, decode as with
// image/png.
func TestDecode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, level := range []int{flate.NoCompression, flate.BestSpeed, flate.DefaultCompression, flate.HuffmanOnly} {
		for _, depth := range []byte{8, 16} {
			for kind, channels := range map[byte]int{0: 1, 2: 3, 6: 4} {
				for range 12 {
					width, height := 1+random.IntN(40), 1+random.IntN(30)
					data := compressed(rows(random, height, width*channels*int(depth)/8), level)
					f := file(width, height, depth, kind, data, 1+random.IntN(len(data)))
					want, err := png.Decode(bytes.NewReader(f))
					if err != nil {
						t.Fatal(err)
					}
					m := Decode(f, 1<<20)
					if m == nil {
						t.Fatalf("%d by %d pixels of kind %d with %d bits, level %d: left to image/png", width, height, kind, depth, level)
					}
					if m.Channels != channels || m.Deep != (depth == 16) {
						t.Fatalf("kind %d with %d bits: have %d channels, deep %v; want m.Channels = %v and m.Deep = %v", kind, depth, m.Channels, m.Deep, channels, (depth == 16))
					}
					same(t, m, want)
				}
			}
		}
	}
}

// TestCodes: codes of all lengths, and matches of all lengths and distances.
func TestCodes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		// Each level is half as frequent as the one before, which gives long codes; some of the data are
		// repeated.
		const width, height = 700, 90
		var data []byte
		for len(data) < height*(1+width) {
			if n := random.IntN(300); len(data) > 40000 && random.IntN(3) == 0 {
				from := len(data) - 1 - random.IntN(min(len(data), 32768))
				for i := range n {
					data = append(data, data[from+i])
				}
			}
			v := 0
			for v < 200 && random.IntN(2) == 0 {
				v++
			}
			data = append(data, byte(v*7))
		}
		data = data[:height*(1+width)]
		for y := range height {
			data[y*(1+width)] = 0
		}
		f := file(width, height, 8, 0, compressed(data, 1+random.IntN(9)), 1<<20)
		want, err := png.Decode(bytes.NewReader(f))
		if err != nil {
			t.Fatal(err)
		}
		m := Decode(f, 1<<20)
		if m == nil {
			t.Fatal("left to image/png")
		}
		if !bytes.Equal(m.Pix, want.(*image.Gray).Pix) {
			t.Fatal("other pixels than image/png")
		}
	}
}

// TestLeft: files that image/png refuses, or only image/png supports, are left to it.
func TestLeft(t *testing.T) {
	data := compressed(rows(rand.New(rand.NewPCG(5, 6)), 5, 21), flate.BestSpeed)
	whole := func() []byte { return file(7, 5, 8, 2, data, 30) }
	if Decode(whole(), 1<<20) == nil {
		t.Fatal("the whole file is left to image/png")
	}
	for n := range len(whole()) {
		if Decode(whole()[:n], 1<<20) != nil {
			t.Errorf("%d bytes of %d are decoded, want none", n, len(whole()))
		}
		damaged := whole()
		damaged[n] ^= 0x10
		if Decode(damaged, 1<<20) != nil {
			t.Errorf("a file with another byte %d is decoded, want none", n)
		}
	}
	if Decode(whole(), 34) != nil || Decode(whole(), 35) == nil {
		t.Error("35 pixels are not what 7 by 5 are")
	}
	body := func(f func(head []byte)) []byte {
		head := []byte{0, 0, 0, 7, 0, 0, 0, 5, 8, 2, 0, 0, 0}
		f(head)
		return chunk(chunk(chunk([]byte(signature), "IHDR", head), "IDAT", data), "IEND", nil)
	}
	between := chunk(chunk(chunk(chunk([]byte(signature), "IHDR", []byte{0, 0, 0, 7, 0, 0, 0, 5, 8, 2, 0, 0, 0}), "IDAT", data[:10]), "tIME", make([]byte, 7)), "IDAT", data[10:])
	sum := slices.Clone(data)
	sum[len(sum)-1]++
	for name, f := range map[string][]byte{
		"another width":        body(func(h []byte) { h[3] = 8 }),
		"another height":       body(func(h []byte) { h[7] = 4 }),
		"more pixels than fit": body(func(h []byte) { h[1], h[4] = 0xff, 0x7f }),
		"no width":             body(func(h []byte) { h[3] = 0 }),
		"interlaced":           body(func(h []byte) { h[12] = 1 }),
		"a palette":            body(func(h []byte) { h[9] = 3 }),
		"grey with alpha":      body(func(h []byte) { h[9] = 4 }),
		"4 bits":               body(func(h []byte) { h[8] = 4 }),
		"a transparent colour": chunk(chunk(chunk([]byte(signature), "IHDR", []byte{0, 0, 0, 7, 0, 0, 0, 5, 8, 2, 0, 0, 0}), "tRNS", make([]byte, 6)), "IDAT", data),
		"a chunk between":      chunk(between, "IEND", nil),
		"another checksum":     file(7, 5, 8, 2, sum, 1<<20),
		"data behind":          file(7, 5, 8, 2, append(slices.Clone(data), 0), 1<<20),
		"an unknown filter":    file(1, 1, 8, 0, compressed([]byte{5, 0}, 1), 1<<20),
		"no data":              file(7, 5, 8, 2, nil, 1),
	} {
		if Decode(f, 1<<20) != nil {
			t.Errorf("%s: decoded, want none", name)
		}
	}
}

// FuzzDecode: for any data, both decoders give the same image, or neither gives one.
func FuzzDecode(f *testing.F) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, level := range []int{flate.NoCompression, flate.BestSpeed, flate.DefaultCompression, flate.HuffmanOnly} {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, level) // cannot fail: the level is valid
		w.Write(rows(random, 6, 5*3))
		w.Close()
		f.Add(b.Bytes(), uint8(5), uint8(6), uint8(2))
	}
	f.Fuzz(func(t *testing.T, deflated []byte, width, height, kind uint8) {
		// The checksum is correct, so that the data are checked.
		content, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(deflated)), 1<<20))
		data := append([]byte{0x78, 0x9c}, deflated...)
		data = binary.BigEndian.AppendUint32(data, adler32.Checksum(content))
		depth := byte(8)
		if kind >= 128 {
			depth = 16
		}
		png8 := file(int(width), int(height), depth, kind%8, data, 1<<20)
		want, err := png.Decode(bytes.NewReader(png8))
		m := Decode(png8, 1<<20)
		switch {
		case m != nil && err != nil:
			t.Fatalf("decoded, but image/png says %v", err)
		case m != nil:
			same(t, m, want)
		case err == nil && (kind%8 == 0 || kind%8 == 2 || kind%8 == 6):
			t.Fatal("image/png decodes it")
		}
	})
}

// BenchmarkDecode compares with image/png, for an image similar to a camera's.
func BenchmarkDecode(b *testing.B) {
	m := image.NewRGBA(image.Rect(0, 0, 1920, 1080))
	random := rand.New(rand.NewPCG(9, 10))
	for y := range 1080 {
		for x := range 1920 {
			noise := random.IntN(12)
			m.SetRGBA(x, y, color.RGBA{byte(x>>3 + noise), byte(y>>2 + noise/2), byte((x+y)>>4 + noise), 255})
		}
	}
	var f bytes.Buffer
	if err := png.Encode(&f, m); err != nil {
		b.Fatal(err)
	}
	b.Run("fastpng", func(b *testing.B) {
		b.SetBytes(3 * 1920 * 1080)
		buffer := make([]byte, f.Len())
		for b.Loop() {
			copy(buffer, f.Bytes()) // as if it were just read
			if Decode(buffer, 1<<24) == nil {
				b.Fatal("left to image/png")
			}
		}
	})
	b.Run("image/png", func(b *testing.B) {
		b.SetBytes(3 * 1920 * 1080)
		for b.Loop() {
			if _, err := png.Decode(bytes.NewReader(f.Bytes())); err != nil {
				b.Fatal(err)
			}
		}
	})
}
