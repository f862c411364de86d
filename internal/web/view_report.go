package web

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/trace/export"
	"github.com/pentode-dev/pentode/run/trace/recorded"
	"github.com/pentode-dev/pentode/run/trace/report"
	"github.com/pentode-dev/pentode/run/trace/why"
	"github.com/pentode-dev/pentode/runs/record"
)

// maxTrace is how many bytes a trace may have that the page adds up.
const maxTrace = 2 << 30

// whyAnswer is why a traced program is not faster, with the words of `trace why --format json`.
type whyAnswer struct {
	*why.Findings
	Causes []slowEntry       `json:"causes"`
	Kinds  map[string]string `json:"kinds"` // what those are that were found
}

type slowEntry struct {
	why.Cause
	placeEntry // in the folder, where it lies there
}

// tracesOf names the traces among the results of a run: the metadata of each, or its trace.json. Where both lie in one folder, the second was
// made of the first.
func tracesOf(r *record.Record) []string {
	list, made := []string{}, map[string]bool{}
	for _, f := range r.Results {
		if strings.HasSuffix("/"+f.Path, "/ctf/metadata") {
			list = append(list, f.Path)
			made[path.Dir(path.Dir(f.Path))] = true
		}
	}
	for _, f := range r.Results {
		if dir, name := path.Dir(f.Path), path.Base(f.Path); name == "trace.json" && !made[dir] {
			list = append(list, f.Path)
		}
	}
	return list
}

// reportView adds up a trace of a run, as `trace report --format json` does; with another run, it says what differs, as its --compare does.
func (s *Server) reportView(req *http.Request) (any, error) {
	q := req.URL.Query()
	by := cmp.Or(q.Get("by"), string(report.Region))
	if !slices.Contains(report.Bys, by) {
		return nil, guard.BadRequest("`by` takes " + strings.Join(report.Bys, ", "))
	}
	done, err := s.wholes.Take(req.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	now, err := s.addUp(q.Get("run"), q.Get("trace"), report.By(by))
	if err != nil || !q.Has("with") {
		return now, err
	}
	other, err := s.addUp(q.Get("with"), q.Get("trace"), report.By(by))
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
		return nil, unreadableTrace(name)
	}
	return r, nil
}

// askedTrace is the trace of a request and its name, for a turn that ends with done.
func (s *Server) askedTrace(req *http.Request) (t *recorded.Trace, name string, done func(), err error) {
	if done, err = s.wholes.Take(req.Context()); err != nil {
		return nil, "", nil, err
	}
	name = req.URL.Query().Get("trace")
	if t, err = s.trace(req.URL.Query().Get("run"), name); err != nil {
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
		return nil, unreadableTrace(name)
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

// sourcePlace is the place in a text such as "MPI_Recv heat.c:12 in `relax`", where the file lies in the folder. Traces name files without their
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

// flameView is the flame graph of a trace. It has its own colours, and no policy of the page lets a picture have these: it is given one that lets
// it have nothing else.
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
		return nil, unreadableTrace(name)
	}
	return b.Bytes(), nil
}

func unreadableTrace(name string) error {
	return fmt.Errorf("the trace `%s` cannot be read to its end; `pentode trace report` says why", name)
}

// trace opens a trace among the results of a run. All of its files must be results of that run, as it has left them.
func (s *Server) trace(run, name string) (*recorded.Trace, error) {
	r, err := s.record(run)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(tracesOf(r), name) {
		return nil, guard.NotFound("run `" + r.ID + "` has left no trace `" + name + "`")
	}
	root, err := os.OpenRoot(r.Out)
	if err != nil {
		return nil, guard.NotFound("the trace `" + name + "` " + errMissing.Error())
	}
	defer root.Close()
	at := name
	if path.Base(name) == "metadata" {
		at = path.Dir(name)
	}
	if err := traceAsLeft(root, r, name, at); err != nil {
		return nil, err
	}
	t, err := recorded.Open(filepath.Join(r.Out, filepath.FromSlash(at)))
	if err != nil {
		return nil, unreadableTrace(name)
	}
	return t, nil
}

// traceAsLeft refuses a trace with a file that the run has not left so: at is the file or the folder of the trace.
func traceAsLeft(root *os.Root, r *record.Record, name, at string) error {
	left := make(map[string]record.Result, len(r.Results))
	for _, f := range r.Results {
		left[f.Path] = f
	}
	size := int64(0)
	check := func(file string) error {
		f, ok := left[file]
		if !ok {
			return guard.NotFound("`" + file + "` of the trace `" + name + "` is no result of the run")
		}
		info, err := asLeft(root, f)
		if err != nil {
			return guard.NotFound("`" + file + "` of the trace `" + name + "` " + err.Error())
		}
		if size += info.Size(); size > maxTrace {
			return fmt.Errorf("the trace `%s` has more than %d bytes, which the page does not add up; `pentode trace report` does", name, int64(maxTrace))
		}
		return nil
	}
	if err := check(name); err != nil || at == name {
		return err
	}
	if regions := path.Join(path.Dir(at), recorded.RegionsFile); exists(root, regions) {
		if err := check(regions); err != nil {
			return err
		}
	}
	return fs.WalkDir(root.FS(), at, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return guard.NotFound("the trace `" + name + "` " + errMissing.Error())
		}
		if e.IsDir() || file == name || strings.HasSuffix(file, seal.Ending) { // a seal lies beside what has no room for it
			return nil
		}
		return check(file)
	})
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(filepath.FromSlash(name))
	return err == nil
}
