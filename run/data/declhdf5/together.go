package declhdf5

import (
	"errors"
	"io/fs"
	"os"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// Processes of a communicator write one file together. An error of one process is the error of all.
//
//	each reads its data               (the file does not change meanwhile)
//	each proposes        ──▶ rank 0   compares, opens the file, makes datasets and attributes in memory,
//	                                  reserves space for elements
//	plan                 ◀── rank 0
//	each writes its elements          elements of chunks with filters go to the owner of the chunk, which
//	                                  compresses it, asks rank 0 for space, and writes it
//	each reports its result ▶ rank 0  completes the file as a single process would: until then nothing refers to
//	                                  the new space
//	result               ◀── rank 0
//
// With `async` the call returns after the plan: see unfinished.
type together struct {
	*file
	*peers
	path    string
	reads   []*Operation
	earlier *unfinished // the step that the last call left to the background thread; nil: none
	intents []intent
	writes  []*Operation
	memory  []memory // the memory of each write
	disk    *hdf5.File
	made    []*hdf5.Dataset // on rank 0: the dataset of each write; nil: nothing is written to it
}

// memory is the memory of a datum to be written.
type memory struct {
	bytes []byte
	mem   hdf5.Memory
	typ   data.Type
}

// plan is the answer of rank 0 to the proposals of all processes.
type plan struct {
	Failure *failure
	Earlier *outcome // the result of the step that was written in the background; nil: there is no news
	Again   bool     // all processes must propose again, because the background step has been completed meanwhile
	Disk    string   // the path of the file on disk; empty: nothing is to be written
	Inode   uint64   // its number in the file system; 0: unknown
	Slots   []slot
	Async   bool // background threads write the elements
}

// slot says where in the file the elements of a write belong.
type slot struct {
	Place  *hdf5.Place    // nil: the elements are not written
	Owners map[uint64]int // for chunks with filters: the rank of each chunk's owner
	Same   int            // the index of the first write to the same dataset
}

// outcome is what a process reports after a part of its work.
type outcome struct {
	Failure *failure
	Packed  []packed
}

// together executes operations in all processes of a group. The error may come from an earlier step that was left to
// the threads; the operations are executed all the same.
func (f *file) together(c *peers, path string, reads, writes []*Operation) error {
	t := &together{file: f, peers: c, path: path, reads: reads, writes: writes, earlier: f.partners.left(c, path)}
	if u := t.earlier; u != nil {
		if d := f.background.wait(u.full); d > 0 {
			f.Log.Info("waited %s until the last step of `%s` was written", quantity.Duration(d), path)
		}
	}
	p, err := t.agree()
	var earlier error
	if err == nil && p.Earlier != nil {
		f.partners.forget(t.earlier)
		earlier = data.Within(p.Earlier.Failure.err(), "an earlier step")
	}
	if err == nil && p.Again {
		return data.Join([]error{earlier, f.together(c, path, reads, writes)})
	}
	result := p.Failure
	if err == nil && p.Disk != "" {
		result, err = t.carryOut(&p)
	}
	return data.Join([]error{earlier, t.end(result, err)})
}

// agree sends a proposal and returns the plan of rank 0. It returns an error if the group does not answer.
func (t *together) agree() (p plan, err error) {
	all, err := gather(t.peers, t.propose(), t.Timeout)
	if t.Rank() == 0 {
		p = t.answer(all, err)
	} else if err != nil {
		return p, err
	}
	return p, spread(t.peers, &p, t.Timeout)
}

// end returns the result of the operations: x is the failure of all processes, and err means that the group does not answer.
func (t *together) end(x *failure, err error) error {
	if err == nil {
		err = t.Flush()
	}
	switch {
	case err != nil:
		if t.disk != nil {
			t.complete(failureOf(err))
		}
		return failed("cannot write or read", t.path, t.partners.lose(t.peers, err))
	case x != nil && x.Lost:
		return t.partners.lose(t.peers, x.err())
	}
	return x.err()
}

// propose reads the data to be read and lists the data to be written. Reading waits until an earlier step is complete.
func (t *together) propose() *proposal {
	p := &proposal{File: t.path}
	var err error
	if u := t.earlier; u != nil {
		p.Earlier = failureOf(t.failed(u.err))
	} else {
		err = t.readAll(t.reads, t.path)
	}
	for i := 0; i < len(t.reads) && err == nil; i++ {
		p.Reads = append(p.Reads, t.reads[i].Name)
	}
	for i := 0; i < len(t.writes) && err == nil; i++ {
		err = t.intend(t.writes[i])
	}
	p.Writes, p.Failure = t.intents, failureOf(err)
	return p
}

// intend evaluates one write.
func (t *together) intend(op *Operation) error {
	if op.group != nil {
		t.intents, t.memory = append(t.intents, intent{Datum: op.Name, Target: op.Name, Attribute: true}), append(t.memory, memory{})
		return nil
	}
	typ, bytes, err := t.file.memory(op.Name, data.Ref.Read)
	if err != nil {
		return err
	}
	x := intent{Datum: op.Name, Policy: string(t.policyOf(op))}
	m := memory{bytes: bytes, typ: typ}
	if op.attribute != nil {
		x.Attribute = true
		if x.Target, err = op.attribute.Text(); err == nil {
			var flat *data.Flat
			if flat, err = t.Flatten(typ, bytes); err == nil {
				flat.Pack()
				x.Attributes = append(x.Attributes, flat.Bytes)
			}
		}
	} else {
		var s shape
		if s, x.Target, err = t.operand(op, typ); err == nil {
			x.New = t.newDataset(op, x.Target, typ, &s)
			x.NewFailure, x.New.err = failureOf(x.New.err), nil
			x.Part, err = op.Selection.box()
			m.bytes = s.trim(bytes)
			m.mem, x.Memory = s.memory(), s.used
		}
		for i := 0; i < len(op.attributes) && err == nil; i++ {
			var value []byte
			value, err = op.attributes[i].bytes()
			x.Attributes = append(x.Attributes, value)
		}
	}
	t.intents, t.memory = append(t.intents, x), append(t.memory, m)
	return data.Within(err, "`%s`", op.Name)
}

// bytes returns the value of an attribute, for comparison.
func (a Attribute) bytes() ([]byte, error) {
	_, value, err := a.Value.Evaluate()
	return value, err
}

// answer returns the plan of rank 0 for the proposals; err says why some of them are missing.
func (t *together) answer(all []*proposal, err error) plan {
	if err != nil {
		return plan{Failure: lost(failed("cannot write or read", t.path, err))}
	}
	failures := make([]*failure, len(all))
	for i, p := range all {
		failures[i] = p.Failure
	}
	if x := first(failures); x != nil {
		return plan{Failure: x}
	}
	for rank, p := range all[1:] {
		if x := disagreement(all[0], p, rank+1); x != nil {
			return plan{Failure: x}
		}
	}
	var p plan
	if u := t.earlier; u != nil {
		for i := range all {
			failures[i] = all[i].Earlier
		}
		p.Earlier = &outcome{Failure: t.finish(u.disk, first(failures))}
		t.partners.forget(u)
		p.Again = len(t.reads) > 0
	}
	if len(t.writes) == 0 || p.Again {
		return p
	}
	t.warnOfValues(all)
	if err := t.arrange(all, &p); err != nil {
		p.Disk, p.Failure = "", failureOf(failed("cannot write", t.path, err))
		if t.disk != nil {
			t.complete(p.Failure)
		}
	}
	return p
}

// carryOut writes the elements and completes the file, or leaves both to the thread. It returns an error if the
// group does not answer.
func (t *together) carryOut(p *plan) (*failure, error) {
	out, err := t.openDisk(p)
	if p.Async {
		return nil, t.leave(p, out, err)
	}
	o := t.owners(p, out)
	if err == nil {
		err = t.writeElements(p, out, o)
	}
	if o.needed {
		places, x, gone := o.ask(o.pack(err))
		if x != nil || gone != nil {
			if out != nil {
				out.Close() // ignore the error, because the data is not used
			}
			return x, gone
		}
		err = o.write(places)
	}
	return t.conclude(closed(out, err))
}

// openDisk opens the file that rank 0 has created or opened.
func (t *together) openDisk(p *plan) (data.File, error) {
	out, err := t.Host().Open(p.Disk, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, data.Errorf(data.StatusSystem, nil, "rank 0 has created `%s`, but this process does not find it: the processes need a shared file system", p.Disk)
	}
	if err != nil || p.Inode == 0 {
		return out, err
	}
	info, err := out.Stat()
	if err == nil && inode(info) != p.Inode {
		err = data.Errorf(data.StatusSystem, nil, "`%s` is not the file that rank 0 has opened: the processes need a shared file system", p.Disk)
	}
	if err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

// closed closes the file of this process; err is the error of writing it, if any. Some file systems report a full
// disk only here.
func closed(out data.File, err error) error {
	if out != nil {
		if e := out.Close(); err == nil {
			err = e
		}
	}
	return err
}

// conclude collects the results of all processes, err being this one's, and completes the file.
func (t *together) conclude(err error) (*failure, error) {
	_, x, gone := t.collect(&outcome{Failure: failureOf(t.failed(err))})
	if gone != nil {
		return nil, gone
	}
	if t.Rank() == 0 {
		x = t.complete(x)
	}
	result := outcome{Failure: x}
	gone = spread(t.peers, &result, t.Timeout)
	return result.Failure, gone
}

// collect sends the outcomes of all processes to rank 0, which gets them with the first failure.
func (t *together) collect(said *outcome) (all []*outcome, x *failure, err error) {
	all, err = gather(t.peers, said, t.Timeout)
	if t.Rank() != 0 {
		return nil, nil, err
	}
	if err != nil {
		return nil, lost(t.failed(err)), nil
	}
	failures := make([]*failure, len(all))
	for i, out := range all {
		failures[i] = out.Failure
	}
	return all, first(failures), nil
}

// failed adds context to an error of this process in writing.
func (t *together) failed(err error) error {
	if err == nil {
		return nil
	}
	return failed("cannot write", t.path, err)
}

// writeElements writes the elements of this process, except those it sends to owners.
func (t *together) writeElements(p *plan, out data.File, o *owners) error {
	for i, s := range p.Slots {
		if s.Place == nil {
			continue
		}
		d, err := s.Place.Open(out)
		if err != nil {
			return err
		}
		x := &t.intents[i]
		at, err := x.Part.target(d.Space().Dims, x.Memory)
		if err != nil {
			return data.Within(err, "`%s`", x.Datum)
		}
		m := &t.memory[i]
		if s.Owners == nil {
			err = d.Write(m.bytes, m.mem, at)
		} else {
			err = o.cut(i, d, m, at)
		}
		if err != nil {
			return about(err, x.Datum)
		}
	}
	return nil
}

// about adds the name of the datum to an error and removes the path, which all errors name.
func about(err error, datum string) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return data.Within(err, "`%s`", datum)
}

// complete ends the work of rank 0: the file is complete, or unchanged after the failure x.
func (t *together) complete(x *failure) *failure {
	disk := t.disk
	t.disk = nil
	return t.finish(disk, x)
}

// finish completes a file, or leaves it unchanged after the failure x.
func (t *together) finish(disk *hdf5.File, x *failure) *failure {
	if x != nil {
		disk.Fail(x.err())
		disk.Close()
		return x
	}
	err := disk.Pause()
	if err == nil {
		err = t.files.keep(disk)
	}
	return failureOf(t.failed(err))
}

// warnOfSystem warns about a file system that may lose data that processes write at the same time.
func (t *together) warnOfSystem(path string) {
	if name := systemOf(path); name != "" {
		t.Log.Warn("`%s` is on a network file system (%s), which may lose data that processes on several machines write at the same time: use a parallel file system", t.path, name)
	}
}
