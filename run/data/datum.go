package data

import (
	"slices"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// datum is a name in the store, with a stack of the values shared under it. The stack of
// a metadatum always has an entry at its bottom: the copy that the store keeps.
type datum struct {
	cell expr.Cell // what expressions read: the value at the top of the stack

	name     string
	node     *Node // the name as a node of the tree
	declared *Node // the declared type as a node of the tree
	metadata bool
	template *Template // nil if the name was never declared
	stack    []reference

	// The type of the last share, kept because the next share usually has the same type.
	typ    Type
	size   int64 // the size of typ
	mirror *expr.Type
	dense  Type // typ without gaps: the type of the copy that a metadatum keeps
	copied *expr.Type

	onShare, onRemove []DataCallback
}

// evaluate computes the type of the value that is about to be shared.
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

// empty reports whether nothing is shared under the name. The copy that a metadatum keeps
// does not count.
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

// pop removes the top reference from the stack and returns it.
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

// refresh updates the value that expressions see.
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

// refreshHolders calls refresh for every datum that refers to the buffer, because its
// locks have changed.
func (b *buffer) refreshHolders() {
	for _, h := range b.lockable().holders {
		h.refresh()
	}
}

// buffer is a piece of memory in the store. Several names may refer to it, each with a
// reference that may lock the buffer. It can be locked by any number of readers or by one
// writer.
type buffer struct {
	bytes  []byte
	typ    Type
	mirror *expr.Type

	readable, writable bool // the rights that the program gave when it shared the memory
	null               bool // there is no memory: it was reclaimed, or a null value was shared
	owned              bool // the store has allocated the memory and may overwrite it
	readers, writers   int

	parent  *buffer  // the buffer of which this one is a part; the parent's locks apply to both
	holders []*datum // one entry for each reference
	life    uint64   // how often the buffer was reused; an old Ref with another number is no longer valid
}

// lockable returns the buffer that holds the locks: the parent of a part, or the buffer
// itself.
func (b *buffer) lockable() *buffer {
	for b.parent != nil {
		b = b.parent
	}
	return b
}

// grants reports whether access for reading, writing or both is possible now.
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

// reference is one entry in the stack of a datum: a buffer and the locks that the entry
// holds on it.
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

// Ref gives a callback access to a datum. After the datum has been reclaimed, reading and
// writing fail.
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
