package web

import (
	"bytes"
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/run/trace/export"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/run/trace/report"
	"github.com/pentode-dev/pentode/run/trace/why"
)

// whyAnswer lists why a traced program is not faster, with the keys of `trace why --format json`.
type whyAnswer struct {
	*why.Findings
	Causes []slowEntry       `json:"causes"`
	Kinds  map[string]string `json:"kinds"` // explanations of the kinds that were found
}

type slowEntry struct {
	why.Cause
	placeEntry // the place in the folder, if the file is there
}

// reportView summarizes a trace of a run, as `trace report --format json` does; with another run, it compares the two, as --compare does.
func (s *Server) reportView(req *http.Request) (any, error) {
	by := cmp.Or(req.FormValue("by"), string(report.Region))
	if !slices.Contains(report.Bys, by) {
		return nil, guard.BadRequest("`by` takes " + strings.Join(report.Bys, ", "))
	}
	done, err := s.wholes.Take(req.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	now, err := s.addUp(req.FormValue("run"), req.FormValue("trace"), report.By(by))
	if err != nil || !req.Form.Has("with") {
		return now, err
	}
	other, err := s.addUp(req.FormValue("with"), req.FormValue("trace"), report.By(by))
	if err != nil {
		return nil, err
	}
	return report.Compare(now, other), nil
}

func (s *Server) addUp(run, name string, by report.By) (*report.Report, error) {
	t, err := s.trace(run, name)
	if err != nil {
		return nil, err
	}
	r, err := report.Make(t, by)
	if err != nil {
		return nil, results.UnreadableTrace(name)
	}
	return r, nil
}

// askedTrace returns the trace of a request and its name, for a turn that ends with done.
func (s *Server) askedTrace(req *http.Request) (t *recorded.Trace, name string, done func(), err error) {
	if done, err = s.wholes.Take(req.Context()); err != nil {
		return nil, "", nil, err
	}
	name = req.FormValue("trace")
	if t, err = s.trace(req.FormValue("run"), name); err != nil {
		done()
	}
	return t, name, done, err
}

func (s *Server) whyView(req *http.Request) (any, error) {
	t, name, done, err := s.askedTrace(req)
	if err != nil {
		return nil, err
	}
	defer done()
	found, err := why.Find(t)
	if err != nil {
		return nil, results.UnreadableTrace(name)
	}
	out := whyAnswer{Findings: found, Causes: []slowEntry{}, Kinds: map[string]string{}}
	for _, c := range found.Causes {
		out.Causes = append(out.Causes, slowEntry{c, s.sourcePlace(c.Where)})
	}
	for _, k := range why.Kinds {
		if slices.ContainsFunc(found.Causes, func(c why.Cause) bool { return c.Kind == k.Kind }) {
			out.Kinds[string(k.Kind)] = k.Doc
		}
	}
	return out, nil
}

// sourcePlace finds the place in a text such as "MPI_Recv heat.c:12 in `relax`", if the file is in the folder. Traces name files without their
// folders.
func (s *Server) sourcePlace(where string) placeEntry {
	for word := range strings.FieldsSeq(where) {
		file, number, _ := strings.Cut(word, ":")
		line, err := strconv.Atoi(number)
		if err != nil || file != filepath.Base(file) {
			continue
		}
		path := filepath.Join(s.root, file)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			return placeEntry{path, line}
		}
	}
	return placeEntry{}
}

// flameView serves the flame graph of a trace. The graph has its own colours, which the page's Content-Security-Policy forbids, so it gets a policy that allows
// only these.
func (s *Server) flameView(w http.ResponseWriter, req *http.Request) {
	picture, err := s.flames(req)
	if err != nil {
		guard.Refuse(w, err)
		return
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Write(picture)
}

func (s *Server) flames(req *http.Request) ([]byte, error) {
	t, name, done, err := s.askedTrace(req)
	if err != nil {
		return nil, err
	}
	defer done()
	to, _ := export.Find("flamegraph")
	var b bytes.Buffer
	if _, err := to.Write(&b, t); err != nil {
		return nil, results.UnreadableTrace(name)
	}
	return b.Bytes(), nil
}

// trace opens a trace among the results of a run.
func (s *Server) trace(run, name string) (*recorded.Trace, error) {
	r, err := s.record(run)
	if err != nil {
		return nil, err
	}
	return results.OpenTrace(r, name)
}
