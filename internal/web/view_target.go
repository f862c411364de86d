package web

import (
	"cmp"
	"net/http"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/suite"
)

// targetAnswer compares two machines, and reports whether code built for one runs on the other, as `target compat` does.
type targetAnswer struct {
	Known []string    `json:"known"` // named targets
	With  string      `json:"with"`
	Facts []factEntry `json:"facts"`
	Runs  [2]string   `json:"runs"` // why code of the first does not run on the second, and vice versa; empty: it does
	Links string      `json:"links"`
}

type factEntry struct {
	Group   string `json:"group"`
	Name    string `json:"name"`
	A       string `json:"a"`
	B       string `json:"b"`
	Differs bool   `json:"differs"`
}

// targetView compares the target of a file with another target, by default this machine.
func (s *Server) targetView(r *http.Request) (any, error) {
	path := r.FormValue("path")
	if !s.fence.Inside(path) {
		return nil, unreadable(path, guard.Outside(path))
	}
	out := targetAnswer{Known: suite.TargetNames(), With: cmp.Or(r.FormValue("with"), suite.ThisHost), Facts: []factEntry{}}
	find := s.open().targets()
	var both [2]target.Target
	for i, name := range []string{path, out.With} {
		t, found, err := find.Target(name)
		if err != nil {
			return nil, err
		}
		if found.HasErrors() {
			return nil, brokenFile(name, found)
		}
		both[i] = t
	}
	machines := s.opt.Machines
	for _, f := range suite.CompareTargets(machines, both[0], both[1]) {
		out.Facts = append(out.Facts, factEntry{f.Group, f.Name, f.A, f.B, f.Differs()})
	}
	out.Runs = [2]string{machines.Compat(both[0], both[1], target.Run).String(), machines.Compat(both[1], both[0], target.Run).String()}
	out.Links = machines.Compat(both[0], both[1], target.Link).String()
	return out, nil
}
