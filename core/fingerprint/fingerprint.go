// Package fingerprint computes a short name for a value, which changes if and only if the
// value changes.
//
//	value ──▶ canonical bytes ──SHA-256──▶ Sum
//
// The bytes are made by reflection, so a field that is added later is included unless its
// tag says otherwise. Each value is written with its kind and length, so different values
// have different bytes. Fields are written with their names, and left out if they are zero,
// so a new field does not change existing sums. Places in texts (source.Span) have no
// meaning and are never included.
//
// Tags of fields:
//
//	`fingerprint:"-"`    the field is neutral: it does not affect the sum
//	`fingerprint:"set"`  the order of the list has no meaning
package fingerprint

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"

	"github.com/pentode-dev/pentode/core/source"
)

// Sum is the fingerprint of a value.
type Sum [sha256.Size]byte

// String returns the sum in hexadecimal digits.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// Short returns the first digits, which are enough for people to compare.
func (s Sum) Short() string { return s.String()[:12] }

// MarshalText returns the sum as it is written in JSON.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the output of MarshalText.
func (s *Sum) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(s)) {
		return fmt.Errorf("a fingerprint has %d hexadecimal digits", hex.EncodedLen(len(s)))
	}
	if _, err := hex.Decode(s[:], text); err != nil {
		return fmt.Errorf("a fingerprint has hexadecimal digits only")
	}
	return nil
}

// Of returns the fingerprint of a value made of numbers, texts, lists, maps, structs and
// pointers to these. It panics if the value contains a function or a channel, which is a bug
// in the program.
func Of(v any) Sum { return sha256.Sum256(Encode(v)) }

// Encode returns the canonical bytes of a value.
func Encode(v any) []byte {
	e := encoder{map[pointer]bool{}}
	return e.appendValue(nil, reflect.ValueOf(v))
}

// The kinds of values in the canonical bytes.
const (
	kindNil     = 'n'
	kindBool    = 'b'
	kindInt     = 'i'
	kindUint    = 'u'
	kindFloat   = 'f'
	kindText    = 's'
	kindList    = 'l'
	kindSet     = 'S'
	kindMap     = 'm'
	kindRecord  = 'r'
	kindPointer = 'p'
	kindTyped   = 't' // the value in an interface, with the name of its type
)

// encoder encodes one value. visiting has the pointers that are being encoded; if one of them
// occurs again, the value contains itself.
type encoder struct{ visiting map[pointer]bool }

type pointer struct {
	at uintptr
	of reflect.Type // needed because a struct has the same address as its first field
}

var (
	spanType   = reflect.TypeFor[source.Span]()
	regexpType = reflect.TypeFor[*regexp.Regexp]()
)

func (e *encoder) appendValue(b []byte, v reflect.Value) []byte {
	if !v.IsValid() {
		return append(b, kindNil)
	}
	if v.Type() == regexpType && !v.IsNil() {
		return appendText(b, v.Interface().(*regexp.Regexp).String()) // reading an unexported field would panic
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, kindBool, 1)
		}
		return append(b, kindBool, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.BigEndian.AppendUint64(append(b, kindInt), uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return binary.BigEndian.AppendUint64(append(b, kindUint), v.Uint())
	case reflect.Float32, reflect.Float64:
		return binary.BigEndian.AppendUint64(append(b, kindFloat), math.Float64bits(v.Float()))
	case reflect.String:
		return appendText(b, v.String())
	case reflect.Slice, reflect.Array:
		b = appendCount(append(b, kindList), v.Len())
		for i := range v.Len() {
			b = e.appendValue(b, v.Index(i))
		}
		return b
	case reflect.Map:
		return e.appendMap(b, v)
	case reflect.Struct:
		return e.appendRecord(b, v)
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, kindNil)
		}
		p := pointer{v.Pointer(), v.Type()}
		if e.visiting[p] {
			panic("fingerprint: a " + v.Type().String() + " leads back to itself")
		}
		e.visiting[p] = true
		b = e.appendValue(append(b, kindPointer), v.Elem())
		delete(e.visiting, p)
		return b
	case reflect.Interface:
		if v.IsNil() {
			return append(b, kindNil)
		}
		b = appendText(append(b, kindTyped), v.Elem().Type().String())
		return e.appendValue(b, v.Elem())
	}
	panic("fingerprint: a " + v.Type().String() + " has no canonical form")
}

func appendCount(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

func appendText(b []byte, text string) []byte {
	return append(appendCount(append(b, kindText), len(text)), text...)
}

// appendSet writes the elements sorted by their bytes.
func (e *encoder) appendSet(b []byte, v reflect.Value) []byte {
	list := make([][]byte, v.Len())
	for i := range list {
		list[i] = e.appendValue(nil, v.Index(i))
	}
	slices.SortFunc(list, bytes.Compare)
	return append(appendCount(append(b, kindSet), len(list)), bytes.Join(list, nil)...)
}

func (e *encoder) appendMap(b []byte, v reflect.Value) []byte {
	list := make([][]byte, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		list = append(list, e.appendValue(e.appendValue(nil, it.Key()), it.Value()))
	}
	slices.SortFunc(list, bytes.Compare)
	return append(appendCount(append(b, kindMap), len(list)), bytes.Join(list, nil)...)
}

// field is a field of a struct that is included in a sum.
type field struct {
	name  string
	index int
	set   bool
}

// fieldsOf returns the included fields of a struct, by name.
func fieldsOf(t reflect.Type) []field {
	var list []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("fingerprint")
		switch {
		case tag == "-" || f.Type == spanType:
			continue
		case tag != "" && tag != "set":
			panic("fingerprint: " + t.String() + "." + f.Name + " has the unknown tag " + tag)
		}
		list = append(list, field{f.Name, i, tag == "set"})
	}
	slices.SortFunc(list, func(a, b field) int { return cmp.Compare(a.name, b.name) })
	return list
}

func (e *encoder) appendRecord(b []byte, v reflect.Value) []byte {
	fields := slices.DeleteFunc(fieldsOf(v.Type()), func(f field) bool { return empty(v.Field(f.index)) })
	b = appendCount(append(b, kindRecord), len(fields))
	for _, f := range fields {
		b = appendText(b, f.name)
		if f.set {
			b = e.appendSet(b, v.Field(f.index))
		} else {
			b = e.appendValue(b, v.Field(f.index))
		}
	}
	return b
}

// empty reports whether a field is left out. An empty list counts as missing. A struct is
// left out if all of its included fields are.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return !slices.ContainsFunc(fieldsOf(v.Type()), func(f field) bool { return !empty(v.Field(f.index)) })
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(v.Float()) == 0 // false for -0
	}
	return v.IsZero()
}

// Neutral returns the fields that do not affect the sums of some types, as `Type.Field`,
// sorted. It includes types that the fields refer to, and omits fields for places. Tests
// compare the list with an expected one, so that each neutral field is a deliberate
// decision.
func Neutral(types ...reflect.Type) []string {
	var names []string
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		if seen[t] || t == spanType || t == regexpType {
			return
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Slice, reflect.Array, reflect.Pointer:
			visit(t.Elem())
		case reflect.Map:
			visit(t.Key())
			visit(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				if f := t.Field(i); f.Tag.Get("fingerprint") == "-" {
					names = append(names, t.Name()+"."+f.Name)
				} else {
					visit(f.Type)
				}
			}
		case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
			names = append(names, t.String()+" has no canonical form")
		}
	}
	for _, t := range types {
		visit(t)
	}
	slices.Sort(names)
	return names
}
