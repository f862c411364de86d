package declhdf5

import (
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/hdf5"
)

// arrange opens the file, creates datasets and attributes, and reserves space for the elements, but does not write them.
func (t *together) arrange(all []*proposal, p *plan) error {
	full, err := t.Host().OutPath(t.path)
	if err == nil {
		err = t.partners.incomplete(full)
	}
	if err != nil {
		return err
	}
	t.background.wait(full)
	if t.disk, err = t.open(t.path, full); err != nil || t.disk == nil {
		return err
	}
	if heard := t.Host().Wrote; heard != nil {
		heard(full)
	}
	if p.Disk, err = filepath.Abs(t.disk.DiskPath()); err != nil {
		return err
	}
	if info, err := os.Stat(p.Disk); err == nil {
		p.Inode = inode(info)
	}
	t.warnOfSystem(p.Disk)
	p.Async = t.Async != nil
	owned := map[int]map[uint64]int{}
	for i, op := range t.writes { // chunks are numbered by the shape of the dataset, so it must grow first
		if t.Format == nil || op.group != nil {
			continue
		}
		if _, _, err := t.placeAll(i, all); err != nil {
			return data.Within(err, "`%s`", op.Name)
		}
	}
	for i, op := range t.writes {
		s, err := t.arrangeSlot(i, all, owned)
		if err != nil {
			return data.Within(err, "`%s`", op.Name)
		}
		p.Slots = append(p.Slots, s)
		p.Async = p.Async && s.Owners == nil
	}
	return nil
}

// placeAll finds or creates the dataset of a write and makes it large enough. It returns the part of the dataset that each
// process writes.
func (t *together) placeAll(i int, all []*proposal) (*hdf5.Dataset, []hdf5.Slab, error) {
	op, x := t.writes[i], &t.intents[i]
	x.New.err = x.NewFailure.err()
	d, err := t.place(t.disk, op, x.Target, x.New)
	if err != nil || d == nil {
		return nil, nil, err
	}
	slabs := make([]hdf5.Slab, len(all))
	failures := make([]*failure, len(all))
	for rank, p := range all {
		w := &p.Writes[i]
		slabs[rank], err = w.Part.target(d.Space().Dims, w.Memory)
		failures[rank] = failureOf(err)
	}
	if x := first(failures); x != nil {
		return nil, nil, x.err()
	}
	return d, slabs, t.grow(t.disk, d, slabs...)
}

// arrangeSlot makes an attribute, or a dataset with room for what all processes write.
func (t *together) arrangeSlot(i int, all []*proposal, owned map[int]map[uint64]int) (s slot, err error) {
	op, x := t.writes[i], &t.intents[i]
	t.made = append(t.made, nil)
	if op.attribute != nil || op.group != nil {
		var set task
		if op.group != nil {
			set, err = t.prepareGroup(op.group)
		} else {
			set, err = t.prepareAttribute(op, t.memory[i].typ, t.memory[i].bytes)
		}
		if err == nil {
			err = set.do(t.disk, set.memory)
		}
		return s, err
	}
	d, slabs, err := t.placeAll(i, all)
	if err != nil || d == nil {
		return s, err
	}
	t.made[i], s.Same = d, i
	for j, earlier := range t.made[:i] {
		if earlier != nil && earlier.Is(d) {
			s.Same = j
			break
		}
	}
	if s.Place, err = d.MakeRoom(slabs); err != nil {
		return s, err
	}
	if d.Filtered() {
		if owned[s.Same] == nil {
			owned[s.Same] = map[uint64]int{}
		}
		s.Owners = owned[s.Same]
		if err := share(d, slabs, s.Owners); err != nil {
			return s, err
		}
	}
	if t.Format != nil {
		set, err := t.evaluateAttributes(t.Format.Attributes(x.Target))
		if err == nil {
			err = set(d.Object)
		}
		return s, err
	}
	for _, a := range op.attributes {
		set, err := t.evaluateAttribute(a)
		if err == nil {
			err = set(d.Object)
		}
		if err != nil {
			return s, data.Within(err, "attribute `%s`", a.Name)
		}
	}
	return s, nil
}
