package live

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"go.uber.org/goleak"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

func figures() *flow.Stats {
	return &flow.Stats{
		Version: 1, Wall: 4 * time.Second,
		Processes: []flow.ProcessStats{
			{Name: "src", Type: "numbers", Steps: 20_000_000, Out: 20_000_000, Busy: 2 * time.Second},
			{Name: "snk", Type: "sink", Steps: 20_000_001, In: 19_000_000, Busy: time.Second, Done: true},
			{Name: "alone", Type: "orphan", Steps: 3, Blocked: 2 * time.Second},
		},
		Edges: []flow.EdgeStats{{
			From: "src.number", To: "snk.sink", Capacity: 40, High: 40, Mean: 22.6, Pushed: 20_000_000, Taken: 19_000_000,
			Dropped: 999_970, Left: 30, Full: time.Second, Empty: 3 * time.Second,
		}},
	}
}

func TestTable(t *testing.T) {
	want := `
process   steps   in/s   out/s   busy   blocked on         drops
src       20.0M   –      5.0M    50 %   snk (full) 25 %    –
snk       20.0M   4.8M   –       25 %   src (empty) 75 %   999,970
alone     3       –      –       0 %    its program 50 %   –
edge src.number → snk.sink   capacity 40   high 40   mean 23
19,000,000 data in 4.00 s, 999,970 dropped
`
	if have := "\n" + Table(figures()); have != want {
		t.Errorf("have%s\nwant%s", have, want)
	}
	if have := Table(&flow.Stats{}); !strings.Contains(have, "0 data in 0 µs") {
		t.Errorf("nothing happened, but: %s", have)
	}
}

func TestQuantities(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 0.5: "0.5", 7: "7", 999: "999", 1000: "1.0k", 1_234_567: "1.2M", 4e9: "4.0G", 2e12: "2.0T"} {
		if have := Quantity(n); have != want {
			t.Errorf("Quantity(%v) is %s, want %s", n, have, want)
		}
	}
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 12345678: "12,345,678"} {
		if have := Grouped(n); have != want {
			t.Errorf("Grouped(%d) is %s, want %s", n, have, want)
		}
	}
	for d, want := range map[time.Duration]string{12 * time.Microsecond: "12 µs", 30 * time.Millisecond: "30 ms", 3280 * time.Millisecond: "3.28 s", 90 * time.Second: "1m30s"} {
		if have := Duration(d); have != want {
			t.Errorf("Duration(%v) is %s, want %s", d, have, want)
		}
	}
}

// TestFrameFits: whatever the size of the terminal, the picture fits into it.
func TestFrameFits(t *testing.T) {
	now, before := figures(), &flow.Stats{}
	for range 50 {
		now.Edges = append(now.Edges, now.Edges[0])
	}
	for width := 20; width < 100; width += 7 {
		for height := 4; height < 80; height += 5 {
			picture := frame("a.pipe", now, before, width, height)
			if have := lipgloss.Height(picture); have >= height {
				t.Errorf("%d lines on a terminal of %d", have, height)
			}
			if have := lipgloss.Width(picture); have > width {
				t.Errorf("%d columns on a terminal of %d", have, width)
			}
		}
	}
	picture := frame("a.pipe", now, before, 120, 80)
	for _, want := range []string{"a.pipe", "20.0M", "30 of 40", "999,970 dropped", "done"} {
		if !strings.Contains(picture, want) {
			t.Errorf("the picture lacks %q:\n%s", want, picture)
		}
	}
}

// view shows a run that never ends on something like a terminal; what stands
// there at the end is what read gives.
func view(t *testing.T) (v *View, read func() string) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(r)
		text <- string(all)
	}()
	p := flow.New(catalog.Standard())
	p.AddProcess("o", "orphan", nil)
	run, err := p.Start(context.Background(), flow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Start(w, "a.pipe", run.Stats), func() string {
		run.Stop()
		run.Wait()
		w.Close()
		defer r.Close()
		return <-text
	}
}

// TestViewOfAMoment: a run that is over at once gets no picture, only its text.
func TestViewOfAMoment(t *testing.T) {
	defer goleak.VerifyNone(t)
	v, read := view(t)
	io.WriteString(v, "first line\nsecond ")
	io.WriteString(v, "line\nwithout an end")
	v.Close()
	io.WriteString(v, "\nlate\n")
	if have := read(); have != "first line\nsecond line\nwithout an end\nlate\n" {
		t.Errorf("the terminal has %q", have)
	}
}

// TestView: no line is lost or out of order while the picture appears.
func TestView(t *testing.T) {
	defer goleak.VerifyNone(t)
	v, read := view(t)
	const lines = 1000
	for i := range lines {
		fmt.Fprintf(v, "line %d.\n", i)
		if i%10 == 0 {
			time.Sleep(after / lines * 20) // twice the time before the picture
		}
	}
	for i := 0; !v.drawn.Load(); i++ {
		if i == 1000 {
			t.Fatal("there is no picture")
		}
		time.Sleep(10 * time.Millisecond)
	}
	io.WriteString(v, "last words")
	v.Close()
	have := read()
	at := 0
	for i := range lines {
		next := strings.Index(have[at:], fmt.Sprintf("line %d.", i))
		if next < 0 {
			t.Fatalf("line %d is lost or out of order", i)
		}
		at += next
	}
	if !strings.Contains(have[at:], "last words") {
		t.Error("the last words are lost")
	}
}
