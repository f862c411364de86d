package data

import (
	"reflect"
	"unsafe"
)

// Access is a set of access rights from the program's point of view: with Out, data goes
// from the program to the store; with In, from the store to the program.
type Access uint8

const (
	None  Access = 0
	In    Access = 1 // on a share, the store may write; on an access, the program reads
	Out   Access = 2 // on a share, the store may read; on an access, the program writes
	InOut Access = In | Out
)

func (a Access) String() string { return [...]string{"NONE", "IN", "OUT", "INOUT"}[a&InOut] }

// memoryOf returns the memory of a Go value without copying it: the elements of a slice,
// what a pointer points to, or the bytes of a string, which may only be read.
func memoryOf(value any, access Access) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case []byte:
		return v, nil
	case *int32:
		return pointed(v), nil
	case *int64:
		return pointed(v), nil
	case *int:
		return pointed(v), nil
	case *uint32:
		return pointed(v), nil
	case *uint64:
		return pointed(v), nil
	case *float32:
		return pointed(v), nil
	case *float64:
		return pointed(v), nil
	case []int32:
		return elements(v), nil
	case []int64:
		return elements(v), nil
	case []float32:
		return elements(v), nil
	case []float64:
		return elements(v), nil
	case string:
		if access&In != 0 {
			return nil, Errorf(StatusPermission, nil, "a Go string cannot be written to: share it with Out, or share a []byte")
		}
		return unsafe.Slice(unsafe.StringData(v), len(v)), nil
	}
	v := reflect.ValueOf(value)
	var count uintptr = 1
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
	case reflect.Slice:
		count = uintptr(v.Len())
	default:
		return nil, Errorf(StatusType, nil, "a Go %T has no memory to share: pass a pointer to it, or a slice", value)
	}
	elem := v.Type().Elem()
	switch odd := oddPart(elem); {
	case odd == nil:
	case !isAddress(odd):
		return nil, Errorf(StatusType, nil, "a Go %T is not plain memory: it contains a %v", value, odd)
	case access&In != 0:
		return nil, Errorf(StatusPermission, nil, "a Go %T contains a %v and may not be written to: share it with Out", value, odd)
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), elem.Size()*count), nil
}

// oddPart returns a part of a Go type that is not plain numbers, or nil. The part is a
// pointer, which can only be read as an address, or a type that cannot be shared at all,
// such as a string.
func oddPart(t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Array:
		return oddPart(t.Elem())
	case reflect.Struct:
		var pointer reflect.Type
		for i := range t.NumField() {
			switch odd := oddPart(t.Field(i).Type); {
			case odd == nil:
			case !isAddress(odd):
				return odd
			default:
				pointer = odd
			}
		}
		return pointer
	case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Chan, reflect.Func, reflect.Interface, reflect.UnsafePointer:
		return t
	}
	return nil
}

func isAddress(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.UnsafePointer
}

func pointed[T any](p *T) []byte {
	if p == nil {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

func elements[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// View returns memory from the store as a slice of Go numbers.
func View[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64](memory []byte) ([]T, error) {
	var zero T
	size := unsafe.Sizeof(zero)
	p := unsafe.Pointer(unsafe.SliceData(memory))
	switch {
	case uintptr(p)%size != 0:
		return nil, Errorf(StatusType, nil, "the memory is not aligned for a Go %T", zero)
	case uintptr(len(memory))%size != 0:
		return nil, Errorf(StatusType, nil, "%d bytes are not a whole number of Go %T", len(memory), zero)
	}
	return unsafe.Slice((*T)(p), uintptr(len(memory))/size), nil
}

// checkMemory returns an error if memory is too small for a value of type t.
func checkMemory(t Type, memory []byte) error {
	if !t.fits() {
		return Errorf(StatusType, nil, "its type reaches outside its own buffer")
	}
	if int64(len(memory)) < t.Size() {
		return Errorf(StatusType, nil, "its type takes %d bytes, the memory has %d", t.Size(), len(memory))
	}
	return nil
}

// address returns the address of memory, in the form in which pointers in shared data
// contain it.
func address(memory []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}
