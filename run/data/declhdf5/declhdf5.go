// Package declhdf5 is the plugin `decl_hdf5`: it writes data of the store to HDF5 files and reads it back, as the
// specification tree declares.
//
// A tree lists files; each file lists what is written and read. An operation is triggered when its datum is shared, or, if the
// file names an event, when that event happens. If its condition is true, the file is opened, and elements go directly from
// memory to the dataset, without a copy.
//
//	share / event ──▶ file (name, collision policy)
//	                    ├─▶ dataset   memory selection ──▶ dataset selection
//	                    └─▶ attribute of a dataset or group
package declhdf5

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	"github.com/pentode-dev/pentode/run/data/into"
	"github.com/pentode-dev/pentode/run/data/ranks"
)

// Plugin returns the plugin. A nil finder means a program of one process.
func Plugin(find ranks.Finder) data.Plugin {
	return data.Plugin{
		Name:   "decl_hdf5",
		Title:  "Decl'HDF5",
		Doc:    "Writes and reads HDF5 files: a file, or a list of files.",
		Runs:   data.Everywhere,
		Config: config.OrList(fileRule),
		Parts: []config.Part{{Name: "write.NAME", Doc: "How a datum is written.", Rule: writeRule}, {Name: "read.NAME", Doc: "How a datum is read.", Rule: readRule},
			AsyncPart},
		New: func(c *data.Context) error {
			return start(c, find, func(n *data.Node) (*settings, error) { return parseFile(c, n) })
		},
	}
}

// file is one file of the configuration, while the program runs.
type file struct {
	*settings
	files      *closedFiles
	background *background
	partners   *partners
}

// start reads the files of a configuration, which is one file or a list of files, and registers their operations with the store.
func start(c *data.Context, find ranks.Finder, parse func(*data.Node) (*settings, error)) error {
	nodes := []*data.Node{c.Config}
	// The original program reads an empty list as a single file, and refuses it.
	if c.Config != nil && (len(c.Config.Items) > 0 || c.Env().Dialect != data.Upstream) {
		nodes = into.Items(c.Config)
	}
	files, background, partners := &closedFiles{}, newBackground(), &partners{find: find, known: map[ranks.Group]*peers{}}
	var list []*file
	for _, n := range nodes {
		s, err := parse(n)
		if err != nil {
			return err
		}
		list = append(list, &file{s, files, background, partners})
	}
	c.OnClose(files.end)
	c.OnClose(background.end)
	c.OnClose(partners.close)
	for _, f := range list {
		f.register()
	}
	c.Greet()
	return nil
}

// register registers callbacks for the file's operations.
func (f *file) register() {
	for _, event := range f.Events {
		f.OnEvent(event, func(string) error {
			return f.Timed(func() error { return f.run(f.Reads, f.Writes) })
		})
	}
	if len(f.Events) > 0 {
		return
	}
	names := map[string]bool{}
	for _, op := range slices.Concat(f.Writes, f.Reads) {
		if names[op.Name] {
			continue
		}
		names[op.Name] = true
		f.OnShare(op.Name, func(name string, ref data.Ref) error {
			var reads, writes []*Operation
			if _, err := ref.Write(); err == nil {
				reads = of(name, f.Reads)
			}
			if _, err := ref.Read(); err == nil {
				writes = of(name, f.Writes)
			}
			if len(reads)+len(writes) == 0 {
				return nil
			}
			return f.Timed(func() error { return f.run(reads, writes) })
		})
	}
}

func of(name string, list []*Operation) []*Operation {
	var mine []*Operation
	for _, op := range list {
		if op.Name == name {
			mine = append(mine, op)
		}
	}
	return mine
}

// run executes the operations whose condition is true. It reads first, so that data can be written back as it was read.
func (f *file) run(reads, writes []*Operation) error {
	reads, err := f.due(reads)
	if err != nil {
		return err
	}
	if writes, err = f.due(writes); err != nil {
		return err
	}
	if len(reads)+len(writes) == 0 {
		return nil
	}
	path, err := f.Path.Text()
	if err != nil {
		return err
	}
	for _, b := range f.batches(f.withGroups(reads), f.withGroups(writes)) {
		c, err := f.partners.peers(b.communicator, f.Timeout)
		switch {
		case err != nil:
			err = data.Within(err, "`%s`", path)
		case c != nil:
			err = f.together(c, path, b.reads, b.writes)
			err = data.Join([]error{err, f.background.failure(f)})
		default:
			if err = f.readAll(b.reads, path); err == nil {
				err = f.writeAll(b.writes, path)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readAll executes reads in this process.
func (f *file) readAll(reads []*Operation, path string) error {
	if len(reads) == 0 {
		return nil
	}
	if full, err := f.Host().OutPath(path); err == nil {
		if err := f.partners.incomplete(full); err != nil {
			return failed("cannot read", path, err)
		}
		f.background.wait(full)
	}
	h, err := hdf5.Open(f.Host().Path(path))
	if err == nil {
		if s, e := sealOf(h); e == nil && f.Host().Seal != nil {
			f.Host().Seal.Follows(s, h.Path())
		}
		err = execute(h, reads, f.read, h.Close)
	} else {
		err = f.explain(f.Host().Path(path), err)
	}
	if err != nil {
		return failed("cannot read", path, err)
	}
	return nil
}

// writeAll executes writes in this process alone.
func (f *file) writeAll(writes []*Operation, path string) error {
	if len(writes) == 0 {
		return f.background.failure(f)
	}
	full, err := f.Host().OutPath(path)
	if err != nil {
		return failed("cannot write", path, err)
	}
	if heard := f.Host().Wrote; heard != nil {
		heard(full)
	}
	if err := f.partners.incomplete(full); err != nil {
		return failed("cannot write", path, err)
	}
	if f.Async != nil {
		return f.writeInBackground(path, full, writes)
	}
	f.background.wait(full)
	return f.writeTo(path, full, func(h *hdf5.File) error { return execute(h, writes, f.write, h.Pause) })
}

// writeTo opens a file and calls do, which must write and close it. The closed file is kept for the next call.
func (f *file) writeTo(path, full string, do func(*hdf5.File) error) error {
	h, err := f.open(path, full)
	if err != nil || h == nil {
		return err
	}
	if err := do(h); err != nil {
		return failed("cannot write", path, err)
	}
	return f.files.keep(h)
}

// execute calls do for each item of a list until one fails. Then it always calls end, which closes the file.
func execute[T any](h *hdf5.File, list []T, do func(*hdf5.File, T) error, end func() error) error {
	var err error
	for i := 0; i < len(list) && err == nil; i++ {
		err = do(h, list[i])
	}
	if e := end(); err == nil {
		err = e
	}
	return err
}

// memory returns the type and the memory of a datum. open is the method of Ref that gives access to it.
func (f *file) memory(name string, open func(data.Ref) ([]byte, error)) (data.Type, []byte, error) {
	ref, err := f.Ref(name)
	if err != nil {
		return nil, nil, err
	}
	memory, err := open(ref)
	return ref.Type(), memory, data.Within(err, "`%s`", name)
}

// operand returns the data that an operation works on: the selected part of a datum of type t, and the name of its dataset.
func (f *file) operand(op *Operation, t data.Type) (s shape, dataset string, err error) {
	if s, err = shapeOf(t, f.Env().Machine); err != nil {
		return s, "", err
	}
	if err = s.sel(op.memory); err != nil || op.Dataset == nil {
		return s, op.Name, err
	}
	dataset, err = op.Dataset.Text()
	return s, dataset, err
}

// failed returns the error of a file operation with the class that fits it.
func failed(doing, path string, err error) error {
	if _, ours := errors.AsType[*data.Error](err); ours {
		return data.Within(err, "%s `%s`", doing, path)
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	if errors.Is(err, hdf5.ErrLocked) {
		return data.Errorf(data.StatusSystem, nil, "%s `%s`: %v; the processes of an MPI program need `communicator` to write one file", doing, path, err)
	}
	e := data.Errorf(data.StatusSystem, nil, "%s `%s`: %v", doing, path, err)
	e.Err = err
	return e
}

// due returns the operations whose conditions are true. If a condition has no value, HDF5 files get a warning, as in the
// original program, and files of other formats an error.
func (f *file) due(list []*Operation) ([]*Operation, error) {
	var due []*Operation
	for _, op := range list {
		holds := true
		for _, when := range f.conditions(op) {
			if when == nil || !holds {
				continue
			}
			var err error
			if holds, err = when.True(); err != nil && f.Format != nil {
				return nil, data.Within(err, "the condition of `%s`", op.Name)
			} else if err != nil {
				f.Log.Warn("`%s` is skipped: its condition has no value: %v", op.Name, err)
				holds = false
			}
		}
		if holds {
			due = append(due, op)
		}
	}
	return due, nil
}

// open opens a file for writing, or creates it. It returns nil if the policy says that the file is not written.
func (f *file) open(path, full string) (*hdf5.File, error) {
	_, err := os.Stat(full)
	exists := err == nil
	if exists {
		if f.policy.warn() {
			f.warn("file `%s` already exists: %s", path, f.policy.does())
		}
		switch f.policy.kind() {
		case skip:
			return nil, nil
		case refuse:
			return nil, data.Errorf(data.StatusSystem, f.Node, "file `%s` already exists, and its collision policy is `error`", path).
				Upstream("Filename collision `%s': File already exists", path)
		case replace:
			exists = false
		}
	}
	var h *hdf5.File
	switch {
	case exists:
		h, err = f.files.open(full)
		err = f.explain(full, err)
	case f.Format != nil:
		h, err = f.files.create(full, f.Format.Create)
	default:
		h, err = f.files.create(full, hdf5.Create)
	}
	if err != nil {
		return nil, failed("cannot write", path, err)
	}
	f.stamp(h)
	return h, nil
}
