package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// streams counts the streams of all clients of one server.
type streams struct{ open atomic.Int32 }

// Times of a stream.
const (
	tickEvery  = 100 * time.Millisecond
	listEvery  = 500 * time.Millisecond
	alive      = 15 * time.Second // a sign of life, so that a client that is gone is noticed
	writeLimit = 10 * time.Second
)

// events is the stream of one client: the list of runs, the programs that are traced, and of the
// run that it names the figures, the programs and the log, and what is on the edge that it names. Everything is the newest there is when
// the client is ready, so that a slow one loses what is old.
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
	if id := r.URL.Query().Get("run"); id != "" {
		run, err := s.runs.find(id)
		if err != nil {
			c.send("gone", err.Error())
			return
		}
		run.watchers.Add(1)
		defer run.watchers.Add(-1)
		c.run = run
		if port := r.URL.Query().Get("edge"); port != "" {
			defer c.watchEdge(r.Context(), port)()
		}
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var updated time.Time
	for c.err == nil {
		c.edge()
		if c.figures(); time.Since(updated) >= tickEvery {
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
	run     *run
	err     error

	listed time.Time
	list   []byte
	status []byte
	traced []byte
	sample int
	points int
	line   int
	offset int64
	last   time.Time

	view   atomic.Pointer[json.RawMessage] // of the edge that it looks at
	viewed *json.RawMessage
}

// send writes one event.
func (c *client) send(name string, value any) {
	text, err := json.Marshal(value)
	if err == nil {
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

// figures sends those of a pipeline when they are new.
func (c *client) figures() {
	if c.run == nil {
		return
	}
	if now := c.run.sample.Load(); now != nil && now.number != c.sample {
		c.sample = now.number
		c.sendText("figures", now.text)
	}
}

// curve sends the curves of the last minutes when they have a new point.
func (c *client) curve() {
	c.run.mu.Lock()
	if c.run.points == c.points {
		c.run.mu.Unlock()
		return
	}
	c.points = c.run.points
	curve := slices.Clone(c.run.curve)
	c.run.mu.Unlock()
	c.send("curve", curve)
}

func (c *client) update(s *Server, r *http.Request) {
	if time.Since(c.listed) >= listEvery {
		c.listed = time.Now()
		if text, err := json.Marshal(s.runs.list()); err == nil && !bytes.Equal(text, c.list) {
			c.list = text
			c.sendText("runs", text)
		}
		if text, err := json.Marshal(s.traced(r.Context())); err == nil && !bytes.Equal(text, c.traced) {
			c.traced = text
			c.sendText("traced", text)
		}
		if c.run != nil && c.run.pipeline == nil {
			if text, err := json.Marshal(c.run.nodes(r.Context())); err == nil && !bytes.Equal(text, c.status) {
				c.status = text
				c.sendText("status", text)
			}
		}
	}
	if c.run != nil {
		c.curve()
		c.logs()
	}
	if time.Since(c.last) > alive {
		c.send("alive", nil)
	}
}

// maxChunk bounds how much of a log file is sent at once; a client that begins to
// look gets the last part of it.
const maxChunk = 256 << 10

// logs sends new lines: of a pipeline, or of the programs of a plan.
func (c *client) logs() {
	c.run.mu.Lock()
	dir := c.run.dir
	c.run.mu.Unlock()
	if dir == nil {
		if c.run.pipeline != nil || c.run.ended() { // a plan that failed before it had programs
			var text []string
			if text, c.line = c.run.log.after(c.line); len(text) > 0 {
				c.send("log", text)
			}
		}
		return
	}
	f, err := os.Open(dir.LogFile("", ""))
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= c.offset {
		return
	}
	skipped := info.Size()-c.offset > 4*maxChunk
	if skipped {
		c.offset = info.Size() - maxChunk
	}
	chunk := make([]byte, min(info.Size()-c.offset, maxChunk))
	n, _ := f.ReadAt(chunk, c.offset)
	end := bytes.LastIndexByte(chunk[:n], '\n') + 1
	if end == 0 && n < maxChunk {
		return // the line is not complete
	} else if end == 0 {
		end = n
	}
	c.offset += int64(end)
	begin := 0
	if skipped { // into the middle of a line
		begin = bytes.IndexByte(chunk[:end], '\n') + 1
	}
	var lines []string
	for line := range bytes.Lines(chunk[begin:end]) {
		lines = append(lines, string(bytes.ToValidUTF8(bytes.TrimRight(state.Unstamped(line), "\r\n"), []byte("\ufffd"))))
	}
	c.send("log", lines)
}
