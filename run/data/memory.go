package data

import (
	"reflect"
	"unsafe"
)

// Access is a set of rights, seen from the program: Out is data that goes out of
// the program, into the store, and In data that comes in.
type Access uint8

const (
	None  Access = 0
	In    Access = 1 // shared: the store may write; accessed: the caller reads
	Out   Access = 2 // shared: the store may read; accessed: the caller writes
	InOut Access = In | Out
)

func (a Access) String() string { return [...]string{"NONE", "IN", "OUT", "INOUT"}[a&InOut] }

// memoryOf returns the memory behind a Go value without copying it: the bytes of
// a slice, of what a pointer points to, or of a string, which only goes out.
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
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return unsafe.Slice((*byte)(v.UnsafePointer()), v.Type().Elem().Size()), nil
	case reflect.Slice:
		return unsafe.Slice((*byte)(v.UnsafePointer()), v.Type().Elem().Size()*uintptr(v.Len())), nil
	}
	return nil, Errorf(StatusType, nil, "a Go %T has no memory to share: pass a pointer to it, or a slice", value)
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

// View reads memory that the store gave out as a slice of Go numbers.
func View[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64](memory []byte) ([]T, error) {
	var zero T
	size := unsafe.Sizeof(zero)
	p := unsafe.Pointer(unsafe.SliceData(memory))
	switch {
	case uintptr(p)%size != 0:
		return nil, Errorf(StatusType, nil, "the memory is not aligned for a Go %T", zero)
	case uintptr(len(memory))%size != 0:
		return nil, Errorf(StatusType, nil, "%d bytes are no whole number of Go %T", len(memory), zero)
	}
	return unsafe.Slice((*T)(p), uintptr(len(memory))/size), nil
}

// checkMemory says whether memory can hold a value of type t.
func checkMemory(t Type, memory []byte) error {
	if !t.fits() {
		return Errorf(StatusType, nil, "its type reaches outside its own buffer")
	}
	if int64(len(memory)) < t.Size() {
		return Errorf(StatusType, nil, "its type takes %d bytes, the memory has %d", t.Size(), len(memory))
	}
	return nil
}

// address is where memory lies, as a pointer in shared data would say.
func address(memory []byte) uint64 {
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}
