package detect

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/flow"
	pic "github.com/pentode-dev/pentode/run/flow/image"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/vision/internal/algo"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A Writer is a refiner that writes files. It is given their folder before the first image.
type Writer interface{ WriteTo(outfile.Folder) }

func writeChips() algo.Algorithm[Refiner] {
	return algo.Algorithm[Refiner]{
		Name: "ocv_write",
		Doc:  "Writes the part of the image that each detection covers to a file; the detections are unchanged.",
		Keys: []pipe.Key{
			{Name: "pattern", Kind: pipe.String, Writes: true, Default: "%s-%s+%d_%d_%dx%d.png", Doc: "Names of the files. The verbs are replaced, in this order, by the class, the number of the image with six digits, and the left, top, width and height of the part. Upstream uses the file name of the image, if known, instead of its number."},
			{Name: "unknown_label", Kind: pipe.String, Default: "unknown", Doc: "Class used for a detection without one."},
		},
		New: func(s algo.Settings) (Refiner, error) {
			pattern := s.Value("pattern")
			verbs := chipVerb().FindAllString(pattern, -1)
			for i, v := range verbs {
				if i >= len(chipVerbs) || v[len(v)-1] != chipVerbs[i] {
					return nil, s.Errorf("pattern", "`%s` must have at most the verbs %%s, %%s, %%d, %%d, %%d and %%d, in this order", pattern)
				}
			}
			if !pic.Writable(pattern) {
				return nil, s.Errorf("pattern", "`%s` must end in %s", pattern, pic.WriteEndings)
			}
			return &chips{pattern: pattern, unknown: s.Value("unknown_label"), verbs: len(verbs)}, nil
		},
	}
}

// chipVerbs are the kinds of the values in a name, in their order.
const chipVerbs = "ssdddd"

var chipVerb = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[-0-9]{0,4}[a-zA-Z]`) })

type chips struct {
	pattern, unknown string
	verbs            int
	out              outfile.Folder
	image            int
}

func (c *chips) WriteTo(f outfile.Folder) { c.out = f }

func (c *chips) Refine(img *tensor.Tensor, set pic.Detections) (pic.Detections, error) {
	c.image++
	if img == nil {
		return set, nil
	}
	for i := range set {
		d := &set[i]
		left, top := max(0, d.Left), max(0, d.Top)
		x, y := int(left), int(top)
		w, h := int(min(d.Right, float64(img.Shape[1]))-left), int(min(d.Bottom, float64(img.Shape[0]))-top)
		if w < 1 || h < 1 {
			continue // it is outside the image
		}
		class := c.unknown
		if best := likeliest(d.Classes); best != nil && best.Name != "" {
			class = best.Name
		}
		part, err := pic.From(flow.Of(crop(img, x, y, w, h)))
		if err != nil {
			return nil, err
		}
		if err := pic.WriteFile(c.out, c.name(class, x, y, w, h), part); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// name returns the name of the file for a part of the image.
func (c *chips) name(class string, x, y, w, h int) string {
	values := []any{class, fmt.Sprintf("%06d", c.image), x, y, w, h}[:c.verbs]
	i := 0
	return chipVerb().ReplaceAllStringFunc(c.pattern, func(verb string) string {
		i++
		return fmt.Sprintf(verb, values[i-1])
	})
}
