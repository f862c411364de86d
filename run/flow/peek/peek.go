// Package peek makes what is on an edge small enough to be shown: a number, a text, an image, a curve or a map of colours.
//
//	edge ──▶ flow.Tap ──▶ View ──▶ page, terminal
//
// It works in the goroutine of who looks, never in that of a process.
package peek

import (
	"context"
	"strconv"
	"time"

	"github.com/pentode-dev/pentode/core/downsample"
	"github.com/pentode-dev/pentode/run/flow"
)

// Kinds of views.
const (
	Nothing = "nothing" // no datum has come since somebody looks
	Number  = "number"
	Text    = "text"
	Image   = "image"
	Curve   = "curve"
	Map     = "map"
	Other   = "other" // its text form
	Empty   = "empty" // the step had no value
	Error   = "error" // the value could not be made
)

// A View is the newest datum of an edge, and what it costs to see it.
type View struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Type   string `json:"type"` // of the data, as the pipeline knows it
	Kind   string `json:"kind"`
	Noun   string `json:"noun,omitempty"` // `an array of 3 × 4 float32`
	Text   string `json:"text,omitempty"`
	Cut    bool   `json:"cut,omitempty"`  // the text is longer
	Part   string `json:"part,omitempty"` // of an array with many axes: which part is drawn
	PNG    []byte `json:"png,omitempty"`
	Stamp  int64  `json:"stamp"`
	Number uint64 `json:"number"` // of the datum among those that passed while somebody looked
	Bytes  int    `json:"bytes,omitempty"`

	Drawing *downsample.Drawing `json:"drawing,omitempty"` // of a curve or a map

	Passed  uint64 `json:"passed"`  // data since the run began
	Dropped uint64 `json:"dropped"` // data that found the edge full
	Skipped uint64 `json:"skipped"` // data since the last view, which nobody saw

	WatchedNS int64 `json:"watched_ns"` // since somebody looks
	CostNS    int64 `json:"cost_ns"`    // of it, what that took the producer
	RenderNS  int64 `json:"render_ns"`  // what it took to make this view, which the pipeline does not wait for
}

// Times of a look.
const (
	every = 500 * time.Millisecond // between two views
	often = 20 * time.Millisecond  // between two looks for a new datum
)

// Follow sends a view of each new datum, at most two a second, until ctx ends: at its end the last one, if it was not sent. The first
// one is sent at once, though it may have no datum.
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

// Of is what a tap has seen, as it is shown.
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

// show chooses how a datum is seen.
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
