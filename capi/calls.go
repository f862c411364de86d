package main

// #cgo CFLAGS: -I${SRCDIR}/include -fvisibility=hidden -Wall
// #cgo LDFLAGS: -ldl -lm -lpthread
// #include <stdbool.h>
// #include "bridge.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/pentode-dev/pentode/run/data"
)

// library is the state of the library. C calls Go while it holds its lock.
var library struct {
	store     *data.Store // nil before PDI_init and after PDI_finalize
	upstream  bool        // error messages have the text of the original program
	documents map[unsafe.Pointer]*document
	foreign   *foreign        // the last document built by another library, as converted for this one
	retyped   map[string]bool // names whose shared type differs from the declared one, as already reported in the log
}

// stored returns a C text as a Go string without copying it. The string is valid only during the
// call.
func stored(text *C.char, length C.size_t) string {
	return unsafe.String((*byte)(unsafe.Pointer(text)), int(length))
}

// done ends every call: it stores the message of an error for the thread and returns its status.
func done(err error) C.int {
	if err == nil {
		return 0
	}
	text := message(err, library.upstream)
	if library.upstream && library.store != nil {
		library.store.Log.Debug("%s", err) // with its place and a suggestion
	}
	C.bridge_fail((*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)))
	return C.int(data.StatusOf(err))
}

// caught turns a panic, which must not reach C, into a status.
func caught(status *C.int) {
	if recover() != nil {
		*status = done(data.Fault("the call"))
	}
}

var errNotInitialised = data.Errorf(data.StatusState, nil, "PDI not initialized")

//export pentode_init
func pentode_init(failed C.int, doc, node unsafe.Pointer) (status C.int) {
	defer caught(&status)
	C.bridge_guard()
	if failed != 0 {
		doc, node = nil, nil // the tree is invalid: open a store without any sections
	}
	return done(open(doc, node))
}

//export pentode_finalize
func pentode_finalize() (status C.int) {
	defer caught(&status)
	if library.store == nil {
		return done(errNotInitialised)
	}
	store := library.store
	library.store = nil
	return done(store.Close())
}

//export pentode_version
func pentode_version(expected, provided C.ulong) (status C.int) {
	defer caught(&status)
	major := func(v C.ulong) C.ulong { return v >> 24 & 0xff }
	minor := func(v C.ulong) C.ulong { return v >> 16 & 0xff }
	text := func(v C.ulong) string { return fmt.Sprintf("%d.%d.%d", major(v), minor(v), v>>8&0xff) }
	switch {
	case expected != 0 && (major(expected) != major(provided) || minor(expected) > minor(provided)):
		return done(data.Errorf(data.StatusPlugin, nil, "Invalid PDI API version: %s, PDI provided version is %s", text(expected), text(provided)))
	case library.store == nil:
		return done(errNotInitialised)
	}
	return 0
}

//export pentode_share
func pentode_share(name *C.char, length C.size_t, at unsafe.Pointer, access C.int) (status C.int) {
	defer caught(&status)
	if library.store == nil {
		return done(errNotInitialised)
	}
	return done(library.store.ShareAt(stored(name, length), at, data.Access(access)&data.InOut))
}

//export pentode_expose
func pentode_expose(name *C.char, length C.size_t, at unsafe.Pointer, access C.int) (status C.int) {
	defer caught(&status)
	if library.store == nil {
		return done(errNotInitialised)
	}
	n := stored(name, length)
	if err := library.store.ShareAt(n, at, data.Access(access)&data.InOut); err != nil {
		return done(err)
	}
	return done(library.store.Reclaim(n))
}

//export pentode_access
func pentode_access(name *C.char, length C.size_t, buffer *unsafe.Pointer, access C.int) (status C.int) {
	defer caught(&status)
	if library.store == nil {
		return done(errNotInitialised)
	}
	memory, err := library.store.Access(stored(name, length), data.Access(access)&data.InOut)
	if err != nil {
		return done(err)
	}
	*buffer = unsafe.Pointer(unsafe.SliceData(memory)) // the start of the whole buffer, including bytes that are not in use
	return 0
}

//export pentode_release
func pentode_release(name *C.char, length C.size_t) (status C.int) {
	defer caught(&status)
	if library.store == nil {
		return done(errNotInitialised)
	}
	return done(library.store.Release(stored(name, length)))
}

//export pentode_reclaim
func pentode_reclaim(name *C.char, length C.size_t) (status C.int) {
	defer caught(&status)
	if library.store == nil {
		return done(errNotInitialised)
	}
	return done(library.store.Reclaim(stored(name, length)))
}

//export pentode_event
func pentode_event(name *C.char, length C.size_t) (status C.int) {
	defer caught(&status)
	if library.store == nil {
		return done(errNotInitialised)
	}
	return done(library.store.Event(stored(name, length)))
}

// pentode_misplaced sets the error of a transaction that cannot begin or end.
//
//export pentode_misplaced
func pentode_misplaced(text *C.char) C.int {
	return done(data.Errorf(data.StatusState, nil, "%s", C.GoString(text)))
}

// pentode_nameless sets the error of a call whose name is NULL.
//
//export pentode_nameless
func pentode_nameless() C.int {
	return done(data.Errorf(data.StatusSystem, nil, "the name is NULL").UpstreamAlone("basic_string: construction from null is not valid"))
}

// pentode_log writes a line to the log of the store. It returns false if there is no store.
//
//export pentode_log
func pentode_log(isError C.bool, text *C.char, length C.size_t) C.bool {
	if library.store == nil {
		return false
	}
	if isError {
		library.store.Log.Error("%s", stored(text, length))
	} else {
		library.store.Log.Warn("%s", stored(text, length))
	}
	return true
}
