package image

import (
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// oceaneyes is the format of OceanEyes. A row has the positions of a fish's head and tail, from
// which the box is computed. There are three variants with different columns, which are recognized
// by the first line. Images are identified by their names without suffix.
type oceaneyes struct {
	expansion float64 // a box is larger than the span from head to tail by this share
	noFish    string  // text in the file that means there is no fish
}

// maxAspect limits the ratio of length to width of a box.
const maxAspect = 2.25

func newOceaneyes(v pipe.Values, prefix string) *oceaneyes {
	o := &oceaneyes{expansion: 0.3, noFish: "no fish"}
	if v.Set(prefix + "box_expansion") {
		o.expansion = v.Float(prefix + "box_expansion")
	}
	if v.Set(prefix + "no_fish_string") {
		o.noFish = v.Value(prefix + "no_fish_string")
	}
	return o
}

// oceanColumns has the indices of the fields in one variant; -1 means that the variant has no such
// field.
type oceanColumns struct {
	image, species, fish, sure, complete, head int
}

var oceanKinds = [3]oceanColumns{
	{image: 0, species: 4, fish: 6, sure: 7, complete: 10, head: 11},
	{image: 0, species: 4, fish: -1, sure: -1, complete: -1, head: 5},
	{image: 1, species: 5, fish: -1, sure: 8, complete: 11, head: 12},
}

func (o *oceaneyes) read(lines *detectionLines) ([]imageDetections, error) {
	byName := map[string]Detections{}
	columns := &oceanKinds[0]
	for {
		text, err := lines.next()
		if errors.Is(err, io.EOF) {
			images := make([]imageDetections, 0, len(byName))
			for _, name := range slices.Sorted(maps.Keys(byName)) {
				images = append(images, imageDetections{name, byName[name]})
			}
			return images, nil
		}
		if err != nil {
			return nil, err
		}
		switch {
		case strings.HasPrefix(text, "filename,"):
			if strings.Contains(text, "photo location") {
				columns = &oceanKinds[1]
			}
			continue
		case strings.HasPrefix(text, "photo location,"):
			columns = &oceanKinds[2]
			continue
		}
		if err := o.row(lines, text, columns, byName); err != nil {
			return nil, err
		}
	}
}

// row reads a line and adds its detection, if it has one.
func (o *oceaneyes) row(lines *detectionLines, text string, c *oceanColumns, byName map[string]Detections) error {
	split := csv.NewReader(strings.NewReader(text))
	split.LazyQuotes = true
	fields, err := split.Read()
	if err != nil {
		return lines.errorf("a quote is not closed")
	}
	if len(fields) == 0 || len(fields) <= c.species {
		return lines.errorf("%d fields are not an annotation: expected %d", len(fields), c.head+4)
	}
	name := strings.TrimSuffix(fields[c.image], filepath.Ext(fields[c.image]))
	if _, ok := byName[name]; !ok && name != "" {
		byName[name] = nil
	}
	if fields[c.species] == o.noFish {
		return nil
	}
	d, ok, err := o.detection(lines, fields, c)
	if ok {
		byName[name] = append(byName[name], d)
	}
	return err
}

// detection computes the box of a fish from its head and tail. ok is false if the box would be
// empty.
func (o *oceaneyes) detection(lines *detectionLines, fields []string, c *oceanColumns) (d Detection, ok bool, err error) {
	if len(fields) < c.head+4 {
		return d, false, lines.errorf("%d fields are not an annotation: expected %d", len(fields), c.head+4)
	}
	ends := make([]string, 4)
	for i := range ends {
		ends[i] = strings.Trim(fields[c.head+i], ` "()`)
	}
	v, err := numbersOf(lines, ends, 4)
	if err != nil {
		return d, false, err
	}
	score := 1.0
	for i, at := range []int{c.sure, c.fish} {
		if at < 0 {
			continue
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(fields[at]), 64)
		if err != nil {
			return d, false, lines.errorf("`%s` is not a number", fields[at])
		}
		if score = max(score, f); i == 0 {
			score = f
		}
	}
	if score == 0 {
		score = 0.1
	}
	width, height := max(v[0], v[2])-min(v[0], v[2]), max(v[1], v[3])-min(v[1], v[3])
	width, height = width*(1+o.expansion), height*(1+o.expansion)
	if width == 0 || height == 0 {
		return d, false, nil
	}
	width = max(width, height/maxAspect)
	height = max(height, width/maxAspect)
	x, y := (v[0]+v[2])/2, (v[1]+v[3])/2
	species := fields[c.species]
	if species == "" {
		species = "other"
	}
	d = Detection{Left: x - width/2, Top: y - height/2, Right: x + width/2, Bottom: y + height/2, Confidence: score, Classes: []Class{{species, score}}}
	if c.complete < 0 || fields[c.complete] == "yes" {
		d.Attributes = []string{"(kp) head " + strings.Join(numbers(v[0], v[1]), " "), "(kp) tail " + strings.Join(numbers(v[2], v[3]), " ")}
	}
	return d, true, nil
}
