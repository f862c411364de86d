package debuginfo

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Load sets where a position-independent program is loaded. From then on its
// addresses count from there.
func (f *File) Load(base uint64) error {
	if !f.PIE && base != 0 {
		return fmt.Errorf("`%s` is not position-independent: its addresses are the same wherever it runs", f.name())
	}
	f.Base = base
	return nil
}

// LoadFrom finds where the program is loaded in the memory map of a process, in
// the form of /proc/PID/maps. The map may come from another machine, where the
// program has the same name in another folder.
func (f *File) LoadFrom(maps io.Reader) error {
	loaded, err := readMap(maps)
	if err != nil {
		return err
	}
	own, err := filepath.EvalSymlinks(f.Path)
	if err == nil {
		own, err = filepath.Abs(own)
	}
	if err != nil {
		return fmt.Errorf("cannot read `%s`", f.Path)
	}
	var same, others []string
	for _, m := range loaded {
		switch {
		case m.path == own:
			return f.loadAt(m)
		case m.path == own+" (deleted)":
			return fmt.Errorf("`%s` was built again since the process started", f.name())
		case filepath.Base(m.path) == filepath.Base(own):
			same = append(same, "`"+m.path+"`")
		default:
			others = append(others, "`"+filepath.Base(m.path)+"`")
		}
	}
	switch len(same) {
	case 0:
		return fmt.Errorf("`%s` is not in the memory map, which begins with %s", f.name(), strings.Join(others[:min(len(others), 3)], ", "))
	case 1:
		return f.loadAt(loaded[slices.IndexFunc(loaded, func(m mapped) bool { return "`"+m.path+"`" == same[0] })])
	}
	return fmt.Errorf("the memory map has %s: give the whole path of the program", strings.Join(same, " and "))
}

// loadAt computes the load base from the first piece of the program in memory.
func (f *File) loadAt(m mapped) error {
	for _, p := range f.elf.Progs {
		// A segment is loaded from the start of its page.
		const largestPage = 64 << 10
		if before := p.Off - m.offset; p.Type == elf.PT_LOAD && before < largestPage {
			return f.Load(m.start + before - p.Vaddr)
		}
	}
	return fmt.Errorf("the memory map is not one of this build of `%s`", f.name())
}

// mapped is the first piece of a file in a memory map.
type mapped struct {
	path          string
	start, offset uint64
}

// readMap lists each file of a memory map once.
func readMap(maps io.Reader) ([]mapped, error) {
	var all []mapped
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		// An example with a blank in the path:
		// 55d0-55d1 r--p 00000000 08:01 1234    /path/of the/program
		text := lines.Text()
		fields := strings.Fields(text)
		if len(fields) < 6 || !strings.HasPrefix(fields[5], "/") {
			continue
		}
		low, _, _ := strings.Cut(fields[0], "-")
		start, errStart := strconv.ParseUint(low, 16, 64)
		offset, errOffset := strconv.ParseUint(fields[2], 16, 64)
		if errStart != nil || errOffset != nil {
			continue
		}
		m := mapped{text[strings.Index(text, "/"):], start, offset}
		if !slices.ContainsFunc(all, func(n mapped) bool { return n.path == m.path }) {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("this is not the memory map of a process; one has the form of /proc/PID/maps")
	}
	return all, nil
}
