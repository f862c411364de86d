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

// variable is a value as the Python module takes it.
type variable struct {
	Name     string    `json:"name"`
	Type     *typeJSON `json:"type"`
	Address  uintptr   `json:"address"`
	Writable bool      `json:"writable"`
}

// runPython runs code in the Python of the program; where it has none, one is started.
func runPython(code string, values []pycall.Value) error {
	variables := []variable{} // none are an empty list, which Python can walk
	for _, v := range values {
		memory := v.Memory
		if !v.Shared { // Python may see C's memory only
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
	// Texts of JSON are texts of Python. The script runs in __main__ and leaves no names there.
	script := fmt.Sprintf("__import__('pdi')._run(%s, __import__('json').loads(%s))\n", source, quoted(text))
	switch C.bridge_python(lent(script)) {
	case 0:
		return nil
	case 1:
		return data.Errorf(data.StatusSystem, nil, "the Python code failed: what went wrong is on the standard error output")
	}
	return data.Errorf(data.StatusSystem, nil, "Python was not found: name its library, like libpython3.11.so.1.0, in PENTODE_LIBPYTHON")
}

// quoted is a JSON text as a string of Python.
func quoted(b []byte) string {
	q, err := json.Marshal(string(b))
	if err != nil { // a text always has a form
		return `""`
	}
	return string(q)
}
