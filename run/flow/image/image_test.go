package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// TestSpans checks that the weights of each new pixel add up to one pixel, and that every old pixel
// counts once.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := rapid.IntRange(1, 200).Draw(t, "from"), rapid.IntRange(1, 200).Draw(t, "to")
		old := make([]float64, from)
		for _, s := range spans(from, to) {
			sum := 0.0
			for i, w := range s.weights {
				sum += w
				old[s.first+i] += w
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("weights add up to %v, want at most 1e-9", sum)
			}
		}
		for _, w := range old {
			if math.Abs(w-float64(to)/float64(from)) > 1e-6 {
				t.Fatalf("an old pixel counts %v, want %v", w, float64(to)/float64(from))
			}
		}
	})
}

// TestPixels checks that image operations move and mix the right pixels, even if the image does not
// begin at (0, 0).
func TestPixels(t *testing.T) {
	img := image.NewNRGBA(image.Rect(10, 20, 14, 22))
	for y := 20; y < 22; y++ {
		for x := 10; x < 14; x++ {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x) * 10, 0, 0, 255})
		}
	}
	red := func(m image.Image, x, y int) uint32 { r, _, _, _ := m.At(x, y).RGBA(); return r >> 8 }
	if half := scaled(img, 2, 1); red(half, 0, 0) != 105 || red(half, 1, 0) != 125 {
		t.Errorf("have %v, want red 105 and 125", half)
	}
	if same := scaled(img, 4, 2); red(same, 3, 1) != 130 {
		t.Errorf("have %v, want red 130 at 3, 1", same)
	}
	if right := part(img, image.Rect(12, 20, 14, 22)); red(right, 0, 0) != 120 || right.Bounds() != image.Rect(0, 0, 2, 2) {
		t.Errorf("have %v, want 2 by 2 from 0, 0, red 120 there", right)
	}
}

// TestRasterLevels checks that the colour of a pixel does not depend on the kind of its elements or
// the number of channels.
func TestRasterLevels(t *testing.T) {
	le := binary.LittleEndian
	float32s := func(values ...float32) (b []byte) {
		for _, v := range values {
			b = le.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	pixel := color.NRGBA64{R: 0x1111, G: 0x2222, B: 0x3333, A: 0x4444}
	for name, c := range map[string]struct {
		kind     tensor.Kind
		channels int
		pix      []byte // two pixels; the test checks the second
		want     color.NRGBA64
	}{
		"bytes":          {tensor.Uint8, 4, []byte{0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44}, pixel},
		"16 bits":        {tensor.Uint16, 4, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11, 0x22, 0x22, 0x33, 0x33, 0x44, 0x44}, pixel},
		"32 bits":        {tensor.Uint32, 1, []byte{0, 0, 0, 0, 0xff, 0xff, 0x11, 0x11}, color.NRGBA64{R: 0x1111, G: 0x1111, B: 0x1111, A: 0xffff}},
		"grey":           {tensor.Uint8, 1, []byte{0, 0x11}, color.NRGBA64{R: 0x1111, G: 0x1111, B: 0x1111, A: 0xffff}},
		"grey and alpha": {tensor.Uint8, 2, []byte{0, 0, 0x11, 0x44}, color.NRGBA64{R: 0x1111, G: 0x1111, B: 0x1111, A: 0x4444}},
		"without alpha":  {tensor.Uint8, 3, []byte{0, 0, 0, 0x11, 0x22, 0x33}, color.NRGBA64{R: 0x1111, G: 0x2222, B: 0x3333, A: 0xffff}},
		"truth":          {tensor.Bool, 3, []byte{0, 0, 0, 1, 0, 1}, color.NRGBA64{R: 0xffff, B: 0xffff, A: 0xffff}},
		"parts of one":   {tensor.Float32, 3, float32s(0, 0, 0, 1, 0.2, -1), color.NRGBA64{R: 0xffff, G: 0x3333, A: 0xffff}},
		"more than one":  {tensor.Float32, 3, float32s(0, 0, 0, 2, float32(math.NaN()), 0), color.NRGBA64{R: 0xffff, A: 0xffff}},
		"with a sign":    {tensor.Int16, 3, []byte{0, 0, 0, 0, 0, 0, 0x34, 0x12, 0xff, 0xff, 0, 0}, color.NRGBA64{R: 0x1234, A: 0xffff}},
	} {
		r := &Raster{Kind: c.kind, Width: 2, Height: 1, Channels: c.channels, Pix: c.pix}
		if got := r.At(1, 0); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		red, green, blue, alpha := c.want.RGBA()
		if got, want := r.RGBA64At(1, 0), (color.RGBA64{R: uint16(red), G: uint16(green), B: uint16(blue), A: uint16(alpha)}); got != want {
			t.Errorf("%s: drawn as %+v, want %+v", name, got, want)
		}
		if got := r.Opaque(); got != (c.want.A == 0xffff) {
			t.Errorf("%s: opaque is %v, want %v", name, got, (c.want.A == 0xffff))
		}
		for _, outside := range []image.Point{{-1, 0}, {2, 0}, {0, 1}} {
			if got := r.At(outside.X, outside.Y); got != (color.NRGBA64{}) {
				t.Errorf("%s: outside is %+v, want %v", name, got, (color.NRGBA64{}))
			}
		}
	}
}

// TestWriterNames checks that the number is inserted into the file name of a template, not into its
// folder.
func TestWriterNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "%d")
	if err := os.MkdirAll(filepath.Join(dir, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{"././././././././././././././././././././././././././././././././././././././x.png": "x.png", "a/../b%03d.png": "b001.png", "./a//%d.gif": "a/1.gif"} {
		in := flowtest.Data{"image": {Of(image.NewGray(image.Rect(0, 0, 2, 2)))}}
		if _, err := flowtest.Feed(writerType(), pipe.Set("file_name_template", template), in, nil, 1, flow.Options{Dir: dir}); err != nil {
			t.Errorf("%s: %v", template, err)
		}
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Errorf("%s: %v", template, err)
		}
	}
}

// TestDecode refuses files that are not images, and images that are too large.
func TestDecode(t *testing.T) {
	huge := []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00")
	for text, want := range map[string]string{"": "its format is not PNG", "hello": "its format is not PNG", "\x89PNG\r\n\x1a\nrest": "damaged", string(huge): "too many"} {
		if _, err := decode(bytes.NewReader([]byte(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: have %v, want %s", text, err, want)
		}
	}
}

func rasterOf(img image.Image) *Raster {
	t := Of(img).Array()
	return &Raster{Kind: t.Kind, Height: t.Shape[0], Width: t.Shape[1], Channels: t.Shape[2], Pix: t.Data}
}

// TestResizeSize checks that one given side keeps the aspect ratio, two given sides are used as
// they are, and without sides the scale is used.
func TestResizeSize(t *testing.T) {
	for _, c := range []struct {
		width, height int64
		scale         float64
		w, h          int
	}{
		{0, 0, 0.5, 50, 20},
		{0, 0, 0.001, 1, 1},
		{50, 0, 3, 50, 20},
		{0, 20, 3, 50, 20},
		{30, 30, 3, 30, 30},
	} {
		r := resize{width: c.width, height: c.height, scale: c.scale}
		if w, h, err := r.size(image.Rect(10, 10, 110, 50)); err != nil || w != c.w || h != c.h {
			t.Errorf("%+v: %d by %d, %v", c, w, h, err)
		}
	}
	if _, _, err := (&resize{width: 5}).size(image.Rectangle{}); err == nil || !strings.Contains(err.Error(), "without pixels") {
		t.Errorf("an empty image: %v", err)
	}
}

// TestDeep checks that 16 bits per channel are kept by every filter and file format that supports
// them.
func TestDeep(t *testing.T) {
	dir := t.TempDir()
	deep := image.NewNRGBA64(image.Rect(0, 0, 8, 4))
	grey := image.NewGray16(image.Rect(0, 0, 8, 4))
	raster := &Raster{Kind: tensor.Uint16, Width: 8, Height: 4, Channels: 3, Pix: make([]byte, 8*4*3*2)}
	for y := range 4 {
		for x := range 8 {
			v := uint16(1000 + 3*x)
			deep.SetNRGBA64(x, y, color.NRGBA64{v, v, v, 0xffff})
			grey.SetGray16(x, y, color.Gray16{v})
			for c := range 3 {
				binary.LittleEndian.PutUint16(raster.Pix[2*((y*8+x)*3+c):], v)
			}
		}
	}
	level := func(m image.Image, x int) int { r, _, _, _ := m.At(x, 1).RGBA(); return int(r) }
	for _, img := range []image.Image{deep, grey, raster} {
		for _, name := range []string{"a.png", "a.tif", "a.tiff"} {
			file := filepath.Join(dir, name)
			if err := WriteFile(outfile.Folder{}, file, img); err != nil {
				t.Fatal(err)
			}
			if back, err := readBack(file); err != nil || level(back, 5) != 1015 {
				t.Errorf("%T as %s: %v, %d", img, name, err, level(back, 5))
			}
		}
		if have := level(scaled(img, 8, 2), 5); have != 1015 {
			t.Errorf("%T: resized to %d, want 1015", img, have)
		}
		if have := level(greyOf(img), 5); have < 1014 || have > 1016 {
			t.Errorf("%T: grey is %d, want have at least 1014 and have at most 1016", img, have)
		}
		if have := level(part(img, image.Rect(4, 0, 8, 4)), 1); have != 1015 {
			t.Errorf("%T: a part has %d, want 1015", img, have)
		}
		if have := level(rasterOf(img), 5); have != 1015 {
			t.Errorf("%T: a raster has %d, want 1015", img, have)
		}
	}
}

// readBack reads the first image of a file.
func readBack(name string) (image.Image, error) {
	p, err := openPicture(name)
	if err != nil {
		return nil, err
	}
	defer p.close()
	return p.decode(0)
}

// TestFormats reads back what it writes, and reads the formats that cannot be written.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	img := &Raster{Kind: tensor.Uint8, Width: 6, Height: 3, Channels: 3, Pix: make([]byte, 6*3*3)}
	for i := range img.Pix {
		img.Pix[i] = byte(10 * i)
	}
	for _, name := range []string{"a.png", "a.tif", "a.bmp"} {
		file := filepath.Join(dir, name)
		if err := WriteFile(outfile.Folder{}, file, img); err != nil {
			t.Fatal(err)
		}
		back, err := readBack(file)
		if err != nil || !bytes.Equal(rasterOf(back).Pix, img.Pix) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The smallest lossless WebP: one grey pixel.
	webp := "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"
	if m, err := decode(strings.NewReader(webp)); err != nil || m.Bounds().Dx() != 1 {
		t.Errorf("WebP: %v", err)
	}
}

// FuzzDetections checks that reading any file ends without a panic, and that an additional empty
// line changes nothing.
func FuzzDetections(f *testing.F) {
	f.Add("0,a.png,0,1,2,3,4,0.5,0,cat,0.9\n")
	f.Add("# c\n-1,b,1,0,0,0,0,0,0\n1,\"b\n")
	f.Add("1,a.png,1,2,3,4,0.5,cat,0.9\n")
	f.Add("0\"")
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range []detectionReader{&kwiverForm{delimiter: ","}, &viameForm{}, &kw18{}, &habcam{}, &oceaneyes{}} {
			first, err := form.read(newLines("fuzz", strings.NewReader(text)))
			if err != nil {
				continue
			}
			again, err := form.read(newLines("fuzz", strings.NewReader(text+"\n")))
			if err != nil || fmt.Sprint(first) != fmt.Sprint(again) {
				t.Errorf("%q is read as %v, and with an empty line behind it as %v, %v", text, first, again, err)
			}
		}
	})
}

// TestImagesAreArrays checks that every Go image becomes an array with three axes and the same
// colours, that an array with two axes is a grey image, and that an error describes other arrays.
func TestImagesAreArrays(t *testing.T) {
	pixels := image.Rect(3, 2, 7, 5)
	palette := color.Palette{color.RGBA{10, 20, 30, 255}, color.RGBA{200, 100, 50, 255}}
	for _, c := range []struct {
		img  draw.Image
		want string
	}{
		{image.NewGray(pixels), "an array of 3 × 4 × 1 uint8"}, {image.NewGray16(pixels), "an array of 3 × 4 × 1 uint16"},
		{image.NewNRGBA(pixels), "an array of 3 × 4 × 4 uint8"}, {image.NewNRGBA64(pixels), "an array of 3 × 4 × 4 uint16"},
		{image.NewRGBA(pixels), "an array of 3 × 4 × 3 uint8"}, {image.NewRGBA64(pixels), "an array of 3 × 4 × 3 uint16"},
		{image.NewPaletted(pixels, palette), "an array of 3 × 4 × 3 uint8"},
		{image.NewNRGBA(image.Rect(0, 0, 9, 9)).SubImage(pixels).(draw.Image), "an array of 3 × 4 × 4 uint8"},
		{image.NewGray(image.Rect(0, 0, 9, 9)).SubImage(pixels).(draw.Image), "an array of 3 × 4 × 1 uint8"},
	} {
		for y := pixels.Min.Y; y < pixels.Max.Y; y++ {
			for x := pixels.Min.X; x < pixels.Max.X; x++ {
				c.img.Set(x, y, color.NRGBA{uint8(50 * y), uint8(30 * x), uint8(x * y), 255})
			}
		}
		d := Of(c.img)
		if got := d.Noun(); got != c.want {
			t.Errorf("%T is %s, want %s", c.img, got, c.want)
		}
		back, err := From(d)
		if err != nil {
			t.Fatal(err)
		}
		for y := range 3 {
			for x := range 4 {
				r, g, b, a := back.At(x, y).RGBA()
				if wr, wg, wb, wa := c.img.At(x+3, y+2).RGBA(); r != wr || g != wg || b != wb || a != wa {
					t.Fatalf("%T: the pixel at %d, %d is %x %x %x %x, want %x %x %x %x", c.img, x, y, r, g, b, a, wr, wg, wb, wa)
				}
			}
		}
	}
	gray := image.NewGray(image.Rect(0, 0, 4, 3))
	if a := Of(gray).Array(); &a.Data[0] != &gray.Pix[0] {
		t.Error("the pixels of a grey image are copied")
	}
	if img, err := From(flow.Of(tensor.New(tensor.Float64, 3, 4))); err != nil || img.Bounds() != image.Rect(0, 0, 4, 3) {
		t.Errorf("an array of two axes is %v, %v", img, err)
	}
	for _, shape := range [][]int{{}, {3}, {3, 4, 0}, {3, 4, 5}, {1, 3, 4, 3}} {
		if _, err := From(flow.Of(tensor.New(tensor.Uint8, shape...))); err == nil || !strings.Contains(err.Error(), "is not an image: expected height, width and 1 to 4 channels") {
			t.Errorf("%v: %v", shape, err)
		}
	}
}

// TestSheet checks that images are placed row by row in the given number of columns, and that each
// row is as high as its highest image.
func TestSheet(t *testing.T) {
	var images []flow.Datum
	for i := range 5 {
		img := image.NewGray(image.Rect(0, 0, 10, 6+2*(i%2)))
		for j := range img.Pix {
			img.Pix[j] = byte(10 * (i + 1))
		}
		images = append(images, Of(img))
	}
	got, err := flowtest.Feed(sheetType(), pipe.Set("columns", "2", "width", "10"), flowtest.Data{"image": images}, []string{"image"}, 10, flow.Options{})
	if err != nil || len(got["image"]) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	sheet, err := From(got["image"][0])
	if err != nil || sheet.Bounds() != image.Rect(0, 0, 24, 8+4+8+4+6) {
		t.Fatalf("%v, %v", sheet.Bounds(), err)
	}
	for i := range images {
		r, _, _, _ := sheet.At(14*(i%2)+3, 12*(i/2)+3).RGBA()
		if r>>8 != uint32(10*(i+1)) {
			t.Errorf("image %d has the level %d, want %v", i, r>>8, uint32(10*(i+1)))
		}
	}
}
