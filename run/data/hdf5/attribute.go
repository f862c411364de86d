package hdf5

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/data/hdf5/internal/field"
	"github.com/pentode-dev/pentode/run/data/hdf5/internal/index"
)

// Attribute is a small value that describes a group or dataset.
type Attribute struct {
	Name  string
	Type  Type
	Space Space
	Data  []byte // the elements in Type

	f     *File
	raw   []byte // the header message from which the attribute was read
	flags uint8
	order uint16
}

// attrTable holds an object's attributes in memory.
type attrTable struct {
	list []Attribute
	own  bool // the attributes were changed, so they are written from this table instead of copied from the file
}

// attributes loads the attributes from the header, or from the heap of an object with
// many attributes.
func (o *object) attributes() (*attrTable, error) {
	if o.attrs != nil {
		return o.attrs, nil
	}
	t := &attrTable{}
	for _, m := range o.messages {
		switch m.kind {
		case msgAttribute:
			if err := t.take(o.f, m); err != nil {
				return nil, err
			}
		case msgAttrInfo:
			if err := o.denseAttributes(t, m.body); err != nil {
				return nil, err
			}
		}
	}
	if err := o.f.count(len(t.list)); err != nil {
		return nil, err
	}
	slices.SortStableFunc(t.list, func(a, b Attribute) int { return cmp.Compare(a.Name, b.Name) })
	o.attrs = t
	return t, nil
}

func (t *attrTable) take(f *File, m message) error {
	body, err := f.unshare(msgAttribute, m.flags, m.body)
	if err != nil {
		return err
	}
	a, err := f.decodeAttribute(body)
	if err != nil {
		return fmt.Errorf("attribute `%s`: %w", a.Name, err)
	}
	a.raw, a.flags, a.order = body, m.flags&^flagShared, m.order
	t.list = append(t.list, a)
	return nil
}

func (o *object) denseAttributes(t *attrTable, info []byte) error {
	c := o.disk.Cursor(info)
	c.Skip(1)
	if flags := c.U8(); flags&1 != 0 {
		c.Skip(2)
	}
	heapAddr, tree := c.Addr(), c.Addr()
	if c.Err != nil || heapAddr == field.Undefined || tree == field.Undefined {
		return c.Err
	}
	h, err := index.OpenFractalHeap(o.disk, heapAddr)
	if err != nil {
		return err
	}
	return index.TreeV2(o.disk, tree, 8, func(r *field.Cursor) error {
		id := r.Bytes(8)
		m := message{kind: msgAttribute, flags: r.U8(), order: uint16(r.U32())}
		if r.Err != nil {
			return r.Err
		}
		var err error
		if m.flags&flagShared != 0 {
			m.body, err = o.f.shared.object(msgAttribute, id)
		} else {
			m.body, err = h.Object(id)
		}
		if err != nil {
			return err
		}
		m.flags &^= flagShared
		return t.take(o.f, m)
	})
}

func (f *File) decodeAttribute(p []byte) (Attribute, error) {
	a := Attribute{f: f}
	c := f.disk.Cursor(p)
	version, flags := c.U8(), c.U8()
	nameLen, typeLen, spaceLen := int(c.U16()), int(c.U16()), int(c.U16())
	if version < 1 || version > 3 {
		return a, fmt.Errorf("attribute message has version %d, expected 1 to 3", version)
	}
	if version == 3 {
		c.Skip(1)
	}
	part := func(n int) []byte {
		b := c.Bytes(n)
		if version == 1 && n%8 != 0 {
			c.Skip(8 - n%8)
		}
		return b
	}
	a.Name = strings.TrimRight(string(part(nameLen)), "\x00")
	typ, space := part(typeLen), part(spaceLen)
	if c.Err != nil {
		return a, c.Err
	}
	shared := func(bit uint8) uint8 {
		if version > 1 && flags&bit != 0 {
			return flagShared
		}
		return 0
	}
	typ, err := f.unshare(msgDatatype, shared(1), typ)
	if err != nil {
		return a, err
	}
	if a.Type, err = decodeType(f.disk.Cursor(typ)); err != nil {
		return a, err
	}
	if space, err = f.unshare(msgDataspace, shared(2), space); err != nil {
		return a, err
	}
	if a.Space, err = decodeSpace(f.disk.Cursor(space)); err != nil {
		return a, err
	}
	n, ok := a.Type.bytes(a.Space.Dims)
	if a.Space.Null {
		n = 0
	}
	if !ok || n > uint64(len(c.Rest)) {
		return a, fmt.Errorf("value has %d bytes, expected %d", len(c.Rest), n)
	}
	a.Data = c.Bytes(int(n))
	return a, nil
}

func (a Attribute) encode() ([]byte, error) {
	if a.raw != nil {
		return a.raw, nil
	}
	typ, space := encodeType(a.Type), a.Space.encode()
	var b field.Builder
	charset := uint8(0)
	if !isASCII(a.Name) {
		charset = 1
	}
	b.U8(3, 0)
	b.U16(uint16(len(a.Name) + 1))
	b.U16(uint16(len(typ)))
	b.U16(uint16(len(space)))
	b.U8(charset)
	b.Str(a.Name)
	b.U8(0)
	b = append(b, typ...)
	b = append(b, space...)
	b = append(b, a.Data...)
	if len(b) > maxMessage || len(typ) > maxMessage {
		return nil, fmt.Errorf("attribute `%s` takes %d bytes, at most %d fit; make it a dataset", a.Name, len(b), maxMessage)
	}
	return b, nil
}

// messages returns the attributes as messages, with the attribute info message that
// libraries need to count them; flags are the header's flags.
func (t *attrTable) messages(flags uint8) ([]message, error) {
	list := slices.Clone(t.list)
	slices.SortStableFunc(list, func(a, b Attribute) int { return cmp.Compare(a.order, b.order) })
	info := field.Builder{0, flags >> 2}
	if flags&4 != 0 {
		next := uint16(0)
		for _, a := range list {
			next = max(next, a.order+1)
		}
		info.U16(next)
	}
	info.U64(field.Undefined)
	info.U64(field.Undefined)
	if flags&8 != 0 {
		info.U64(field.Undefined)
	}
	out := []message{{kind: msgAttrInfo, flags: 4, body: info}}
	for _, a := range list {
		body, err := a.encode()
		if err != nil {
			return nil, err
		}
		out = append(out, message{kind: msgAttribute, flags: a.flags, order: a.order, body: body})
	}
	return out, nil
}

// Attributes returns all attributes in alphabetical order.
func (o Object) Attributes() ([]Attribute, error) {
	t, err := o.attributes()
	if err != nil {
		return nil, o.wrap(err)
	}
	return slices.Clone(t.list), nil
}

// Attribute returns the attribute with the given name.
func (o Object) Attribute(name string) (Attribute, error) {
	t, err := o.attributes()
	if err != nil {
		return Attribute{}, o.wrap(err)
	}
	for _, a := range t.list {
		if a.Name == name {
			return a, nil
		}
	}
	return Attribute{}, fmt.Errorf("attribute `%s` %w on `%s`", name, ErrNotFound, o.path)
}

// adoptAttributes makes the table responsible for the attributes: from now on they are
// written as header messages.
func (o *object) adoptAttributes() (*attrTable, error) {
	t, err := o.attributes()
	if err != nil {
		return nil, err
	}
	if err := o.change(); err != nil {
		return nil, err
	}
	if !t.own {
		o.remove(msgAttribute, msgAttrInfo)
		t.own = true
	}
	return t, nil
}

// SetAttribute sets an attribute, and replaces an existing one with the same name.
func (o Object) SetAttribute(name string, typ Type, space Space, data []byte) error {
	fail := func(err error) error { return fmt.Errorf("attribute `%s` on `%s`: %w", name, o.path, err) }
	a := Attribute{Name: name, Type: typ, Space: space, f: o.f, Data: slices.Clone(data)}
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return fail(errors.New("needs a name without NUL bytes"))
	}
	if err := typ.check(); err != nil {
		return fail(err)
	}
	if typ.Class == VarLen {
		return fail(errors.New("set it with SetSequences"))
	}
	return o.putAttribute(a, fail)
}

func (o Object) putAttribute(a Attribute, fail func(error) error) error {
	if err := a.Space.check(); err != nil {
		return fail(err)
	}
	n, ok := a.Type.bytes(a.Space.Dims)
	if a.Space.Null {
		n = 0
	}
	if !ok || n != uint64(len(a.Data)) {
		return fail(fmt.Errorf("value has %d bytes, expected %d", len(a.Data), n))
	}
	if _, err := a.encode(); err != nil {
		return o.wrap(err)
	}
	t, err := o.adoptAttributes()
	if err != nil {
		return fail(err)
	}
	at, found := slices.BinarySearchFunc(t.list, a.Name, func(x Attribute, name string) int { return cmp.Compare(x.Name, name) })
	if found {
		a.order = t.list[at].order
		t.list[at] = a
		return nil
	}
	for _, x := range t.list {
		a.order = max(a.order, x.order+1)
	}
	t.list = slices.Insert(t.list, at, a)
	return nil
}

// Read returns the attribute's elements, laid out as t.
func (a Attribute) Read(t Type) ([]byte, error) {
	err := t.check()
	var conv converter
	if err == nil {
		conv, err = compile(a.Type, t)
	}
	if err != nil {
		return nil, fmt.Errorf("attribute `%s`: %w", a.Name, err)
	}
	n := a.Space.Len()
	if size, ok := product([]uint64{n, uint64(t.Size)}); !ok || size > 1<<32 {
		return nil, fmt.Errorf("attribute `%s` is too large", a.Name)
	}
	out := make([]byte, n*uint64(t.Size))
	conv.run(out, a.Data, int(n))
	return out, nil
}

// Strings returns the elements of an attribute of strings, of fixed or variable length.
func (a Attribute) Strings() ([]string, error) {
	out, err := textsOf(&a.f.values, a.Type, a.Data, int(a.Space.Len()))
	if err != nil {
		return nil, fmt.Errorf("attribute `%s`: %w", a.Name, err)
	}
	return out, nil
}
