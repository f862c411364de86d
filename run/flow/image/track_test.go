package image

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// twoTracks returns the tracks up to frame 0 and up to frame 1.
func twoTracks() []flow.Datum {
	state := func(frame int64, confidence float64, classes ...Class) TrackState {
		return TrackState{Frame: frame, Time: 3661.5, Detection: Detection{Left: 1, Top: 2, Right: 3, Bottom: 6, Confidence: confidence, Classes: classes}}
	}
	first := Track{ID: 4, States: []TrackState{state(0, 0.5, Class{"cod", 1})}}
	longer := Track{ID: 4, States: append(first.States, state(1, 1, Class{"hake", 0.5}, Class{"cod", 0.25}))}
	return []flow.Datum{flow.Of(Tracks{first}), flow.Of(Tracks{longer, {ID: 5, States: []TrackState{state(1, 1, Class{"none", 1})}}})}
}

// TestWriteTracks checks that the newest version of each track is written, with the classes of each
// state or with averages over the track, which were computed by hand.
func TestWriteTracks(t *testing.T) {
	const box = ",1,2,3,6,"
	for _, c := range []struct {
		config []string
		want   string
	}{
		{[]string{"writer:type", "viame_csv", "writer:viame_csv:tot_option", "detection"},
			"4,a.png,0" + box + "0.5,0,cod,1|4,b.png,1" + box + "1,0,hake,0.5,cod,0.25|5,b.png,1" + box + "1,0,none,1|"},
		{[]string{"writer:type", "viame_csv", "writer:viame_csv:top_n_classes", "1", "writer:viame_csv:frame_id_adjustment", "1"},
			"4,a.png,1" + box + "0.5,0,cod,0.5|4,b.png,2" + box + "1,0,cod,0.5|5,b.png,2" + box + "1,0,none,1|"},
		{[]string{"writer:type", "viame_csv", "writer:viame_csv:tot_option", "weighted_average", "writer:viame_csv:tot_ignore_class", "cod"},
			"4,a.png,0" + box + "0.5,0,hake,0.5|4,b.png,1" + box + "1,0,hake,0.5|5,b.png,1" + box + "1,0,none,1|"},
		{[]string{"writer:type", "viame_csv", "writer:viame_csv:tot_option", "average", "writer:viame_csv:tot_ignore_class", "hake", "writer:viame_csv:active_writing", "true"},
			"4,a.png,0" + box + "0.5,0,cod,1|4,b.png,1" + box + "1,0,cod,0.625|5,b.png,1" + box + "1,0,none,1|"},
		{[]string{"writer:type", "viame_csv", "writer:viame_csv:tot_option", "average_scaled_by_conf", "writer:viame_csv:write_time_as_uid", "true", "writer:viame_csv:top_n_classes", "1"},
			"4,01:01:01.500000,0" + box + "0.5,0,cod,0.484375|4,01:01:01.500000,1" + box + "1,0,cod,0.484375|5,01:01:01.500000,1" + box + "1,0,none,1|"},
		{[]string{"writer:type", "kw18"},
			"4 2 0 0 0 0 0 2 4 1 2 3 6 8 0 0 0 3661.5 0.5|4 2 1 0 0 0 0 2 4 1 2 3 6 8 0 0 0 3661.5 1|5 1 1 0 0 0 0 2 4 1 2 3 6 8 0 0 0 3661.5 1|"},
	} {
		dir := t.TempDir()
		in := flowtest.Data{"object_track_set": twoTracks(),
			"image_file_name": {flow.OfText("x/a.png"), flow.OfText("x/b.png")},
			"timestamp":       {flow.Of(Timestamp{Frame: 0}), flow.Of(Timestamp{Frame: 1})}}
		_, err := flowtest.Feed(writeTracksType(), pipe.Set(append(c.config, "file_name", "t.csv", "frame_list_output", "l.txt")...), in, nil, 1, flow.Options{Dir: dir})
		text, _ := os.ReadFile(filepath.Join(dir, "t.csv"))
		_, rows, _ := strings.Cut(string(text), "\n")
		if have := strings.ReplaceAll(rows, "\n", "|"); err != nil || have != c.want {
			t.Errorf("%v\nhave %s %v\nwant %s", c.config, have, err, c.want)
		}
		if list, _ := os.ReadFile(filepath.Join(dir, "l.txt")); string(list) != "x/a.png\nx/b.png\n" {
			t.Errorf("the list holds %q, want %q", list, "x/a.png\nx/b.png\n")
		}
	}
	dir := t.TempDir()
	in := flowtest.Data{"object_track_set": twoTracks(), "image_file_name": {flow.OfText("a"), flow.OfText("b")}}
	if _, err := flowtest.Feed(writeTracksType(), pipe.Set("file_name", "t.csv", "writer:type", "viame_csv"), in, nil, 1, flow.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "t.csv")); !strings.Contains(string(text), "\n4,a,0,") || !strings.Contains(string(text), "\n4,b,1,") {
		t.Errorf("without times frames have no names:\n%s", text)
	}
	_, err := flowtest.Feed(writeTracksType(), pipe.Set("file_name", "t.csv", "writer:type", "viame_csv", "writer:viame_csv:tot_option", "best"), flowtest.Data{"object_track_set": twoTracks()}, nil, 1, flow.Options{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "expected detection, average, weighted_average") {
		t.Errorf("an unknown option: %v", err)
	}
}

// TestReadTracks checks that there is one step per image, from frame 0 on, or with batch_load a
// single step with all tracks.
func TestReadTracks(t *testing.T) {
	const text = "7,a,1,1,2,3,4,1,0\n7,a,2,1,2,3,4,1,0\n9,a,2,1,2,3,4,1,0\n"
	names := []flow.Datum{flow.OfText("0.png"), flow.OfText("1.png"), flow.OfText("2.png"), flow.OfText("3.png")}
	for _, c := range []struct {
		named  bool
		config []string
		want   string
	}{
		{false, nil, "7:1|7:2 9:1|"},
		{true, nil, "|7:1|7:2 9:1|7:2 9:1|"},
		{false, []string{"reader:viame_csv:batch_load", "true"}, "7:2 9:1|"},
		{true, []string{"reader:viame_csv:batch_load", "true"}, "7:2 9:1||||"},
		{false, []string{"reader:viame_csv:single_state_only", "true"}, "9:1|"},
		{false, []string{"reader:viame_csv:multi_state_only", "true", "reader:viame_csv:frame_id_adjustment", "2"}, "7:1|7:2|"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		in := flowtest.Data{}
		if c.named {
			in["image_file_name"] = names
		}
		got, err := flowtest.Feed(readTracksType(), pipe.Set(append(c.config, "file_name", "t.csv", "reader:type", "viame_csv")...), in, []string{"object_track_set"}, 100, flow.Options{Dir: dir})
		have := ""
		for _, d := range got["object_track_set"] {
			var words []string
			for _, track := range flow.As[Tracks](d) {
				words = append(words, fmt.Sprintf("%d:%d", track.ID, len(track.States)))
			}
			have += strings.Join(words, " ") + "|"
		}
		if err != nil || have != c.want {
			t.Errorf("%v: have %s %v, want %s", c.config, have, err, c.want)
		}
	}
}

// TestDownsample checks which frames pass, depending on the target rate, the times, bursts, and the
// sets of detections.
func TestDownsample(t *testing.T) {
	var stamps, rates, sets []flow.Datum
	for i := range 8 {
		stamps = append(stamps, flow.Of(Timestamp{Frame: int64(i + 1), Time: float64(i) / 4}))
		rates = append(rates, flow.OfFloat(4))
		sets = append(sets, flow.Of(make(Detections, i%3)))
	}
	all := flowtest.Data{"timestamp": stamps, "frame_rate": rates, "input_1": sets}
	for _, c := range []struct {
		in     flowtest.Data
		config []string
		want   string
	}{
		{all, []string{"target_frame_rate", "2"}, "1 3 5 7 "},
		{all, []string{"target_frame_rate", "3"}, "1 3 4 5 7 8 "},
		{flowtest.Data{"timestamp": stamps}, []string{"target_frame_rate", "2"}, "1 3 5 7 "},
		{all, []string{"target_frame_rate", "4"}, "1 2 3 4 5 6 7 8 "},
		{all, []string{"target_frame_rate", "-1"}, "1 2 3 4 5 6 7 8 "},
		{all, []string{"target_frame_rate", "2", "burst_frame_count", "1", "burst_frame_break", "2"}, "1 7 "},
		{all, []string{"target_frame_rate", "0", "start_time", "0.5", "duration", "0:0:0.5"}, "3 4 5 "},
		{all, []string{"target_frame_rate", "0", "only_frames_with_dets", "true"}, "2 3 5 6 8 "},
		{all, []string{"target_frame_rate", "2", "renumber_frames", "true"}, "0 1 2 3 "},
	} {
		got, err := flowtest.Feed(downsampleType(), pipe.Set(c.config...), c.in, []string{"timestamp", "original_timestamp", "frame_rate"}, 100, flow.Options{})
		have := ""
		for _, d := range got["timestamp"] {
			have += fmt.Sprint(d.Value().(Timestamp).Frame, " ")
		}
		if err != nil || have != c.want || len(got["original_timestamp"]) != len(got["timestamp"]) {
			t.Errorf("%v: have %s %v, want %s", c.config, have, err, c.want)
		}
	}
	_, err := flowtest.Feed(downsampleType(), pipe.Set("start_time", "soon"), all, nil, 1, flow.Options{})
	if err == nil || !strings.Contains(err.Error(), "expected seconds, or hours, minutes and seconds") {
		t.Errorf("a time that is none: %v", err)
	}
}

// TestWriterNamedFiles checks that file names come from the template or from a port, that texts in
// them are replaced, and that each channel can be written to a separate file.
func TestWriterNamedFiles(t *testing.T) {
	dir := t.TempDir()
	picture := twoChannels()
	write := func(config ...string) (string, error) {
		got, err := flowtest.Feed(writerType(), pipe.Set(config...), flowtest.Data{"image": {picture}, "image_file_name": {flow.OfText("EO_1.jpg")}}, []string{"image_file_name", "success_flag"}, 10, flow.Options{Dir: dir})
		if err != nil {
			return "", err
		}
		return got["image_file_name"][0].Text(), nil
	}
	for _, c := range [][]string{
		{"EO_1.png", "file_name_template", ".png"},
		{"EO_1.jpg", "file_name_template", "x%d.png"},
		{"new-IR_1.png", "file_name_template", ".png", "file_name_prefix", "new-", "replace_filename_strings", "EO,IR"},
	} {
		if have, err := write(c[1:]...); err != nil || have != c[0] {
			t.Errorf("%v: have %s, %v", c, have, err)
		} else if _, err := os.Stat(filepath.Join(dir, c[0])); err != nil {
			t.Error(err)
		}
	}
	if _, err := write("file_name_template", ".bmp", "image_writer:type", "vxl", "image_writer:vxl:split_channels", "true"); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"EO_1.bmp", "EO_1_1.bmp"} {
		img, err := Read(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if r, _, _, _ := img.At(0, 0).RGBA(); r>>8 != uint32(10*(i+1)) {
			t.Errorf("%s: have %d, want %v", name, r>>8, uint32(10*(i+1)))
		}
	}
	if _, err := write("file_name_template", ".png", "replace_filename_strings", "EO"); err == nil {
		t.Error("half a pair was taken")
	}
}

func twoChannels() flow.Datum {
	t := &tensor.Tensor{Kind: tensor.Uint8, Shape: []int{1, 2, 2}, Data: []byte{10, 20, 10, 20}}
	return flow.Of(t)
}

// TestWritersShareATemplate checks that two writers of the same files are reported, unless a port
// gives the names.
func TestWritersShareATemplate(t *testing.T) {
	for _, named := range []bool{false, true} {
		source := &pipe.Type{Name: "source", Doc: "…", New: func() pipe.Process { return nil }, Out: []pipe.Port{{Name: "image", Type: imageType}, {Name: "name", Type: fileNameType}}}
		p := flow.New(pipe.NewRegistry(source, writerType()))
		p.AddProcess("s", "source", nil)
		for _, name := range []string{"a", "b"} {
			p.AddProcess(name, "image_writer", nil)
			p.Connect("s.image", name+".image")
			if named {
				p.Connect("s.name", name+".image_file_name")
			}
		}
		found := false
		for _, problem := range p.Check() {
			found = found || strings.Contains(problem.Message, "both write the file")
		}
		if found == named {
			t.Errorf("named %v: found %v, want other than %v", named, found, named)
		}
	}
}
