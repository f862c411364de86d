package sprokit

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// tracking is a pipeline of an installation whose types have ports and keys that their declarations here do not have.
const tracking = `
config _pipeline:_edge
  :capacity 5
include input.pipe

process downsampler
  :: downsample
  :target_frame_rate 5
connect from input.image      to downsampler.input_1
connect from input.file_name  to downsampler.input_2
connect from input.frame_rate to downsampler.frame_rate
connect from input.timestamp  to downsampler.timestamp

process detector
  :: image_object_detector
  :frame_offset 1
  block detector:netharn
    :threshold 0.1
  endblock
connect from downsampler.output_1 to detector.image
connect from downsampler.timestamp to detector.timestamp

process tracker
  :: of_another_program
connect from detector.detected_object_set to tracker.detections

process writer
  :: image_writer
  :file_name_template out%04d.png
connect from downsampler.output_1 to writer.image
connect from downsampler.output_2 to writer.image_file_name
`

// TestMistakesInAnInstallation: differences that an installation may have are not errors, but real mistakes in its pipelines are, both with the
// declarations of this program and with the installation's.
func TestMistakesInAnInstallation(t *testing.T) {
	imported := catalog.Standard()
	err := catalog.AddTypes(imported, strings.NewReader(`[{"type": "downsample", "version": "Fork 1", "keys": "open",
		"in": [["timestamp", "kwiver:timestamp", "required"], ["frame_rate", "kwiver:frame_rate"], ["input_<n>", "_any"]],
		"out": [["timestamp", "kwiver:timestamp"], ["output_<n>", "_any"]], "config": [["target_frame_rate", "double", "1"]]}]`))
	if err != nil {
		t.Fatal(err)
	}
	for name, registry := range map[string]*pipe.Registry{"built in": catalog.Standard(), "imported": imported} {
		t.Run(name, func(t *testing.T) {
			check := func(text string) diag.List {
				env := &load.Env{Dir: ".", Opener: source.Map{"input.pipe": "process input :: video_input\n  :exit_on_invalid false\n"}}
				return New(Options{Types: registry}).Parse(source.NewFile("a.pipe", text)).Resolve(env).Diagnostics()
			}
			if list := check(tracking); list.HasErrors() || list.Count(diag.Warning) == 0 {
				t.Errorf("the pipeline itself: %v; want warnings and no errors", list)
			}
			for _, c := range []struct{ mistake, old, new, code string }{
				{"a misspelt keyword", "connect from input.image ", "conect from input.image ", "sprokit/unexpected-token"},
				{"no `to`", "downsampler.timestamp to", "downsampler.timestamp", "sprokit/expected-word"},
				{"an unknown process", "from detector.detected", "from detectors.detected", "sprokit/unknown-process"},
				{"a process twice", "process writer", "process detector", "sprokit/duplicate-process"},
				{"an input twice", "to downsampler.input_2", "to downsampler.input_1", "sprokit/port-connected-twice"},
				{"a misspelt port", "to writer.image\n", "to writer.imgae\n", "sprokit/unknown-port"},
				{"types that differ", "from detector.detected_object_set to tracker.detections", "from detector.detected_object_set to writer.timestamp", "sprokit/type-mismatch"},
				{"ends exchanged", "from input.frame_rate to downsampler.frame_rate", "from downsampler.frame_rate to input.frame_rate", "sprokit/unknown-port"},
				{"no number", ":target_frame_rate 5", ":target_frame_rate five", "sprokit/bad-value"},
				{"a block that is not closed", "  endblock\n", "", "sprokit/unclosed-block"},
				{"a loop", "from input.timestamp  to", "from downsampler.timestamp to", "sprokit/not-a-dag"},
				{"an unknown macro provider", "out%04d.png", "$CONFG{out:name}", "sprokit/unknown-provider"},
				{"a port of a type that is exact", "of_another_program", "sink", "sprokit/unknown-port"},
			} {
				text := strings.Replace(tracking, c.old, c.new, 1)
				if text == tracking {
					t.Fatalf("%s: the text has no %q", c.mistake, c.old)
				}
				found := false
				for _, d := range check(text) {
					found = found || d.Severity == diag.Error && d.Code.ID == c.code
				}
				if !found {
					t.Errorf("%s is no error: %v", c.mistake, check(text))
				}
			}
		})
	}
}
