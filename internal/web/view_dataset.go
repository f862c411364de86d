package web

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// Limits of files with datasets.
const (
	maxObjects    = 2000
	maxDepth      = 64 // of groups in groups; a damaged file may have them in a circle
	maxAttributes = 100
	maxReaders    = 2 // requests that read elements at a time
)

// objectEntry is a group or a dataset of a file.
type objectEntry struct {
	Path    string        `json:"path"` // in the file
	Dataset *datasetEntry `json:"dataset,omitempty"`
}

// datasetEntry is what a dataset has besides its name.
type datasetEntry struct {
	Type    string   `json:"type"`
	Shape   []uint64 `json:"shape"`
	Chunk   []uint64 `json:"chunk,omitempty"`
	Members []string `json:"members,omitempty"` // of a record, that are numbers
	Numbers bool     `json:"numbers"`           // it can be drawn
}

// treeAnswer is the groups and datasets of a file, each behind the group that it is in.
type treeAnswer struct {
	Objects []objectEntry `json:"objects"`
	More    bool          `json:"more,omitempty"` // there are more than are listed
	Broken  string        `json:"broken,omitempty"`
}

// openDatasets opens a result as HDF5. Closing it closes the file.
func (s *Server) openDatasets(run, path string) (*hdf5.File, error) {
	f, r, err := s.openResultOf(run, path)
	if err != nil {
		return nil, err
	}
	if showsAs(r.Path) != "datasets" {
		f.Close()
		return nil, fmt.Errorf("the page shows `%s` not as datasets", r.Path)
	}
	file, err := hdf5.NewReader(f, r.Size)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("`%s` cannot be read as HDF5: %w", r.Path, err)
	}
	return file, nil
}

// resultTree is what a file of HDF5 holds.
func (s *Server) resultTree(req *http.Request) (any, error) {
	f, err := s.openDatasets(req.URL.Query().Get("run"), req.URL.Query().Get("path"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := treeAnswer{Objects: []objectEntry{{Path: "/"}}}
	switch err := out.walk(f.Root(), "", 0); {
	case errors.Is(err, fs.SkipAll):
		out.More = true
	case err != nil:
		out.Broken = err.Error() // what was found before is shown
	}
	return out, nil
}

func (a *treeAnswer) walk(g *hdf5.Group, path string, depth int) error {
	return g.Each(func(name string, g *hdf5.Group, d *hdf5.Dataset) error {
		if len(a.Objects) == maxObjects || depth == maxDepth {
			return fs.SkipAll
		}
		e := objectEntry{Path: path + "/" + name}
		if d != nil {
			e.Dataset = entryOfDataset(d)
		}
		a.Objects = append(a.Objects, e)
		if g == nil {
			return nil
		}
		return a.walk(g, e.Path, depth+1)
	})
}

func entryOfDataset(d *hdf5.Dataset) *datasetEntry {
	t := d.Type()
	e := &datasetEntry{Type: typeText(t), Shape: append([]uint64{}, d.Space().Dims...), Chunk: d.Chunk(), Numbers: drawable(t) && !d.Space().Null}
	if t.Class == hdf5.Compound {
		for _, m := range t.Members {
			if drawable(m.Type) {
				e.Members = append(e.Members, m.Name)
			}
		}
	}
	return e
}

// drawable reports whether elements become numbers with a fraction.
func drawable(t hdf5.Type) bool {
	switch t.Class {
	case hdf5.Integer, hdf5.Float, hdf5.Enum:
		return t.Size <= 8
	}
	return false
}

// attributeEntry is an attribute of a group or dataset.
type attributeEntry struct {
	Name  string   `json:"name"`
	Type  string   `json:"type"`
	Shape []uint64 `json:"shape"`
	Value string   `json:"value"`
}

// attributesAnswer is what describes a group or dataset.
type attributesAnswer struct {
	Attributes []attributeEntry `json:"attributes"`
	More       int              `json:"more,omitempty"` // that are not listed
}

// resultAttributes is the attributes of one group or dataset of a file.
func (s *Server) resultAttributes(req *http.Request) (any, error) {
	q := req.URL.Query()
	f, err := s.openDatasets(q.Get("run"), q.Get("path"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	object, err := objectOf(f, q.Get("name"))
	if err != nil {
		return nil, err
	}
	list, err := object.Attributes()
	if err != nil {
		return nil, fmt.Errorf("the attributes of `%s` cannot be read: %w", q.Get("name"), err)
	}
	out := attributesAnswer{Attributes: []attributeEntry{}, More: max(0, len(list)-maxAttributes)}
	for _, a := range list[:min(len(list), maxAttributes)] {
		out.Attributes = append(out.Attributes, attributeEntry{a.Name, typeText(a.Type), append([]uint64{}, a.Space.Dims...), attributeText(a)})
	}
	return out, nil
}

// objectOf finds a group or a dataset by its path.
func objectOf(f *hdf5.File, name string) (hdf5.Object, error) {
	if name == "/" {
		return f.Root().Object, nil
	}
	if d, err := f.Root().Dataset(name); err == nil {
		return d.Object, nil
	}
	g, err := f.Root().Group(name)
	if err != nil {
		return hdf5.Object{}, guard.NotFound("the file has no `" + name + "` that can be read")
	}
	return g.Object, nil
}

// resultValues is a slice of a dataset, made small enough to be drawn, or the difference of two.
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
		return a.texts()
	}
	if q.Get("other") == "" {
		return draw(req.Context(), a, nil, q.Get("as"))
	}
	// From a file of its own, since a file keeps one chunk in memory.
	b, g, err := s.sliceOf(q, "other-path", "other", "other-member")
	if err != nil {
		return nil, err
	}
	defer g.Close()
	return draw(req.Context(), a, b, q.Get("as"))
}

// sliceOf opens the dataset that a request names, and finds what it asks for of it.
func (s *Server) sliceOf(q url.Values, path, name, member string) (*slice, *hdf5.File, error) {
	f, err := s.openDatasets(q.Get("run"), q.Get(path))
	if err != nil {
		return nil, nil, err
	}
	d, err := f.Root().Dataset(q.Get(name))
	if err != nil {
		f.Close()
		return nil, nil, guard.NotFound("the file has no dataset `" + q.Get(name) + "` that can be read")
	}
	a, err := newSlice(d, q.Get(member), q.Get("at"), q.Get("count"))
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return a, f, nil
}

// indexes reads numbers with commas between them, one for each axis.
func indexes(text string, axes int) ([]uint64, bool) {
	if text == "" {
		return nil, axes == 0
	}
	words := strings.Split(text, ",")
	list := make([]uint64, 0, axes)
	for _, w := range words {
		n, err := strconv.ParseUint(w, 10, 62)
		if err != nil || len(list) == axes {
			return nil, false
		}
		list = append(list, n)
	}
	return list, len(list) == axes
}
