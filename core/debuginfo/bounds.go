package debuginfo

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The standard library's readers allocate as much memory as the counts in a
// file say, and copy a string each time it is referenced. The checks below run
// first and refuse a file that needs far more memory than real programs.
const (
	maxSection    = 1 << 30
	maxInflation  = 1100 // no deflate stream grows by a larger factor
	maxSections   = 4096
	maxNames      = 64 << 10 // bytes of section names
	longestString = 256 << 10
	maxFiles      = 20_000 // in one line table
	maxRows       = 20_000_000
	maxRanges     = 4_000_000
	maxNameText   = 512 << 20 // bytes of all names kept
)

var (
	errBounds  = errors.New("out of bounds")
	errTooMuch = errors.New("more than can be read")
)

// checkHeader checks the number of sections in a file and the length of their
// names.
func checkHeader(disk *os.File) error {
	var h [64]byte
	if _, err := disk.ReadAt(h[:52], 0); err != nil {
		return errBounds
	}
	disk.ReadAt(h[:], 0) // a 32-bit header is shorter
	order := binary.ByteOrder(binary.LittleEndian)
	if h[elf.EI_DATA] == byte(elf.ELFDATA2MSB) {
		order = binary.BigEndian
	}
	var table, size uint64
	var entry, count, names uint16
	if h[elf.EI_CLASS] == byte(elf.ELFCLASS64) {
		table, entry, count, names = order.Uint64(h[40:]), order.Uint16(h[58:]), order.Uint16(h[60:]), order.Uint16(h[62:])
	} else {
		table, entry, count, names = uint64(order.Uint32(h[32:])), order.Uint16(h[46:]), order.Uint16(h[48:]), order.Uint16(h[50:])
	}
	if table == 0 {
		return nil
	}
	if count == 0 || count > maxSections || table > 1<<62 {
		return errBounds // 0 means that the number is too large for its field
	}
	at := int64(table) + int64(entry)*int64(names)
	if h[elf.EI_CLASS] == byte(elf.ELFCLASS64) {
		if _, err := disk.ReadAt(h[:], at); err != nil {
			return errBounds
		}
		size = order.Uint64(h[32:])
	} else {
		if _, err := disk.ReadAt(h[:40], at); err != nil {
			return errBounds
		}
		size = uint64(order.Uint32(h[20:]))
	}
	if size > maxNames {
		return errBounds
	}
	return nil
}

// checkSizes refuses sections that claim to be larger than their file can hold.
func checkSizes(e *elf.File, size int64) error {
	limit := min(uint64(size)*maxInflation, maxSection)
	for _, s := range e.Sections {
		if s.Type != elf.SHT_NOBITS && (s.FileSize > uint64(size) || s.Size > limit) {
			return errBounds
		}
	}
	return nil
}

// checkStrings refuses debug strings that are far longer than names.
func checkStrings(e *elf.File) error {
	for _, name := range []string{".debug_str", ".debug_line_str"} {
		s := e.Section(name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		if _, err := longestIn(s.Open()); err != nil {
			return err
		}
	}
	return nil
}

func longestIn(r io.Reader) (longest int, err error) {
	chunk := make([]byte, 64<<10)
	run := 0
	for {
		n, err := r.Read(chunk)
		for rest := chunk[:n]; len(rest) > 0; {
			end := bytes.IndexByte(rest, 0)
			if end < 0 {
				run += len(rest)
				break
			}
			longest = max(longest, run+end)
			run, rest = 0, rest[end+1:]
		}
		if longest = max(longest, run); longest > longestString {
			return 0, errBounds
		}
		if errors.Is(err, io.EOF) {
			return longest, nil
		}
		if err != nil || n == 0 {
			return 0, errBounds
		}
	}
}

// maxName is the length to which names are cut.
const maxName = 4096

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

// regular returns an error if a path is not a regular file: opening a named
// pipe would block.
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
