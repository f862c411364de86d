package export

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A flame graph is a picture in XML: each frame is as wide as its time, and is on top of its caller.
func TestFlamegraph(t *testing.T) {
	text, left := write(t, "flamegraph")
	var picture struct {
		Groups []struct {
			Title string `xml:"title"`
			Rect  struct {
				X     float64 `xml:"x,attr"`
				Y     int     `xml:"y,attr"`
				Width float64 `xml:"width,attr"`
			} `xml:"rect"`
			Text string `xml:"text"`
		} `xml:"g"`
	}
	if err := xml.Unmarshal([]byte(text), &picture); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range picture.Groups {
		got = append(got, fmt.Sprintf("%s at %.0f, %d: %.0f wide, %s", g.Title, g.Rect.X, g.Rect.Y, g.Rect.Width, g.Text))
	}
	want := []string{
		"heat: 8.7 µs, 100 % at 10, 112: 1200 wide, heat",
		"MPI rank 0: 4.5 µs, 52 % at 10, 94: 621 wide, MPI rank 0",
		"thread 0: 4 µs, 46 % at 10, 76: 552 wide, thread 0",
		`a "step",: 4 µs, 46 % at 10, 58: 552 wide, a "step",`,
		"parallel relax: 2 µs, 23 % at 10, 40: 276 wide, parallel relax",
		"thread 1: 500 ns, 5.7 % at 562, 76: 69 wide, thread 1",
		"task tasks: 500 ns, 5.7 % at 562, 58: 69 wide, task tas…",
		"MPI rank 1: 4.2 µs, 48 % at 631, 94: 579 wide, MPI rank 1",
		"thread 0: 4.2 µs, 48 % at 631, 76: 579 wide, thread 0",
		"MPI_Recv: 1.8 µs, 21 % at 631, 58: 248 wide, MPI_Recv",
		"cut off: 2.4 µs, 28 % at 879, 58: 331 wide, cut off",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(text, "prefers-color-scheme: dark") || !slices.Equal(left, []string{"5 events that are no slices", "the times at which anything was"}) {
		t.Errorf("left out: %q", left)
	}
}

// A name is cut to the width of its frame.
func TestFitting(t *testing.T) {
	for _, c := range []struct {
		width float64
		want  string
	}{{100, "größer"}, {40, "größer"}, {39, "größ…"}, {20, "gr…"}, {19, ""}, {-5, ""}} {
		if got := fitting("größer", c.width); got != c.want {
			t.Errorf("%v pixels have room for %q, want %q", c.width, got, c.want)
		}
	}
	if got := escaped("<b>\x00&\"\uffff"); got != "&lt;b&gt;\uFFFD&amp;&#34;\uFFFD" {
		t.Errorf("%q, want %q", got, "&lt;b&gt;\uFFFD&amp;&#34;\uFFFD")
	}
}
