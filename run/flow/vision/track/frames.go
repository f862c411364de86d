package track

import (
	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func filterFramesType() *pipe.Type {
	return &pipe.Type{
		Name: "filter_frames",
		New:  func() pipe.Process { return &filterFrames{} },
		Doc:  "Passes on images with detections; the others become empty data.",
		In: []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "The image."},
			{Name: "detected_object_set", Type: detectionType, Doc: "Its detections."}},
		Out: []pipe.Port{{Name: "image", Type: imageType, Doc: "The image, or an empty datum."}},
		Keys: []pipe.Key{
			{Name: "detection_threshold", Kind: pipe.Double, Default: "0.0", Doc: "Minimum confidence, or score of a class, of a detection."},
			{Name: "invert", Kind: pipe.Bool, Default: "false", Doc: "Whether images without detections pass instead."},
		},
	}
}

type filterFrames struct {
	threshold float64
	invert    bool
	in, found *flow.In
	out       *flow.Out
}

func (f *filterFrames) Setup(s *flow.Setup) error {
	f.threshold, f.invert = s.Float("detection_threshold"), s.Bool("invert")
	f.in, f.found, f.out = s.In("image"), s.In("detected_object_set"), s.Out("image")
	return nil
}

func (f *filterFrames) Step(pipe.Step) error {
	img := f.in.Take()
	set, _ := f.found.Take().Value().(pic.Detections)
	if f.finds(set) == f.invert {
		img = flow.OfEmpty()
	}
	f.out.Push(img)
	return nil
}

// finds reports whether a detection has enough confidence.
func (f *filterFrames) finds(set pic.Detections) bool {
	for i := range set {
		if set[i].Confidence >= f.threshold {
			return true
		}
		for _, c := range set[i].Classes {
			if c.Score >= f.threshold {
				return true
			}
		}
	}
	return false
}

func frameIndexType() *pipe.Type {
	name := pipe.Port{Name: "image_file_name", Type: fileNameType, Flags: pipe.Required, Doc: "Name of its file."}
	image := pipe.Port{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "The image."}
	out := func(p pipe.Port) pipe.Port {
		p.Flags, p.Freq = 0, pipe.UnknownFreq
		return p
	}
	stamp := stampOut()
	stamp.Freq = pipe.UnknownFreq
	return &pipe.Type{
		Name: "filter_frame_index",
		New:  func() pipe.Process { return &frameIndex{} },
		Doc:  "Passes on frames selected by their numbers.",
		In:   []pipe.Port{stampIn(pipe.Required), name, image},
		Out:  []pipe.Port{stamp, out(name), out(image)},
		Keys: []pipe.Key{
			{Name: "min_frame_count", Kind: pipe.Unsigned, Default: "0", Doc: "First frame that passes."},
			{Name: "max_frame_count", Kind: pipe.Unsigned, Default: "0", Doc: "Last frame that passes; 0 means no limit."},
			{Name: "frame_step", Kind: pipe.Unsigned, Default: "0", Doc: "Minimum distance between two frames that pass."},
		},
		Judge: judgeFrames,
	}
}

type frameIndex struct {
	first, last, step int64
	begun             bool
	passed            int64 // number of the frame that passed last
	ins               [3]*flow.In
	outs              [3]*flow.Out
}

func (f *frameIndex) Setup(s *flow.Setup) error {
	f.first, f.last, f.step = s.Int("min_frame_count"), s.Int("max_frame_count"), s.Int("frame_step")
	for i, name := range []string{"timestamp", "image_file_name", "image"} {
		f.ins[i], f.outs[i] = s.In(name), s.Out(name)
	}
	return nil
}

func (f *frameIndex) Step(pipe.Step) error {
	var data [3]flow.Datum
	for i, in := range f.ins {
		data[i] = in.Take()
	}
	n := stampOf(data[0]).Frame
	if f.last > 0 && (n < f.first || n > f.last) || f.begun && n-f.passed < f.step {
		return nil
	}
	f.begun, f.passed = true, n
	for i, out := range f.outs {
		out.Push(data[i])
	}
	return nil
}

func imageSizeType() *pipe.Type {
	return &pipe.Type{
		Name: "accumulate_image_statistics",
		New:  func() pipe.Process { return &imageSize{} },
		Doc:  "Outputs the size of the first image after all images have arrived.",
		In:   []pipe.Port{{Name: "image", Type: imageType, Flags: pipe.Required, Doc: "An image."}},
		Out: []pipe.Port{
			{Name: "image_width", Type: "kwiver:integer", Doc: "Width of the image; before the end, empty data."},
			{Name: "image_height", Type: "kwiver:integer", Doc: "Height of the image."},
		},
	}
}

type imageSize struct {
	width, height int64
	count         int
	in            *flow.In
	w, h          *flow.Out
}

func (p *imageSize) Setup(s *flow.Setup) error {
	p.in, p.w, p.h = s.In("image"), s.Out("image_width"), s.Out("image_height")
	return nil
}

func (p *imageSize) Step(pipe.Step) error {
	if img := p.in.Take().Array(); p.count == 0 && len(img.Shape) > 1 {
		p.height, p.width = int64(img.Shape[0]), int64(img.Shape[1])
	}
	if p.count++; p.count > 1 { // the last image's datum is sent with the size
		p.w.Push(flow.OfEmpty())
		p.h.Push(flow.OfEmpty())
	}
	return nil
}

// Finalize sends the size.
func (p *imageSize) Finalize(pipe.Step) error {
	if p.count > 0 {
		p.w.Push(flow.OfInt(p.width))
		p.h.Push(flow.OfInt(p.height))
	}
	return nil
}
