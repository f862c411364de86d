package main

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"encoding/json"
	"strings"
	"unsafe"

	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
)

// PDI's C interface passes addresses without types. The functions here are for languages whose
// values have types, such as Python.

// typeJSON is a type as other languages receive it: a number, an array of elements, or a record.
type typeJSON struct {
	Kind    string       `json:"kind"` // int, uint, float, bytes; array, record, tuple, pointer
	Size    int64        `json:"size"`
	Elem    *typeJSON    `json:"elem,omitempty"`    // of an array or a pointer
	Start   int64        `json:"start,omitempty"`   // the part of an array that is in use begins at this element
	Count   int64        `json:"count,omitempty"`   //
	Members []memberJSON `json:"members,omitempty"` // of a record or a tuple
}

type memberJSON struct {
	Name   string    `json:"name"`
	Offset int64     `json:"offset"`
	Type   *typeJSON `json:"type"`
}

//export pentode_type
func pentode_type(name *C.char, length C.size_t) (text *C.char) {
	defer func() { recover() }() // after a panic there is no type
	if library.store == nil {
		return nil
	}
	n := stored(name, length)
	var t data.Type
	if ref, err := library.store.Ref(n); err == nil {
		t = ref.Type()
	}
	if template, ok := library.store.Template(n); ok && t == nil {
		t, _ = template.Evaluate()
	}
	if t == nil {
		return nil
	}
	b, err := json.Marshal(toJSON(t))
	if err != nil {
		return nil
	}
	return C.CString(string(b))
}

func toJSON(t data.Type) *typeJSON {
	j := &typeJSON{Size: t.Size()}
	members := func(list []data.Member) {
		for _, m := range list {
			j.Members = append(j.Members, memberJSON{m.Name, m.Offset, toJSON(m.Type)})
		}
	}
	switch t := t.(type) {
	case *data.Scalar:
		j.Kind = map[data.Kind]string{data.Signed: "int", data.Unsigned: "uint", data.Float: "float"}[t.Kind]
		if j.Kind == "" {
			j.Kind = "bytes"
		}
	case *data.Array:
		j.Kind, j.Elem, j.Start, j.Count = "array", toJSON(t.Elem), t.Start, t.Used
	case *data.Record:
		j.Kind = "record"
		members(t.Members)
	case *data.Tuple:
		j.Kind = "tuple"
		members(t.Elements)
	case *data.Pointer:
		j.Kind = "pointer"
		if t.Back == "" { // without this check, a pointer in a recursive type would be followed forever
			j.Elem = toJSON(t.Elem)
		}
	}
	return j
}

// pentode_share_as shares memory of a type that the caller passes, written as in a tree. If the
// tree declares another type, the call fails, except in upstream's dialect, where the caller's
// type is used.
//
//export pentode_share_as
func pentode_share_as(name *C.char, length C.size_t, declaration *C.char, at unsafe.Pointer, access C.int) (status C.int) {
	defer caught(&status)
	if library.store == nil {
		return done(errNotInitialised)
	}
	s := library.store
	template, err := data.ParseType(pdi.ParseNode(C.GoString(declaration)), s.Env())
	if err != nil {
		return done(err)
	}
	t, err := template.Evaluate()
	if err != nil {
		return done(err)
	}
	n := stored(name, length)
	rights := data.Access(access) & data.InOut
	if declared, ok := s.Template(n); ok {
		want, err := declared.Evaluate()
		switch {
		case err != nil:
			return done(data.Within(err, "cannot share `%s`", n))
		case sameNumbers(want, t):
			return done(s.ShareAt(n, at, rights))
		case !library.upstream:
			return done(data.Errorf(data.StatusType, nil, "cannot share `%s`: the tree declares it as `%s`, but the value is `%s`", n, want, t))
		}
		if !library.retyped[n] { // report only the first time, because a program may share the same data in every step
			library.retyped[strings.Clone(n)] = true
			s.Log.Warn("`%s` is shared as `%s`, but the tree declares it as `%s`", n, t, want)
		}
	}
	return done(s.ShareAs(n, t, unsafe.Slice((*byte)(at), t.Size()), rights))
}

// sameNumbers reports whether two types have the same size and consist of the same kinds of
// numbers, whatever their names.
func sameNumbers(a, b data.Type) bool {
	if a.Size() != b.Size() {
		return false
	}
	for {
		x, ok := a.(*data.Array)
		if !ok {
			break
		}
		a = x.Elem
	}
	for {
		x, ok := b.(*data.Array)
		if !ok {
			break
		}
		b = x.Elem
	}
	x, plain := a.(*data.Scalar)
	y, ok := b.(*data.Scalar)
	if !plain || !ok {
		return true // of a record or a pointer, only the size is compared, and the sizes are equal here
	}
	return x.Kind == y.Kind && x.Size() == y.Size()
}
