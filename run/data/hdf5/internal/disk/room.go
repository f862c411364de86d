package disk

import (
	"cmp"
	"os"
	"slices"
	"time"
)

const (
	// lineSize is the size of a cache line, which processors transfer as a whole. A reader can see part
	// of a write of a page, but never part of a write within one line.
	lineSize = 64
	// grace is how long released space stays unchanged if other programs have the file open all that time.
	grace = time.Minute
	// keptShare is the part of a file that stays unchanged even if no program of this machine has it
	// open, because programs of other machines may have.
	keptShare = 16
)

// freeList is the unused space of the file, by address; adjacent pieces are joined.
type freeList []Extent

// add adds free space. It leaves out space that overlaps with the list: only in a damaged file does space
// have two owners.
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

// take finds space for n bytes; place returns where in a piece of free space they may begin.
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

// Align returns the next multiple of 8, at which pieces of the file begin.
func Align(n uint64) uint64 { return (n + 7) &^ 7 }

// Alloc allocates n bytes: free space, or space after the end of the file. Addresses are multiples of 8.
// The bytes have undefined contents until they are written.
func (f *File) Alloc(n uint64) uint64 {
	if n < 1<<40 {
		if addr, ok := f.free.take(int(Align(n)), func(addr uint64) uint64 { return addr }); ok {
			return addr
		}
	}
	return f.AllocEnd(n)
}

// AllocEnd allocates n bytes after the end of the file, which are zero until they are written.
func (f *File) AllocEnd(n uint64) uint64 {
	addr := Align(f.End)
	f.End = addr + Align(n)
	return addr
}

// AllocHeader allocates space for an object header. Its first stub bytes, which will be overwritten, lie
// in one cache line.
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

// Release releases space that nothing will refer to once the changes in memory are in the file. From then
// on it waits, because a reader may still need it.
func (f *File) Release(e Extent) {
	from, to := Align(e.Addr), e.end()&^7
	if e.Size > 0 && to > from && to <= f.End {
		f.pending = append(f.pending, Extent{from, int(to - from)})
	}
}

// Free frees space that nothing has ever referred to.
func (f *File) Free(e Extent) { f.free.add(e) }

// freed is space that nothing in the file refers to any more.
type freed struct {
	Extent
	commit int // the commit that released it
	at     time.Time
}

// Committed ends a commit: the space that it released starts to wait.
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

// reuse frees the space that no reader can need any more: no other program has had the file open since it
// was released, or the grace period is over.
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

// alone reports whether no other program has the file open, and whether the system can tell. A file
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
