// Package origin explains where a result comes from: the run that its seal names and, if the record of that run is available, the process that wrote
// it, the path of its data, and every setting on that path with its old and its current value.
//
//	file ──▶ seal ──▶ record ──▶ process ──▶ edges, backwards ──▶ settings, then and now
//	           └──▶ parents
//
// The content of the file is untrusted.
package origin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/data/declhdf5"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/runs/record"
	"github.com/pentode-dev/pentode/workspace"
)

// Origin is where a result comes from.
type Origin struct {
	Version  int            `json:"version"`
	File     string         `json:"file"`
	Dataset  string         `json:"dataset,omitempty"`
	Seal     *seal.Seal     `json:"seal"`
	Recorded bool           `json:"recorded"`          // the record of its run is available
	Changed  bool           `json:"changed,omitempty"` // the file has changed since the run
	Process  string         `json:"process,omitempty"` // the process that wrote it
	Edge     string         `json:"edge,omitempty"`    // the edge through which that process got its data
	Way      []string       `json:"way,omitempty"`     // the processes through which its data went, backwards
	Settings []Setting      `json:"settings,omitempty"`
	Inputs   []Input        `json:"inputs,omitempty"`
	Missing  []string       `json:"missing,omitempty"` // what is not known, and why
	Record   *record.Record `json:"-"`
}

// Setting is a setting on which the result depends.
type Setting struct {
	record.Setting
	Whole bool         `json:"whole_run,omitempty"` // it belongs to the whole run, not to a process
	State record.State `json:"state"`
	Now   string       `json:"now,omitempty"` // the current value, if it has changed
}

// Input is a data file that the run has read.
type Input struct {
	Path  string       `json:"path"`
	State record.State `json:"state"`
}

// Read finds the origin of a file: FILE, or FILE:DATASET. It reads the current files of the run through the workspace.
func Read(w *workspace.Workspace, store record.Store, name string) (*Origin, error) {
	path, dataset, err := split(name)
	if err != nil {
		return nil, err
	}
	o := &Origin{Version: 1, File: path, Dataset: dataset}
	if o.Seal, err = read(path); err != nil {
		return nil, explain(path, err)
	}
	if dataset != "" {
		if err := hasDataset(path, dataset); err != nil {
			return nil, err
		}
	}
	if o.Record = recordOf(store, o.Seal); o.Record == nil {
		o.miss("the record of the run is not on this machine, so its settings are not known%s", recordAt(o.Seal))
		return o, nil
	}
	o.locate()
	o.follow(w)
	return o, nil
}

// Of returns the origin of a result in a record, whether or not the result still exists.
func Of(w *workspace.Workspace, r *record.Record, f record.Result) *Origin {
	o := &Origin{Version: 1, File: filepath.Join(r.Out, filepath.FromSlash(f.Path)), Process: f.Process, Edge: f.Edge, Record: r}
	o.follow(w)
	return o
}

// follow goes back from the process that wrote the file to everything that influenced the file.
func (o *Origin) follow(w *workspace.Workspace) {
	o.Recorded = true
	o.way()
	o.settings(w)
	o.inputs()
}

func (o *Origin) miss(format string, args ...any) {
	o.Missing = append(o.Missing, fmt.Sprintf(format, args...))
}

// RunOf returns the record of the run that made a file: the run that its seal names, or else the newest run that has written the same content.
func RunOf(store record.Store, path string) (*record.Record, error) {
	s, err := read(path)
	if err != nil {
		return store.Made(path)
	}
	if r := recordOf(store, s); r != nil {
		return r, nil
	}
	r, err := store.Made(path)
	if err != nil {
		err = fmt.Errorf("`%s` was made by run `%s`, whose record is not on this machine%s", path, s.Run, recordAt(s))
	}
	return r, err
}

// recordOf returns the record of the run that a seal names; nil: it is not available.
func recordOf(store record.Store, s *seal.Seal) *record.Record {
	r, err := store.Open(s.Run)
	if err != nil || r.ID != s.Run { // a seal never has a tag or the end of a name
		return nil
	}
	return r
}

// recordAt says where the record of a run is.
func recordAt(s *seal.Seal) string {
	if s.Record == "" {
		return ""
	}
	return fmt.Sprintf("; the record is in `%s` on `%s`", s.Record, s.Host)
}

// split separates the name of a dataset from the path.
func split(name string) (path, dataset string, err error) {
	if _, err = os.Stat(name); err == nil {
		return name, "", nil
	}
	if i := strings.LastIndexByte(name, ':'); i > 0 && i < len(name)-1 {
		if _, e := os.Stat(name[:i]); e == nil {
			return name[:i], name[i+1:], nil
		}
	}
	return "", "", explain(name, err)
}

// read reads the seal of a file or of the folder of a trace.
func read(path string) (*seal.Seal, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return traceSeal(path)
	}
	if isHDF5(path) {
		s, err := declhdf5.Sealed(path)
		if err == nil || errors.Is(err, seal.ErrNone) || errors.As(err, new(*seal.Bad)) {
			return s, err
		}
		return nil, &seal.Bad{Why: "the file is damaged"}
	}
	s, err := seal.Read(path)
	if err == nil {
		err = s.Fits(path)
	}
	return s, err
}

func isHDF5(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return hdf5.Is(f)
}

// traceSeal reads the seal of a trace: from its own folder, or from the folder that contains it.
func traceSeal(dir string) (*seal.Seal, error) {
	for _, at := range []string{dir, filepath.Join(dir, "ctf")} {
		if _, err := os.Stat(filepath.Join(at, "metadata")); err != nil {
			continue
		}
		r, err := ctf.Open(at)
		if err != nil {
			return nil, &seal.Bad{Why: "the description of the trace is damaged"}
		}
		text, ok := r.Env[seal.Name]
		if !ok {
			return nil, seal.ErrNone
		}
		return seal.Parse([]byte(text))
	}
	return nil, errors.New("it is a folder without a trace; name one of its files")
}

// Unknown is the error of a name that is not a file, or not a dataset of the file.
type Unknown string

func (u Unknown) Error() string { return string(u) }

// explain adds the name of the file to an error.
func explain(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Unknown(fmt.Sprintf("there is no file `%s`", path))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the file `%s` may not be read", path)
	case errors.Is(err, seal.ErrNone):
		return fmt.Errorf("the origin of `%s` is not known: it has no seal, and there is no file `%s%s` beside it", path, filepath.Base(path), seal.Ending)
	}
	return fmt.Errorf("the origin of `%s` is not known: %w", path, err)
}

// hasDataset returns an error if a file does not have the dataset.
func hasDataset(path, name string) error {
	if !isHDF5(path) {
		return Unknown(fmt.Sprintf("`%s` is not an HDF5 or netCDF file: it has no dataset `%s`", path, name))
	}
	h, err := hdf5.Open(path)
	if err != nil {
		return explain(path, &seal.Bad{Why: "the file is damaged"})
	}
	defer h.Close()
	if d, err := h.Root().Dataset(name); err == nil && d != nil {
		return nil
	}
	var names []string
	_ = h.Root().Each(func(n string, _ *hdf5.Group, d *hdf5.Dataset) error { // the datasets that can be listed are still useful
		if d != nil && len(names) < 1000 {
			names = append(names, n)
		}
		return nil
	})
	return Unknown(fmt.Sprintf("`%s` has no dataset `%s`; %s", path, name, problem.Advise(name, names, "`h5dump -n` lists its datasets")))
}
