package catalog

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestImagePipeline reads images, splits and merges them, and writes images and text.
func TestImagePipeline(t *testing.T) {
	for _, scheduler := range flow.Schedulers() {
		t.Run(scheduler, func(t *testing.T) {
			dir := t.TempDir()
			pictureFile(t, dir, "a.png", 8, 4)
			pictureFile(t, dir, "b.png", 16, 8)
			os.WriteFile(filepath.Join(dir, "list.txt"), []byte("a.png\nb.png\n"), 0o666)
			p := flow.New(Standard())
			p.AddProcess("read", "frame_list_input", pipe.Set("image_list_file", "list.txt"))
			p.AddProcess("cut", "split_image", nil)
			p.AddProcess("swap", "merge_image", nil)
			p.AddProcess("small", "resize", pipe.Set("width", "4"))
			p.AddProcess("dull", "grey", nil)
			p.AddProcess("write", "image_writer", pipe.Set("file_name_template", "out%02d.png"))
			p.AddProcess("measure", "image_stats", nil)
			p.AddProcess("log", "text_write", pipe.Set("file_name", "stats.txt"))
			for _, c := range [][2]string{
				{"read.image", "cut.image"}, {"cut.left_image", "swap.b"}, {"cut.right_image", "swap.a"},
				{"swap.image", "small.image"}, {"small.image", "dull.image"}, {"dull.image", "write.image"},
				{"read.timestamp", "write.timestamp"}, {"dull.image", "measure.image"}, {"measure.text", "log.text"},
			} {
				p.Connect(c[0], c[1], pipe.Capacity(1))
			}
			if err := p.Run(context.Background(), flow.Options{Scheduler: scheduler, Dir: dir}); err != nil {
				t.Fatal(err)
			}
			text, _ := os.ReadFile(filepath.Join(dir, "stats.txt"))
			if want := strings.Repeat("width 4 height 2 min 76 mean 165.50 max 255 deviation 89.50\n", 2); string(text) != want {
				t.Errorf("have %s; want %v", text, want)
			}
			for _, name := range []string{"out01.png", "out02.png"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
