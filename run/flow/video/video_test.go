package video

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// frames returns n frames; the grey level of frame i, from 1, is 20·i.
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

// TestThereAndBack: frames that are written read back with their numbers and times, for any range of frames.
func TestThereAndBack(t *testing.T) {
	need.Slow(t)
	need.Program(t, "ffmpeg", "-version")
	dir := t.TempDir()
	opt := flow.Options{Dir: dir}
	for _, name := range []string{"v.mkv", "v.mp4", "v.avi"} {
		t.Run(name, func(t *testing.T) {
			config := []string{"video_filename", name, "frame_rate", "10"}
			if name == "v.mkv" {
				config = append(config, "codec", "ffv1")
			}
			if _, err := flowtest.Feed(outputType(), pipe.Set(config...), flowtest.Data{"image": frames(10, 64, 48)}, nil, 100, opt); err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				start, stop string
				first, last int64
			}{{"0", "0", 1, 10}, {"4", "0", 4, 10}, {"3", "5", 3, 5}, {"0", "2", 1, 2}} {
				got, err := flowtest.Feed(inputType(), pipe.Set("video_filename", name, "start_at_frame", c.start, "stop_after_frame", c.stop), nil,
					[]string{"image", "timestamp", "frame_rate"}, 100, opt)
				if err != nil {
					t.Fatal(err)
				}
				if n := len(got["image"]); n != int(c.last-c.first+1) {
					t.Fatalf("from %s to %s: %d frames, want %v", c.start, c.stop, n, int(c.last-c.first+1))
				}
				for i, d := range got["image"] {
					frame := c.first + int64(i)
					stamp := flow.As[pic.Timestamp](got["timestamp"][i])
					if want := (pic.Timestamp{Frame: frame, Time: float64(frame-1) / 10}); stamp != want {
						t.Errorf("have %v, want %v", stamp, want)
					}
					img, err := pic.From(d)
					if err != nil {
						t.Fatal(err)
					}
					r, _, _, _ := img.At(30, 20).RGBA()
					if have, want := int(r>>8), 20*int(frame); have < want-6 || have > want+6 {
						t.Errorf("frame %d has the level %d, want %d", frame, have, want)
					}
					if rate := got["frame_rate"][i].Float(); rate != 10 {
						t.Errorf("rate %v, want 10", rate)
					}
				}
			}
		})
	}
}

// TestProbe: information from ffprobe: a camera that was held upright gives upright frames, and frames
// without pixels are refused.
func TestProbe(t *testing.T) {
	need.Program(t, "sh")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ffprobe"), []byte("#!/bin/sh\nfor last; do :; done\ncat \"${last#file:}\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	file := filepath.Join(dir, "v")
	for _, c := range []struct {
		width, height int
		side          string
		want          string
	}{
		{64, 48, "", "64 by 48"},
		{64, 48, `{"rotation": 90}`, "48 by 64"},
		{64, 48, `{"rotation": -90}`, "48 by 64"},
		{64, 48, `{"rotation": 270}`, "48 by 64"},
		{64, 48, `{"rotation": 180}`, "64 by 48"},
		{0, 48, "", "the video `" + file + "` cannot be read: its frames have 0 by 48 pixels"},
		{64, 0, "", "the video `" + file + "` cannot be read: its frames have 64 by 0 pixels"},
		{1, maxPixels, "", fmt.Sprintf("1 by %d", maxPixels)},
		{1, maxPixels + 1, "", fmt.Sprintf("the video `%s` cannot be read: its frames have 1 by %d pixels", file, maxPixels+1)},
	} {
		text := fmt.Sprintf(`{"streams": [{"width": %d, "height": %d, "avg_frame_rate": "10/1", "side_data_list": [%s]}]}`, c.width, c.height, c.side)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := probe(t.Context(), file)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprintf("%d by %d", v.width, v.height)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", text, got, c.want)
		}
	}
}

// TestMistakes: every failure is reported with the name of the file.
func TestMistakes(t *testing.T) {
	need.Program(t, "ffmpeg", "-version")
	need.Program(t, "ffprobe", "-version")
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "text.mp4"), []byte("this is no video"), 0o666)
	for file, want := range map[string]string{"nowhere.mp4": "no such file", "text.mp4": "cannot be read: "} {
		_, err := flowtest.Feed(inputType(), pipe.Set("video_filename", file), nil, []string{"image"}, 100, flow.Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: have %v, want %s", file, err, want)
		}
	}
	two := append(frames(1, 64, 48), frames(1, 32, 48)...)
	_, err := flowtest.Feed(outputType(), pipe.Set("video_filename", "o.mp4"), flowtest.Data{"image": two}, nil, 100, flow.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "a frame has 32 by 48 pixels, but the video") {
		t.Errorf("have %v", err)
	}
	for _, name := range []string{"nowhere/o.mp4", "o.unknown"} {
		_, err = flowtest.Feed(outputType(), pipe.Set("video_filename", name), flowtest.Data{"image": frames(3, 64, 48)}, nil, 100, flow.Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("%s: have %v", name, err)
		}
	}
	t.Setenv("PATH", dir)
	_, err = flowtest.Feed(inputType(), pipe.Set("video_filename", "text.mp4"), nil, []string{"image"}, 100, flow.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "the program `ffprobe` cannot be started") {
		t.Errorf("have %v", err)
	}
	_, err = flowtest.Feed(outputType(), pipe.Set("video_filename", "o.mp4"), flowtest.Data{"image": two}, nil, 100, flow.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "the program `ffmpeg` cannot be started") {
		t.Errorf("have %v", err)
	}
}

// TestCutVideo: if a video ends in the middle of a frame, the error names the frame and ffmpeg's last
// message. Scripts replace the two programs.
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
	_, err := flowtest.Feed(inputType(), pipe.Set("video_filename", "cut.mp4"), nil, []string{"image"}, 100, flow.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "ends within frame 3: the disk is gone") {
		t.Errorf("have %v", err)
	}
}

// TestImageList: the images of a list, or of a folder, are frames; if configured, a damaged image is an empty
// datum, but never the first one.
func TestImageList(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bmp := func(level byte) string { // a grey image of one pixel
		head := make([]byte, 14+40+1024+4)
		copy(head, "BM")
		binary.LittleEndian.PutUint32(head[2:], uint32(len(head)))
		binary.LittleEndian.PutUint32(head[10:], 14+40+1024)
		copy(head[14:], []byte{40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 8, 0})
		for i := range 256 {
			copy(head[54+4*i:], []byte{byte(i), byte(i), byte(i), 0})
		}
		head[14+40+1024] = level
		return string(head)
	}
	put("in/s_20200101_000002.500_a.bmp", bmp(20))
	put("in/s_20200101_000001.000_b.bmp", bmp(10))
	put("bad.bmp", "BM")
	put("list.txt", "# two\nin/s_20200101_000002.500_a.bmp\n\nin/s_20200101_000001.000_b.bmp\n")
	put("some.txt", "in/s_20200101_000002.500_a.bmp\nbad.bmp\n")
	put("first.txt", "bad.bmp\n")
	put("gone.txt", "nowhere.png\n")
	const key = "video_reader:image_list:"
	for _, c := range []struct {
		config []string
		want   string
	}{
		{[]string{"video_filename", "list.txt"}, "1 0.5 s_20200101_000002.500_a.bmp 20|2 1.0 s_20200101_000001.000_b.bmp 10|"},
		{[]string{"video_filename", "in", "stop_after_frame", "1"}, "1 0.5 s_20200101_000001.000_b.bmp 10|"},
		{[]string{"video_filename", "list.txt", key + "sort_by_time", "true", key + "image_reader:type", "add_timestamp_from_filename"},
			"1 1577836801.0 s_20200101_000001.000_b.bmp 10|2 1577836802.5 s_20200101_000002.500_a.bmp 20|"},
		{[]string{"video_filename", "some.txt", key + "skip_bad_images", "true"}, "1 0.5 s_20200101_000002.500_a.bmp 20|2 1.0 bad.bmp empty|"},
		{[]string{"video_filename", "gone.txt", key + "disable_image_load", "true", "no_path_in_name", "false"}, "1 0.5 nowhere.png empty|"},
		{[]string{"video_filename", "some.txt"}, "`BAD` cannot be read"},
		{[]string{"video_filename", "first.txt", key + "skip_bad_images", "true"}, "cannot be read"},
		{[]string{"video_filename", "gone.txt"}, "names files that do not exist: `nowhere.png`"},
		{[]string{"video_filename", "some.txt", key + "image_reader:type", "add_timestamp_from_filename"}, "the name of the image `bad.bmp` has no time in a known form"},
	} {
		config := pipe.Set(append(c.config, "video_reader:type", "image_list", "frame_time", "0.5")...)
		got, err := flowtest.Feed(inputType(), config, nil, []string{"timestamp", "image", "file_name", "frame_rate"}, 100, flow.Options{Dir: dir})
		have := ""
		if err != nil {
			have, got = err.Error(), nil // in a run that fails, ports may have different numbers of data
		}
		for i, d := range got["timestamp"] {
			stamp := d.Value().(pic.Timestamp)
			pixel := "empty"
			if img := got["image"][i]; img.IsData() {
				pixel = fmt.Sprint(img.Array().At(0))
			}
			have += fmt.Sprintf("%d %.1f %s %s|", stamp.Frame, stamp.Time, got["file_name"][i].Text(), pixel)
		}
		if want := strings.ReplaceAll(c.want, "BAD", filepath.Join(dir, "bad.bmp")); have != want && (err == nil || !strings.Contains(have, want)) {
			t.Errorf("%v\nhave %s\nwant %s", c.config, have, want)
		}
	}
}

// TestTimeOf reads the times in the names of camera images.
func TestTimeOf(t *testing.T) {
	for name, want := range map[string]float64{
		"CHESS_FL1_C_160407_234502.428_COLOR-8-BIT.JPG":                1460072702.428,
		"CHESS2016_N94S_FL23_P__20160518012412.111GMT_THERM-16BIT.PNG": 1463534652.111,
		"x_20190507_004346.455104_y.png":                               1557189826.455104,
		"20151023.200145.662.017459.png":                               1445630505.662,
		"00231.00232.20171025.182621.170.004021.tif":                   1508955981.17,
		"201503.20150517.105551974.76450.png":                          1431860151.974,
		"frame_0001.png":                                               0, "a.b.c.d": 0, "x_20199907_004346.455_y.png": 0, "": 0,
	} {
		have, err := timeOf(name)
		if (err != nil) != (want == 0) || want != 0 && have != want {
			t.Errorf("%s: have %f, %v, want %f", name, have, err, want)
		}
	}
}

// TestLowByte: images with more than 8 bits keep the low byte.
func TestLowByte(t *testing.T) {
	deep := &tensor.Tensor{Kind: tensor.Uint16, Shape: []int{1, 2}, Data: []byte{1, 2, 3, 4}}
	if low := lowByte(deep); low.Kind != tensor.Uint8 || string(low.Data) != "\x01\x03" {
		t.Errorf("have %v %v, want low.Kind = %v and low.Data = %q", low, low.Data, tensor.Uint8, "\x01\x03")
	}
}
