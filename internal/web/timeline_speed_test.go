package web_test

import (
	"os"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// TestTimelineSpeed measures how long the time line of a large trace takes to open, first and again, and what a frame of panning
// and zooming takes of the page's main thread. It only reports, and is run by hand:
//
//	PENTODE_FULL=1 PENTODE_EVENTS=1000000 go test ./internal/web -run TestTimelineSpeed -v
//
// A trace has 75 bytes an event, and its index 2.5, in the folder for temporary files. The second trace has as many events, half of
// them values of 20 counters.
func TestTimelineSpeed(t *testing.T) {
	need.Slow(t)
	if os.Getenv("PENTODE_EVENTS") == "" {
		t.Skip("PENTODE_EVENTS says how many events are measured with")
	}
	t.Run("threads", func(t *testing.T) {
		timelineSpeed(t, "ctf", func(out string) error { return played.Large(out, played.Events()) })
	})
	t.Run("counters", func(t *testing.T) {
		timelineSpeed(t, "trace.json", func(out string) error { return flowing(out, 10, played.Events()/40) })
	})
}

func timelineSpeed(t *testing.T, path string, write func(out string) error) {
	here := desk{t, t.TempDir(), t.TempDir()}
	dir := tracedRun(t, here, write)
	address, server := here.served(dir)
	b := browser(t, address)
	for _, when := range []string{"first", "again"} {
		b.open("run", "")
		before, _ := state.ReadUsage(server)
		began := time.Now()
		b.open("timeline", "?run=20260101-120000-traced&path="+path)
		b.until("the window", "document.querySelector('pentode-timeline')?.window")
		took := time.Since(began)
		now, _ := state.ReadUsage(server) // 0 if the system does not report it
		t.Logf("%d events are open after %s, %s; the server took %s of processor, and has had %d MB", played.Events(), took.Round(time.Millisecond), when, now.CPU-before.CPU, now.PeakKB>>10)
	}
	for what, move := range map[string]string{"panning all": "l.pan(0.002)", "panning a part": "l.pan(0.02)", "zooming": "l.zoom(n % 40 < 20 ? 0.95 : 1 / 0.95)"} {
		begin := "l.all()"
		if what == "panning a part" {
			begin = "l.look(0, l.head.length / 100)"
		}
		before := b.mainThread()
		got := js[[]float64](b, `new Promise(done => {
			const l = document.querySelector('pentode-timeline'), draw = l.draw, canvas = CanvasRenderingContext2D.prototype, fillRect = canvas.fillRect;
			let n = 0, sum = 0, longest = 0, rects = 0;
			canvas.fillRect = function (...at) { rects++; fillRect.apply(this, at); };
			l.draw = () => { const at = performance.now(); draw.call(l); const took = performance.now() - at; sum += took; longest = Math.max(longest, took); };
			`+begin+`;
			const step = () => { `+move+`; if (++n < 120) requestAnimationFrame(step); else { delete l.draw; canvas.fillRect = fillRect; done([n, sum / n, longest, l.window.labels.length, rects / n]); } };
			requestAnimationFrame(step);
		})`)
		script := 1000 * (b.mainThread()["ScriptDuration"] - before["ScriptDuration"]) / got[0]
		t.Logf("%s: a frame takes %.1f ms of script (processor), draws for %.1f ms, the longest %.1f ms; %.0f bars are there, and %.0f are drawn", what, script, got[1], got[2], got[3], got[4])
	}
}
