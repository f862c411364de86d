package image

import (
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
)

// kw18 is Kitware's format of tracks: rows of 18 to 20 fields separated by blanks:
//
//	id, length, frame, place x y, speed x y, centre x y, left, top, right, bottom, area, world x y z, time, confidence
//
// Frames are counted from 0. The names of objects are in a second file, which has the same name with the suffix
// `.types`. Each of its lines has the number of a track and a name.
type kw18 struct {
	names   map[int64]string
	unnamed string // the name of tracks that the `.types` file does not list
	next    int64  // when writing: number of the next detection that has no number
}

func newKW18(s *flow.Setup, prefix, file string) *kw18 {
	k := &kw18{unnamed: "-"}
	if s.Values().Set(prefix + "default_type") {
		k.unnamed = s.Value(prefix + "default_type")
	}
	text, err := os.ReadFile(s.Path(file + ".types"))
	if err != nil { // the `.types` file is optional
		return k
	}
	k.names = map[int64]string{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 {
			if id, err := strconv.ParseInt(words[0], 10, 64); err == nil {
				k.names[id] = words[1]
			}
		}
	}
	return k
}

func (k *kw18) read(lines *detectionLines) ([]imageDetections, error) {
	var rows []Detection
	for {
		text, err := lines.next()
		if errors.Is(err, io.EOF) {
			return byFrame(lines, rows)
		}
		if err != nil {
			return nil, err
		}
		r := rowReader{lines: lines, fields: strings.Fields(text)}
		if n := len(r.fields); n < 18 || n > 20 {
			return nil, lines.errorf("%d fields are not a detection: expected the 18 to 20 fields of kw18", n)
		}
		d := Detection{ID: r.whole(0), Numbered: true, Frame: r.whole(2), Confidence: 1}
		d.Left, d.Top, d.Right, d.Bottom = r.number(9), r.number(10), r.number(11), r.number(12)
		if len(r.fields) > 18 {
			if d.Confidence = r.number(18); d.Confidence == -1 { // -1 means not known
				d.Confidence = 1
			}
		}
		if name, ok := k.names[d.ID]; ok {
			d.Classes = []Class{{name, d.Confidence}}
		} else if k.unnamed != "" {
			d.Classes = []Class{{k.unnamed, d.Confidence}}
		}
		if r.err != nil {
			return nil, r.err
		}
		rows = append(rows, d)
	}
}

// byFrame groups the rows by image, from frame 0 to the last frame with detections.
func byFrame(lines *detectionLines, rows []Detection) ([]imageDetections, error) {
	last := int64(-1)
	for i := range rows {
		if f := rows[i].Frame; f < 0 || f >= maxFrames {
			return nil, lines.errorf("the frame %d is not possible: expected 0 to %d", f, maxFrames-1)
		}
		last = max(last, rows[i].Frame)
	}
	images := make([]imageDetections, last+1)
	for _, d := range rows {
		images[d.Frame].set = append(images[d.Frame].set, d)
	}
	return images, nil
}

func (k *kw18) header() string {
	return "# id length frame place-x place-y speed-x speed-y centre-x centre-y left top right bottom area world-x world-y world-z time confidence"
}

func (k *kw18) write(w *flow.Buffer, _ string, frame int64, set Detections) error {
	for i := range set {
		d := &set[i]
		id := k.next
		if d.Numbered {
			id = d.ID
		}
		k.next = max(k.next, id+1)
		if _, err := w.WriteString(kw18Row(id, 1, frame, -1, d)); err != nil {
			return err
		}
	}
	return nil
}

// kw18Row returns a row for the box of a track in one frame. length is the number of frames of the track.
func kw18Row(id int64, length int, frame int64, time float64, d *Detection) string {
	box := numbers((d.Left+d.Right)/2, (d.Top+d.Bottom)/2, d.Left, d.Top, d.Right, d.Bottom, (d.Right-d.Left)*(d.Bottom-d.Top))
	row := slices.Concat([]string{strconv.FormatInt(id, 10), strconv.Itoa(length), strconv.FormatInt(frame, 10), "0", "0", "0", "0"},
		box, []string{"0", "0", "0"}, numbers(time, d.Confidence))
	return strings.Join(row, " ") + "\n"
}
