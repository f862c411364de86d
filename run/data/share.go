package data

import (
	"cmp"
	"unsafe"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// Share puts memory of the program into the store under a name until it is reclaimed. The
// memory is not copied. value is a slice or a pointer; nil shares neither memory nor access
// rights. If a name is shared several times, the last share is the visible one.
func (s *Store) Share(name string, value any, access Access) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.share(s.datum(name), value, access); err != nil { // the call to Within is inside the if, because it formats a message even if there is no error
		return Within(err, "cannot share `%s`", name)
	}
	return nil
}

// ShareAt is Share for callers that know only the address of the data. The size of the memory
// follows from the declared type of the name.
func (s *Store) ShareAt(name string, at unsafe.Pointer, access Access) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.shareAt(s.datum(name), at, access); err != nil {
		return Within(err, "cannot share `%s`", name)
	}
	return nil
}

func (s *Store) shareAt(d *datum, at unsafe.Pointer, access Access) error {
	if err := d.evaluate(); err != nil {
		return err
	}
	b := s.newBuffer()
	b.typ, b.mirror = d.typ, d.mirror
	b.readable, b.writable = access&Out != 0, access&In != 0
	switch {
	case at != nil:
		b.bytes = unsafe.Slice((*byte)(at), d.size)
	case access != None && d.typ.DataSize() > 0: // not if the array has memory but its part in use is empty
		return noMemory(d)
	default:
		b.null = true
	}
	return s.put(d, b)
}

func noMemory(d *datum) error {
	return Errorf(StatusType, nil, "there is no memory, and its type takes %d bytes", d.size).
		Upstream("Referencing null data with non-null size")
}

func (s *Store) share(d *datum, value any, access Access) error {
	memory, err := memoryOf(value, access)
	if err != nil {
		return err
	}
	if err := d.evaluate(); err != nil {
		return err
	}
	b := s.newBuffer()
	b.typ, b.mirror, b.bytes = d.typ, d.mirror, memory
	b.readable, b.writable = access&Out != 0, access&In != 0
	switch have := int64(len(memory)); {
	case value == nil || memory == nil && d.size > 0:
		if access != None && d.size > 0 {
			return noMemory(d)
		}
		b.null = true
	case have < d.size:
		return checkMemory(d.typ, memory)
	case have > d.size && !roomy(d, value):
		return Errorf(StatusType, nil, "its type `%s` takes %d bytes, a Go %T has %d", d.typ, d.size, value, have)
	}
	return s.put(d, b)
}

// roomy reports whether the shared memory may be larger than the declared type needs. Slices
// of bytes and arrays may be larger. A Go number that is larger than the declared number is a
// mistake.
func roomy(d *datum, value any) bool {
	_, number := d.typ.(*Scalar)
	_, raw := value.([]byte)
	return !number || raw || d.template == nil
}

// put makes a buffer the newest value of a datum and calls the plugins.
func (s *Store) put(d *datum, b *buffer) error {
	if d.metadata && !b.grants(true, false) {
		return Errorf(StatusPermission, nil, "metadata must be readable: share it with Out").
			Upstream("Unable to share `%s', Metadata sharing must offer read access", d.name)
	}
	d.push(reference{buffer: b})
	return s.announce(d)
}

// announce calls the plugins after a datum got a new value. If one of them fails, the value
// is removed again.
func (s *Store) announce(d *datum) error {
	depth := len(d.stack)
	err := s.tell(d, &d.onShare, &s.calls.onShare, "sharing")
	if err == nil {
		return nil
	}
	if len(d.stack) == depth {
		s.recycle(d.pop().buffer)
	}
	return within(err, "", "Unable to share `"+d.name+"', ")
}

// Access returns the memory of a datum for reading (In), writing (Out) or both. It locks the
// memory until the matching Release: several readers can hold the lock at the same time, but
// a writer only alone.
func (s *Store) Access(name string, access Access) ([]byte, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	d := s.datum(name)
	if len(d.stack) == 0 {
		if err := s.fetch(d); err != nil {
			return nil, err
		}
		if len(d.stack) == 0 {
			return nil, notShared(name)
		}
	}
	b := d.top()
	r := reference{buffer: b, read: access&In != 0, write: access&Out != 0}
	switch {
	case b.null && d.metadata:
		return nil, Errorf(StatusPermission, nil, "cannot access `%s`: it was never given a value", name).
			Upstream("Unable to share `%s', Metadata sharing must offer read access", name)
	case d.metadata && !b.grants(true, false):
		return nil, Errorf(StatusPermission, nil, "cannot access `%s`: %s", name, refusal(b, true, false)).
			Upstream("Unable to share `%s', Metadata sharing must offer read access", name)
	case b.null:
		r.read, r.write = false, false
	case !b.grants(r.read, r.write):
		return nil, Errorf(StatusPermission, nil, "cannot access `%s`: %s", name, refusal(b, r.read, r.write)).
			Upstream("Unable to share `%s', Unable to grant requested rights", name)
	}
	d.push(r)
	if err := s.announce(d); err != nil {
		return nil, err
	}
	if b.null || access == None {
		return nil, nil
	}
	return b.bytes, nil
}

func notShared(name string) error {
	return Errorf(StatusValue, nil, "`%s` is not shared", name).Upstream("Cannot access a non shared value: `%s'", name)
}

// refusal returns the reason why access was refused.
func refusal(b *buffer, read, write bool) string {
	l := b.lockable()
	switch {
	case write && !b.writable:
		return "it may not be written"
	case read && !b.readable:
		return "it may not be read"
	case l.writers > 0:
		return "it is being written"
	}
	return "it is being read"
}

// Release ends the last Access of a datum. If there is none, the program hands over the
// shared memory to the store, which drops the memory of data and keeps the memory of metadata.
func (s *Store) Release(name string) error {
	if err := s.usable(); err != nil {
		return err
	}
	d := s.datum(name)
	if d.empty() {
		return Errorf(StatusState, nil, "cannot release `%s`: it is not shared", name).
			Upstream("Unable to release `%[1]s', Cannot release a non shared value: `%[1]s'", name)
	}
	err := s.tell(d, &d.onRemove, &s.calls.onRemove, "removing")
	r := d.pop()
	if d.metadata && len(d.stack) == 1 && r.buffer != d.top() {
		r.writable = false
		s.keep(d, r.buffer)
	}
	s.discard(r.buffer)
	return err
}

// Reclaim ends the last share of a datum. The memory belongs to the program again, and the
// store no longer refers to it. For metadata, the store keeps a copy of the current value.
func (s *Store) Reclaim(name string) error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.reclaim(s.datum(name))
}

func (s *Store) reclaim(d *datum) error {
	if d.empty() {
		return Errorf(StatusState, nil, "cannot reclaim `%s`: it is not shared", d.name).
			Upstream("Unable to reclaim `%[1]s', Cannot reclaim a non shared value: `%[1]s'", d.name)
	}
	err := s.tell(d, &d.onRemove, &s.calls.onRemove, "removing")
	r := d.pop()
	if d.metadata && len(d.stack) == 1 {
		if b := d.top(); r.buffer == b { // the value was accessed in the store, not shared: give its memory to the program, and keep a copy
			memory, failed := s.options.Host.Memory.alloc(int64(len(b.bytes)))
			copy(memory, b.bytes)
			b.bytes, b.owned = memory, true
			b.refreshHolders()
			return cmp.Or(err, failed)
		}
		if failed := s.copyMetadata(d, r.buffer); err == nil {
			err = failed
		}
	}
	r.null = true
	if len(r.holders) > 0 {
		r.refreshHolders()
	}
	s.recycle(r.buffer)
	return err
}

// copyMetadata copies a value, without gaps, to the bottom of the stack of a metadatum.
func (s *Store) copyMetadata(d *datum, from *buffer) error {
	if from.null || !from.readable {
		return nil
	}
	dense := from.typ
	shape := from.mirror
	if !dense.Dense() {
		if d.dense == nil || from.typ != d.typ {
			d.dense = densify(from.typ, false)
			d.copied = mirror(d.dense)
		}
		dense, shape = d.dense, d.copied
	}
	size := dense.Size()
	b := d.top()
	if len(b.holders) > 1 || b.parent != nil || !b.owned || int64(cap(b.bytes)) < size {
		memory, err := s.options.Host.Memory.alloc(size)
		if err != nil {
			return err
		}
		b = s.newBuffer()
		b.bytes = memory
		b.readable, b.owned = true, true
		s.keep(d, b)
	}
	b.typ, b.mirror, b.bytes, b.null = dense, shape, b.bytes[:size], false
	if dense == from.typ {
		copy(b.bytes, from.bytes)
	} else {
		CopyDense(b.bytes, dense, from.bytes, from.typ)
	}
	d.refresh()
	return nil
}

// keep makes b the bottom of the stack of a metadatum.
func (s *Store) keep(d *datum, b *buffer) {
	old := d.pop()
	s.discard(old.buffer)
	d.push(reference{buffer: b})
}

// ShareRef shares the memory of a Ref under another name. Access rights and locks apply to
// both names together.
func (s *Store) ShareRef(name string, r Ref) error {
	if err := s.usable(); err != nil {
		return err
	}
	if !r.alive() {
		return Errorf(StatusPermission, nil, "cannot share `%s`: the datum was reclaimed", name)
	}
	return cannotShare(s.put(s.datum(name), r.buffer), name)
}

// ShareAs is Share with a given type in place of the declared one.
func (s *Store) ShareAs(name string, t Type, memory []byte, access Access) error {
	if err := s.usable(); err != nil {
		return err
	}
	err := checkMemory(t, memory)
	if err == nil {
		b := s.newBuffer()
		b.typ, b.mirror, b.bytes = t, mirror(t), memory
		b.readable, b.writable = access&Out != 0, access&In != 0
		err = s.put(s.datum(name), b)
	}
	return cannotShare(err, name)
}

// cannotShare adds the failed operation to the error of a share. The original program does so
// in fewer cases: see announce.
func cannotShare(err error, name string) error {
	return within(err, "cannot share `"+name+"`", "")
}

// Predefine adds a metadatum that is not declared in a tree, and sets its value.
func (s *Store) Predefine(name string, t Type, value []byte) error {
	s.makeMetadata(s.datum(name))
	if err := s.ShareAs(name, t, value, Out); err != nil {
		return err
	}
	return s.Reclaim(name)
}

// ShareValue shares the result of an expression under a name. If the expression is a
// reference, it shares the memory that the reference leads to, with its rights and locks. Any
// other result is in new memory.
func (s *Store) ShareValue(name string, v *Value) error {
	if err := s.usable(); err != nil {
		return err
	}
	d, err := v.bound.Ref()
	if err != nil {
		return valueError(v.Node, err)
	}
	b := s.newBuffer()
	b.readable, b.writable = true, true
	if v.Program.Form() == expr.Reference {
		for ref := range v.Program.Refs() {
			whole := s.datum(ref.Name)
			if len(ref.Path) == 0 && len(whole.stack) > 0 && !whole.top().null {
				return s.ShareRef(name, whole.top().ref())
			}
			if len(whole.stack) > 0 {
				b.parent = whole.top()
				b.readable, b.writable = b.parent.readable, b.parent.writable
			}
			break
		}
	}
	switch {
	case d.Type == nil:
		b.null = true
	case b.parent == nil && s.options.Host.Memory.Alloc != nil:
		memory, err := s.options.Host.Memory.alloc(int64(d.Type.Size))
		if err != nil {
			return err
		}
		copy(memory, d.Bytes)
		d.Bytes = memory
		fallthrough
	default:
		b.typ, b.mirror, b.bytes = unmirror(d.Type), d.Type, d.Bytes
	}
	return s.put(s.datum(name), b)
}
