package data

import (
	"slices"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// datum is one name of the store with the stack of what was shared under it.
// The stack of metadata always has an entry at its bottom: the value it keeps.
type datum struct {
	cell expr.Cell // what expressions see: always the top of the stack

	name     string
	node     *Node // the name in its declaration
	declared *Node // its type in the declaration
	metadata bool
	template *Template // nil: never declared
	stack    []reference

	// The type of the last share: most shares have the same type again.
	typ    Type
	size   int64 // of typ
	mirror *expr.Type
	dense  Type // of the copy that metadata keeps
	copied *expr.Type

	onShare, onRemove []DataCallback
}

// evaluate finds the type of the value about to be shared.
func (d *datum) evaluate() error {
	if d.typ != nil && (d.template == nil || d.template.constant) {
		return nil
	}
	t := Type(undeclared)
	if d.template != nil {
		var err error
		if t, err = d.template.Evaluate(); err != nil {
			return err
		}
	}
	if d.typ != nil && Equal(t, d.typ) && len(t.Attributes()) == 0 {
		return nil
	}
	if !t.fits() {
		return Errorf(StatusType, d.node, "its type reaches outside its own buffer of %d bytes", t.Size())
	}
	d.typ, d.size, d.mirror, d.dense = t, t.Size(), mirror(t), nil
	return nil
}

// empty reports whether the datum has no share that could be reclaimed.
func (d *datum) empty() bool { return len(d.stack) == 0 || d.metadata && len(d.stack) == 1 }

func (d *datum) top() *buffer { return d.stack[len(d.stack)-1].buffer }

func (d *datum) push(r reference) {
	r.lock(+1)
	for b := r.buffer; b != nil; b = b.parent {
		b.holders = append(b.holders, d)
	}
	d.stack = append(d.stack, r)
	d.refresh()
	if r.read || r.write {
		r.refreshHolders()
	}
}

// pop takes the top reference away and returns it.
func (d *datum) pop() reference {
	r := d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
	d.unref(r)
	return r
}

// unref releases a reference.
func (d *datum) unref(r reference) {
	r.lock(-1)
	for b := r.buffer; b != nil; b = b.parent {
		if len(b.holders) == 1 {
			b.holders = b.holders[:0]
		} else if i := slices.Index(b.holders, d); i >= 0 {
			last := len(b.holders) - 1
			b.holders[i] = b.holders[last]
			b.holders = b.holders[:last]
		}
	}
	d.refresh()
	if r.read || r.write {
		r.refreshHolders()
	}
}

// refresh updates what expressions see of the datum.
func (d *datum) refresh() {
	if len(d.stack) == 0 {
		d.cell.State = expr.Absent
		return
	}
	b := d.top()
	switch {
	case b.null:
		d.cell.State = expr.Unset
	case !b.grants(true, false):
		d.cell.State = expr.Unreadable
	default:
		d.cell.State = expr.Ready
		d.cell.Datum.Type, d.cell.Datum.Bytes = b.mirror, b.bytes
	}
}

// refreshHolders refreshes every datum that refers to a buffer, after its locks changed.
func (b *buffer) refreshHolders() {
	for _, h := range b.lockable().holders {
		h.refresh()
	}
}

// buffer is one piece of memory in the store. Several names may refer to it. Each
// reference may lock it: either any number of readers, or one writer.
type buffer struct {
	bytes  []byte
	typ    Type
	mirror *expr.Type

	readable, writable bool // the rights it was shared with
	null               bool // reclaimed, or shared as nothing
	owned              bool // made by the store, which may write over it
	readers, writers   int

	parent  *buffer  // the buffer that it is a part of, whose locks count
	holders []*datum // one entry for each reference
	life    uint64   // counts reuses, so that an old Ref cannot see a new buffer
}

// lockable returns the buffer whose locks count.
func (b *buffer) lockable() *buffer {
	for b.parent != nil {
		b = b.parent
	}
	return b
}

// grants reports whether a reader or writer may have access now.
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

// reference is one entry of a datum's stack, with its lock.
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

// Ref is a callback's view of a datum. It is valid until the datum is reclaimed; after
// that, reading and writing fail.
type Ref struct {
	buffer *buffer
	life   uint64
}

func (b *buffer) ref() Ref { return Ref{b, b.life} }

func (r Ref) alive() bool { return r.buffer != nil && r.buffer.life == r.life && !r.buffer.null }

// Type returns the type of the datum, or nil if it was reclaimed.
func (r Ref) Type() Type {
	if !r.alive() {
		return nil
	}
	return r.buffer.typ
}

// Read returns the memory, or an error if it may not be read now.
func (r Ref) Read() ([]byte, error) { return r.bytes(true, false, "read") }

// Write returns the memory, or an error if it may not be written now.
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
