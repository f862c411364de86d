package web

import (
	"encoding/binary"
	"math"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/run/trace/timeline"
)

// Limits on the answers about a time line.
const (
	maxWindowWidth = 16 << 10 // pixels
	maxWindowLanes = 1 << 10
	maxWindowBars  = 300_000
	maxArrows      = 2000
	maxTotals      = 500
)

// timelineAnswer is the head of a time line, or the progress of its index.
type timelineAnswer struct {
	Of     string         `json:"of"`     // the key for further requests
	Making int64          `json:"making"` // spans that the index has so far; -1: it is complete
	Head   *timeline.Head `json:"head,omitempty"`
}

func (s *Server) timelineView(req *http.Request) (any, error) {
	rec, err := s.record(req.FormValue("run"))
	if err != nil {
		return nil, err
	}
	e, err := s.timelines.Open(rec, req.FormValue("path"))
	if err != nil {
		return nil, err
	}
	switch x, spans, err := e.Wait(req.Context()); {
	case err != nil:
		return nil, err
	case x == nil:
		return timelineAnswer{Of: e.Key, Making: spans}, nil
	default:
		return timelineAnswer{e.Key, -1, &x.Head}, nil
	}
}

// opened returns a time line that was opened before, by its key in a request.
func (s *Server) opened(req *http.Request) (*results.Timeline, *timeline.Index, error) {
	return s.timelines.Opened(req.Context(), req.FormValue("of"))
}

// whole reads an integer of a request in a range.
func whole(req *http.Request, name string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(req.FormValue(name), 10, 64)
	if err != nil || n < least || n > most {
		return 0, guard.BadRequest("`" + name + "` takes a whole number from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10))
	}
	return n, nil
}

// wholes reads several integers in a range.
func wholes(req *http.Request, least, most int64, names ...string) ([]int64, error) {
	list := make([]int64, len(names))
	for i, name := range names {
		var err error
		if list[i], err = whole(req, name, least, most); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// maxTime is far after the end of any trace.
const maxTime = 1 << 60

// interval reads the window of a request.
func interval(req *http.Request) (from, to int64, err error) {
	list, err := wholes(req, -maxTime, maxTime, "from", "to")
	if err != nil {
		return 0, 0, err
	}
	if list[0] >= list[1] {
		return 0, 0, guard.BadRequest("`from` must be before `to`")
	}
	return list[0], list[1], nil
}

// tracksOf reads the range of tracks of a request.
func tracksOf(req *http.Request, x *timeline.Index) ([]int, error) {
	list, err := wholes(req, 0, math.MaxInt32, "first", "count")
	if err != nil {
		return nil, err
	}
	var tracks []int
	for i := list[0]; i < min(list[0]+list[1], int64(len(x.Tracks))); i++ {
		tracks = append(tracks, int(i))
	}
	return tracks, nil
}

// timelineWindow sends the drawing of some tracks as bytes that the page reads in place:
//
//	uint32  lanes, bars, arrows, points of the curve, whether all arrows are there, three times 0
//	float64 begins, ends of the bars │ begins, ends of the arrows │ the curve: the number of busy tracks
//	uint32  track, lane, bars of each lane │ labels, spans of the bars │ from, to, kinds of the arrows
//
// The bars of a counter have their largest values instead of labels, and their smallest instead of spans.
func (s *Server) timelineWindow(w http.ResponseWriter, req *http.Request) {
	body, err := s.window(req)
	if err != nil {
		guard.Refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body) // a client that is gone needs no answer
}

func (s *Server) window(req *http.Request) ([]byte, error) {
	_, x, err := s.opened(req)
	if err != nil {
		return nil, err
	}
	from, to, err := interval(req)
	if err != nil {
		return nil, err
	}
	width, err := whole(req, "width", 1, maxWindowWidth)
	if err != nil {
		return nil, err
	}
	tracks, err := tracksOf(req, x)
	if err != nil {
		return nil, err
	}
	var a windowAnswer
	lanes := 0
	for _, t := range tracks {
		lanes += len(x.Tracks[t].Lanes)
	}
	lanes = min(lanes, maxWindowLanes)
	pixel := max((to-from)/width, int64(lanes)*((to-from)/maxWindowBars))
	for _, t := range tracks {
		for i, l := range x.Tracks[t].Lanes {
			if len(a.lanes) == 3*maxWindowLanes {
				break
			}
			before := len(a.bars)
			if a.bars, err = x.Window(l, from, to, pixel, a.bars); err != nil {
				return nil, err
			}
			a.lanes = append(a.lanes, uint32(t), uint32(i), uint32(len(a.bars)-before))
		}
	}
	a.arrows, a.whole = x.Arrows(from, to, pixel, maxArrows)
	if a.curve, err = atWork(x, from, to, width); err != nil {
		return nil, err
	}
	return a.bytes(), nil
}

// curvePixels is the width of a point of the curve.
const curvePixels = 2

// atWork returns the number of tracks with an open frame, for each of some parts of a window.
func atWork(x *timeline.Index, from, to, width int64) ([]int64, error) {
	buckets := make([]int64, max(1, min(width/curvePixels, to-from)))
	for _, t := range x.Tracks {
		if len(t.Lanes) == 0 || t.Lanes[0].Instants || t.Lanes[0].Counter != nil {
			continue
		}
		if err := x.Busy(t.Lanes[0], from, to, buckets); err != nil {
			return nil, err
		}
	}
	return buckets, nil
}

// windowAnswer is the content of a window.
type windowAnswer struct {
	lanes  []uint32
	bars   []timeline.Bar
	arrows []timeline.Arrow
	whole  bool
	curve  []int64 // nanoseconds of all tracks together
}

func (a *windowAnswer) bytes() []byte {
	b := make([]byte, 0, 32+24*len(a.bars)+28*len(a.arrows)+8*len(a.curve)+4*len(a.lanes))
	whole := 0
	if a.whole {
		whole = 1
	}
	for _, n := range [...]int{len(a.lanes) / 3, len(a.bars), len(a.arrows), len(a.curve), whole, 0, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	real := func(n int64) { b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(n))) }
	for i := range a.bars {
		real(a.bars[i].Begin)
	}
	for i := range a.bars {
		real(a.bars[i].End)
	}
	for i := range a.arrows {
		real(a.arrows[i].Sent)
	}
	for i := range a.arrows {
		real(a.arrows[i].Come)
	}
	for _, n := range a.curve {
		real(n)
	}
	whole32 := func(n uint32) { b = binary.LittleEndian.AppendUint32(b, n) }
	for _, n := range a.lanes {
		whole32(n)
	}
	for i := range a.bars {
		whole32(a.bars[i].Label)
	}
	for i := range a.bars {
		whole32(a.bars[i].Spans)
	}
	for i := range a.arrows {
		whole32(a.arrows[i].From)
	}
	for i := range a.arrows {
		whole32(a.arrows[i].To)
	}
	for i := range a.arrows {
		whole32(uint32(a.arrows[i].Kind))
	}
	return b
}

// totalsAnswer has the totals of the spans in a selection, by label, and its counters.
type totalsAnswer struct {
	Rows         []timeline.Total `json:"rows"`
	More         int              `json:"more"` // number of labels left out
	Counters     []timeline.Level `json:"counters"`
	MoreCounters int              `json:"more_counters"`
}

func (s *Server) timelineTotals(req *http.Request) (any, error) {
	_, x, err := s.opened(req)
	if err != nil {
		return nil, err
	}
	from, to, err := interval(req)
	if err != nil {
		return nil, err
	}
	tracks, err := tracksOf(req, x)
	if err != nil {
		return nil, err
	}
	rows, err := x.Totals(tracks, from, to)
	if err != nil {
		return nil, err
	}
	levels, err := x.Levels(tracks, from, to)
	n, c := min(len(rows), maxTotals), min(len(levels), maxTotals)
	return totalsAnswer{rows[:n], len(rows) - n, levels[:c], len(levels) - c}, err
}

// spanAnswer is a span with its place.
type spanAnswer struct {
	Track  int      `json:"track"`
	Lane   int      `json:"lane"`
	Number uint64   `json:"number"` // in its lane
	Of     uint64   `json:"of"`     // spans in the lane
	Begin  int64    `json:"begin"`
	End    int64    `json:"end"`
	Label  uint32   `json:"label"`
	Value  *uint32  `json:"value,omitempty"` // of a counter
	Around []uint32 `json:"around"`          // labels of the frames around it, the outermost first
	placeEntry
}

// timelineSpan returns a span: by its number in a lane, or the nearest to a time.
func (s *Server) timelineSpan(req *http.Request) (any, error) {
	e, x, err := s.opened(req)
	if err != nil {
		return nil, err
	}
	f, err := spanBy(req, x)
	if err != nil {
		return nil, err
	}
	return s.spanOf(e, x, f)
}

// spanBy finds the span of a request.
func spanBy(req *http.Request, x *timeline.Index) (f timeline.Found, err error) {
	at, err := wholes(req, 0, math.MaxInt32, "track", "lane")
	if err != nil {
		return f, err
	}
	if at[0] >= int64(len(x.Tracks)) || at[1] >= int64(len(x.Tracks[at[0]].Lanes)) {
		return f, guard.BadRequest("the time line has no such lane")
	}
	track, lane := int(at[0]), int(at[1])
	if !req.URL.Query().Has("number") {
		time, err := whole(req, "at", -maxTime, maxTime)
		if err != nil {
			return f, err
		}
		return x.At(track, lane, time)
	}
	n, err := whole(req, "number", 0, int64(x.Tracks[track].Lanes[lane].Spans)-1)
	if err != nil {
		return f, err
	}
	return x.Span(track, lane, uint64(n))
}

// spanOf describes a span.
func (s *Server) spanOf(e *results.Timeline, x *timeline.Index, f timeline.Found) (any, error) {
	lanes := x.Tracks[f.Track].Lanes
	a := spanAnswer{Track: f.Track, Lane: f.Lane, Number: f.Number, Of: lanes[f.Lane].Spans, Begin: f.Begin, End: f.End, Label: x.Label(f), Around: []uint32{}}
	if lanes[f.Lane].Counter != nil {
		a.Value = &f.Span.Label
	}
	for i, l := range lanes[:f.Lane] {
		if l.Instants {
			continue
		}
		around, err := x.At(f.Track, i, f.Begin)
		if err != nil {
			return nil, err
		}
		if around.Begin <= f.Begin && around.End >= f.End {
			a.Around = append(a.Around, around.Label)
		}
	}
	a.placeEntry = s.sourceOf(e, x.Labels[a.Label])
	return a, nil
}

// sourceOf finds the source of a label in the files of the page: by the full path of its file, or by the file name if exactly one file
// that the run read has it.
func (s *Server) sourceOf(e *results.Timeline, l timeline.Label) placeEntry {
	path := l.File
	if path == "" {
		return placeEntry{}
	}
	if !filepath.IsAbs(path) {
		var found []string
		for _, f := range e.Record.Files {
			if f.Path == path || strings.HasSuffix(f.Path, string(filepath.Separator)+path) {
				found = append(found, f.Path)
			}
		}
		if len(found) != 1 {
			return placeEntry{}
		}
		path = found[0]
	}
	name, inside := s.fence.Within(path)
	if !inside {
		return placeEntry{}
	}
	return placeEntry{filepath.Join(s.root, name), l.Line}
}

// timelineFind returns the next or previous span whose name contains a text, or the first value of such a counter; null: none.
func (s *Server) timelineFind(req *http.Request) (any, error) {
	e, x, err := s.opened(req)
	if err != nil {
		return nil, err
	}
	after, err := whole(req, "after", -maxTime, maxTime)
	if err != nil {
		return nil, err
	}
	tracks := make([]int, len(x.Tracks))
	for i := range tracks {
		tracks[i] = i
	}
	text := strings.ToLower(req.FormValue("text"))
	labels := make([]bool, len(x.Labels))
	for i, l := range x.Labels {
		labels[i] = strings.Contains(strings.ToLower(l.Name), text) || strings.Contains(strings.ToLower(l.Where), text)
	}
	f, ok, err := x.Find(tracks, labels, after, req.FormValue("back") == "1")
	if err != nil || !ok {
		return nil, err
	}
	return s.spanOf(e, x, f)
}
