package hdf5

import (
	"cmp"
	"os"
	"slices"
	"time"
)

const (
	// pageSize is the largest piece of a file that a write changes as a whole: a
	// program that is killed in a write has changed whole pages, or none.
	pageSize = 4096
	// lineSize is the piece of memory that processors hand to each other as a whole. A
	// reader meets a write of a page half done now and then, and one within a line never.
	lineSize = 64
	// grace is how long room stays as it was after the step that gave it back, where
	// other programs have the file open all that time.
	grace = time.Minute
	// keptShare is the part of a file that stays as it was even where no program of this
	// machine has it open: programs of others may.
	keptShare = 16
)

// freeList is room that nothing in the file uses, by address; neighbours are joined.
type freeList []extent

// add puts room on the list. What overlaps with free room is left out: only a
// damaged file has two owners of one place.
func (l *freeList) add(e extent) {
	i, found := slices.BinarySearchFunc(*l, e.addr, func(x extent, addr uint64) int { return cmp.Compare(x.addr, addr) })
	if found || e.size <= 0 || i > 0 && (*l)[i-1].end() > e.addr || i < len(*l) && (*l)[i].addr < e.end() {
		return
	}
	if i < len(*l) && (*l)[i].addr == e.end() {
		(*l)[i].addr = e.addr
		(*l)[i].size += e.size
	} else {
		*l = slices.Insert(*l, i, e)
	}
	if i > 0 && (*l)[i-1].end() == e.addr {
		(*l)[i-1].size += (*l)[i].size
		*l = slices.Delete(*l, i, i+1)
	}
}

// take finds room for n bytes at the first place that the caller accepts.
func (l *freeList) take(n int, place func(addr uint64) uint64) (addr uint64, ok bool) {
	for i, e := range *l {
		if e.size < n {
			continue
		}
		if addr = place(e.addr); addr+uint64(n) > e.end() {
			continue
		}
		*l = slices.Delete(*l, i, i+1)
		l.add(extent{e.addr, int(addr - e.addr)})
		l.add(extent{addr + uint64(n), int(e.end() - addr - uint64(n))})
		return addr, true
	}
	return 0, false
}

func (e extent) end() uint64 { return e.addr + uint64(e.size) }

func align(n uint64) uint64 { return (n + 7) &^ 7 }

// alloc takes n bytes: room that is free, or some behind the end of the file.
// Addresses are multiples of 8. What the bytes are before they are written is not known.
func (f *File) alloc(n uint64) uint64 {
	if n < 1<<40 {
		if addr, ok := f.free.take(int(align(n)), func(addr uint64) uint64 { return addr }); ok {
			return addr
		}
	}
	return f.allocEnd(n)
}

// allocEnd takes n bytes behind the end of the file, which are zero until they are written.
func (f *File) allocEnd(n uint64) uint64 {
	addr := align(f.end)
	f.end = addr + align(n)
	return addr
}

// allocHeader takes room for an object header. As much of it as is ever written
// again lies in one line.
func (f *File) allocHeader(n int) extent {
	n = int(align(uint64(n)))
	inLine := func(addr uint64) uint64 {
		if left := lineSize - (uint64(f.sb.base)+addr)%lineSize; left < maxStub {
			addr += left
		}
		return addr
	}
	if addr, ok := f.free.take(n, inLine); ok {
		return extent{addr, n}
	}
	gap := align(f.end)
	addr := inLine(gap)
	f.end = addr + uint64(n)
	f.free.add(extent{gap, int(addr - gap)})
	return extent{addr, n}
}

// release gives room back that nothing will refer to when the changes in memory
// are in the file. From then on it waits: a reader may be on its way to it.
func (f *File) release(e extent) {
	from, to := align(e.addr), e.end()&^7
	if e.size > 0 && to > from && to <= f.end {
		f.pending = append(f.pending, extent{from, int(to - from)})
	}
}

// freed is room that nothing in the file refers to any more.
type freed struct {
	extent
	commit int // the one that gave it back
	at     time.Time
}

// rest lets the room wait that the last commit gave back.
func (f *File) rest() {
	now := time.Now()
	for _, e := range f.pending {
		f.waiting = append(f.waiting, freed{e, f.commits, now})
		f.waits += uint64(e.size)
	}
	f.pending = f.pending[:0]
	f.reuse()
}

// reuse frees the room that no reader can be on its way to: the file was open nowhere
// else since it was given back, or the grace is over.
func (f *File) reuse() {
	if alone, _ := f.alone(); alone {
		f.quiet = f.commits
	}
	n := 0
	for _, e := range f.waiting {
		if (e.commit > f.quiet || f.waits <= f.end/keptShare) && time.Since(e.at) < grace {
			break
		}
		f.free.add(e.extent)
		f.waits -= uint64(e.size)
		n++
	}
	f.waiting = slices.Delete(f.waiting, 0, n)
}

// alone reports whether no other program has the file open, and whether the system says so at all. A file
// without its name has no readers.
func (f *File) alone() (alone, known bool) {
	w, ok := f.r.(*os.File)
	if alone = f.new != nil; !alone && ok {
		alone, known = openHereOnly(w)
	}
	if alone {
		f.ahead.alone = time.Now()
	}
	return alone, known
}
