package remote_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A shower is a sink with a picture.
type shower struct {
	fake
	png []byte
}

func (s *shower) Show() (flow.Picture, error) { return flow.Picture{Title: "t", PNG: s.png}, nil }

// viewer makes the type of a sink that shows a picture.
func viewer(png []byte) *pipe.Type {
	view := sink(func(flow.Datum, flow.Stamp) bool { return true })
	plain := view.New
	view.New = func() pipe.Process { return &shower{*plain().(*fake), png} }
	return view
}

// TestPictureOfAnotherSite: the coordinator of a run gets the picture of a process on any site, or
// the reason why there is none.
func TestPictureOfAnotherSite(t *testing.T) {
	server := serve(t)
	endless := source(func(i int) (flow.Datum, bool) { return flow.OfInt(int64(i)), true })
	png := []byte("a picture")
	c := spread(t, server, pair(endless, viewer(png)), flow.Options{})
	if p, err := c.Picture("to"); err != nil || p.Title != "t" || !bytes.Equal(p.PNG, png) {
		t.Errorf("%+v, %v", p, err)
	}
	for process, want := range map[string]string{"from": "has no picture", "ot": "there is no process `ot`: did you mean `to`?"} {
		if _, err := c.Picture(process); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", process, err)
		}
	}
	c = spread(t, server, pair(endless, viewer(make([]byte, 4<<20))), flow.Options{})
	if _, err := c.Picture("to"); err == nil || !strings.Contains(err.Error(), "the picture of 4194304 bytes is too large to be sent from site `b`") {
		t.Error(err)
	}
}
