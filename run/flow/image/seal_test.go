package image

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

var sealedEndings = []string{"png", "jpg", "gif", "tif", "bmp"}

// writeSealed writes numbered images in every format, with the seal of a run.
func writeSealed(t *testing.T, dir string, m *seal.Maker) {
	t.Helper()
	pixels := tensor.New(tensor.Uint8, 20, 30, 3)
	for i := range pixels.Data {
		pixels.Data[i] = byte(i * 7)
	}
	for _, ending := range sealedEndings {
		if _, err := flowtest.Feed(writerType(), pipe.Set("file_name_template", "a%02d."+ending), flowtest.Data{"image": {flow.Of(pixels)}}, nil, 10, flow.Options{Dir: dir, Seal: m}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSealed: images in every format record which process of which run wrote them, and their pixels do not differ from
// unsealed images. The run that wrote them is a parent of a run that reads them; seal files are not taken for images.
func TestSealed(t *testing.T) {
	dir, bare := t.TempDir(), t.TempDir()
	writeSealed(t, dir, seal.New(seal.Seal{Run: "first"}))
	writeSealed(t, bare, nil)
	for _, ending := range sealedEndings {
		name := "a01." + ending
		s, err := seal.Read(filepath.Join(dir, name))
		if err != nil || s.Run != "first" || s.Process == "" {
			t.Fatalf("%s: %+v, %v", name, s, err)
		}
		with, err := Read(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		without, err := Read(filepath.Join(bare, name))
		if err != nil || fmt.Sprint(with) != fmt.Sprint(without) {
			t.Errorf("%s has other pixels (%v)", name, err)
		}
		if _, err := seal.Read(filepath.Join(bare, name)); err != seal.ErrNone {
			t.Errorf("%s: %v", name, err)
		}
	}
	second := seal.New(seal.Seal{Run: "second"})
	got, err := flowtest.Feed(frameListType(), pipe.Set("image_list_file", dir), nil, []string{"image"}, 100, flow.Options{Seal: second})
	if err != nil || len(got["image"]) != len(sealedEndings) {
		t.Fatalf("%d pictures, %v", len(got["image"]), err)
	}
	if p := second.Seal().Parents; len(p) != 1 || p[0].Run != "first" || p[0].Files != len(sealedEndings) {
		t.Errorf("the parents are %+v, want len(p) = 1, p[0].Run = %q and p[0].Files = %v", p, "first", len(sealedEndings))
	}
}

// TestSealedForOthers: other programs can read images with a seal as before, and can find the seal.
func TestSealedForOthers(t *testing.T) {
	dir, bare := t.TempDir(), t.TempDir()
	writeSealed(t, dir, seal.New(seal.Seal{Run: "first"}))
	writeSealed(t, bare, nil)
	python := need.Python(t, "PIL")
	if out, err := exec.Command(python, append([]string{"-c", `
import sys, warnings
from PIL import Image
warnings.simplefilter("error")
for ending in sys.argv[3:]:
    a, b = (Image.open(d + "/a01." + ending) for d in sys.argv[1:3])
    a.load(); b.load()
    assert a.mode == b.mode and a.tobytes() == b.tobytes(), ending
    text = {"png": lambda: a.text["pentode_seal"], "jpg": lambda: a.info["comment"], "gif": lambda: a.info["comment"], "tif": lambda: a.tag_v2[270], "bmp": lambda: '"run":"first"'}[ending]()
    text = text.decode() if isinstance(text, bytes) else text
    assert '"run":"first"' in text, (ending, text)
`, dir, bare}, sealedEndings...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
