package declhdf5

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// unfinished is the last step of a file that the processes of a group write in the background.
//
//	call: agree, reserve space, copy ──▶ thread of each process: elements, as planned
//	next call on the file, or the end of the run: wait for the thread, report its result
//	                             ──▶ rank 0 completes the file, then answers the proposals of that call
//
// The thread does not call MPI, because programs need not allow that. Until the step is complete, nothing in
// the file refers to it, and the space that it replaces is not reused. So a file has at most one such step.
type unfinished struct {
	file       *file
	peers      *peers
	path, full string
	disk       *hdf5.File // the file, on rank 0; it stays open until the step is completed
	err        error      // the error of this process; set when its thread has finished
}

// leave lets the background thread write the elements of a step. err is the reason why this process cannot
// write them; nil: it can.
func (t *together) leave(p *plan, out data.File, err error) error {
	full, bad := t.Host().OutPath(t.path)
	if err == nil {
		err = bad
	}
	u := &unfinished{file: t.file, peers: t.peers, path: t.path, full: full, disk: t.disk}
	t.disk = nil
	t.partners.steps = append(t.partners.steps, u)
	if err != nil {
		u.err = closed(out, err)
		return nil
	}
	var memory []*[]byte
	for i, s := range p.Slots {
		if s.Place != nil {
			memory = append(memory, &t.memory[i].bytes)
		}
	}
	return t.later(t.path, full, memory, func() error {
		u.err = closed(out, t.writeElements(p, out, nil))
		return nil
	})
}

// left returns the step of a file that the group has not completed yet, or nil.
func (p *partners) left(c *peers, path string) *unfinished {
	i := slices.IndexFunc(p.steps, func(u *unfinished) bool { return u.peers == c && u.path == path })
	if i < 0 {
		return nil
	}
	return p.steps[i]
}

// forget removes a step from the list, because it was completed or cannot be completed any more.
func (p *partners) forget(u *unfinished) {
	p.steps = slices.DeleteFunc(p.steps, func(other *unfinished) bool { return other == u })
}

// completeSteps completes the remaining steps, in the same order in all processes.
func (p *partners) completeSteps() error {
	var errs []error
	for len(p.steps) > 0 {
		u := p.steps[0]
		u.file.background.wait(u.full)
		p.forget(u)
		t := &together{file: u.file, peers: u.peers, path: u.path, disk: u.disk}
		if err := t.end(t.conclude(u.err)); err != nil {
			errs = append(errs, data.Within(err, "an earlier step"))
		}
	}
	return data.Join(errs)
}

// lose records why a group can no longer be used. The steps that it has left are not completed: err says so.
func (p *partners) lose(c *peers, err error) error {
	var paths []string
	for _, u := range slices.Clone(p.steps) {
		if u.peers != c {
			continue
		}
		u.file.background.wait(u.full)
		if p.forget(u); u.disk != nil {
			u.disk.Fail(err)
			u.disk.Close()
		}
		paths = append(paths, "`"+u.path+"`")
	}
	if c.lost = err; paths != nil {
		err = data.Within(err, "the last step of %s is not in the file", strings.Join(paths, " and of "))
	}
	return err
}

// incomplete returns the error for a call without the communicator whose processes have an unfinished step
// for the path.
func (p *partners) incomplete(full string) error {
	if slices.ContainsFunc(p.steps, func(u *unfinished) bool { return u.full == full }) {
		return data.Errorf(data.StatusSystem, nil, "its last step is written in the background and is complete only when the processes of its communicator call again: use that `communicator` here too")
	}
	return nil
}
