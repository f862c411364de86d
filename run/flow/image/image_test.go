package image

import (
	"bytes"
	"encoding/csv"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
)

// TestSpans: every new pixel is a whole pixel, and every old one counts once.
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
				t.Fatalf("weights add up to %v", sum)
			}
		}
		for _, w := range old {
			if math.Abs(w-float64(to)/float64(from)) > 1e-6 {
				t.Fatalf("an old pixel counts %v, want %v", w, float64(to)/float64(from))
			}
		}
	})
}

// TestPixels: changes of images move and mix the right pixels, wherever the
// image begins.
func TestPixels(t *testing.T) {
	img := image.NewNRGBA(image.Rect(10, 20, 14, 22))
	for y := 20; y < 22; y++ {
		for x := 10; x < 14; x++ {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x) * 10, 0, 0, 255})
		}
	}
	red := func(m image.Image, x, y int) uint32 { r, _, _, _ := m.At(x, y).RGBA(); return r >> 8 }
	if half := scaled(img, 2, 1); red(half, 0, 0) != 105 || red(half, 1, 0) != 125 {
		t.Errorf("have %v", half.Pix)
	}
	if same := scaled(img, 4, 2); red(same, 3, 1) != 130 {
		t.Errorf("have %v", same.Pix)
	}
	if right := part(img, image.Rect(12, 20, 14, 22)); red(right, 0, 0) != 120 || right.Bounds() != image.Rect(0, 0, 2, 2) {
		t.Errorf("have %v", right)
	}
}

// TestWriterNames: the number goes where the template says, however the path
// to it is written.
func TestWriterNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "%d")
	if err := os.MkdirAll(filepath.Join(dir, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{"././././././././././././././././././././././././././././././././././././././x.png": "x.png", "a/../b%03d.png": "b001.png", "./a//%d.gif": "a/1.gif"} {
		in := flowtest.Data{"image": {flow.Of(image.Image(image.NewGray(image.Rect(0, 0, 2, 2))))}}
		if _, err := flowtest.Feed(writerType(), flow.Set("file_name_template", template), in, nil, 1, flow.Options{Dir: dir}); err != nil {
			t.Errorf("%s: %v", template, err)
		}
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Errorf("%s: %v", template, err)
		}
	}
}

// TestDecode refuses what is no image, and images that are too large.
func TestDecode(t *testing.T) {
	huge := []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00")
	for text, want := range map[string]string{"": "neither", "hello": "neither", "\x89PNG\r\n\x1a\nrest": "damaged", string(huge): "too many"} {
		if _, err := decode(bytes.NewReader([]byte(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: have %v, want %s", text, err, want)
		}
	}
}

// FuzzDetections: whatever the file holds, reading it ends without a panic.
func FuzzDetections(f *testing.F) {
	f.Add("0,a.png,0,1,2,3,4,0.5,0,cat,0.9\n")
	f.Add("# c\n-1,b,1,0,0,0,0,0,0\n1,\"b\n")
	f.Add("0\"")
	f.Fuzz(func(t *testing.T, text string) {
		d := &detectionInput{rows: csv.NewReader(strings.NewReader(text))}
		d.rows.Comment, d.rows.FieldsPerRecord, d.rows.TrimLeadingSpace = '#', -1, true
		for range 1000 {
			if err := d.advance(); err != nil || !d.more {
				return
			}
		}
	})
}
