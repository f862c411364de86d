package wire

import (
	"fmt"

	pic "github.com/pentode-dev/pentode/run/flow/image"
)

// Record converts a value of package image, such as detections, to a record with a name.
// ok is false for other values.
func Record(v any) (name string, members map[string]any, ok bool) {
	switch v := v.(type) {
	case pic.Timestamp:
		return "timestamp", map[string]any{"frame": v.Frame, "time": v.Time}, true
	case pic.Homography:
		return "homography", map[string]any{"matrix": v.Matrix[:], "from": v.From, "to": v.To}, true
	case pic.Detections:
		list := make([]any, len(v))
		for i := range v {
			list[i] = detectionRecord(&v[i])
		}
		return "detections", map[string]any{"objects": list}, true
	case pic.Tracks:
		list := make([]any, len(v))
		for i := range v {
			states := make([]any, len(v[i].States))
			for j := range v[i].States {
				s := &v[i].States[j]
				states[j] = map[string]any{"frame": s.Frame, "time": s.Time, "detection": detectionRecord(&s.Detection)}
			}
			list[i] = map[string]any{"id": v[i].ID, "states": states}
		}
		return "tracks", map[string]any{"tracks": list}, true
	}
	return "", nil, false
}

func detectionRecord(d *pic.Detection) map[string]any {
	names, scores := make([]string, len(d.Classes)), make([]float64, len(d.Classes))
	for i, c := range d.Classes {
		names[i], scores[i] = c.Name, c.Score
	}
	return map[string]any{
		"id": d.ID, "frame": d.Frame, "box": []float64{d.Left, d.Top, d.Right, d.Bottom},
		"confidence": d.Confidence, "names": names, "scores": scores,
		"numbered": d.Numbered, "length": d.Length, "attributes": d.Attributes,
	}
}

// fromRecord converts a named record to its value. A record without a name stays a record.
func fromRecord(name string, members map[string]any) (any, error) {
	r := reader{members: members, name: name}
	var v any
	switch name {
	case "":
		return members, nil
	case "timestamp":
		v = pic.Timestamp{Frame: r.whole("frame"), Time: r.number("time")}
	case "homography":
		h := pic.Homography{From: r.whole("from"), To: r.whole("to")}
		copy(h.Matrix[:], r.numbers("matrix", len(h.Matrix)))
		v = h
	case "detections":
		list := pic.Detections{}
		for _, x := range r.list("objects") {
			list = append(list, r.detection(x))
		}
		v = list
	case "tracks":
		list := pic.Tracks{}
		for _, x := range r.list("tracks") {
			list = append(list, r.track(x))
		}
		v = list
	default:
		return nil, fmt.Errorf("the record `%.40s` is not known", name)
	}
	return v, r.err
}

// A reader reads members of a record and keeps the first error.
type reader struct {
	members map[string]any
	name    string
	err     error
}

func (r *reader) wrong(key, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("member `%s` of a record `%s` must be %s", key, r.name, want)
	}
}

// inside reads the members of a nested record.
func (r *reader) inside(v any, read func(*reader)) {
	members, ok := v.(map[string]any)
	if !ok {
		r.wrong("objects", "a list of records")
		return
	}
	part := reader{members: members, name: r.name, err: r.err}
	read(&part)
	r.err = part.err
}

func (r *reader) whole(key string) int64 {
	i, ok := r.members[key].(int64)
	if !ok && r.members[key] != nil {
		r.wrong(key, "a whole number")
	}
	return i
}

func (r *reader) number(key string) float64 {
	switch v := r.members[key].(type) {
	case nil:
		return 0
	case float64:
		return v
	case int64:
		return float64(v)
	}
	r.wrong(key, "a number")
	return 0
}

func (r *reader) yes(key string) bool {
	b, ok := r.members[key].(bool)
	if !ok && r.members[key] != nil {
		r.wrong(key, "true or false")
	}
	return b
}

// texts reads a list of strings. It returns nil if the list is empty.
func (r *reader) texts(key string) (texts []string) {
	for _, x := range r.list(key) {
		text, ok := x.(string)
		if !ok {
			r.wrong(key, "a list of texts")
		}
		texts = append(texts, text)
	}
	return texts
}

func (r *reader) list(key string) []any {
	list, ok := r.members[key].([]any)
	if !ok && r.members[key] != nil {
		r.wrong(key, "a list")
	}
	return list
}

// numbers reads a list of n numbers, or of any length if n < 0.
func (r *reader) numbers(key string, n int) []float64 {
	list := r.list(key)
	if n >= 0 && len(list) != n {
		r.wrong(key, fmt.Sprintf("a list of %d numbers", n))
		return make([]float64, n)
	}
	out := make([]float64, len(list))
	for i, x := range list {
		switch x := x.(type) {
		case float64:
			out[i] = x
		case int64:
			out[i] = float64(x)
		default:
			r.wrong(key, "a list of numbers")
		}
	}
	return out
}

func (r *reader) detection(v any) (d pic.Detection) {
	r.inside(v, func(r *reader) {
		d.ID, d.Frame, d.Confidence = r.whole("id"), r.whole("frame"), r.number("confidence")
		box := r.numbers("box", 4)
		d.Left, d.Top, d.Right, d.Bottom = box[0], box[1], box[2], box[3]
		scores := r.numbers("scores", len(r.list("names")))
		for i, name := range r.texts("names") {
			d.Classes = append(d.Classes, pic.Class{Name: name, Score: scores[i]})
		}
		d.Numbered, d.Length, d.Attributes = r.yes("numbered"), r.number("length"), r.texts("attributes")
	})
	return d
}

func (r *reader) track(v any) (t pic.Track) {
	r.inside(v, func(r *reader) {
		t.ID = r.whole("id")
		for _, x := range r.list("states") {
			r.inside(x, func(r *reader) {
				t.States = append(t.States, pic.TrackState{
					Frame: r.whole("frame"), Time: r.number("time"), Detection: r.detection(r.members["detection"]),
				})
			})
		}
	})
	return t
}
