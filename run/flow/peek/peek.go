// Package peek makes the data on an edge small enough to be shown: as a number, a text, an image, a curve or a colour map.
//
//	edge ──▶ flow.Tap ──▶ View ──▶ page, terminal
//
// It works in the goroutine of the observer, never in the goroutine of a process.
package peek

import (
	"context"
	"strconv"
	"time"

	"github.com/pentode-dev/pentode/core/downsample"
	"github.com/pentode-dev/pentode/run/flow"
)

// The kinds of views.
const (
	Nothing = "nothing" // no datum has arrived since the tap was opened
	Number  = "number"
	Text    = "text"
	Image   = "image"
	Curve   = "curve"
	Map     = "map"
	Other   = "other" // shown as text
	Empty   = "empty" // the datum is empty: the step had no value
	Error   = "error" // the datum is an error: making the value failed
)

// A View is the newest datum of an edge, and what it costs to show it.
type View struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Type   string `json:"type"` // type of the edge's data in the pipeline
	Kind   string `json:"kind"`
	Noun   string `json:"noun,omitempty"` // description of the value, such as `an array of 3 × 4 float32`
	Text   string `json:"text,omitempty"`
	Cut    bool   `json:"cut,omitempty"`  // the text was shortened
	Part   string `json:"part,omitempty"` // for an array with many axes: which part of it is drawn
	PNG    []byte `json:"png,omitempty"`
	Stamp  int64  `json:"stamp"`
	Number uint64 `json:"number"` // number of the datum, counted since the tap was opened
	Bytes  int    `json:"bytes,omitempty"`

	Drawing *downsample.Drawing `json:"drawing,omitempty"` // if it is a curve or a map

	Passed  uint64 `json:"passed"`  // number of data that passed the edge since the run began
	Dropped uint64 `json:"dropped"` // data dropped because the edge was full
	Skipped uint64 `json:"skipped"` // number of data since the previous view that were not shown

	WatchedNS int64 `json:"watched_ns"` // time since the tap was opened
	CostNS    int64 `json:"cost_ns"`    // the part of WatchedNS that the tap took from the producer
	RenderNS  int64 `json:"render_ns"`  // time to make this view; the pipeline does not wait for it
}

// How often Follow looks at an edge.
const (
	every = 500 * time.Millisecond // minimum time between two views
	often = 20 * time.Millisecond  // time between two checks for a new datum
)

// Follow calls send with a view of the newest datum, at most twice a second and only if it is new, until ctx ends. It sends the first
// view at once, even if there is no datum yet, and the last datum in any case.
func Follow(ctx context.Context, tap *flow.Tap, send func(View) error) error {
	tick := time.NewTicker(often)
	defer tick.Stop()
	var last View
	var sent time.Time
	show := func(s flow.Sample) error {
		v := Of(s)
		if v.Number > last.Number {
			v.Skipped = v.Number - last.Number - 1
		}
		last, sent = v, time.Now()
		return send(v)
	}
	if err := show(tap.Newest()); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			if s := tap.Newest(); s.Number != last.Number {
				return show(s)
			}
			return nil
		case <-tick.C:
		}
		if last.Number > 0 && time.Since(sent) < every {
			continue
		}
		if s := tap.Newest(); s.Number != last.Number {
			if err := show(s); err != nil {
				return err
			}
		}
	}
}

// Of returns the view of what a tap has seen.
func Of(s flow.Sample) View {
	begin := time.Now()
	v := View{
		From: s.From, To: s.To, Type: s.Type, Kind: Nothing, Number: s.Number, Stamp: int64(s.Stamp), Passed: s.Passed, Dropped: s.Dropped,
		WatchedNS: int64(s.Watched), CostNS: int64(s.Cost),
	}
	if s.Number > 0 {
		v.show(s.Datum)
	}
	v.RenderNS = int64(time.Since(begin))
	return v
}

// show fills in the part of the view that depends on the datum.
func (v *View) show(d flow.Datum) {
	switch d.Kind() {
	case flow.EmptyKind:
		v.Kind = Empty
		return
	case flow.ErrorKind:
		v.Kind = Error
		v.text(d.Why())
		return
	}
	v.Noun = d.Noun()
	switch value := d.Value().(type) {
	case int64:
		v.Kind, v.Text, v.Bytes = Number, strconv.FormatInt(value, 10), 8
	case float64:
		v.Kind, v.Text, v.Bytes = Number, strconv.FormatFloat(value, 'g', -1, 64), 8
	case string:
		v.Kind, v.Bytes = Text, len(value)
		v.text(value)
	default:
		if !v.array(value) {
			v.Kind = Other
			v.text(describe(value))
		}
	}
}
