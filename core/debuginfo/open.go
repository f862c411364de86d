package debuginfo

import (
	"debug/elf"
	"fmt"
)

// Open opens a program. A program without debug information can be opened too:
// its symbol table still names functions.
func Open(path string, o Options) (*File, error) {
	f := &File{Path: path, budget: maxRows}
	_, err := guarded(f, func() (struct{}, error) { return struct{}{}, f.open(o) })
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

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
