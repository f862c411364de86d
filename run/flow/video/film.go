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

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A film reads the frames of a video through ffmpeg. It returns every frame of the file exactly
// once: ffmpeg must not drop or repeat frames to keep a constant rate.
type film struct {
	info
	name        string
	frame, last int64 // number of the last frame that was read; number of the last frame to read, 0: to the end
	cmd         *exec.Cmd
	pixels      io.Reader
	errs        bytes.Buffer
}

// openFilm starts ffmpeg for the video in the configuration.
func openFilm(s *flow.Setup) (*film, error) {
	v := &film{name: s.Path(s.Value("video_filename"))}
	found, err := probe(s.Context(), v.name)
	if err != nil {
		return nil, s.Errorf("video_filename", "%w", err)
	}
	v.info = *found
	s.Reads(v.name)
	if v.rate == 0 {
		v.rate = 1 / s.Float("frame_time")
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
		return nil, err
	}
	if err := v.cmd.Start(); err != nil {
		return nil, missing(err, err)
	}
	v.pixels = bufio.NewReaderSize(out, 1<<20)
	return v, nil
}

func (v *film) next(s pipe.Step) (frame, error) {
	if v.last > 0 && v.frame >= v.last {
		return frame{}, io.EOF
	}
	img := tensor.New(tensor.Uint8, v.height, v.width, 3)
	var err error
	s.AwaitProgram(func(context.Context) { _, err = io.ReadFull(v.pixels, img.Data) })
	switch {
	case errors.Is(err, io.EOF):
		return frame{}, errors.Join(io.EOF, v.ended(s))
	case err != nil:
		_ = v.wait(s) // the last message of ffmpeg matters more than this error
		return frame{}, fmt.Errorf("the video `%s` ends within frame %d: %s", v.name, v.frame+1, lastLine(v.errs.String(), "it is damaged"))
	}
	f := frame{stamp: pic.Timestamp{Frame: v.frame + 1, Time: float64(v.frame) / v.rate}, image: flow.Of(img), tags: v.tags, file: v.name}
	v.frame++
	return f, nil
}

// ended waits for ffmpeg and returns its error, if any.
func (v *film) ended(s pipe.Step) error {
	if err := v.wait(s); err != nil {
		return fmt.Errorf("the video `%s` cannot be read to its end: %s", v.name, lastLine(v.errs.String(), err.Error()))
	}
	return nil
}

// wait waits until ffmpeg has ended and all its messages were read.
func (v *film) wait(s pipe.Step) (err error) {
	cmd := v.cmd
	v.cmd = nil
	s.AwaitProgram(func(context.Context) { err = cmd.Wait() })
	return err
}

func (v *film) Close() error {
	if v.cmd != nil {
		v.cmd.Process.Kill()
		v.cmd.Wait()
	}
	return nil
}
