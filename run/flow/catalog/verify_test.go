package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/adapter"
	"github.com/pentode-dev/pentode/run/flow/flowtest"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func TestMain(m *testing.M) { golden.Main(m) }

func ints(list ...int64) []flow.Datum {
	var d []flow.Datum
	for _, i := range list {
		d = append(d, flow.OfInt(i))
	}
	return d
}

func strs(list ...string) []flow.Datum {
	var d []flow.Datum
	for _, s := range list {
		d = append(d, flow.OfText(s))
	}
	return d
}

// picture makes an image whose left half is red and right half white.
func picture(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{255, 0, 0, 255}
			if x >= w/2 {
				c = color.NRGBA{255, 255, 255, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func pictureFile(t *testing.T, dir, name string, w, h int) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, picture(w, h)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestVerify runs every type that can run alone through its whole life.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	pictureFile(t, dir, "a.png", 8, 4)
	pictureFile(t, dir, "b.png", 6, 2)
	os.WriteFile(filepath.Join(dir, "list.txt"), []byte("# two\na.png\n\nb.png\n"), 0o666)
	os.WriteFile(filepath.Join(dir, "lines.txt"), []byte("one\r\ntwo\n\nthree"), 0o666)
	os.WriteFile(filepath.Join(dir, "det.csv"), []byte("# id,…\n0,a.png,0,1,2,3,4,0.5,0,cat,0.9,dog,0.1\n1,a.png,0,1,2,3,4,0.5,0\n2,b.png,1,0,0,0,0,0,0\n"), 0o666)
	images := []flow.Datum{pic.Of(picture(8, 4)), pic.Of(picture(6, 2))}
	stamps := []flow.Datum{flow.Of(pic.Timestamp{Frame: 1}), flow.Of(pic.Timestamp{Frame: 2, Time: 0.5}), flow.Of(pic.Timestamp{Frame: 3, Time: 1}), flow.Of(pic.Timestamp{Frame: 4, Time: 1.5})}
	sets := []flow.Datum{flow.Of(pic.Detections{{Right: 3, Bottom: 3, Confidence: 1}}), flow.Of(pic.Detections{{Left: -1e300}, {Top: 2, Classes: []pic.Class{{Name: "cat", Score: 1}}}})}
	tracks := []flow.Datum{flow.Of(pic.Tracks{{ID: 1}}), flow.Of(pic.Tracks{{ID: 2, States: []pic.TrackState{{Frame: 1}, {Frame: 2, Detection: pic.Detection{Right: 1e300}}}}})}
	os.WriteFile(filepath.Join(dir, "tracks.csv"), []byte("7,a.png,1,1,2,3,4,0.5,0,cat,0.9\n8,b.png,2,1,2,3,4,0.5,0\n7,c.png,3,1,2,3,4,0.5,0\n"), 0o666)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		b.ReadFrom(r.Body)
		fmt.Fprintf(w, "%s %s %s%s", r.Method, r.URL.Path, r.Header.Get("X-A"), b.String())
	}))
	defer server.Close()
	cases := []struct {
		typ    string
		config pipe.Config
		in     flowtest.Data
		out    []string
		want   string
	}{
		{"numbers", pipe.Set("start", "2", "end", "5"), nil, nil, "number: 2 3 4"},
		{"const_number", pipe.Set("value", "7"), nil, nil, ""},
		{"multiplication", nil, flowtest.Data{"factor1": ints(1, 2, 3), "factor2": ints(4, 5, 6, 7)}, nil, "product: 4 10 18"},
		{"print_number", pipe.Set("output", "p.txt"), flowtest.Data{"number": ints(1, 2)}, nil, ""},
		{"take_number", nil, flowtest.Data{"number": ints(1, 2)}, nil, ""},
		{"take_string", nil, flowtest.Data{"string": strs("a")}, nil, ""},
		{"test_proc_seq", nil, flowtest.Data{"number": ints(1, 2)}, nil, ""},
		{"any_source", nil, nil, nil, ""},
		{"const", nil, nil, nil, ""},
		{"shared", nil, nil, nil, ""},
		{"mutate", nil, flowtest.Data{"mutate": ints(1)}, nil, ""},
		{"flow_dependent", nil, flowtest.Data{"input": ints(1, 2)}, nil, "output: 1 2"},
		{"tagged_flow_dependent", nil, flowtest.Data{"tagged_input": ints(1, 2), "untagged_input": strs("a", "b", "c")}, nil, "tagged_output: 1 2; untagged_output: a b c"},
		{"tagged_flow_dependent", nil, nil, []string{}, ""}, // ends at once without inputs
		{"duplicate", pipe.Set("copies", "1"), flowtest.Data{"input": ints(1, 2)}, nil, "duplicate: 1 1 2 2"},
		{"skip", pipe.Set("skip", "2", "offset", "1"), flowtest.Data{"input": ints(1, 2, 3, 4, 5, 6, 7)}, nil, "output: 2 5"},
		{"tunable", pipe.Set("tunable", "a", "non_tunable", "b"), nil, nil, "non_tunable: b; tunable: a"},
		{"pass", nil, flowtest.Data{"pass": ints(1, 2)}, nil, "pass: 1 2"},
		{"sink", nil, flowtest.Data{"sink": ints(1, 2)}, nil, ""},
		{"multiplexer", nil, flowtest.Data{"g/a": ints(1, 2), "g/b": ints(3, 4, 5)}, []string{"g"}, "g: 1 3 2 4"},
		{"print_config", pipe.Set("x:y", "1"), flowtest.Data{"p": ints(1), "q": ints(1, 2)}, nil, ""},
		{"frame_list_input", pipe.Set("image_list_file", "list.txt"), nil, nil, "image: 8x4 6x2; image_file_name: a.png b.png; timestamp: frame 1, 0.000000 s frame 2, 0.033333 s"},
		{"image_file_reader", pipe.Set("error_mode", "skip"), flowtest.Data{"image_file_name": strs("a.png", "lines.txt", "nowhere.png", "b.png")}, nil, "image: 8x4 6x2; image_file_name: a.png b.png; timestamp: frame 1, 0.000000 s frame 2, 0.333333 s"},
		{"image_writer", pipe.Set("file_name_template", "w%03d.png"), flowtest.Data{"image": images}, nil, ""},
		{"split_image", nil, flowtest.Data{"image": images}, nil, "left_image: 4x4 3x2; right_image: 4x4 3x2"},
		{"merge_image", nil, flowtest.Data{"a": images, "b": images}, nil, "image: 16x4 12x2"},
		{"downsample", pipe.Set("target_frame_rate", "1", "renumber_frames", "true"), flowtest.Data{"timestamp": stamps, "frame_rate": ints(2, 2, 2, 2), "input_1": ints(1, 2, 3, 4)}, []string{"timestamp", "output_1"}, "output_1: 1 3; timestamp: frame 0, 0.000000 s frame 1, 1.000000 s"},
		{"detected_object_input", pipe.Set("file_name", "det.csv", "reader:type", "viame_csv"), nil, nil, "detected_object_set: 2 detections 1 detections; image_file_name: a.png b.png"},
		{"detected_object_output", pipe.Set("file_name", "o.csv", "writer:type", "csv"), flowtest.Data{"detected_object_set": {flow.Of(pic.Detections{{Left: 1}}), flow.Of(pic.Detections{})}}, nil, ""},
		{"draw_detected_object_set", nil, flowtest.Data{"image": images, "detected_object_set": sets}, nil, "image: 8x4 6x2"},
		{"draw_object_tracks", nil, flowtest.Data{"image": images, "object_track_set": tracks}, nil, "image: 8x4 6x2"},
		{"draw_tracks", nil, flowtest.Data{"image": images, "feature_track_set": tracks}, nil, "output_image: 8x4 6x2"},
		{"merge_detection_sets", nil, flowtest.Data{"a": sets, "b": sets}, nil, "detected_object_set: 2 detections 4 detections"},
		{"shift_detected_object_set", pipe.Set("offset", "1"), flowtest.Data{"detected_object_set": sets}, nil, "detected_object_set: 0 detections 1 detections 2 detections"},
		{"read_object_track", pipe.Set("file_name", "tracks.csv", "reader:type", "viame_csv"), nil, nil, "object_track_set: 1 tracks 2 tracks 2 tracks"},
		{"write_object_track", pipe.Set("file_name", "tr.csv", "writer:type", "viame_csv"), flowtest.Data{"object_track_set": tracks}, nil, ""},
		{"video_input", pipe.Set("video_filename", "list.txt", "video_reader:type", "image_list", "frame_time", "1"), nil, []string{"image", "timestamp", "file_name"}, "file_name: a.png b.png; image: 8x4 6x2; timestamp: frame 1, 1.000000 s frame 2, 2.000000 s"},
		{"serializer", nil, flowtest.Data{"g/a": ints(1, 2), "g/b": strs("x", "y")}, []string{"g"}, ""},
		{"file_transport_send", nil, flowtest.Data{"serialized_message": {flow.Of([]byte("abc"))}}, nil, ""},
		{"resize", pipe.Set("width", "2"), flowtest.Data{"image": images}, nil, "image: 2x1 2x1"},
		{"contact_sheet", pipe.Set("columns", "1", "width", "4"), flowtest.Data{"image": images}, nil, "image: 4x7"},
		{"grey", nil, flowtest.Data{"image": images}, nil, "image: 8x4 6x2"},
		{"image_stats", nil, flowtest.Data{"image": images}, nil, "mean: 165.5 165.5; text: width 8 height 4 min 76 mean 165.50 max 255 deviation 89.50 width 6 height 2 min 76 mean 165.50 max 255 deviation 89.50"},
		{"text_read", pipe.Set("file_name", "lines.txt"), nil, nil, "text: one two  three"},
		{"text_write", pipe.Set("file_name", "t.txt", "prefix", "> "), flowtest.Data{"text": strs("a", "b")}, nil, ""},
		{"http_get", pipe.Set("base", server.URL, "header:X-A", "h"), flowtest.Data{"url": strs("/x", "/y")}, nil, "body: GET /x h GET /y h; status: 200 200"},
		{"http_post", pipe.Set("url", server.URL+"/p"), flowtest.Data{"body": ints(3)}, nil, "body: POST /p 3; status: 200"},
	}
	for _, c := range cases {
		t.Run(c.typ, func(t *testing.T) {
			typ, ok := Standard().Lookup(c.typ)
			if !ok {
				t.Fatal("no such type")
			}
			flowtest.Verify(t, flowtest.Case{Type: typ, Config: c.config, In: c.in, Out: c.out, Dir: dir})
			got, err := flowtest.Feed(typ, c.config, c.in, outs(typ, c.out), 1000, flow.Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if have := show(got); c.want != "" && have != c.want {
				t.Errorf("have %s\nwant %s", have, c.want)
			}
		})
	}
	for name, want := range map[string]string{"serialized_data.dat": "\x03\x00\x00\x00abc", "p.txt": "1\n2\n", "t.txt": "> a\n> b\n", "o.csv": "# frame,file,left,top,right,bottom,confidence,name,score\n1,,1,0,0,0,0\n"} {
		if have, _ := os.ReadFile(filepath.Join(dir, name)); string(have) != want {
			t.Errorf("%s holds %q, want %q", name, have, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "w002.png")); err != nil {
		t.Error(err)
	}
}

func outs(typ *pipe.Type, out []string) []string {
	if out == nil {
		for _, p := range typ.Out {
			if !p.Pattern() {
				out = append(out, p.Name)
			}
		}
	}
	return out
}

// show formats data as one line, with sorted ports.
func show(d flowtest.Data) string {
	var ports []string
	for port, data := range d {
		s := port + ":"
		for _, x := range data {
			switch v := x.Value().(type) {
			case *tensor.Tensor:
				s += fmt.Sprintf(" %dx%d", v.Shape[1], v.Shape[0])
			case pic.Detections:
				s += fmt.Sprintf(" %d detections", len(v))
			case nil:
				s += " " + x.Kind().String()
			default:
				text := x.Text()
				if strings.HasPrefix(text, "/") { // a file in a temporary folder
					text = filepath.Base(text)
				}
				s += " " + text
			}
		}
		ports = append(ports, s)
	}
	for i := range ports {
		for j := i + 1; j < len(ports); j++ {
			if ports[j] < ports[i] {
				ports[i], ports[j] = ports[j], ports[i]
			}
		}
	}
	return strings.Join(ports, "; ")
}

const shellDouble = `while read line; do n=${line##*:}; n=${n%%\}*}; echo "{\"out\": $((n*2))}"; done`

// TestExec runs child programs, including some that misbehave.
func TestExec(t *testing.T) {
	need.Slow(t)
	typ, _ := Standard().Lookup("exec")
	cases := []struct {
		name, command string
		in            flowtest.Data
		out           []string
		want, fail    string
	}{
		{"shell", "sh -c '" + shellDouble + "'", flowtest.Data{"n": ints(1, 2, 3)}, []string{"out"}, "out: 2 4 6", ""},
		{"cat", "cat", flowtest.Data{"n": {flow.OfFloat(1.5), flow.OfText("x \" y"), flow.Of(true)}}, []string{"n"}, "n: 1.5 x \" y true", ""},
		{"source", `sh -c 'for i in 1 2 3; do read l; echo "{\"n\": $i}"; done'`, nil, []string{"n"}, "n: 1 2 3", ""},
		{"sink", "sh -c 'cat >/dev/null'", flowtest.Data{"n": ints(1, 2)}, nil, "", ""},
		{"missing member is empty", `sh -c 'while read l; do echo "{}"; done'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "out: empty", ""},
		{"dies", `sh -c 'read l; echo "{\"out\":1}"; echo it hurts >&2; exit 3'`, flowtest.Data{"n": ints(1, 2, 3)}, []string{"out"}, "", "failed in step 2: the program `sh` ended with exit status 3 before its input did; its last output was `it hurts`"},
		{"killed", `sh -c 'read l; kill -9 $$'`, flowtest.Data{"n": ints(1, 2, 3)}, []string{"out"}, "", "failed in step 1: the program `sh` ended with signal: killed"},
		{"says no", `sh -c 'read l; echo "{\"_error\":\"no\"}"; cat >/dev/null'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "", "failed in step 1: the program reports: no"},
		{"nonsense", `sh -c 'read l; echo nonsense; cat >/dev/null'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "", "the program's answer is not a JSON object: `nonsense`"},
		{"junk after the answer", `sh -c 'read l; echo "{\"out\":1} junk"; cat >/dev/null'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "", "the program's answer is not a JSON object: `{\"out\":1} junk`"},
		{"not finite", `sh -c 'read l; echo "{\"out\":NaN}"; cat >/dev/null'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "", "the program's answer has a number that is not finite, which JSON cannot represent"},
		{"null", `sh -c 'read l; echo null; cat >/dev/null'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "", "the program's answer is not a JSON object: `null`"},
		{"too large", `sh -c 'read l; echo "{\"out\":1e999}"; cat >/dev/null'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "", "member `out` of the program's answer: `1e999` is too large for a number"},
		{"misspelt member", `sh -c 'read l; echo "{\"uot\":1}"; cat >/dev/null'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "", "the program's answer has no member `out`, but has `uot`, which is not a connected port"},
		{"surplus member", `sh -c 'read l; echo "{\"out\":1,\"note\":2}"; cat >/dev/null'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "out: 1", ""},
		{"says no in an object", `sh -c 'read l; echo "{\"_error\":404}"; cat >/dev/null'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "", "the program reports: 404"},
		{"a grandchild stays", `sh -c 'sleep 1000 & read l; echo "{\"out\":1}"; cat >/dev/null'`, flowtest.Data{"n": ints(1)}, []string{"out"}, "out: 1", ""},
		{"a source without a consumer left", `sh -c 'while :; do echo "{\"n\": 1}"; sleep 0.01; done'`, nil, []string{"n"}, "n: 1 1 1", ""},
		{"fails at its end", `sh -c 'cat >/dev/null; exit 4'`, flowtest.Data{"n": ints(1)}, nil, "", "failed in finalize after step 1: the program `sh` ended with exit status 4"},
		{"no such program", "pentode-no-such-program", flowtest.Data{"n": ints(1)}, nil, "", "the program `pentode-no-such-program` cannot be started: executable file not found"},
		{"no command", "''", flowtest.Data{"n": ints(1)}, nil, "", "cannot be started"},
		{"open quote", "sh 'a", flowtest.Data{"n": ints(1)}, nil, "", "a quote is not closed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			schedulers := flow.Schedulers()
			if !need.Full() && c.name == "a grandchild stays" { // waiting for its end takes time
				schedulers = schedulers[:1]
			}
			for _, scheduler := range schedulers {
				got, err := flowtest.Feed(typ, pipe.Set("command", c.command), c.in, c.out, 3, flow.Options{Scheduler: scheduler, Dir: t.TempDir()})
				if c.fail == "" && err != nil || c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)) {
					t.Fatalf("%s: have %v\nwant %s", scheduler, err, c.fail)
				}
				if have := show(got); c.fail == "" && have != c.want {
					t.Errorf("%s: have %s\nwant %s", scheduler, have, c.want)
				}
			}
		})
	}
}

// TestExecSays: everything that a child prints reaches the log, and so does a warning if it answers more often than requested.
func TestExecSays(t *testing.T) {
	typ, _ := Standard().Lookup("exec")
	for _, c := range []struct {
		command string
		out     []string
		want    string
	}{
		{`sh -c 'cat >/dev/null; printf "last word"'`, nil, "last word"},
		{`sh -c 'while read l; do echo "{\"out\":1}"; echo "{\"out\":2}"; done'`, []string{"out"}, "the program wrote more answers than were requested"},
	} {
		var log golden.Buffer
		_, err := flowtest.Feed(typ, pipe.Set("command", c.command), flowtest.Data{"n": ints(1, 2)}, c.out, 1000, flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil || !strings.Contains(log.String(), c.want) {
			t.Errorf("%s: %v, and the log is %s", c.command, err, log.String())
		}
	}
}

// TestExecTimeout: a child that does not answer in time fails its step.
func TestExecTimeout(t *testing.T) {
	typ, _ := Standard().Lookup("exec")
	config := pipe.Set("command", "sleep 1000", "timeout", "0.05")
	_, err := flowtest.Feed(typ, config, flowtest.Data{"n": ints(1)}, []string{"out"}, 1000, flow.Options{})
	if err == nil || !strings.Contains(err.Error(), "failed in step 1: the program `sleep` did not answer within 50ms") {
		t.Errorf("have %v", err)
	}
}

// TestExecSourceStopped: if the pipeline is stopped, a program that is a source and ignores everything is ended, and this is not
// a failure.
func TestExecSourceStopped(t *testing.T) {
	for _, scheduler := range flow.Schedulers() {
		t.Run(scheduler, func(t *testing.T) {
			p := flow.New(Standard())
			p.AddProcess("e", "exec", pipe.Set("command", "sleep 1000"))
			p.AddProcess("s", "sink", nil)
			p.Connect("e.out", "s.sink")
			r, err := p.Start(context.Background(), flow.Options{Scheduler: scheduler})
			if err != nil {
				t.Fatal(err)
			}
			r.Stop()
			if err := r.Wait(); !errors.Is(err, flow.ErrStopped) {
				t.Errorf("have %v", err)
			}
		})
	}
}

// TestExecKilled: a child that never answers is ended with the pipeline, and its standard error is in the log.
func TestExecKilled(t *testing.T) {
	for _, scheduler := range flow.Schedulers() {
		t.Run(scheduler, func(t *testing.T) {
			var log golden.Buffer
			p := flow.New(Standard())
			p.AddProcess("a", "numbers", nil)
			p.AddProcess("e", "exec", pipe.Set("command", "sh -c 'echo I am here >&2; sleep 1000 & sleep 1000'"))
			p.AddProcess("s", "sink", nil)
			p.Connect("a.number", "e.n")
			p.Connect("e.out", "s.sink")
			r, err := p.Start(context.Background(), flow.Options{Scheduler: scheduler, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Abort()
			golden.Until(t, "the log has what the child says", func() bool { return strings.Contains(log.String(), "I am here") }, &log)
			r.Abort()
			if err := r.Wait(); !errors.Is(err, flow.ErrStopped) {
				t.Errorf("have %v", err)
			}
			if !strings.Contains(log.String(), "I am here") || !strings.Contains(log.String(), "process=e") {
				t.Errorf("the log is %s; want %q in log.String() and %q in log.String()", log.String(), "I am here", "process=e")
			}
		})
	}
}

// TestAdapters: a program that sends one set and waits for the answer before it sends the next gets the answer, under every
// scheduler.
func TestAdapters(t *testing.T) {
	for _, scheduler := range flow.Schedulers() {
		t.Run(scheduler, func(t *testing.T) {
			reg := Standard()
			in, out := adapter.NewInput(1), adapter.NewOutput(1)
			for _, typ := range []*pipe.Type{in.Type(), out.Type()} {
				if err := reg.Replace(typ); err != nil {
					t.Fatal(err)
				}
			}
			p := flow.New(reg)
			p.AddProcess("in", "input_adapter", nil)
			p.AddProcess("m", "multiplication", nil)
			p.AddProcess("out", "output_adapter", nil)
			p.Connect("in.a", "m.factor1")
			p.Connect("in.b", "m.factor2")
			p.Connect("m.product", "out.p")
			p.Connect("in.a", "out.a")
			r, err := p.Start(context.Background(), flow.Options{Scheduler: scheduler})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), golden.Patience)
			defer cancel()
			for i := range int64(50) {
				if err := in.Send(ctx, adapter.Set{"a": flow.OfInt(i), "b": flow.OfInt(2)}); err != nil {
					t.Fatal(err)
				}
				set, ok := out.Receive(ctx)
				if !ok || set["p"].Int() != 2*i || set["a"].Int() != i {
					t.Fatalf("have %v %v, want p %d and a %d", set, ok, 2*i, i)
				}
			}
			in.Close()
			if _, ok := out.Receive(ctx); ok {
				t.Error("something came after the end")
			}
			if err := r.Wait(); err != nil {
				t.Fatal(err)
			}
			if err := in.Send(ctx, nil); !errors.Is(err, adapter.ErrClosed) {
				t.Errorf("send after close: %v", err)
			}
		})
	}
}

// TestEmbedded: an embedded pipeline can be started again, knows its ports, and ends Receive if it has no output.
func TestEmbedded(t *testing.T) {
	p := flow.New(Standard())
	p.AddProcess("in", "input_adapter", nil)
	p.AddProcess("m", "multiplication", nil)
	p.AddProcess("out", "output_adapter", nil)
	p.Connect("in.a", "m.factor1")
	p.Connect("in.b", "m.factor2")
	p.Connect("in.a", "out.a")
	p.Connect("m.product", "out.p")
	for range 2 {
		e, err := adapter.Start(t.Context(), p, flow.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if in, out := strings.Join(e.InputPorts(), " "), strings.Join(e.OutputPorts(), " "); in != "a b" || out != "a p" {
			t.Errorf("the ports are %q and %q, want %q and %q", in, out, "a b", "a p")
		}
		if err := e.Send(t.Context(), adapter.Set{"a": flow.OfInt(6), "b": flow.OfInt(7)}); err != nil {
			t.Fatal(err)
		}
		if set, ok := e.Receive(t.Context()); !ok || set["p"].Int() != 42 {
			t.Errorf("have %v %v, want p 42", set, ok)
		}
		e.Close()
		if _, ok := e.Receive(t.Context()); ok {
			t.Error("something came after the end")
		}
		if err := e.Wait(); err != nil {
			t.Error(err)
		}
	}
	p = flow.New(Standard())
	p.AddProcess("in", "input_adapter", nil)
	p.AddProcess("sink", "sink", nil)
	p.Connect("in.a", "sink.sink")
	e, err := adapter.Start(t.Context(), p, flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := e.Receive(t.Context()); ok {
		t.Error("something came of a pipeline without an output")
	}
	e.Close()
	if err := e.Wait(); err != nil {
		t.Error(err)
	}
}

// TestOutputTwice: an output that was used in a run refuses another run.
func TestOutputTwice(t *testing.T) {
	reg, out := Standard(), adapter.NewOutput(1)
	if err := reg.Replace(out.Type()); err != nil {
		t.Fatal(err)
	}
	p := flow.New(reg)
	p.AddProcess("a", "numbers", pipe.Set("end", "1"))
	p.AddProcess("out", "output_adapter", nil)
	p.Connect("a.number", "out.n")
	if err := p.Run(t.Context(), flow.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context(), flow.Options{}); err == nil || !strings.Contains(err.Error(), "process `out` cannot be set up: its adapter.Output has served a run already") {
		t.Errorf("have %v", err)
	}
}

// TestStdin: a pipeline that waits for standard input can be stopped.
func TestStdin(t *testing.T) {
	need.Slow(t)
	for _, how := range []string{"stop", "abort"} {
		for _, scheduler := range flow.Schedulers() {
			t.Run(how+" "+scheduler, func(t *testing.T) {
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				defer w.Close()
				fmt.Fprintln(w, "first")
				var out golden.Buffer
				p := flow.New(Standard())
				p.AddProcess("r", "text_read", pipe.Set("file_name", "-"))
				p.AddProcess("w", "text_write", pipe.Set("file_name", "-"))
				p.Connect("r.text", "w.text")
				run, err := p.Start(context.Background(), flow.Options{Scheduler: scheduler, Stdin: r, Stdout: &out})
				if err != nil {
					t.Fatal(err)
				}
				defer run.Abort()
				golden.Until(t, "the first line is written", func() bool { return out.String() != "" })
				if how == "stop" {
					run.Stop()
				} else {
					run.Abort()
				}
				select {
				case <-run.Done():
				case <-time.After(golden.Patience):
					t.Fatal("hangs")
				}
				if err := run.Wait(); !errors.Is(err, flow.ErrStopped) {
					t.Errorf("have %v", err)
				}
				if out.String() != "first\n" {
					t.Errorf("have %q, want %q", out.String(), "first\n")
				}
			})
		}
	}
}
