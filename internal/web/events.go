package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/internal/web/watch"
)

// maxStreams is the maximum number of streams of all clients together.
const maxStreams = 64

// Times of a stream.
const (
	tickEvery  = 100 * time.Millisecond
	listEvery  = 500 * time.Millisecond
	alive      = 15 * time.Second // between comments that reveal a dead connection
	writeLimit = 10 * time.Second
)

// events is the stream of one client: the list of runs, the traced programs, the figures, programs and log of the run that
// it names, and the newest datum of the edge that it names. It always sends the newest state when the client is ready, so that
// a slow client loses only older states.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	if s.streams.open.Add(1) > maxStreams {
		s.streams.open.Add(-1)
		guard.Refuse(w, &guard.Refusal{Status: http.StatusTooManyRequests, Text: "too many pages follow this run"})
		return
	}
	defer s.streams.open.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	c := &client{w: w, control: http.NewResponseController(w), traced: []byte("[]")}
	_ = c.control.SetReadDeadline(time.Time{})
	if id := r.FormValue("run"); id != "" {
		run, err := s.runs.Find(id)
		if err != nil {
			c.send("gone", err.Error())
			return
		}
		c.run = run.Follow(r.Context(), r.FormValue("edge"))
		defer c.run.Close()
	}
	tick := time.NewTicker(watch.LookEvery)
	defer tick.Stop()
	var updated time.Time
	for c.err == nil {
		if c.newest(); time.Since(updated) >= tickEvery {
			updated = time.Now()
			c.update(s, r)
		}
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}

// client is one stream and what it has been sent.
type client struct {
	w       http.ResponseWriter
	control *http.ResponseController
	run     *watch.Follower // nil: the client follows no run
	err     error

	listed time.Time
	list   []byte
	status []byte
	traced []byte
	last   time.Time
}

// send writes one event.
func (c *client) send(name string, value any) {
	text, err := json.Marshal(value)
	if err == nil {
		c.sendText(name, text)
	}
}

// sendNew writes an event if it differs from the last of its name.
func (c *client) sendNew(name string, last *[]byte, value any) {
	if text, err := json.Marshal(value); err == nil && !bytes.Equal(text, *last) {
		*last = text
		c.sendText(name, text)
	}
}

func (c *client) sendText(name string, text []byte) {
	if c.err != nil {
		return
	}
	_ = c.control.SetWriteDeadline(time.Now().Add(writeLimit))
	if _, c.err = fmt.Fprintf(c.w, "event: %s\ndata: %s\n\n", name, text); c.err == nil {
		c.err = c.control.Flush()
	}
	c.last = time.Now()
}

// newest sends the datum of the edge and the figures of a pipeline, if they are new.
func (c *client) newest() {
	if c.run == nil {
		return
	}
	if view := c.run.Edge(); view != nil {
		c.sendText("edge", view)
	}
	if figures := c.run.Figures(); figures != nil {
		c.sendText("figures", figures)
	}
}

func (c *client) update(s *Server, r *http.Request) {
	if time.Since(c.listed) >= listEvery {
		c.listed = time.Now()
		c.sendNew("runs", &c.list, s.runs.Entries())
		c.sendNew("traced", &c.traced, s.runs.Traced(r.Context()))
		if c.run != nil {
			if programs, ok := c.run.Programs(r.Context()); ok {
				c.sendNew("status", &c.status, programs)
			}
		}
	}
	if c.run != nil {
		if curve := c.run.Curve(); curve != nil {
			c.send("curve", curve)
		}
		if lines := c.run.Log(); len(lines) > 0 {
			c.send("log", lines)
		}
	}
	if time.Since(c.last) > alive {
		c.send("alive", nil)
	}
}
