package main

// #include <dlfcn.h>
// #include <stdlib.h>
// #include "bridge.h"
import "C"

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/flow"
	"github.com/pentode-dev/pentode/run/data/plugin/mpi"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
)

// open makes the store of a tree. An existing store is closed when the new one is ready.
func open(doc, node unsafe.Pointer) error {
	defer reading()()
	tree, root := treeOf(doc, node)
	env := load.NewEnv()
	env.Opener, env.Lookup, env.Dialect = source.Disk{}, getenv, load.Upstream
	if as, _ := getenv("PENTODE_AS"); as == "documented" {
		env.Dialect = load.Documented
	}
	library.upstream = env.Dialect == load.Upstream
	m := pdi.ReadAt(tree, root, env)
	printFindings(m)
	if err := m.IncludeError(); err != nil {
		return err
	}
	dir, fenced := results()
	store, err := data.New(m.Spec(), data.Options{
		Dialect: m.Dialect(),
		Plugins: plugins(),
		Place:   data.Programs,
		Host:    data.Host{Dir: dir, Fenced: fenced, Console: stdout{}, Memory: data.Memory{Alloc: alloc, Free: free, Follow: follow}, Seal: sealed(m)},
	})
	if err != nil {
		return err
	}
	old := library.store
	library.store, library.retyped = store, map[string]bool{}
	if old != nil {
		return old.Close()
	}
	return nil
}

// results returns the folder in which the program's run collects its results, and whether the
// program may write only there. Without a run, it is the current folder.
func results() (dir string, fenced bool) {
	dir, _ = getenv("PENTODE_OUT")
	only, _ := getenv("PENTODE_FENCED")
	if dir != "" {
		_ = os.MkdirAll(dir, 0o777) // on another machine the folder may be missing; if it cannot be made, opening the first file gives the error
	}
	return dir, dir != "" && only == "1"
}

// printFindings prints the findings of a check of the tree, once for all ranks: errors, and keys
// without effect, which are often misspelt. They do not change any status.
func printFindings(m *pdi.Model) {
	level, _ := getenv("PENTODE_CHECK")
	if level == "off" || !firstRank() {
		return
	}
	list := slices.Clone(m.Diagnostics())
	if level != "all" {
		list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool {
			return d.Severity != diag.Error && (level == "errors" || !pdi.UnknownKey(d))
		})
	}
	list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool { // without the excerpt, because the user did not write this text
		path, _, ok := library.foreign.find(d.Span)
		if ok {
			fmt.Fprintf(os.Stderr, "%s: %s: %s [%s]\n", path, d.Severity, d.Message, d.Code.ID)
		}
		return ok
	})
	render.Terminal(os.Stderr, list, false) // an error in writing is not fatal
}

// firstRank reports whether this process is the first of an MPI program, or not part of one.
func firstRank() bool {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"} {
		if rank, ok := getenv(name); ok {
			return rank == "0"
		}
	}
	return true
}

// getenv reads the environment through C, because the program may have changed it.
func getenv(name string) (string, bool) {
	value := C.getenv(lent(name))
	if value == nil {
		return "", false
	}
	return C.GoString(value), true
}

// lent returns a C text that is valid for one call of C. The text is in Go's memory. A copy in C's heap
// would be freed before the program allocates its arrays, and an array in the same place would then
// begin with the remains of the text.
func lent(text string) *C.char {
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(append([]byte(text), 0))))
}

// stdout is C's standard output.
type stdout struct{}

func (stdout) Write(b []byte) (int, error) {
	C.bridge_write((*C.char)(unsafe.Pointer(unsafe.SliceData(b))), C.size_t(len(b)))
	return len(b), nil
}

var _ io.Writer = stdout{}

func alloc(size int64) []byte {
	p := C.calloc(C.size_t(max(size, 1)), 1)
	if p == nil {
		return nil
	}
	return unsafe.Slice((*byte)(p), size)
}

func free(b []byte) { C.free(unsafe.Pointer(unsafe.SliceData(b))) }

// follow returns size bytes at an address in the program's memory, without checking that they are
// accessible.
func follow(at uint64, size int64) []byte {
	p := uintptr(at)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), size)
}

// plugins returns all plugins. Those named in PENTODE_SKIP_PLUGINS are replaced by ones that do nothing.
func plugins() []data.Plugin {
	comms := communicators()
	list := plugin.List(plugin.Program{Functions: findFunction, Communicators: comms, Python: runPython, Process: thisProcess(comms)})
	names, _ := getenv("PENTODE_SKIP_PLUGINS")
	skipped := strings.FieldsFunc(names, func(r rune) bool { return strings.ContainsRune(", :", r) })
	return plugin.Skip(list, skipped, "PENTODE_SKIP_PLUGINS names it")
}

// thisProcess describes this process and its place among the processes of the program.
func thisProcess(comms mpi.Communicators) flow.Program {
	p := flow.Program{Getenv: func(name string) string { value, _ := getenv(name); return value }, Size: 1}
	if rank, size, ok := worldRank(comms.World); ok {
		p.Rank, p.Size = rank, size
		return p
	}
	for _, v := range []struct{ rank, size string }{
		{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}, {"SLURM_PROCID", "SLURM_NTASKS"},
	} {
		rank, err := strconv.Atoi(p.Getenv(v.rank))
		size, failed := strconv.Atoi(p.Getenv(v.size))
		if err == nil && failed == nil {
			p.Rank, p.Size = rank, size
			break
		}
	}
	return p
}

// findFunction returns a function of the program that the tree calls through user_code.
func findFunction(name string) (usercode.Function, error) {
	f := find(name)
	if f == nil {
		return nil, errors.New(C.GoString(C.dlerror()))
	}
	return func(*data.Store) error {
		C.bridge_call_user(f)
		return nil
	}, nil
}
