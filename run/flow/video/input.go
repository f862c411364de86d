package video

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func inputType() *flow.Type {
	return &flow.Type{
		Name:    "video_input",
		Version: "KWIVER 1.8",
		New:     func() flow.Process { return &input{} },
		Doc:     "Reads a video frame by frame, through ffmpeg.",
		Out: []flow.Port{
			{Name: "timestamp", Type: timestampType, Doc: "Number and time of the frame, counted from 1."},
			{Name: "image", Type: imageType, Flags: flow.Shared, Doc: "The frame, with 8 bits of red, green and blue."},
			{Name: "metadata", Type: metadataType, Flags: flow.Shared, Doc: "What the file says of itself."},
			{Name: "frame_rate", Type: rateType, Doc: "Frames a second."},
		},
		Keys: []flow.Key{
			{Name: "video_filename", Kind: flow.String, Doc: "The video."},
			{Name: "video_reader", Kind: flow.Algo, Doc: "Accepted and not needed: what ffmpeg reads is read, but no list of images."},
			{Name: "frame_time", Kind: flow.Double, Default: "0.03333333", Doc: "Seconds between two frames where the file does not say."},
			{Name: "start_at_frame", Kind: flow.Unsigned, Default: "0", Doc: "First frame to read, counted from 1; 0 is the first."},
			{Name: "stop_after_frame", Kind: flow.Unsigned, Default: "0", Doc: "Last frame to read; 0 is the last."},
		},
		Judge: func(v flow.Values) error {
			if strings.TrimSpace(v.Value(readerKey)) == "image_list" { // ffmpeg would show the names of the images as a film
				return v.Errorf(readerKey, "`video_input` does not read lists of images here, only videos; `frame_list_input` with `image_list_file` reads a list")
			}
			return nil
		},
	}
}

const readerKey = "video_reader:type"

// input reads raw frames from ffmpeg. Every frame of the file comes once:
// none is dropped or repeated to keep a rate.
type input struct {
	info
	name         string
	frame, last  int64 // that was read; that is read at last, or 0
	cmd          *exec.Cmd
	frames       io.Reader
	errs         bytes.Buffer
	stamp, image *flow.Out
	meta, rated  *flow.Out
}

func (v *input) Setup(s *flow.Setup) error {
	if s.Value("video_filename") == "" {
		return s.Errorf("video_filename", "key `video_filename` has no value: expected the name of a video")
	}
	v.name = s.Path(s.Value("video_filename"))
	v.stamp, v.image, v.meta, v.rated = s.Out("timestamp"), s.Out("image"), s.Out("metadata"), s.Out("frame_rate")
	found, err := probe(s.Context(), v.name)
	if err != nil {
		return s.Errorf("video_filename", "%w", err)
	}
	v.info = *found
	if v.rate == 0 {
		every := s.Float("frame_time")
		if !(every > 0) {
			return s.Errorf("frame_time", "key `frame_time` is %v, but must be larger than 0", every)
		}
		v.rate = 1 / every
	}
	v.frame, v.last = max(0, s.Int("start_at_frame")-1), s.Int("stop_after_frame")
	args := []string{"-v", "error", "-nostdin", "-i", "file:" + v.name, "-map", "0:v:0"}
	if v.frame > 0 {
		args = append(args, "-vf", "select=gte(n\\,"+strconv.FormatInt(v.frame, 10)+")")
	}
	args = append(args, "-vsync", "0", "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1")
	v.cmd = exec.CommandContext(s.Context(), "ffmpeg", args...)
	v.cmd.Stderr = &v.errs
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := v.cmd.Start(); err != nil {
		v.cmd = nil
		return missing(err, err)
	}
	v.frames = bufio.NewReaderSize(out, 1<<20)
	return nil
}

func (v *input) Step(s *flow.Step) error {
	if v.last > 0 && v.frame >= v.last {
		s.Complete()
		return nil
	}
	img := tensor.New(tensor.Uint8, v.height, v.width, 3)
	var err error
	s.AwaitProgram(func(context.Context) { _, err = io.ReadFull(v.frames, img.Data) })
	switch {
	case errors.Is(err, io.EOF):
		s.Complete()
		return v.ended(s)
	case err != nil:
		_ = v.wait(s) // what it said last matters more
		return fmt.Errorf("the video `%s` ends within frame %d: %s", v.name, v.frame+1, lastLine(v.errs.String(), "it is damaged"))
	}
	v.stamp.Push(flow.Of(pic.Timestamp{Frame: v.frame + 1, Time: float64(v.frame) / v.rate}))
	v.image.Push(flow.Of(img))
	v.meta.Push(flow.Of(v.tags))
	v.rated.Push(flow.OfFloat(v.rate))
	v.frame++
	return nil
}

// ended is the error of ffmpeg, if any.
func (v *input) ended(s *flow.Step) error {
	if err := v.wait(s); err != nil {
		return fmt.Errorf("the video `%s` cannot be read to its end: %s", v.name, lastLine(v.errs.String(), err.Error()))
	}
	return nil
}

// wait waits for the end of ffmpeg, after which all is there that it said.
func (v *input) wait(s *flow.Step) (err error) {
	cmd := v.cmd
	v.cmd = nil
	s.AwaitProgram(func(context.Context) { err = cmd.Wait() })
	return err
}

func (v *input) Close() error {
	if v.cmd != nil {
		v.cmd.Process.Kill()
		v.cmd.Wait()
	}
	return nil
}
