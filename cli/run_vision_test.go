package cli_test

import (
	"encoding/csv"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestVision runs examples/vision, which reads a video, processes it with Python classes and
// built-in types, and writes a video. It compares one frame with the picture in the README.
func TestVision(t *testing.T) {
	need.Slow(t) // it computes more than any other example
	need.Program(t, "ffmpeg", "-version")
	need.Program(t, "ffprobe", "-version")
	need.Program(t, "/usr/bin/python3", "-c", "import numpy") // the pipelines name this interpreter
	root := golden.Root(t)
	folder := filepath.Join(root, "examples", "vision")
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"draw.pipe", "vision.pipe"} {
		if code, _, errs := pentode(t, "run", filepath.Join(folder, name)); code != 0 {
			t.Fatalf("%s: exit %d: %s", name, code, errs)
		}
	}
	have, want := decode(t, "frame040.png"), decode(t, filepath.Join(root, "docs", "pictures", "vision.png"))
	if have.Bounds() != want.Bounds() {
		t.Fatalf("a frame has %v, in the repository %v", have.Bounds(), want.Bounds())
	}
	// The frame was encoded as video, and other versions of ffmpeg round differently.
	far := 0
	for y := range have.Bounds().Dy() {
		for x := range have.Bounds().Dx() {
			if apart(have.At(x, y), want.At(x, y)) > 0x2000 {
				far++
			}
		}
	}
	if all := have.Bounds().Dx() * have.Bounds().Dy(); far > all/100 {
		t.Errorf("%d of %d pixels of frame040.png are far from those of docs/pictures/vision.png, want at most %v", far, all, all/100)
	}
	f, err := os.Open("detections.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 60 {
		t.Errorf("%d detections: %v", len(rows), err)
	}
	// The written video can be read again.
	frames, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", "tracks.mp4").Output()
	if err != nil || strings.TrimSpace(string(frames)) != "60" {
		t.Errorf("tracks.mp4 has %s frames, want 60: %v", frames, err)
	}
}

// apart returns how far two colours are apart: the largest difference in one channel.
func apart(a, b color.Color) uint32 {
	r, g, bl, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	return max(max(r, r2)-min(r, r2), max(g, g2)-min(g, g2), max(bl, b2)-min(bl, b2))
}
