package disk

import (
	"cmp"
	"os"
	"slices"
	"time"
)

const (
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
type freeList []Extent

// add puts room on the list. What overlaps with free room is left out: only a
// damaged file has two owners of one place.
func (l *freeList) add(e Extent) {
	i, found := slices.BinarySearchFunc(*l, e.Addr, func(x Extent, addr uint64) int { return cmp.Compare(x.Addr, addr) })
	if found || e.Size <= 0 || i > 0 && (*l)[i-1].end() > e.Addr || i < len(*l) && (*l)[i].Addr < e.end() {
		return
	}
	if i < len(*l) && (*l)[i].Addr == e.end() {
		(*l)[i].Addr = e.Addr
		(*l)[i].Size += e.Size
	} else {
		*l = slices.Insert(*l, i, e)
	}
	if i > 0 && (*l)[i-1].end() == e.Addr {
		(*l)[i-1].Size += (*l)[i].Size
		*l = slices.Delete(*l, i, i+1)
	}
}

// take finds room for n bytes at the first place that the caller accepts.
func (l *freeList) take(n int, place func(addr uint64) uint64) (addr uint64, ok bool) {
	for i, e := range *l {
		if e.Size < n {
			continue
		}
		if addr = place(e.Addr); addr+uint64(n) > e.end() {
			continue
		}
		*l = slices.Delete(*l, i, i+1)
		l.add(Extent{e.Addr, int(addr - e.Addr)})
		l.add(Extent{addr + uint64(n), int(e.end() - addr - uint64(n))})
		return addr, true
	}
	return 0, false
}

// Extent is a piece of the file.
type Extent struct {
	Addr uint64
	Size int
}

func (e Extent) end() uint64 { return e.Addr + uint64(e.Size) }

// Align gives the next multiple of 8, at which pieces of the file begin.
func Align(n uint64) uint64 { return (n + 7) &^ 7 }

// Alloc takes n bytes: room that is free, or some behind the end of the file.
// Addresses are multiples of 8. What the bytes are before they are written is not known.
func (f *File) Alloc(n uint64) uint64 {
	if n < 1<<40 {
		if addr, ok := f.free.take(int(Align(n)), func(addr uint64) uint64 { return addr }); ok {
			return addr
		}
	}
	return f.AllocEnd(n)
}

// AllocEnd takes n bytes behind the end of the file, which are zero until they are written.
func (f *File) AllocEnd(n uint64) uint64 {
	addr := Align(f.End)
	f.End = addr + Align(n)
	return addr
}

// AllocHeader takes room for an object header. The first stub bytes of it, which are
// written again, lie in one line.
func (f *File) AllocHeader(n, stub int) Extent {
	n = int(Align(uint64(n)))
	inLine := func(addr uint64) uint64 {
		if left := lineSize - (uint64(f.Base)+addr)%lineSize; left < uint64(stub) {
			addr += left
		}
		return addr
	}
	if addr, ok := f.free.take(n, inLine); ok {
		return Extent{addr, n}
	}
	gap := Align(f.End)
	addr := inLine(gap)
	f.End = addr + uint64(n)
	f.free.add(Extent{gap, int(addr - gap)})
	return Extent{addr, n}
}

// Release gives room back that nothing will refer to when the changes in memory
// are in the file. From then on it waits: a reader may be on its way to it.
func (f *File) Release(e Extent) {
	from, to := Align(e.Addr), e.end()&^7
	if e.Size > 0 && to > from && to <= f.End {
		f.pending = append(f.pending, Extent{from, int(to - from)})
	}
}

// Free gives room back that nothing has ever referred to.
func (f *File) Free(e Extent) { f.free.add(e) }

// freed is room that nothing in the file refers to any more.
type freed struct {
	Extent
	commit int // the one that gave it back
	at     time.Time
}

// Committed ends a commit: the room that it gave back waits.
func (f *File) Committed() {
	f.Commits++
	now := time.Now()
	for _, e := range f.pending {
		f.waiting = append(f.waiting, freed{e, f.Commits, now})
		f.waits += uint64(e.Size)
	}
	f.pending = f.pending[:0]
	f.reuse()
}

// reuse frees the room that no reader can be on its way to: the file was open nowhere
// else since it was given back, or the grace is over.
func (f *File) reuse() {
	if alone, _ := f.alone(); alone {
		f.quiet = f.Commits
	}
	n := 0
	for _, e := range f.waiting {
		if (e.commit > f.quiet || f.waits <= f.End/keptShare) && time.Since(e.at) < grace {
			break
		}
		f.free.add(e.Extent)
		f.waits -= uint64(e.Size)
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
