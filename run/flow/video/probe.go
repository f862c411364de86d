package video

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// maxPixels limits the size of a frame, so that a damaged header cannot ask for too much
// memory.
const maxPixels = 1 << 26

// info has what ffprobe reports about a video.
type info struct {
	width, height int
	rate          float64 // frames per second
	duration      float64 // seconds; 0: unknown
	tags          map[string]any
}

// probe runs ffprobe on a file.
func probe(ctx context.Context, file string) (*info, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("the video `%s` cannot be read: %w", file, problem.Reason(err))
	}
	cmd := exec.CommandContext(ctx, "ffprobe", "-v", "error", "-select_streams", "v:0",
		"-show_entries", "stream=width,height,avg_frame_rate,r_frame_rate,codec_name,pix_fmt:format=duration,format_name:stream_side_data=rotation",
		"-of", "json", "-i", "file:"+file)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, missing(err, fmt.Errorf("the video `%s` cannot be read: %s", file, lastLine(errs.String(), "it is damaged")))
	}
	var found struct {
		Streams []struct {
			Width, Height int
			Average       string                       `json:"avg_frame_rate"`
			Rate          string                       `json:"r_frame_rate"`
			Codec         string                       `json:"codec_name"`
			Pixels        string                       `json:"pix_fmt"`
			SideData      []struct{ Rotation float64 } `json:"side_data_list"`
		}
		Format struct {
			Duration string
			Name     string `json:"format_name"`
		}
	}
	if err := json.Unmarshal(out.Bytes(), &found); err != nil || len(found.Streams) == 0 {
		return nil, fmt.Errorf("the video `%s` cannot be read: it has no video stream", file)
	}
	s := found.Streams[0]
	if s.Width <= 0 || s.Height <= 0 || int64(s.Width)*int64(s.Height) > maxPixels {
		return nil, fmt.Errorf("the video `%s` cannot be read: its frames have %d by %d pixels", file, s.Width, s.Height)
	}
	v := &info{width: s.Width, height: s.Height, rate: fraction(s.Average)}
	for _, d := range s.SideData { // ffmpeg rotates the frames if the camera was turned, so width and height may be swapped
		if math.Abs(math.Mod(d.Rotation, 180)) == 90 {
			v.width, v.height = v.height, v.width
		}
	}
	if v.rate == 0 {
		v.rate = fraction(s.Rate)
	}
	v.duration, _ = strconv.ParseFloat(found.Format.Duration, 64)
	v.tags = map[string]any{"codec": s.Codec, "pixels": s.Pixels, "format": found.Format.Name}
	return v, nil
}

// fraction parses a fraction such as `30000/1001`. It returns 0 if the text is not a
// fraction.
func fraction(text string) float64 {
	a, b, _ := strings.Cut(text, "/")
	num, err1 := strconv.ParseFloat(a, 64)
	den, err2 := strconv.ParseFloat(b, 64)
	if err1 != nil || err2 != nil || !(num > 0) || !(den > 0) {
		return 0
	}
	return num / den
}

// missing returns an error that names ffmpeg or ffprobe if it is not installed, or else the
// other error.
func missing(err, other error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return fmt.Errorf("the program `%s` cannot be started: %w; videos need ffmpeg", e.Name, e.Err)
	}
	return other
}

// lastLine returns the last line that ffmpeg printed, without memory addresses, or other if
// it printed nothing.
func lastLine(text, other string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	if i := strings.Index(line, "] "); strings.HasPrefix(line, "[") && i >= 0 {
		line = line[i+2:]
	}
	if line == "" {
		return other
	}
	return line
}
