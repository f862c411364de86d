package hdf5

import "errors"

// LinkKind says where a Link leads.
type LinkKind uint8

const (
	HardLink     LinkKind = 0
	SoftLink     LinkKind = 1
	ExternalLink LinkKind = 64
)

// Link is one name in a group.
type Link struct {
	Name   string
	Kind   LinkKind
	Target string // SoftLink: the path; ExternalLink: file and path, with `:` between them

	addr     uint64 // HardLink
	raw      []byte // ExternalLink and unknown kinds: kept as they are
	order    uint64
	hasOrder bool
	utf8     bool
	piece    int // of the group's stack that the link is in, from 1 on; 0: of none
}

func (f *File) decodeLink(p []byte) (Link, error) {
	c := &cursor{b: p, sb: &f.sb}
	if v := c.u8(); v != 1 && c.err == nil {
		return Link{}, errors.New("link message has an unknown version")
	}
	flags := c.u8()
	var l Link
	if flags&8 != 0 {
		l.Kind = LinkKind(c.u8())
	}
	if l.hasOrder = flags&4 != 0; l.hasOrder {
		l.order = c.u64()
	}
	if flags&0x10 != 0 {
		l.utf8 = c.u8() == 1
	}
	n := c.uint(1 << (flags & 3))
	if n > uint64(len(p)) {
		return l, errShort
	}
	l.Name = string(c.bytes(int(n)))
	switch l.Kind {
	case HardLink:
		l.addr = c.addr()
	case SoftLink:
		l.Target = string(c.bytes(int(c.u16())))
	default:
		l.raw = c.bytes(int(c.u16()))
		if l.Kind == ExternalLink && c.err == nil {
			d := &cursor{b: l.raw, sb: &f.sb}
			d.skip(1)
			l.Target = d.name() + ":" + d.name()
		}
	}
	return l, c.err
}

func (l Link) encode() []byte {
	var b builder
	size := bytesFor(uint64(len(l.Name)))
	flags := uint8(0)
	if size > 1 {
		size, flags = 2, 1
	}
	if l.hasOrder {
		flags |= 4
	}
	if l.Kind != HardLink {
		flags |= 8
	}
	if l.utf8 {
		flags |= 0x10
	}
	b.u8(1, flags)
	if l.Kind != HardLink {
		b.u8(uint8(l.Kind))
	}
	if l.hasOrder {
		b.u64(l.order)
	}
	if l.utf8 {
		b.u8(1)
	}
	b.uint(uint64(len(l.Name)), size)
	b.str(l.Name)
	switch l.Kind {
	case HardLink:
		b.u64(l.addr)
	case SoftLink:
		b.u16(uint16(len(l.Target)))
		b.str(l.Target)
	default:
		b.u16(uint16(len(l.raw)))
		b = append(b, l.raw...)
	}
	return b
}
