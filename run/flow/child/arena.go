package child

import (
	"slices"
	"sync"
)

// An arena allocates blocks in a shared memory that a program reads. A block is freed when the
// program releases it. If the program releases nothing, the arena becomes full, and further data
// are sent over the socket.
type arena struct {
	memory []byte
	mu     sync.Mutex
	free   []extent // free blocks, sorted by offset; adjacent ones are joined
	blocks map[uint32]extent
	last   uint32
}

// An extent is a part of the memory.
type extent struct{ offset, size int }

// page is the unit to which block sizes are rounded up.
const page = 4096

func newArena(memory []byte) *arena {
	return &arena{memory: memory, free: []extent{{0, len(memory)}}, blocks: map[uint32]extent{}}
}

// Take allocates the free block with the lowest offset that is large enough. Low addresses are thus
// reused and stay in the processor's cache. ok is false if there is no such block.
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

// release frees a block. It returns false if the program does not hold this block.
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

// join joins the i-th free block with the next one if they are adjacent.
func (a *arena) join(i int) {
	if i+1 < len(a.free) && a.free[i].offset+a.free[i].size == a.free[i+1].offset {
		a.free[i].size += a.free[i+1].size
		a.free = slices.Delete(a.free, i+1, i+2)
	}
}
