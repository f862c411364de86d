package child

import (
	"slices"
	"sync"
)

// An arena hands out blocks of a memory that a program reads. A block is free again when the
// program has released it. If a program keeps everything, the arena is full, and data are sent over
// the socket.
type arena struct {
	memory []byte
	mu     sync.Mutex
	free   []extent // free blocks by offset, never adjacent
	blocks map[uint32]extent
	last   uint32
}

// An extent is a piece of a memory.
type extent struct{ offset, size int }

// page is the unit to which block sizes are rounded up.
const page = 4096

func newArena(memory []byte) *arena {
	return &arena{memory: memory, free: []extent{{0, len(memory)}}, blocks: map[uint32]extent{}}
}

// Take returns the first free block that is large enough, so that low addresses are reused and stay
// in the processor's cache.
func (a *arena) Take(n int) (buf []byte, block uint32, offset uint64, ok bool) {
	size := (n + page - 1) / page * page
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.free, func(e extent) bool { return e.size >= size })
	if i < 0 {
		return nil, 0, 0, false
	}
	at := a.free[i].offset
	if a.free[i].size == size {
		a.free = slices.Delete(a.free, i, i+1)
	} else {
		a.free[i] = extent{at + size, a.free[i].size - size}
	}
	a.last++
	a.blocks[a.last] = extent{at, size}
	return a.memory[at : at+n], a.last, uint64(at), true
}

// release frees a block; it returns false if the program does not have it.
func (a *arena) release(block uint32) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.blocks[block]
	if !ok {
		return false
	}
	delete(a.blocks, block)
	i, _ := slices.BinarySearchFunc(a.free, e.offset, func(f extent, at int) int { return f.offset - at })
	a.free = slices.Insert(a.free, i, e)
	a.join(i)
	if i > 0 {
		a.join(i - 1)
	}
	return true
}

// join merges the i-th extent with the next if they are adjacent.
func (a *arena) join(i int) {
	if i+1 < len(a.free) && a.free[i].offset+a.free[i].size == a.free[i+1].offset {
		a.free[i].size += a.free[i+1].size
		a.free = slices.Delete(a.free, i+1, i+2)
	}
}
