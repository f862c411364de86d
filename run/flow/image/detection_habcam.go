package image

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// habcam is the format of HabCam's annotations. Each row has the name of an image, the number or name of
// a species, and a shape. In older files, blanks separate the fields:
//
//	image, species, [name,] boundingBox left top right bottom | line x y x y | circle x y x y | point x y
//
// In newer files, commas separate the fields, the name of the shape and its first number are in the same
// field, and there are brackets around the shape. Images are identified by name.
type habcam struct {
	delimiter string  // empty: the delimiter is a comma if the first row has one, else a blank
	dilation  float64 // half the side of the square that replaces a point, in pixels
}

func newHabcam(v pipe.Values, prefix string) *habcam {
	h := &habcam{delimiter: v.Value(prefix + "delimiter"), dilation: 50}
	if v.Set(prefix + "point_dilation") {
		h.dilation = v.Float(prefix + "point_dilation")
	}
	return h
}

func (h *habcam) read(lines *detectionLines) ([]imageDetections, error) {
	byName := map[string]*imageDetections{}
	var names []string
	delimiter := h.delimiter
	for {
		text, err := lines.next()
		if errors.Is(err, io.EOF) {
			slices.Sort(names)
			images := make([]imageDetections, len(names))
			for i, name := range names {
				images[i] = *byName[name]
			}
			return images, nil
		}
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(text, "Image,") { // the first row, which names the columns
			continue
		}
		if delimiter == "" {
			delimiter = " "
			if strings.Contains(text, ",") {
				delimiter = ","
			}
		}
		fields, err := habcamFields(lines, text, delimiter)
		if err != nil {
			return nil, err
		}
		d, err := h.detection(lines, fields)
		if err != nil {
			return nil, err
		}
		if byName[fields[0]] == nil {
			byName[fields[0]] = &imageDetections{image: fields[0]}
			names = append(names, fields[0])
		}
		byName[fields[0]].set = append(byName[fields[0]].set, d)
	}
}

// habcamFields splits a row into fields. It converts rows of the newer kind to the older one.
func habcamFields(lines *detectionLines, text, delimiter string) ([]string, error) {
	drop, newer := `"`, delimiter == ","
	if newer {
		drop = `[]":`
	}
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune(drop, r) {
			return -1
		}
		return r
	}, text)
	var fields []string
	for field := range strings.SplitSeq(text, delimiter) {
		if field = strings.TrimSpace(field); field != "" {
			fields = append(fields, field)
		}
	}
	if len(fields) < 4 {
		return nil, lines.errorf("%d fields are not an annotation: expected an image, a species and a shape", len(fields))
	}
	if newer {
		shape := strings.Fields(fields[3])
		if len(shape) != 2 {
			return nil, lines.errorf("`%s` is not a shape: expected its name and its first number", fields[3])
		}
		fields = slices.Replace(fields, 3, 4, shape...)
	}
	return fields, nil
}

// detection reads the shape, which begins in the third or the fourth field, and returns its box.
func (h *habcam) detection(lines *detectionLines, fields []string) (d Detection, err error) {
	d = Detection{Confidence: 1, Classes: []Class{{fields[1], 1}}}
	for _, at := range []int{3, 2} {
		need := 4
		switch fields[at] {
		case "point":
			need = 2
		case "boundingBox", "line", "circle":
		default:
			continue
		}
		v, err := numbersOf(lines, fields[at+1:], need)
		if err != nil {
			return d, err
		}
		switch fields[at] {
		case "boundingBox":
			d.Left, d.Top, d.Right, d.Bottom = v[0], v[1], v[2], v[3]
		case "point":
			d.setSquare(v[0], v[1], h.dilation)
		default: // line and circle: the two ends of a diameter
			d.setSquare((v[0]+v[2])/2, (v[1]+v[3])/2, math.Hypot(v[0]-v[2], v[1]-v[3])/2)
		}
		return d, nil
	}
	return d, lines.errorf("`%s` is not a shape: expected boundingBox, line, circle or point", fields[3])
}

// numbersOf converts the first n fields to numbers.
func numbersOf(lines *detectionLines, fields []string, n int) ([]float64, error) {
	if len(fields) < n {
		return nil, lines.errorf("%d numbers are too few: expected %d", len(fields), n)
	}
	list := make([]float64, n)
	for i := range list {
		var err error
		if list[i], err = strconv.ParseFloat(fields[i], 64); err != nil {
			return nil, lines.errorf("`%s` is not a number", fields[i])
		}
	}
	return list, nil
}

// setSquare sets the box to a square with a point at its centre; half is half its side.
func (d *Detection) setSquare(x, y, half float64) {
	d.Left, d.Top, d.Right, d.Bottom = x-half, y-half, x+half, y+half
}
