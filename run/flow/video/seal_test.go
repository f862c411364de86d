package video

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestSealed: a video records which run wrote it, in its comment or, if the format has none, in a file beside it. The run that wrote
// a video is a parent of the run that reads it.
func TestSealed(t *testing.T) {
	need.Slow(t)
	need.Program(t, "ffmpeg", "-version")
	ffprobe := need.Program(t, "ffprobe", "-version")
	dir := t.TempDir()
	for _, name := range []string{"v.mp4", "v.mpg"} {
		m := seal.New(seal.Seal{Run: "first", Host: `"quoted" \ ; = host`})
		if _, err := flowtest.Feed(outputType(), pipe.Set("video_filename", name, "frame_rate", "25"), flowtest.Data{"image": frames(3, 64, 48)}, nil, 100, flow.Options{Dir: dir, Seal: m}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join(dir, name)
		s, err := seal.Read(path)
		if err != nil || s.Run != "first" || s.Host != `"quoted" \ ; = host` || s.Process == "" || m.Lost() != nil {
			t.Errorf("%s: %+v, %v, %v", name, s, err, m.Lost())
		}
		out, err := exec.Command(ffprobe, "-v", "error", "-show_format", "-show_streams", "file:"+path).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "width=64") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if name == "v.mp4" && !strings.Contains(string(out), `TAG:comment={"pentode_seal":1`) {
			t.Errorf("%s has no comment:\n%s", name, out)
		}
		second := seal.New(seal.Seal{Run: "second"})
		if _, err := flowtest.Feed(inputType(), pipe.Set("video_filename", name), nil, []string{"image"}, 100, flow.Options{Dir: dir, Seal: second}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p := second.Seal().Parents; len(p) != 1 || p[0].Run != "first" {
			t.Errorf("%s: the parents are %+v, want len(p) = 1 and p[0].Run = %q", name, p, "first")
		}
	}
}
