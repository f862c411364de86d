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

// executable is what a compiled program says about itself before it is started.
type executable struct {
	path    string
	machine elf.Machine
	static  bool // no library can be loaded into it
	others  bool // it runs as another user
	// libraries are those that it is linked with, and those that they need. whole
	// says that there can be no others: all were found, and none of them loads more.
	libraries []string
	objects   []string // the files of the libraries
	whole     bool
	exported  map[string]bool // what the libraries find in it by name
	marks     bool            // it, or a library, marks regions of its own
	loads     bool            // it loads other code by itself, as an interpreter does
}

// readExecutable looks at a program; nil where it is none that the system loads, such as a
// script.
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
	symbols, _ := f.DynamicSymbols() // a program without any exports nothing
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

// Linked are the files of the libraries that a program is linked with, and of those that
// they need, as far as they are found. No program is started for it, not even the loader.
func Linked(path string) []string {
	if b := readExecutable(path); b != nil {
		return b.objects
	}
	return nil
}

// load follows what an object is linked with. inherited are folders of those that need it.
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

// follow looks into the first library of a name for the same machine.
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

// imports reports whether an object calls one of some functions, or may.
func imports(f *elf.File, names ...string) bool {
	list, err := f.DynamicSymbols() // ImportedSymbols leaves out weak ones
	return err != nil && !errors.Is(err, elf.ErrNoSymbols) ||
		slices.ContainsFunc(list, func(s elf.Symbol) bool { return s.Section == elf.SHN_UNDEF && slices.Contains(names, s.Name) })
}

// searched are the folders where the loader looks for the libraries of an object, in its
// order.
func searched(own, inherited []string) (dirs []string) {
	if own == nil {
		dirs = append(dirs, inherited...)
	}
	dirs = append(dirs, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	dirs = append(dirs, own...)
	dirs = append(dirs, loaderFolders()...)
	return append(dirs, "/lib64", "/usr/lib64", "/lib", "/usr/lib")
}

// ownFolders are the folders that an object names itself. DT_RPATH holds for what its
// libraries need, too, and not beside DT_RUNPATH.
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

// loaderFolders are the folders that the machine's loader is told of.
func loaderFolders() (dirs []string) {
	files, _ := filepath.Glob("/etc/ld.so.conf.d/*.conf") // the pattern is a good one
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
			return true // what it has is not known
		}
		defer f.Close()
		symbols, err := f.DynamicSymbols()
		return err != nil || slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == name && s.Section != elf.SHN_UNDEF })
	})
}

// linked reports whether one of the libraries is of a runtime.
func (b *executable) linked(is func(library string) bool) bool {
	return slices.ContainsFunc(b.libraries, is)
}

// StartTool is the function by which an OpenMP runtime finds the tool that it starts:
// that of the program, else of a preloaded library, else of one that is linked.
const StartTool = "ompt_start_tool"

// LLVMOpenMP reports whether a library is an OpenMP runtime with an interface for tools.
func LLVMOpenMP(library string) bool {
	return strings.HasPrefix(library, "libomp.") || strings.HasPrefix(library, "libomp5") || strings.HasPrefix(library, "libiomp5")
}

// GNUOpenMP reports whether a library is GCC's OpenMP runtime, which has none.
func GNUOpenMP(library string) bool { return strings.HasPrefix(library, "libgomp.") }

// MPILibrary reports whether a library is an MPI.
func MPILibrary(library string) bool {
	return strings.HasPrefix(library, "libmpi")
}

func pdiLibrary(library string) bool { return strings.HasPrefix(library, "libpdi.") }
