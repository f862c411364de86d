package hdf5

import (
	"errors"
	"fmt"
)

// sharedTable says in which heap the shared messages of a kind are.
type sharedTable struct {
	heaps map[uint16]*fractalHeap
	read  map[string][]byte // by heap and object: messages asked for before
}

// object gives a shared message.
func (t *sharedTable) object(kind uint16, id []byte) ([]byte, error) {
	if t == nil || t.heaps[kind] == nil {
		return nil, errors.New("message is shared, but the file has no table of shared messages")
	}
	h := t.heaps[kind]
	key := fmt.Sprintf("%x %x", h.addr, id)
	if p, ok := t.read[key]; ok {
		return p, nil
	}
	p, err := h.object(id)
	if err == nil {
		t.read[key] = p
	}
	return p, err
}

func (f *File) readSharedTable(addr uint64, n int) (*sharedTable, error) {
	c, err := f.readChecked(addr, 4+n*(1+1+2+4+2+2+2+2*f.sb.offsetSize)+4, "SMTB")
	if err != nil {
		return nil, err
	}
	t := &sharedTable{heaps: map[uint16]*fractalHeap{}, read: map[string][]byte{}}
	for range n {
		c.skip(2)
		kinds := c.u16()
		c.skip(4 + 2 + 2 + 2)
		c.addr()
		heapAddr := c.addr()
		if c.err != nil {
			return nil, c.err
		}
		if heapAddr == undefined {
			continue
		}
		h, err := f.fractalHeap(heapAddr)
		if err != nil {
			return nil, err
		}
		for kind := range uint16(16) {
			if kinds&(1<<kind) != 0 {
				t.heaps[kind] = h
			}
		}
	}
	return t, nil
}

// unshare gives a message's body. A shared one is in another object's header
// (a named type) or in the heap of shared messages.
func (f *File) unshare(kind uint16, flags uint8, body []byte) ([]byte, error) {
	if flags&flagShared == 0 {
		return body, nil
	}
	c := &cursor{b: body, sb: &f.sb}
	version, where := c.u8(), c.u8()
	switch {
	case version == 1:
		c.skip(6)
	case version == 2:
	case version == 3 && where == 1:
		return f.shared.object(kind, c.bytes(8))
	case version == 3 && where == 2:
	default:
		return nil, fmt.Errorf("shared message has version %d and place %d, which is not known", version, where)
	}
	addr := c.addr()
	if c.err != nil {
		return nil, c.err
	}
	o, err := f.object(addr)
	if err != nil {
		return nil, err
	}
	for _, m := range o.messages {
		if m.kind == kind && m.flags&flagShared == 0 {
			return m.body, nil
		}
	}
	return nil, errors.New("message is shared from an object that does not have it")
}
