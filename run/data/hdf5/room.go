package hdf5

import (
	"cmp"
	"slices"
)

// pageSize is the largest piece of a file that a write changes as a whole: a
// program that is killed in a write has changed whole pages, or none.
const pageSize = 4096

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

// allocHeader takes room for an object header. It lies in one page, so that a
// program that is killed while it writes the header again does not tear it.
func (f *File) allocHeader(n int) extent {
	n = int(align(uint64(n)))
	inPage := func(addr uint64) uint64 {
		if left := f.leftInPage(addr); left < n {
			addr += uint64(left)
		}
		return addr
	}
	if addr, ok := f.free.take(n, inPage); ok {
		return extent{addr, n}
	}
	gap := align(f.end)
	addr := inPage(gap)
	f.end = addr + uint64(n)
	f.free.add(extent{gap, int(addr - gap)})
	return extent{addr, n}
}

// leftInPage is how many bytes there are from an address to the end of its page.
func (f *File) leftInPage(addr uint64) int {
	return pageSize - int((uint64(f.sb.base)+addr)%pageSize)
}

// release gives room back that nothing will refer to when the changes in memory
// are in the file. It is used again from then on.
func (f *File) release(e extent) {
	from, to := align(e.addr), e.end()&^7
	if e.size > 0 && to > from && to <= f.end {
		f.pending = append(f.pending, extent{from, int(to - from)})
	}
}
