package suite

import (
	"bufio"
	"debug/elf"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// executable describes a compiled program before it is started.
type executable struct {
	path    string
	machine elf.Machine
	static  bool // statically linked: no library can be loaded into it
	others  bool // setuid: it runs as another user
	// libraries are the libraries with which it is linked, and the libraries that they need. whole says that the list is complete: all were found,
	// and none of them loads more.
	libraries []string
	objects   []string // the files of the libraries
	whole     bool
	exported  map[string]bool // names that libraries can find in it
	marks     bool            // it, or one of its libraries, marks its own regions
	loads     bool            // it loads other code itself, like an interpreter
}

// readExecutable inspects a program; nil if the file is not an executable that the system loads, for example a script.
func readExecutable(path string) *executable {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := &executable{path: path, machine: f.Machine, static: true, exported: map[string]bool{}}
	for _, p := range f.Progs {
		b.static = b.static && p.Type != elf.PT_INTERP
	}
	if info, err := os.Stat(path); err == nil {
		b.others = info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0
	}
	symbols, _ := f.DynamicSymbols() // a program without symbols exports nothing
	b.whole = os.Getenv("LD_PRELOAD") == ""
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			b.exported[s.Name] = true
		}
	}
	b.loads = loadsMore(f)
	b.load(f, path, nil, map[string]bool{})
	return b
}

// Linked returns the files of the libraries with which a program is linked, and of the libraries that they need, as far as they are found. It starts
// no program for that, not even the loader.
func Linked(path string) []string {
	if b := readExecutable(path); b != nil {
		return b.objects
	}
	return nil
}

// load follows the libraries of an object. inherited are the search folders of the objects that need it.
func (b *executable) load(f *elf.File, path string, inherited []string, seen map[string]bool) {
	needed, err := f.ImportedLibraries()
	if err != nil {
		return
	}
	b.marks = b.marks || imports(f, "pentode_trace_region_begin")
	if loadsMore(f) && !strings.HasPrefix(filepath.Base(path), "libpdi") && !strings.HasPrefix(filepath.Base(path), "libc.") {
		b.whole = false
	}
	own := ownFolders(f, path, elf.DT_RUNPATH)
	if own == nil {
		inherited = append(ownFolders(f, path, elf.DT_RPATH), inherited...)
	}
	dirs := searched(own, inherited)
	for _, name := range needed {
		if seen[name] {
			continue
		}
		seen[name] = true
		b.libraries = append(b.libraries, name)
		if !b.follow(name, dirs, inherited, f.Machine, seen) {
			b.whole = false
		}
	}
}

// follow inspects the first library with this name that is for the same machine.
func (b *executable) follow(name string, dirs, inherited []string, machine elf.Machine, seen map[string]bool) bool {
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if f, err := elf.Open(path); err == nil {
			same := f.Machine == machine
			if same {
				b.objects = append(b.objects, path)
				b.load(f, path, inherited, seen)
			}
			f.Close()
			if same {
				return true
			}
		}
	}
	return false
}

// loadsMore reports whether an object can load libraries by name while it runs.
func loadsMore(f *elf.File) bool { return imports(f, "dlopen", "dlmopen") }

// imports reports whether an object calls one of the functions, or may call it.
func imports(f *elf.File, names ...string) bool {
	list, err := f.DynamicSymbols() // ImportedSymbols leaves out weak symbols
	return err != nil && !errors.Is(err, elf.ErrNoSymbols) ||
		slices.ContainsFunc(list, func(s elf.Symbol) bool { return s.Section == elf.SHN_UNDEF && slices.Contains(names, s.Name) })
}

// searched returns the folders in which the loader looks for the libraries of an object, in order.
func searched(own, inherited []string) (dirs []string) {
	if own == nil {
		dirs = append(dirs, inherited...)
	}
	dirs = append(dirs, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	dirs = append(dirs, own...)
	dirs = append(dirs, loaderFolders()...)
	return append(dirs, "/lib64", "/usr/lib64", "/lib", "/usr/lib")
}

// ownFolders returns the folders that an object itself names. DT_RPATH also applies to what its libraries need, but is ignored if there is a
// DT_RUNPATH.
func ownFolders(f *elf.File, path string, tag elf.DynTag) (dirs []string) {
	list, err := f.DynString(tag)
	if err != nil {
		return nil
	}
	here := strings.NewReplacer("$ORIGIN", filepath.Dir(path), "${ORIGIN}", filepath.Dir(path))
	for _, text := range list {
		dirs = append(dirs, strings.Split(here.Replace(text), ":")...)
	}
	return dirs
}

// loaderFolders returns the folders in the configuration of the machine's loader.
func loaderFolders() (dirs []string) {
	files, _ := filepath.Glob("/etc/ld.so.conf.d/*.conf") // the pattern is valid
	files = append(files, "/etc/ld.so.conf")
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			if line := strings.TrimSpace(s.Text()); strings.HasPrefix(line, "/") {
				dirs = append(dirs, line)
			}
		}
		f.Close()
	}
	return dirs
}

// libraryHas reports whether one of the libraries exports a name.
func (b *executable) libraryHas(name string) bool {
	return slices.ContainsFunc(b.objects, func(path string) bool {
		f, err := elf.Open(path)
		if err != nil {
			return true // its symbols are not known
		}
		defer f.Close()
		symbols, err := f.DynamicSymbols()
		return err != nil || slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == name && s.Section != elf.SHN_UNDEF })
	})
}

// linked reports whether is returns true for one of the libraries.
func (b *executable) linked(is func(library string) bool) bool {
	return slices.ContainsFunc(b.libraries, is)
}

// StartTool is the function by which an OpenMP runtime finds the tool that it starts: in the program, or else in a preloaded library, or else in a
// linked library.
const StartTool = "ompt_start_tool"

// LLVMOpenMP reports whether a library is an OpenMP runtime with an interface for tools.
func LLVMOpenMP(library string) bool {
	return strings.HasPrefix(library, "libomp.") || strings.HasPrefix(library, "libomp5") || strings.HasPrefix(library, "libiomp5")
}

// GNUOpenMP reports whether a library is GCC's OpenMP runtime, which has no interface for tools.
func GNUOpenMP(library string) bool { return strings.HasPrefix(library, "libgomp.") }

// MPILibrary reports whether a library is an MPI.
func MPILibrary(library string) bool {
	return strings.HasPrefix(library, "libmpi")
}

func pdiLibrary(library string) bool { return strings.HasPrefix(library, "libpdi.") }
