// Package debuginfo finds functions, source lines and structs in compiled
// programs.
//
// A trace configuration names regions by address, and addresses change with
// every build; a data specification repeats structs that a program already
// has. Both need what a compiler wrote down: the symbol table of an ELF file
// and its DWARF sections, in the program itself or in a debug file beside it.
//
//	program ──Open──▶ File ──┬─ Lookup    address ─▶ function, file:line
//	   │                     ├─ Function  name ─▶ ranges
//	   │                     ├─ Code      name ─▶ ranges, where it was inlined too
//	   └─ .gnu_debuglink,    ├─ Line      file:line ─▶ addresses
//	      build id ─▶ DWARF  ├─ Sites     file:line ─▶ what its calls return to
//	                         ├─ Sources   the files it was compiled from
//	                         ├─ Struct    name ─▶ members
//	                         └─ Retarget  address of an old build ─▶ new build
//
// What a walk over much debug information found is kept in a file of the user, by build id.
//
// Addresses are those of the file: of a position independent program they
// count from its load base, unless Load says where it was loaded. Little is read before it is asked for, and a
// damaged file ends in an error whatever the damage is.
package debuginfo

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Options say where else to look. The zero value is what debuggers do.
type Options struct {
	DebugDirs []string // /usr/lib/debug where nil
	Cache     string   // the folder where what was found is kept; empty: the user's, for what took long
}

// File is an opened program. Its methods may be called from several goroutines.
type File struct {
	Path      string
	DebugPath string // the separate debug file, empty where there is none
	PIE       bool   // addresses count from the load base
	Base      uint64 // where it is loaded, as Load says

	mu      sync.Mutex
	disk    *os.File
	elf     *elf.File
	debug   *os.File
	from    *elf.File // what has the debug information, nil without
	kept    string    // where the index is kept, or empty
	tables  *tables   // of the debug information, as far as it was asked for
	lines   []byte    // all line tables
	why     string    // why there is no debug information
	index   *index
	inlined *index // the same walk with all pieces, once a call was asked for
	types   *types
	kernels *kernels // once they were asked for
	texts   int      // that the program was searched for
	budget  int      // line table rows that may still be read
}

// Open opens a program. A program without debug information opens too: its
// symbol table still names functions.
func Open(path string, o Options) (*File, error) {
	f := &File{Path: path, budget: maxRows}
	_, err := guarded(f, func() (struct{}, error) { return struct{}{}, f.open(o) })
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close closes what Open opened.
func (f *File) Close() error {
	var err error
	for _, file := range []*os.File{f.disk, f.debug} {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
	}
	return err
}

// guarded runs one request at a time and turns a panic of the readers below,
// which trust their input in places, into an error.
func guarded[T any](f *File, request func() (T, error)) (result T, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("`%s` is damaged: its tables contradict each other", f.name())
		}
	}()
	return request()
}

func (f *File) name() string { return filepath.Base(f.Path) }

func (f *File) open(o Options) error {
	var err error
	if f.disk, f.elf, err = openELF(f.Path); err != nil {
		return err
	}
	f.PIE = f.elf.Type == elf.ET_DYN
	if hasDWARF(f.elf) {
		f.from = f.elf
	} else {
		f.why = fmt.Sprintf("`%s` has no debug information: compile with -g", f.name())
		f.openSeparate(o)
	}
	f.kept = f.cache(o)
	return nil
}

// openELF opens a file and checks that it is an ELF file within bounds.
func openELF(path string) (*os.File, *elf.File, error) {
	if err := regular(path); err != nil {
		return nil, nil, err
	}
	disk, err := os.Open(path)
	if err != nil {
		return nil, nil, unread(path, err)
	}
	info, err := disk.Stat()
	if err != nil {
		disk.Close()
		return nil, nil, unread(path, err)
	}
	e, err := readELF(disk, info.Size())
	if err != nil {
		disk.Close()
		return nil, nil, fmt.Errorf("`%s` is not a program in ELF format, or it is damaged", path)
	}
	return disk, e, nil
}

// regular returns an error where a path is no file: opening a pipe would wait.
func regular(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return unread(path, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("`%s` is not a file", path)
	}
	return nil
}

func unread(path string, err error) error {
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("cannot read `%s`: %w", path, err)
}

func readELF(disk *os.File, size int64) (*elf.File, error) {
	if err := checkHeader(disk); err != nil {
		return nil, err
	}
	e, err := elf.NewFile(disk)
	if err != nil {
		return nil, err
	}
	return e, checkSizes(e, size)
}

func hasDWARF(e *elf.File) bool {
	s := e.Section(".debug_info")
	return s != nil && s.Type != elf.SHT_NOBITS
}

// read reads some sections of the debug information when they are first needed: they may
// be large, and compressed. It returns nil where there are none, and f.why says why.
func (f *File) read(sections ...string) *tables {
	if f.from == nil {
		return nil
	}
	if f.tables == nil {
		f.tables = &tables{order: f.from.ByteOrder}
	}
	t := f.tables
	for _, name := range sections {
		data := map[string]*[]byte{
			"info": &t.info, "abbrev": &t.abbrev, "str": &t.str, "line_str": &t.lineStr, "str_offsets": &t.strOffsets,
			"addr": &t.addr, "ranges": &t.ranges, "rnglists": &t.rnglists, "line": &f.lines,
		}[name]
		s := f.from.Section(".debug_" + name)
		if *data != nil || s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		var err error
		if *data, err = s.Data(); err != nil {
			f.why = fmt.Sprintf("the debug information of `%s` is damaged", cmp.Or(f.DebugPath, f.name()))
			f.from, f.tables = nil, nil
			return nil
		}
	}
	return t
}
