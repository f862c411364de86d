package video

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func inputType() *pipe.Type {
	return &pipe.Type{
		Name:    "video_input",
		Version: "KWIVER 1.8",
		New:     func() pipe.Process { return &input{} },
		Doc:     "Reads a video frame by frame, through ffmpeg, or the images of a list.",
		Out: []pipe.Port{
			{Name: "timestamp", Type: timestampType, Doc: "Number and time of the frame, counted from 1."},
			{Name: "image", Type: imageType, Flags: pipe.Shared, Doc: "The frame; from a video, with 8 bits each for red, green and blue."},
			{Name: "metadata", Type: metadataType, Flags: pipe.Shared, Doc: "Metadata of the file."},
			{Name: "frame_rate", Type: rateType, Doc: "Frames per second."},
			{Name: "file_name", Type: fileNameType, Only: viame, Doc: "Name of the video, or of the image."},
		},
		Keys: []pipe.Key{
			{Name: "video_filename", Kind: pipe.String, Reads: true, Doc: "The video, or the list."},
			{Name: "video_reader", Kind: pipe.Algo, Role: "video_input", Doc: "video_reader:type is image_list for a list of images, one name per line, or a folder of images; anything else is a video, which ffmpeg reads. Keys of video_reader:image_list are skip_bad_images (a damaged image is an empty datum), disable_image_load (names and times only), sort_by_time, path, allowed_extensions, image_reader:type = add_timestamp_from_filename, which takes times from names, and image_reader:vxl:force_byte, which keeps the low byte of deeper images, as upstream does."},
			{Name: "frame_time", Kind: pipe.Double, Default: "0.03333333", Doc: "Seconds between two frames, if the file does not say."},
			{Name: "start_at_frame", Kind: pipe.Unsigned, Default: "0", Doc: "First frame to read, counted from 1; 0 means the first of the video."},
			{Name: "stop_after_frame", Kind: pipe.Unsigned, Default: "0", Doc: "Last frame to read; 0 means the last of the video."},
			{Name: "no_path_in_name", Kind: pipe.Bool, Only: viame, Default: "true", Doc: "Whether file names are output without their folder."},
			{Name: "exit_on_invalid", Kind: pipe.Bool, Only: viame, Default: "true", Doc: "Whether an image that cannot be read ends the run; a damaged first image always does."},
		},
	}
}

const (
	viame     = "VIAME"
	readerKey = "video_reader:type"
)

// A frame is one image of a video or a list.
type frame struct {
	stamp pic.Timestamp
	image flow.Datum
	tags  map[string]any
	file  string
}

// A source returns frames one by one, and io.EOF after the last one.
type source interface {
	next(pipe.Step) (frame, error)
	Close() error
}

// input is a process that pushes the frames of a source.
type input struct {
	source
	rate         float64
	bare         bool // push the names of files without their folders
	stamp, image *flow.Out
	meta, rated  *flow.Out
	named        *flow.Out
}

func (v *input) Setup(s *flow.Setup) (err error) {
	if s.Value("video_filename") == "" {
		return s.Errorf("video_filename", "key `video_filename` has no value: expected the name of a video, or of a list of images")
	}
	v.stamp, v.image, v.meta, v.rated, v.named = s.Out("timestamp"), s.Out("image"), s.Out("metadata"), s.Out("frame_rate"), s.Out("file_name")
	v.bare = s.Bool("no_path_in_name")
	if every := s.Float("frame_time"); !(every > 0) {
		return s.Errorf("frame_time", "key `frame_time` is %v, but must be larger than 0", every)
	}
	if strings.TrimSpace(s.Value(readerKey)) == "image_list" {
		v.rate = 1 / s.Float("frame_time")
		v.source, err = openList(s)
		return err
	}
	film, err := openFilm(s)
	if film != nil {
		v.source, v.rate = film, film.rate
	}
	return err
}

func (v *input) Step(s pipe.Step) error {
	f, err := v.next(s)
	if errors.Is(err, io.EOF) {
		s.Complete()
		return nil
	}
	if err != nil {
		return err
	}
	if v.bare {
		f.file = filepath.Base(f.file)
	}
	v.stamp.Push(flow.Of(f.stamp))
	v.image.Push(f.image)
	v.meta.Push(flow.Of(f.tags))
	v.rated.Push(flow.OfFloat(v.rate))
	v.named.Push(flow.OfText(f.file))
	return nil
}

func (v *input) Close() error {
	if v.source == nil {
		return nil
	}
	return v.source.Close()
}
