package expr

import (
	"errors"
	"math"
	"strconv"

	"github.com/pentode-dev/pentode/core/problem"
)

// Ref returns the value as typed memory: a reference returns the datum itself, any other value
// new memory. An unreadable reference and an empty sequence return the null reference.
func (b *Bound) Ref() (Datum, error) {
	d, err := b.ref()
	return d, plain(err)
}

func (b *Bound) ref() (Datum, *Error) {
	switch b.prog.form {
	case Reference:
		slot := b.prog.code.single()
		d, err := b.datum(slot)
		if err != nil && b.hidden(slot) {
			return Datum{}, nil
		}
		return d, err
	case IntLiteral, FloatLiteral, Operation:
		v, err := b.run(&b.prog.code)
		if err != nil {
			return Datum{}, err
		}
		t := Scalar(v.kind)
		d := Datum{Type: t, Bytes: make([]byte, t.Size)}
		v.put(d.Bytes, false)
		return d, nil
	case Text:
		s, err := b.appendParts(nil)
		if err != nil {
			return Datum{}, err
		}
		n := len(s) + 1
		return Datum{
			Type:  &Type{Kind: Array, Size: n, Align: 1, Elem: Scalar(Uint8), Len: n, Count: n},
			Bytes: append(s, 0),
		}, nil
	}
	return b.refItems()
}

// refItems lays out the items of a sequence or mapping in new memory.
func (b *Bound) refItems() (Datum, *Error) {
	if len(b.items) == 0 && b.prog.form == Sequence {
		return Datum{}, nil
	}
	types := make([]*Type, len(b.items))
	same := b.prog.form == Sequence
	for i, it := range b.items {
		d, err := it.ref()
		if err != nil {
			return Datum{}, err
		}
		if d.Type == nil {
			return Datum{}, it.whole().fail(ValueError, "an item without a value has no type")
		}
		types[i] = d.Type
		same = same && d.Type.Equal(types[0])
	}
	t := layOut(b.prog, types, same)
	d := Datum{Type: t, Bytes: make([]byte, t.Size)}
	return d, b.copyTo(d, false)
}

// layOut returns the type of items of the given types: an array if all types are the same,
// else a tuple or record with C's alignment.
func layOut(p *Program, types []*Type, same bool) *Type {
	if same {
		e, n := types[0], len(types)
		return &Type{Kind: Array, Size: n * e.Size, Align: e.Align, Elem: e, Len: n, Count: n}
	}
	t := &Type{Kind: Tuple, Align: 1}
	if p.form == Mapping {
		t.Kind = Record
	}
	for i, e := range types {
		align := max(e.Align, 1)
		t.Size = (t.Size + align - 1) / align * align
		m := Member{Offset: t.Size, Type: e}
		if p.form == Mapping {
			m.Name = p.keys[i]
		}
		t.Members = append(t.Members, m)
		t.Size += e.Size
		t.Align = max(t.Align, align)
	}
	t.Size = (t.Size + t.Align - 1) / t.Align * t.Align
	if t.Kind == Tuple {
		t.Size = max(1, t.Size)
	}
	return t
}

// Copy writes the value into dst and converts it to dst's type. Computed numbers are
// converted; literals and plain references must fit as they are.
func (b *Bound) Copy(dst Datum) error {
	if dst.Type == nil || len(dst.Bytes) < dst.Type.Size {
		return errors.New("the destination is smaller than its type")
	}
	return plain(b.copyTo(dst, false))
}

// Assign is Copy for values that a person types in: a literal number is converted to any kind
// of number that can hold it.
func (b *Bound) Assign(dst Datum) error {
	if dst.Type == nil || len(dst.Bytes) < dst.Type.Size {
		return errors.New("the destination is smaller than its type")
	}
	return plain(b.copyTo(dst, true))
}

// wraps reports whether n is a negative number that stands for a large unsigned one, as -1 stands
// for the largest.
func wraps(n int64, t *Type) bool {
	return n < 0 && !t.Kind.Signed() && n >= math.MinInt64>>(64-8*t.Size)
}

// copyTo writes the value into dst; typed means that a person typed it in.
func (b *Bound) copyTo(dst Datum, typed bool) *Error {
	t := dst.Type
	if v, ok := b.prog.code.literal(); ok && typed && t.Kind.Number() {
		if w := v.convert(t.Kind); t.Kind.Float() || w.Double() == v.Double() {
			w.put(dst.Bytes, dst.Big)
			return nil
		}
		if b.prog.form == IntLiteral && b.prog.dialect == Documented && !wraps(int64(v.bits), t) {
			return b.whole().fail(ValueError, "the integer `%s` does not fit a value %s", problem.Clip(b.prog.text, problem.Short), describe(t))
		}
	}
	switch b.prog.form {
	case IntLiteral:
		if !t.Kind.Integer() {
			return b.whole().fail(unfit(t), "the integer `%s` cannot be stored where a value is %s%s",
				problem.Clip(b.prog.text, problem.Short), describe(t), decimalHint(t)).as("%s", originalUnfit(t, "Cannot copy Int_literal as a non integer datatype->"))
		}
		v, _ := b.prog.code.literal()
		v.convert(t.Kind).put(dst.Bytes, dst.Big)
		return nil
	case FloatLiteral:
		if !t.Kind.Float() {
			return b.whole().fail(ValueError, "the float `%s` cannot be stored where a value is %s", problem.Clip(b.prog.text, problem.Short), describe(t)).
				as("Cannot copy Float_literal as a non float datatype.")
		}
		v, _ := b.prog.code.literal()
		v.convert(t.Kind).put(dst.Bytes, dst.Big)
		return nil
	case Reference:
		return b.copyReference(dst)
	case Operation:
		v, err := b.run(&b.prog.code)
		if err != nil {
			return err
		}
		return b.store(v, dst)
	case Text:
		if u, err := strconv.ParseUint(b.prog.text, 0, 64); err == nil && u > math.MaxInt64 && typed && t.Kind == Uint64 {
			Value{u, Uint64}.put(dst.Bytes, dst.Big) // a number above the range of int64: the language has no such literals, but Assign accepts them
			return nil
		}
		return b.copyText(dst)
	case Sequence:
		return b.copySequence(dst, typed)
	}
	return b.copyMapping(dst, typed)
}

// unfit returns the class of the error for a number that a value of type t cannot hold.
func unfit(t *Type) Status {
	if t.Unsigned {
		return TypeError // the original program checks the kind of number before its size
	}
	return ValueError
}

// originalUnfit returns the original program's text for that error.
func originalUnfit(t *Type, text string) string {
	if t.Unsigned {
		return "Unknown size of integer datatype"
	}
	return text
}

func decimalHint(t *Type) string {
	if t.Kind.Float() {
		return "; write it with a dot"
	}
	return ""
}

// store converts v to the number type of dst.
func (b *Bound) store(v Value, dst Datum) *Error {
	if !dst.Type.Kind.Number() {
		st := ValueError
		if dst.Type.Kind == Opaque {
			st = TypeError
		}
		original := "Cannot copy operation expression value to non scalar datatype"
		if st == TypeError {
			original = "Cannot copy operation expression value: unknown type"
		}
		return b.whole().fail(st, "the number %v cannot be stored where a value is %s", v, describe(dst.Type)).as("%s", original)
	}
	v.convert(dst.Type.Kind).put(dst.Bytes, dst.Big)
	return nil
}

// copyReference copies the memory of a plain reference as it is, and converts the number of a
// reference with a path.
func (b *Bound) copyReference(dst Datum) *Error {
	slot := b.prog.code.single()
	d, err := b.datum(slot)
	if err != nil {
		if b.hidden(slot) {
			err.Status = ValueError
		}
		return err
	}
	if len(b.prog.refs[slot].steps) == 0 {
		if d.Type == nil || d.Type.Size != dst.Type.Size || len(d.Bytes) < d.Type.Size {
			n := 0
			if d.Type != nil {
				n = d.Type.Size
			}
			return b.whole().fail(ValueError, "`%s` has %d bytes, the destination %d; write `%s + 0` to convert a number",
				b.prog.refText(slot), n, dst.Type.Size, b.prog.refText(slot)).
				as("Cannot copy reference expression value: reference buffersize (%d) != type bufferize (%d)", n, dst.Type.Size)
		}
		copy(dst.Bytes[:d.Type.Size], d.Bytes)
		return nil
	}
	if !dst.Type.Kind.Number() {
		return b.whole().fail(unfit(dst.Type), "`%s` cannot be stored where a value is %s", b.prog.refText(slot), describe(dst.Type)).
			as("%s", originalUnfit(dst.Type, "Cannot copy reference expression value: non scalar datatype for indexed reference"))
	}
	v, ok := d.Number()
	if !ok {
		return b.notNumber(slot, d)
	}
	return b.store(v, dst)
}

func (b *Bound) copyText(dst Datum) *Error {
	t := dst.Type
	if t.Kind != Array || t.Elem.Size != 1 || t.Elem.Kind > Opaque {
		return b.whole().fail(ValueError, "the text `%s` cannot be stored where a value is %s", problem.Clip(b.prog.text, problem.Short), describe(t)).
			as("Cannot copy String_literal as a non chars array datatype.")
	}
	s, err := b.appendParts(nil)
	if err != nil {
		return err
	}
	if len(s)+1 > t.Size {
		return b.whole().fail(ValueError, "the text `%s` needs %d bytes with its end, the array has %d", problem.Clip(string(s), problem.Short), len(s)+1, t.Size)
	}
	copy(dst.Bytes, append(s, 0))
	return nil
}

// incomplete is the original program's text for a list that does not fill its array.
const incomplete = "Array literal copy incomplete: copied %d B of %d B"

func (b *Bound) copySequence(dst Datum, typed bool) *Error {
	t := dst.Type
	var part func(i int) (Member, bool)
	have := 0
	switch t.Kind {
	case Array:
		have = t.Len
		part = func(i int) (Member, bool) { return Member{Offset: i * t.Elem.Size, Type: t.Elem}, i < t.Len }
	case Tuple:
		have = len(t.Members)
		part = func(i int) (Member, bool) {
			if i < have {
				return t.Members[i], true
			}
			return Member{}, false
		}
	default:
		return b.whole().fail(ValueError, "a sequence cannot be stored where a value is %s", describe(t)).
			as("Sequence literal cannot copy a value whose type is neither array nor tuple")
	}
	for i, it := range b.items {
		m, ok := part(i)
		if !ok {
			e := it.whole().fail(ValueError, "%d items are too many for %s of %d", len(b.items), describe(t), have)
			if t.Kind == Array {
				e.as(incomplete, len(b.items)*t.Elem.Size, t.Size)
			}
			return e
		}
		if err := it.copyMember(dst, m, typed); err != nil {
			return err
		}
	}
	if t.Kind == Array && len(b.items) < have {
		return b.whole().fail(ValueError, "%d items are too few for %s", len(b.items), describe(t)).as(incomplete, len(b.items)*t.Elem.Size, t.Size)
	}
	return nil
}

func (b *Bound) copyMapping(dst Datum, typed bool) *Error {
	t := dst.Type
	if t.Kind != Record {
		return b.whole().fail(ValueError, "a mapping cannot be stored where a value is %s", describe(t)).as("Map literal cannot copy value of not record datatype")
	}
	for i, it := range b.items {
		m, ok := t.Member(b.prog.keys[i])
		if !ok {
			return it.whole().fail(ValueError, "the record has no member `%s`: it has %s", problem.Clip(b.prog.keys[i], problem.Short), memberNames(t)).
				as("Trying to reference non-existing member: %s", b.prog.keys[i])
		}
		if err := it.copyMember(dst, m, typed); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bound) copyMember(dst Datum, m Member, typed bool) *Error {
	if m.Offset < 0 || m.Type.Size > len(dst.Bytes)-m.Offset {
		return b.whole().fail(ValueError, "the member at byte %d is outside its memory of %d bytes", m.Offset, len(dst.Bytes))
	}
	to := Datum{Type: m.Type, Bytes: dst.Bytes[m.Offset : m.Offset+m.Type.Size], Big: dst.Big}
	return b.copyTo(to, typed)
}
