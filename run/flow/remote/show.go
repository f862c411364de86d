package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/pentode-dev/pentode/run/flow"
)

// A shown is a site's answer if it is asked for the picture of a process.
type shown struct {
	Picture flow.Picture `json:"picture"`
	Error   string       `json:"error,omitempty"`
}

// showLimit is how long to wait for the answer of a site.
const showLimit = 5 * time.Second

// Picture returns the current picture of a process on any site.
func (c *Coordinator) Picture(process string) (flow.Picture, error) {
	n := c.node(process)
	if n == nil {
		return flow.Picture{}, c.options.Plan.UnknownProcess(process)
	}
	m, err := c.nc.Request(prefix(c.options.Ticket.Run)+"show."+n.Site(), []byte(process), showLimit)
	if err != nil {
		return flow.Picture{}, fmt.Errorf("site `%s` does not answer", n.Site())
	}
	var s shown
	if err := json.Unmarshal(m.Data, &s); err != nil {
		return flow.Picture{}, fmt.Errorf("the answer of site `%s` cannot be read", n.Site())
	}
	if s.Error != "" {
		return flow.Picture{}, errors.New(s.Error)
	}
	return s.Picture, nil
}

// Tap returns an error: the coordinator has no data, because they stay on their sites. An
// edge can be watched in the run of its site.
func (c *Coordinator) Tap(string) (*flow.Tap, error) {
	return nil, errors.New("data of a pipeline on several sites stay on their site: watch the edge on a machine at one of its ends, in that site's run")
}

// show answers a request for the picture of a process.
func (s *Site) show(m *nats.Msg) {
	s.mu.Lock()
	run := s.run
	s.mu.Unlock()
	var a shown
	err := errors.New("the run has not begun")
	if run != nil {
		a.Picture, err = run.Picture(string(m.Data))
	}
	if err != nil {
		a.Error = err.Error()
	}
	buf, err := json.Marshal(a)
	if err == nil && int64(len(buf)) > s.nc.MaxPayload() {
		buf, err = json.Marshal(shown{Error: fmt.Sprintf("the picture of %d bytes is too large to be sent from site `%s`", len(a.Picture.PNG), s.options.Name)})
	}
	if err == nil {
		_ = m.Respond(buf) // without an answer, the asking program gives up after showLimit
	}
}
