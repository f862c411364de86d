package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Options say where to look for separate debug files and where to keep results. The zero
// value looks in the same folders as debuggers.
type Options struct {
	DebugDirs []string // if nil, /usr/lib/debug
	Cache     string   // the folder for kept results; if empty, results that took long are kept in the user's cache folder
}

// File is an opened program. Its methods may be called from several goroutines.
type File struct {
	Path      string
	DebugPath string // the separate debug file, or empty
	PIE       bool   // addresses count from the load base
	Base      uint64 // the load base, as set by Load

	mu      sync.Mutex
	disk    *os.File
	elf     *elf.File
	debug   *os.File
	from    *elf.File // the file with the debug information, or nil
	kept    string    // the path of the kept index, or empty
	tables  *tables   // the sections of the debug information read so far
	lines   []byte    // all line tables
	why     string    // why there is no debug information
	index   *index
	inlined *index      // the result of a second walk that also keeps all pieces of code; nil until Caller needs it
	dwarf   *dwarf.Data // the standard library's view of the same data
	kernels *kernels    // nil until they are looked for
	texts   int         // how many texts Mentions has searched for
	budget  int         // line table rows that may still be read
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

// guarded runs one request at a time. It turns a panic of the readers, which trust their
// input in places, into an error.
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

// DWARF calls read with the debug information in the standard library's form. As in all
// requests, a panic of the readers becomes an error.
func (f *File) DWARF(read func(data *dwarf.Data, machine elf.Machine) error) error {
	_, err := guarded(f, func() (struct{}, error) {
		if f.dwarf == nil {
			if f.from == nil {
				return struct{}{}, errors.New(f.why)
			}
			err := checkStrings(f.from)
			if err == nil {
				f.dwarf, err = f.from.DWARF()
			}
			if err != nil {
				return struct{}{}, fmt.Errorf("the debug information of `%s` is damaged", f.name())
			}
		}
		return struct{}{}, read(f.dwarf, f.elf.Machine)
	})
	return err
}

func (f *File) name() string { return filepath.Base(f.Path) }

// read returns sections of the debug information and reads them when they are first
// needed, since they may be large and compressed. If there are none, it returns nil, and
// f.why says why.
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

// tooMuch returns the error for tables that are too large.
func (f *File) tooMuch(what string) error {
	return fmt.Errorf("`%s` has more %s than can be read", f.name(), what)
}

// unreadable returns the error for debug information that cannot be read.
func (f *File) unreadable(err error) error {
	if errors.Is(err, errTooMuch) {
		return f.tooMuch("functions")
	}
	return fmt.Errorf("the debug information of `%s` is damaged", f.name())
}
