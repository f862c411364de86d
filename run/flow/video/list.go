package video

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// listKey is the prefix of the keys for lists of images.
const listKey = "video_reader:image_list:"

// A list is a source that returns the images of a list as frames.
type list struct {
	files             []string
	times             []float64 // time of each file in seconds; nil: frames are evenly spaced in time
	every             float64
	at, last          int64 // index of the next image; index after the last image to read
	skip, names, byte bool  // skip: a damaged image becomes empty; names: images are not read; byte: only the low byte is kept
}

// openList reads the list of images in the configuration.
func openList(s *flow.Setup) (*list, error) {
	l := &list{every: s.Float("frame_time"), names: s.Bool(listKey + "disable_image_load")}
	l.skip = s.Bool(listKey+"skip_bad_images") || !s.Bool("exit_on_invalid")
	dirs := []string{s.Path(".")}
	for dir := range strings.SplitSeq(s.Value(listKey+"path"), string(filepath.ListSeparator)) {
		if dir != "" {
			dirs = append(dirs, s.Path(dir))
		}
	}
	found, err := pic.ReadList(s.Path(s.Value("video_filename")), dirs, l.names)
	if err != nil {
		return nil, s.Errorf("video_filename", "%w", err)
	}
	l.files = found.Files
	if endings := strings.Fields(strings.ReplaceAll(s.Value(listKey+"allowed_extensions"), ";", " ")); len(endings) > 0 {
		l.files = slices.DeleteFunc(l.files, func(f string) bool {
			return !slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(f, e) })
		})
	}
	if err := l.readTimes(s); err != nil {
		return nil, err
	}
	l.at, l.last = max(0, s.Int("start_at_frame")-1), int64(len(l.files))
	if stop := s.Int("stop_after_frame"); stop > 0 {
		l.last = min(l.last, stop)
	}
	s.Expect(max(0, l.last-l.at))
	return l, nil
}

// readTimes reads the times in the names of the files, if the configuration asks for this. It sorts
// the files by time if the configuration asks for a sorted list.
func (l *list) readTimes(s *flow.Setup) error {
	key := listKey + "image_reader:"
	reader := strings.TrimSpace(s.Value(key + "type"))
	const fromName = "add_timestamp_from_filename"
	inner := key + reader + ":"
	if reader == fromName {
		l.times = make([]float64, len(l.files))
		for i, file := range l.files {
			t, err := timeOf(filepath.Base(file))
			if err != nil {
				return s.Errorf(key+"type", "%w", err)
			}
			l.times[i] = t
		}
		inner = key + fromName + ":image_reader:" + s.Value(key+fromName+":image_reader:type") + ":"
	}
	l.byte = s.Bool(inner + "force_byte")
	if l.times != nil && s.Bool(listKey+"sort_by_time") {
		order := make([]int, len(l.files))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case l.times[a] < l.times[b]:
				return -1
			case l.times[a] > l.times[b]:
				return 1
			}
			return 0
		})
		files, times := make([]string, len(order)), make([]float64, len(order))
		for i, at := range order {
			files[i], times[i] = l.files[at], l.times[at]
		}
		l.files, l.times = files, times
	}
	return nil
}

func (l *list) next(s pipe.Step) (frame, error) {
	if l.at >= l.last {
		return frame{}, io.EOF
	}
	i := l.at
	l.at++
	f := frame{stamp: pic.Timestamp{Frame: i + 1, Time: float64(i+1) * l.every}, file: l.files[i], tags: map[string]any{"file": l.files[i]}}
	if l.times != nil {
		f.stamp.Time = l.times[i]
	}
	if l.names {
		f.image = flow.OfEmpty()
		return f, nil
	}
	s.Reads(f.file)
	img, err := pic.Read(f.file)
	if err != nil {
		if !l.skip || i == 0 {
			return frame{}, err
		}
		s.Log().Warn(err.Error() + "; its frame has no image")
		f.image = flow.OfEmpty()
		return f, nil
	}
	f.image = pic.Of(img)
	if l.byte {
		f.image = flow.Of(lowByte(f.image.Array()))
	}
	return f, nil
}

// lowByte keeps the low 8 bits of each element, as upstream does when it converts an image with
// more bits to bytes.
func lowByte(t *tensor.Tensor) *tensor.Tensor {
	size := t.Kind.Size()
	if size == 1 || t.Kind.IsFloat() {
		return t
	}
	low := tensor.New(tensor.Uint8, t.Shape...)
	for i := range low.Data {
		low.Data[i] = t.Data[i*size]
	}
	return low
}

func (l *list) Close() error { return nil }
