package web

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/runs/record"
)

// maxReaders is the number of requests that may read elements of results at a time.
const maxReaders = 2

// openResult opens the result that a request names.
func (s *Server) openResult(req *http.Request) (*os.File, record.Result, error) {
	rec, err := s.record(req.FormValue("run"))
	if err != nil {
		return nil, record.Result{}, err
	}
	return results.Open(rec, req.FormValue("path"))
}

// resultPicture serves a picture among the results of a run.
func (s *Server) resultPicture(w http.ResponseWriter, req *http.Request) {
	f, r, err := s.openResult(req)
	if err == nil {
		defer f.Close()
		var mime string
		if mime, err = results.Picture(f, r); err == nil {
			w.Header().Set("Content-Type", mime)
			w.Header().Set("Content-Length", strconv.FormatInt(r.Size, 10))
			io.CopyN(w, f, r.Size) // a client that is gone needs no answer
			return
		}
	}
	guard.Refuse(w, err)
}

// resultSlice returns some lines of a text, or rows of a table, among the results of a run, starting at a byte offset. With `lines=all` it
// returns as many lines as fit.
func (s *Server) resultSlice(req *http.Request) (any, error) {
	f, r, err := s.openResult(req)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from, err := strconv.ParseInt(req.FormValue("from"), 10, 64)
	if err != nil {
		from = -1
	}
	return results.ReadPart(f, r, from, req.FormValue("lines") == "all")
}

// resultChart returns some columns of a table as curves.
func (s *Server) resultChart(req *http.Request) (any, error) {
	f, r, err := s.openResult(req)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	done, err := s.slices.Take(req.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	return results.ReadChart(req.Context(), f, r, req.FormValue("columns"))
}

// datasets opens a result of a request as HDF5. Closing it closes the file.
func (s *Server) datasets(q url.Values, path string) (results.Datasets, error) {
	rec, err := s.record(q.Get("run"))
	if err != nil {
		return results.Datasets{}, err
	}
	return results.OpenDatasets(rec, q.Get(path))
}

// resultTree returns the groups and datasets of an HDF5 file.
func (s *Server) resultTree(req *http.Request) (any, error) {
	f, err := s.datasets(req.URL.Query(), "path")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Tree(), nil
}

// resultAttributes returns the attributes of one group or dataset of a file.
func (s *Server) resultAttributes(req *http.Request) (any, error) {
	q := req.URL.Query()
	f, err := s.datasets(q, "path")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.AttributesOf(q.Get("name"))
}

// resultValues returns a slice of a dataset, downsampled for drawing, or the difference of two slices.
func (s *Server) resultValues(req *http.Request) (any, error) {
	done, err := s.slices.Take(req.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	q := req.URL.Query()
	a, f, err := s.sliceOf(q, "path", "name", "member")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if q.Get("as") == "table" {
		return a.Table()
	}
	if q.Get("other") == "" {
		return results.Draw(req.Context(), a, nil, q.Get("as"))
	}
	// Opened a second time, because a file keeps one chunk in memory.
	b, g, err := s.sliceOf(q, "other-path", "other", "other-member")
	if err != nil {
		return nil, err
	}
	defer g.Close()
	return results.Draw(req.Context(), a, b, q.Get("as"))
}

// sliceOf opens the dataset that a request names, and returns the requested slice.
func (s *Server) sliceOf(q url.Values, path, name, member string) (*results.Slice, results.Datasets, error) {
	f, err := s.datasets(q, path)
	if err != nil {
		return nil, f, err
	}
	a, err := f.Slice(q.Get(name), q.Get(member), q.Get("at"), q.Get("count"))
	if err != nil {
		f.Close()
	}
	return a, f, err
}
