package video

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func outputType() *pipe.Type {
	return &pipe.Type{
		Name: "video_output",
		New:  func() pipe.Process { return &output{} },
		Doc:  "Writes images as the frames of a video, through ffmpeg; the suffix of the name decides the format.",
		In: []pipe.Port{
			{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "A frame. All frames must have the size of the first."},
			{Name: "timestamp", Type: timestampType, Doc: "Accepted but not used: frames are spaced by the frame rate."},
			{Name: "frame_rate", Type: rateType, Doc: "Frames per second, read with the first frame; if unconnected, the key decides."},
			{Name: "metadata", Type: metadataType, Doc: "Accepted but not used: no metadata are written."},
		},
		Keys: []pipe.Key{
			{Name: "video_filename", Kind: pipe.String, Writes: true, Required: true, Doc: "The video; it is overwritten."},
			{Name: "frame_rate", Kind: pipe.Double, Default: "30", Doc: "Frames per second, if the port is not connected."},
			{Name: "codec", Kind: pipe.String, Doc: "ffmpeg's name of the codec; empty means the default of the format."},
			{Name: "video_writer", Kind: pipe.Algo, Role: "video_output", Doc: "video_writer:ffmpeg:codec_name is the codec if `codec` is empty, and video_writer:ffmpeg:crf the quality; all other keys are accepted but not used."},
		},
		Judge: func(v pipe.Values) error {
			if rate := v.Float("frame_rate"); !(rate > 0) || rate > 1e6 {
				return v.Errorf("frame_rate", "key `frame_rate` is %v, but must be larger than 0", rate)
			}
			const crf = "video_writer:ffmpeg:crf"
			if n, err := strconv.Atoi(strings.TrimSpace(v.Value(crf))); v.Set(crf) && (err != nil || n < 0 || n > 63) {
				return v.Errorf(crf, "key `%s` is `%s`, but must be a whole number from 0 to 63", crf, v.Value(crf))
			}
			return nil
		},
	}
}

// output is a process that sends raw frames to ffmpeg. It starts ffmpeg with the first frame,
// because the size is not known before.
type output struct {
	name, codec   string
	quality       string // empty: the codec's default
	path          string // path of the complete video
	seal          *seal.Maker
	rate          float64
	width, height int
	ctx           context.Context
	cmd           *exec.Cmd
	pipe          io.WriteCloser
	errs          bytes.Buffer
	in, rated     *flow.In
	stamp, meta   *flow.In
}

func (v *output) Setup(s *flow.Setup) error {
	var err error
	v.seal = s.Results().Seal
	if v.path, err = s.Results().Path(s.Value("video_filename")); err != nil {
		return s.Errorf("video_filename", "the video cannot be written: %w", err)
	}
	v.name, v.rate, v.ctx = s.Value("video_filename"), s.Float("frame_rate"), s.Context()
	v.codec, v.quality = cmp.Or(s.Value("codec"), s.Value("video_writer:ffmpeg:codec_name")), strings.TrimSpace(s.Value("video_writer:ffmpeg:crf"))
	v.in, v.rated, v.stamp, v.meta = s.In("image"), s.In("frame_rate"), s.In("timestamp"), s.In("metadata")
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return s.Errorf("video_filename", "%w", missing(err, err))
	}
	return nil
}

func (v *output) Step(s pipe.Step) error {
	img, err := pic.From(v.in.Take())
	if err != nil {
		return err
	}
	v.stamp.Take()
	v.meta.Take()
	rate := v.rated.Take()
	b := img.Bounds()
	if v.cmd == nil {
		if rate.IsData() && rate.Float() > 0 {
			v.rate = rate.Float()
		}
		if err := v.start(b.Dx(), b.Dy()); err != nil {
			return err
		}
	}
	if b.Dx() != v.width || b.Dy() != v.height {
		return fmt.Errorf("a frame has %d by %d pixels, but the video `%s` has %d by %d; use `resize` to make them equal", b.Dx(), b.Dy(), v.name, v.width, v.height)
	}
	frame, ok := img.(*pic.Raster)
	if !ok || frame.Kind != tensor.Uint8 || frame.Channels != 3 {
		frame = pic.RGB(img)
	}
	s.AwaitProgram(func(context.Context) { _, err = v.pipe.Write(frame.Pix) })
	if err != nil {
		v.pipe.Close()
		v.cmd.Wait()
		return v.failed(err)
	}
	return nil
}

func (v *output) start(width, height int) error {
	if width == 0 || height == 0 {
		return fmt.Errorf("a frame without pixels cannot be written to the video `%s`", v.name)
	}
	v.width, v.height = width, height
	partial, err := outfile.Begin(v.partial(), 0o666) // created here, because ffmpeg would follow a symbolic link
	if err != nil {
		return fmt.Errorf("the video `%s` cannot be written: %w", v.name, problem.Reason(err))
	}
	if err := partial.Close(); err != nil {
		return err
	}
	args := []string{"-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", fmt.Sprintf("%dx%d", width, height),
		"-r", strconv.FormatFloat(v.rate, 'f', -1, 64), "-i", "pipe:0"}
	if v.codec != "" {
		args = append(args, "-c:v", v.codec)
	}
	if v.quality != "" {
		args = append(args, "-crf", v.quality)
	}
	if v.codec != "ffv1" && width%2 == 0 && height%2 == 0 {
		args = append(args, "-pix_fmt", "yuv420p") // a pixel format that every player supports
	}
	if v.seal != nil {
		args = append(args, "-metadata", "comment="+string(v.seal.Text()))
	}
	v.cmd = exec.CommandContext(v.ctx, "ffmpeg", append(args, "file:"+v.partial())...)
	v.cmd.Stderr = &v.errs
	if v.pipe, err = v.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := v.cmd.Start(); err != nil {
		v.cmd = nil
		return missing(err, err)
	}
	return nil
}

// Finalize waits until ffmpeg has written all frames.
func (v *output) Finalize(s pipe.Step) error {
	if v.cmd == nil {
		s.Log().Warn("no frame arrived, so the video `" + v.name + "` is not written")
		return nil
	}
	var err error
	s.AwaitProgram(func(context.Context) {
		v.pipe.Close()
		err = v.cmd.Wait()
	})
	v.cmd = nil
	if err == nil {
		err = os.Rename(v.partial(), v.path)
	}
	if err != nil {
		return v.failed(err)
	}
	outfile.SealFile(v.path, v.seal) // adds the record if it is not in the video yet: not every format has comments
	return nil
}

// partial returns the temporary path of the video until it is complete. It has the same suffix,
// because ffmpeg recognizes the format by it.
func (v *output) partial() string {
	ending := filepath.Ext(v.path)
	return strings.TrimSuffix(v.path, ending) + outfile.Suffix + ending
}

func (v *output) failed(err error) error {
	return fmt.Errorf("the video `%s` cannot be written: %s", v.name, lastLine(v.errs.String(), problem.Reason(err).Error()))
}

func (v *output) Close() error {
	if v.cmd != nil && v.cmd.ProcessState == nil {
		v.pipe.Close()
		v.cmd.Process.Kill()
		v.cmd.Wait()
	}
	return nil
}
