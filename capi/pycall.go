package main

// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"unsafe"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin/pycall"
)

// variable is a value in the form that the Python module takes.
type variable struct {
	Name     string    `json:"name"`
	Type     *typeJSON `json:"type"`
	Address  uintptr   `json:"address"`
	Writable bool      `json:"writable"`
}

// runPython runs code in the Python of the program, or starts a Python if there is none.
func runPython(code string, values []pycall.Value) error {
	variables := []variable{} // not nil, because nil would become null in JSON, and Python iterates over the list
	for _, v := range values {
		memory := v.Memory
		if !v.Shared { // copy the value to C's memory, because Python may not see Go's
			memory = alloc(int64(len(memory)))
			copy(memory, v.Memory)
			defer free(memory)
		}
		variables = append(variables, variable{v.Name, toJSON(v.Type), uintptr(unsafe.Pointer(unsafe.SliceData(memory))), v.Writable || !v.Shared})
	}
	text, err := json.Marshal(variables)
	if err != nil {
		return err
	}
	source, err := json.Marshal(code)
	if err != nil {
		return err
	}
	// A JSON string is also a valid Python string. The script runs in __main__ and must define no names
	// there.
	script := fmt.Sprintf("__import__('pdi')._run(%s, __import__('json').loads(%s))\n", source, quoted(text))
	switch C.bridge_python(lent(script)) {
	case 0:
		return nil
	case 1:
		return data.Errorf(data.StatusSystem, nil, "the Python code failed: see the standard error output for the reason")
	}
	return data.Errorf(data.StatusSystem, nil, "Python was not found: set PENTODE_LIBPYTHON to its library, such as libpython3.11.so.1.0")
}

// quoted returns a JSON text as a Python string.
func quoted(b []byte) string {
	q, err := json.Marshal(string(b))
	if err != nil { // cannot happen: every string can be written as JSON
		return `""`
	}
	return string(q)
}
