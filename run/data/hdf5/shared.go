package hdf5

import (
	"errors"
	"fmt"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/disk"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/index"
)

// sharedTable maps kinds of shared messages to the heaps that contain them.
type sharedTable struct {
	heaps map[uint16]*index.FractalHeap
	read  map[string][]byte // messages read before, by heap and object
}

// object returns a shared message.
func (t *sharedTable) object(kind uint16, id []byte) ([]byte, error) {
	if t == nil || t.heaps[kind] == nil {
		return nil, errors.New("message is shared, but the file has no table of shared messages")
	}
	h := t.heaps[kind]
	key := fmt.Sprintf("%x %x", h.Addr, id)
	if p, ok := t.read[key]; ok {
		return p, nil
	}
	p, err := h.Object(id)
	if err == nil {
		t.read[key] = p
	}
	return p, err
}

func readSharedTable(f *disk.File, addr uint64, n int) (*sharedTable, error) {
	c, err := f.ReadChecked(addr, 4+n*(1+1+2+4+2+2+2+2*f.OffsetSize)+4, "SMTB")
	if err != nil {
		return nil, err
	}
	t := &sharedTable{heaps: map[uint16]*index.FractalHeap{}, read: map[string][]byte{}}
	for range n {
		c.Skip(2)
		kinds := c.U16()
		c.Skip(4 + 2 + 2 + 2)
		c.Addr()
		heapAddr := c.Addr()
		if c.Err != nil {
			return nil, c.Err
		}
		if heapAddr == field.Undefined {
			continue
		}
		h, err := index.OpenFractalHeap(f, heapAddr)
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

// unshare returns a message's body. A shared body is in another object's header (a named
// type) or in the heap of shared messages.
func (f *File) unshare(kind uint16, flags uint8, body []byte) ([]byte, error) {
	if flags&flagShared == 0 {
		return body, nil
	}
	c := f.disk.Cursor(body)
	version, where := c.U8(), c.U8()
	switch {
	case version == 1:
		c.Skip(6)
	case version == 2:
	case version == 3 && where == 1:
		return f.shared.object(kind, c.Bytes(8))
	case version == 3 && where == 2:
	default:
		return nil, fmt.Errorf("shared message has version %d and place %d, which are unknown", version, where)
	}
	addr := c.Addr()
	if c.Err != nil {
		return nil, c.Err
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
