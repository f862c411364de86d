// Package origin says what made a result: the run that its seal names and, where the record of that run is at hand, the
// process that wrote it, the way of its data, and every setting on that way, as it was and as it is.
//
//	file ──▶ seal ──▶ record ──▶ process ──▶ edges, backwards ──▶ settings, then and now
//	           └──▶ parents
//
// Whatever stands in the file is another's word, and may be anything.
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

// Origin is what made a result.
type Origin struct {
	Version  int            `json:"version"`
	File     string         `json:"file"`
	Dataset  string         `json:"dataset,omitempty"`
	Seal     *seal.Seal     `json:"seal"`
	Recorded bool           `json:"recorded"`          // the record of its run is at hand
	Changed  bool           `json:"changed,omitempty"` // it is not as the run left it
	Process  string         `json:"process,omitempty"` // that wrote it
	Edge     string         `json:"edge,omitempty"`    // by which its data came there
	Way      []string       `json:"way,omitempty"`     // processes that its data went through, backwards
	Settings []Setting      `json:"settings,omitempty"`
	Inputs   []Input        `json:"inputs,omitempty"`
	Missing  []string       `json:"missing,omitempty"` // what cannot be said, and why
	Record   *record.Record `json:"-"`
}

// Setting is one that the result depends on.
type Setting struct {
	record.Setting
	Whole bool         `json:"whole_run,omitempty"` // it belongs to no process of its own
	State record.State `json:"state"`
	Now   string       `json:"now,omitempty"` // where it was changed
}

// Input is a file of data that the run has read.
type Input struct {
	Path  string       `json:"path"`
	State record.State `json:"state"`
}

// Read says what made a file: FILE, or FILE:DATASET. The workspace reads the files of the run as they are now.
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

// Of says what made a result that a record has, whether or not it is still there.
func Of(w *workspace.Workspace, r *record.Record, f record.Result) *Origin {
	o := &Origin{Version: 1, File: filepath.Join(r.Out, filepath.FromSlash(f.Path)), Process: f.Process, Edge: f.Edge, Record: r}
	o.follow(w)
	return o
}

// follow goes back from the process that wrote the file to all that mattered for it.
func (o *Origin) follow(w *workspace.Workspace) {
	o.Recorded = true
	o.way()
	o.settings(w)
	o.inputs()
}

func (o *Origin) miss(format string, args ...any) {
	o.Missing = append(o.Missing, fmt.Sprintf(format, args...))
}

// RunOf is the record of the run that made a file: the one that its seal names, else the newest that has written the same.
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

// recordOf is the record of the run that a seal names; nil: it is not at hand.
func recordOf(store record.Store, s *seal.Seal) *record.Record {
	r, err := store.Open(s.Run)
	if err != nil || r.ID != s.Run { // a tag, or the end of a name, is not what a seal has
		return nil
	}
	return r
}

// recordAt says where the record of a run was left.
func recordAt(s *seal.Seal) string {
	if s.Record == "" {
		return ""
	}
	return fmt.Sprintf("; it was left in `%s` on `%s`", s.Record, s.Host)
}

// split splits the name of a dataset off.
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

// traceSeal reads the seal of a trace: in its folder, or in the one where it lies with what belongs to it.
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
	return nil, errors.New("it is a folder without a trace; give one of its files")
}

// Unknown is the error of a name that is no file, or no dataset of one.
type Unknown string

func (u Unknown) Error() string { return string(u) }

// explain names the file of an error.
func explain(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Unknown(fmt.Sprintf("there is no file `%s`", path))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the file `%s` may not be read", path)
	case errors.Is(err, seal.ErrNone):
		return fmt.Errorf("`%s` does not say what made it: it has no seal, and no `%s%s` stands beside it", path, filepath.Base(path), seal.Ending)
	}
	return fmt.Errorf("`%s` does not say what made it: %w", path, err)
}

// hasDataset refuses the name of a dataset that a file does not have.
func hasDataset(path, name string) error {
	if !isHDF5(path) {
		return Unknown(fmt.Sprintf("`%s` is no file of HDF5 or netCDF: it has no dataset `%s`", path, name))
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
	_ = h.Root().Each(func(n string, _ *hdf5.Group, d *hdf5.Dataset) error { // what can be listed helps
		if d != nil && len(names) < 1000 {
			names = append(names, n)
		}
		return nil
	})
	return Unknown(fmt.Sprintf("`%s` has no dataset `%s`; %s", path, name, problem.Advise(name, names, "`h5dump -n` lists those that it has")))
}
