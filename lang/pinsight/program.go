package pinsight

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/run/trace"
)

// Code returns the code in a program or library to which a section applies that gives a name instead of an address. For `relax` this is all code
// whose innermost function is relax, for `main.c:42` the calls of a runtime on that line, for `libx.so+0x1159` the call that returns to that offset.
// The checker, decisions and the tracer all use this function.
func Code(file *debuginfo.File, m trace.Match) []trace.Code {
	if file == nil || m.Name == "" {
		return nil
	}
	var list []trace.Code
	if source, line, ok := Line(m); ok {
		sites, _ := Regions(file, source, line) // ignore the error: a line without code has no sites
		for _, s := range sites {
			list = append(list, trace.Code{Low: s.Address - 1, High: s.Address})
		}
		return list
	}
	if library, offset, ok := libraryOffset(m.Name); ok {
		if library == filepath.Base(file.Path) {
			list = append(list, trace.Code{Low: file.Base + offset - 1, High: file.Base + offset})
		}
		return list
	}
	for _, r := range file.Code(m.Name) {
		if f, ok := file.Lookup(r.Low); m.File == "" || !ok || strings.HasPrefix(filepath.Base(f.File), m.File) {
			list = append(list, trace.Code(r))
		}
	}
	return list
}

// Holds reports whether a call that returns to an address is in one of the ranges of code.
func Holds(list []trace.Code, address uint64) bool {
	for _, c := range list {
		if address > c.Low && address <= c.High {
			return true
		}
	}
	return false
}

// Line returns the file and the line of a region that is given as a source line, such as `main.c:42`.
func Line(m trace.Match) (file string, line int, ok bool) {
	text := m.Name
	if m.File != "" {
		text = m.File + ":" + m.Name
	}
	at := strings.LastIndexByte(text, ':')
	if at < 1 || !isDigits(text[at+1:]) {
		return "", 0, false
	}
	line, err := strconv.Atoi(text[at+1:])
	return text[:at], line, err == nil
}

// libraryOffset reads `libx.so+0x1159`.
func libraryOffset(name string) (library string, offset uint64, ok bool) {
	at := strings.LastIndexByte(name, '+')
	if at < 1 {
		return "", 0, false
	}
	offset, ok = parseAddress(name[at+1:])
	return name[:at], offset, ok
}

// Regions returns the addresses of the regions on a source line of a program. A tracer identifies a region by the return address of a call of the
// runtime, so these are the calls on the line. If the line has no such call, Regions returns the start of the line's code in each function that
// contains a part of it.
func Regions(program *debuginfo.File, file string, line int) ([]debuginfo.Site, error) {
	return program.Sites(file, line, ofRuntime)
}

// ofRuntime reports whether a function belongs to an OpenMP or MPI runtime and can begin an event. It knows the functions of LLVM and GCC, called
// from C or from Fortran.
func ofRuntime(name string) bool {
	if strings.HasPrefix(name, "omp_get_") {
		return false
	}
	for _, prefix := range []string{"__kmpc_", "GOMP_", "omp_", "MPI_", "PMPI_", "mpi_", "pmpi_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func parseAddress(text string) (uint64, bool) {
	if len(text) < 3 || text[0] != '0' || text[1] != 'x' && text[1] != 'X' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:], 16, 64)
	return n, err == nil && n != 0
}
