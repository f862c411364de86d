package video

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// frames have a grey level of 20 for each frame from 1.
func frames(n, w, h int) []flow.Datum {
	var list []flow.Datum
	for i := range n {
		r := tensor.New(tensor.Uint8, h, w, 3)
		for j := range r.Data {
			r.Data[j] = byte(20 * (i + 1))
		}
		list = append(list, flow.Of(r))
	}
	return list
}

// TestThereAndBack: the frames that are written come back, with their numbers and
// times, from any frame to any other.
func TestThereAndBack(t *testing.T) {
	need.Program(t, "ffmpeg", "-version")
	dir := t.TempDir()
	opt := flow.Options{Dir: dir}
	for _, name := range []string{"v.mkv", "v.mp4", "v.avi"} {
		config := []string{"video_filename", name, "frame_rate", "10"}
		if name == "v.mkv" {
			config = append(config, "codec", "ffv1")
		}
		if _, err := flowtest.Feed(outputType(), flow.Set(config...), flowtest.Data{"image": frames(10, 64, 48)}, nil, 100, opt); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, c := range []struct {
			start, stop string
			first, last int64
		}{{"0", "0", 1, 10}, {"4", "0", 4, 10}, {"3", "5", 3, 5}, {"0", "2", 1, 2}} {
			got, err := flowtest.Feed(inputType(), flow.Set("video_filename", name, "start_at_frame", c.start, "stop_after_frame", c.stop), nil,
				[]string{"image", "timestamp", "frame_rate"}, 100, opt)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if n := len(got["image"]); n != int(c.last-c.first+1) {
				t.Fatalf("%s from %s to %s: %d frames", name, c.start, c.stop, n)
			}
			for i, d := range got["image"] {
				frame := c.first + int64(i)
				stamp := flow.As[pic.Timestamp](got["timestamp"][i])
				if want := (pic.Timestamp{Frame: frame, Time: float64(frame-1) / 10}); stamp != want {
					t.Errorf("%s: have %v, want %v", name, stamp, want)
				}
				img, err := pic.From(d)
				if err != nil {
					t.Fatal(err)
				}
				r, _, _, _ := img.At(30, 20).RGBA()
				if have, want := int(r>>8), 20*int(frame); have < want-6 || have > want+6 {
					t.Errorf("%s: frame %d has the level %d, want %d", name, frame, have, want)
				}
				if rate := got["frame_rate"][i].Float(); rate != 10 {
					t.Errorf("%s: rate %v", name, rate)
				}
			}
		}
	}
}

// TestMistakes: every failure says what is wrong, by name.
func TestMistakes(t *testing.T) {
	need.Program(t, "ffmpeg", "-version")
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "text.mp4"), []byte("this is no video"), 0o666)
	for file, want := range map[string]string{"nowhere.mp4": "no such file", "text.mp4": "cannot be read: "} {
		_, err := flowtest.Feed(inputType(), flow.Set("video_filename", file), nil, []string{"image"}, 100, flow.Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: have %v, want %s", file, err, want)
		}
	}
	two := append(frames(1, 64, 48), frames(1, 32, 48)...)
	_, err := flowtest.Feed(outputType(), flow.Set("video_filename", "o.mp4"), flowtest.Data{"image": two}, nil, 100, flow.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "a frame has 32 by 48 pixels, but the video") {
		t.Errorf("have %v", err)
	}
	for _, name := range []string{"nowhere/o.mp4", "o.unknown"} {
		_, err = flowtest.Feed(outputType(), flow.Set("video_filename", name), flowtest.Data{"image": frames(3, 64, 48)}, nil, 100, flow.Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("%s: have %v", name, err)
		}
	}
	t.Setenv("PATH", dir)
	_, err = flowtest.Feed(inputType(), flow.Set("video_filename", "text.mp4"), nil, []string{"image"}, 100, flow.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "the program `ffprobe` cannot be started") {
		t.Errorf("have %v", err)
	}
	_, err = flowtest.Feed(outputType(), flow.Set("video_filename", "o.mp4"), flowtest.Data{"image": two}, nil, 100, flow.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "the program `ffmpeg` cannot be started") {
		t.Errorf("have %v", err)
	}
}

// TestCutVideo: the error about a video that ends within a frame names the frame,
// and what ffmpeg said last. Scripts stand for the two programs.
func TestCutVideo(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	script("ffprobe", `echo '{"streams": [{"width": 4, "height": 2, "avg_frame_rate": "10/1"}]}'`)
	script("ffmpeg", `printf '%060d' 0; echo first >&2; echo 'the disk is gone' >&2`) // two frames and a half
	script("cut.mp4", "")
	t.Setenv("PATH", dir)
	_, err := flowtest.Feed(inputType(), flow.Set("video_filename", "cut.mp4"), nil, []string{"image"}, 100, flow.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "ends within frame 3: the disk is gone") {
		t.Errorf("have %v", err)
	}
}

// A list of images is no film of the text that names them.
func TestImageList(t *testing.T) {
	p := flow.New(flow.NewRegistry(Types()...))
	p.AddProcess("in", "video_input", flow.Set("video_filename", "list.txt", "video_reader:type", "image_list"))
	p.AddProcess("out", "video_output", flow.Set("video_filename", "a.mp4"))
	p.Connect("in.image", "out.image")
	const want = "does not read lists of images"
	if list := p.Check(); len(list) != 1 || list.HasErrors() || !strings.Contains(list[0].Message, want) {
		t.Errorf("check: %v", list)
	}
	if err := p.Run(t.Context(), flow.Options{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("run: %v", err)
	}
}
