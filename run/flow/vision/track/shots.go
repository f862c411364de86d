package track

import (
	"math"
	"slices"

	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

func shotsType() *pipe.Type {
	return &pipe.Type{
		Name: "detect_shot_breaks",
		New:  func() pipe.Process { return &shots{} },
		Doc:  "Makes tracks from frames with exactly one detection; a new track begins after a number of frames, or when the image changes.",
		In: []pipe.Port{{Name: "image", Type: imageType, Doc: "The frame, for detecting changes."}, stampIn(0),
			{Name: "detected_object_set", Type: detectionType, Flags: pipe.Required, Doc: "Detections of the frame; frames without exactly one detection are ignored."}},
		Out: []pipe.Port{stampOut(), tracksOut("The track up to the frame.")},
		Keys: []pipe.Key{
			{Name: "fixed_frame_count", Kind: pipe.Unsigned, Default: "0", Doc: "Frames of a track; 0 means unlimited."},
			{Name: "use_shot_break_detection", Kind: pipe.Bool, Default: "false", Doc: "Whether a change of the image begins a new track."},
			{Name: "shot_break_threshold", Kind: pipe.Double, Default: "0.3", Doc: "Difference from which the image counts as changed, from 0 to 1."},
			{Name: "shot_break_method", Kind: pipe.String, Default: "histogram", Choices: []string{"histogram", "pixel_diff", "combined", "feature", "descriptor"}, Doc: "How changes are measured: by the histograms of levels (histogram), by the mean difference of pixels (pixel_diff), or by the larger of both (combined); feature and descriptor need OpenCV."},
			{Name: "min_track_length", Kind: pipe.Unsigned, Default: "1", Doc: "Number of frames before which changes are ignored."},
			{Name: "max_track_length", Kind: pipe.Unsigned, Default: "0", Doc: "Number of frames after which a new track begins in any case, if changes are detected; 0 means never."},
			{Name: "histogram_bins", Kind: pipe.Unsigned, Default: "32", Doc: "Histogram bins per channel, from 4 to 256."},
			{Name: "min_feature_matches", Kind: pipe.Unsigned, Default: "20", Doc: "For the method feature."},
			{Name: "feature_match_ratio", Kind: pipe.Double, Default: "0.3", Doc: "For the method feature."},
			{Name: "descriptor_distance_threshold", Kind: pipe.Double, Default: "0.5", Doc: "For the method descriptor."},
			{Name: "feature_detector", Kind: pipe.Algo, Role: "detect_features", Doc: "For the method feature."},
			{Name: "descriptor_extractor", Kind: pipe.Algo, Role: "extract_descriptors", Doc: "For the method feature."},
			{Name: "feature_matcher", Kind: pipe.Algo, Role: "match_features", Doc: "For the method feature."},
			{Name: "frame_descriptor_extractor", Kind: pipe.Algo, Doc: "For the method descriptor."},
		},
		Lacks: func(v pipe.Values) error {
			if method := v.Value("shot_break_method"); v.Bool("use_shot_break_detection") && (method == "feature" || method == "descriptor") {
				return v.Errorf("shot_break_method", "the method `%s` needs OpenCV, which is not part of this program: use histogram, pixel_diff or combined", method)
			}
			return nil
		},
	}
}

type shots struct {
	fixed, least, most  int
	looks               bool
	threshold           float64
	method              string
	bins                int
	states              []pic.TrackState
	id                  int64
	before              *tensor.Tensor
	counts, countsOld   []float64
	image, stamp, found *flow.In
	stampOut, out       *flow.Out
}

func (p *shots) Setup(s *flow.Setup) error {
	p.fixed, p.looks, p.threshold, p.method = int(s.Int("fixed_frame_count")), s.Bool("use_shot_break_detection"), s.Float("shot_break_threshold"), s.Value("shot_break_method")
	p.least, p.most, p.bins, p.id = int(s.Int("min_track_length")), int(s.Int("max_track_length")), int(min(max(s.Int("histogram_bins"), 4), 256)), 1
	if p.most > 0 {
		p.most = max(p.most, p.least)
	}
	p.image, p.stamp, p.found, p.stampOut, p.out = s.In("image"), s.In("timestamp"), s.In("detected_object_set"), s.Out("timestamp"), s.Out("object_track_set")
	return nil
}

func (p *shots) Step(pipe.Step) error {
	img, stamp := p.image.Take(), p.stamp.Take()
	set := flow.As[pic.Detections](p.found.Take())
	broken := p.looks && img.IsData() && p.changed(img.Array())
	if (broken || p.fixed > 0 && len(p.states) >= p.fixed) && len(p.states) > 0 {
		p.id++
		p.states = nil
		if broken {
			p.countsOld = nil
		}
	}
	if len(set) == 1 {
		p.states = append(p.states, state(stampOf(stamp), set[0]))
	}
	p.stampOut.Push(stamp)
	p.out.Push(flow.Of(pic.Tracks{{ID: p.id, States: slices.Clip(p.states)}}))
	return nil
}

// changed reports whether the image differs enough from the previous one.
func (p *shots) changed(img *tensor.Tensor) bool {
	switch {
	case p.most > 0 && len(p.states) >= p.most:
		return true
	case len(p.states) < p.least || p.before == nil:
		p.before, p.countsOld = img, histogram(nil, img, p.bins)
		return false
	}
	change := 0.0
	if p.method != "histogram" {
		change = difference(p.before, img)
	}
	if p.method != "pixel_diff" {
		p.counts = histogram(p.counts, img, p.bins)
		if p.countsOld == nil && p.method == "combined" {
			p.countsOld = histogram(nil, p.before, p.bins)
		}
		if len(p.countsOld) == len(p.counts) {
			change = max(change, 1-common(p.countsOld, p.counts))
		}
		p.counts, p.countsOld = p.countsOld, p.counts
	}
	p.before = img
	return change >= p.threshold
}

// stride returns the distance between the pixels that are compared.
func stride(img *tensor.Tensor) int { return max(1, min(img.Shape[0], img.Shape[1])/100) }

// channelsOf returns the number of channels of an image.
func channelsOf(img *tensor.Tensor) int {
	if len(img.Shape) < 3 {
		return 1
	}
	return img.Shape[2]
}

// histogram counts the levels of each channel, as shares of the examined pixels.
func histogram(counts []float64, img *tensor.Tensor, bins int) []float64 {
	n, step, seen := channelsOf(img), stride(img), 0.0
	counts = slices.Grow(counts[:0], bins*n)[:bins*n]
	clear(counts)
	for y := 0; y < img.Shape[0]; y += step {
		for x := 0; x < img.Shape[1]; x += step {
			at := (y*img.Shape[1] + x) * n
			for c := range n {
				counts[c*bins+int(img.At(at+c))&255*bins/256]++
			}
			seen++
		}
	}
	for i := range counts {
		counts[i] /= seen
	}
	return counts
}

// common returns the overlap of two histograms, summed over the channels.
func common(a, b []float64) (sum float64) {
	for i := range a {
		sum += min(a[i], b[i])
	}
	return sum
}

// difference returns the mean difference of two images, as a share of all levels; 1 if their sizes
// differ.
func difference(a, b *tensor.Tensor) float64 {
	if !slices.Equal(a.Shape, b.Shape) {
		return 1
	}
	n, step, sum, seen := channelsOf(a), stride(a), 0.0, 0.0
	for y := 0; y < a.Shape[0]; y += step {
		for x := 0; x < a.Shape[1]; x += step {
			at := (y*a.Shape[1] + x) * n
			for c := range n {
				sum += math.Abs(a.At(at+c) - b.At(at+c))
			}
			seen += float64(n)
		}
	}
	return sum / (255 * seen)
}
