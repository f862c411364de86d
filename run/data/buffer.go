package data

import "github.com/pentode-dev/pentode/run/data/expr"

// buffer is one piece of memory in the store. Several names may refer to it, and
// each reference may hold a lock: any number that read, or one that writes.
type buffer struct {
	bytes  []byte
	typ    Type
	mirror *expr.Type

	readable, writable bool // what was allowed when it was shared
	null               bool // reclaimed, or shared as nothing
	owned              bool // made by the store, which may write over it
	readers, writers   int

	parent  *buffer  // the whole that it is a part of: its locks count
	holders []*datum // one entry for each reference
	life    uint64   // counts reuses, so that an old Ref cannot see a new buffer
}

// lockable is the buffer whose locks count.
func (b *buffer) lockable() *buffer {
	for b.parent != nil {
		b = b.parent
	}
	return b
}

// grants reports whether a reader or writer may be let in now.
func (b *buffer) grants(read, write bool) bool {
	l := b.lockable()
	switch {
	case l.null || b.null:
		return false
	case write:
		return b.writable && (!read || b.readable) && l.readers == 0 && l.writers == 0
	case read:
		return b.readable && l.writers == 0
	}
	return true
}

// reference is one entry of a datum's stack with the lock it holds.
type reference struct {
	*buffer
	read, write bool
}

func (r reference) lock(by int) {
	l := r.lockable()
	if r.read {
		l.readers += by
	}
	if r.write {
		l.writers += by
	}
}

// Ref is what a callback gets to see of a datum. It is good until the datum is
// reclaimed; after that it reads and writes nothing.
type Ref struct {
	buffer *buffer
	life   uint64
}

func (b *buffer) ref() Ref { return Ref{b, b.life} }

func (r Ref) alive() bool { return r.buffer != nil && r.buffer.life == r.life && !r.buffer.null }

// Type returns the type of the datum, nil when it is gone.
func (r Ref) Type() Type {
	if !r.alive() {
		return nil
	}
	return r.buffer.typ
}

// Read returns the memory if it may be read now.
func (r Ref) Read() ([]byte, error) { return r.bytes(true, false, "read") }

// Write returns the memory if it may be written now.
func (r Ref) Write() ([]byte, error) { return r.bytes(false, true, "written") }

func (r Ref) bytes(read, write bool, verb string) ([]byte, error) {
	if !r.alive() {
		return nil, Errorf(StatusPermission, nil, "the datum was reclaimed")
	}
	if !r.buffer.grants(read, write) {
		return nil, Errorf(StatusPermission, nil, "the datum may not be %s now", verb)
	}
	return r.buffer.bytes, nil
}
