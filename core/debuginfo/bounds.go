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

// The readers of the standard library allocate what a file's counts ask for
// and copy a string as often as it is mentioned. These checks come before
// them: a file that asks for far more than programs need is refused.
const (
	maxSection    = 1 << 30
	maxInflation  = 1100 // no deflate stream grows by more
	maxSections   = 4096
	maxNames      = 64 << 10 // bytes of section names
	longestString = 256 << 10
	maxFiles      = 20_000    // in one line table
	maxFileText   = 512 << 20 // bytes of their names
	maxRows       = 20_000_000
	maxRanges     = 4_000_000
	maxNameText   = 512 << 20 // bytes of the names kept
)

var errBounds = errors.New("out of bounds")

// checkHeader reads how many sections a file claims and how long their names
// may be.
func checkHeader(disk *os.File) error {
	var h [64]byte
	if _, err := disk.ReadAt(h[:52], 0); err != nil {
		return errBounds
	}
	disk.ReadAt(h[:], 0) // a 32-bit file may end before
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
		return errBounds // 0 would mean that the number is too large for its field
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

// checkSizes refuses sections that claim more than their file can hold.
func checkSizes(e *elf.File, size int64) error {
	limit := min(uint64(size)*maxInflation, maxSection)
	for _, s := range e.Sections {
		if s.Type != elf.SHT_NOBITS && (s.FileSize > uint64(size) || s.Size > limit) {
			return errBounds
		}
	}
	return nil
}

// checkStrings refuses debug strings that are far longer than names are, and
// returns the longest there is for line tables.
func checkStrings(e *elf.File) (longest int, err error) {
	for _, name := range []string{".debug_str", ".debug_line_str"} {
		s := e.Section(name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		n, err := longestIn(s.Open())
		if err != nil {
			return 0, err
		}
		longest = max(longest, n)
	}
	return longest, nil
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

// lineHeader reads the header of a line table as far as its counts of folders
// and files, and fails where the table could not hold them.
type lineHeader struct {
	data    []byte
	order   binary.ByteOrder
	wide    bool // 64-bit DWARF
	longest int  // string in another section
	failed  bool
}

func (h *lineHeader) check() error {
	if length := h.uint(4); length == 0xffffffff {
		h.wide = true
		h.uint(8)
	}
	version := h.uint(2)
	if version >= 5 {
		h.uint(2) // sizes of addresses and segments
	}
	h.offset() // header length
	h.uint(1)
	if version >= 4 {
		h.uint(1)
	}
	h.uint(3)
	h.skip(max(h.uint(1), 1) - 1) // operand counts of the opcodes
	var err error
	if version >= 5 {
		err = errors.Join(h.entries(), h.entries())
	} else {
		err = h.oldEntries()
	}
	if h.failed {
		return errBounds
	}
	return err
}

// oldEntries reads the tables before version 5, which end by themselves.
func (h *lineHeader) oldEntries() error {
	count, folder, text := 0, 0, 0
	for n := h.text(); n > 0; n = h.text() {
		folder = max(folder, n)
		count++
	}
	for n := h.text(); n > 0; n = h.text() {
		for range 3 {
			h.uvarint()
		}
		text += n + folder
		count++
	}
	if count > maxFiles || text > maxFileText || folder > maxName {
		return errBounds
	}
	return nil
}

// entries reads one table of version 5: a description of its columns, the
// number of its rows, the rows.
func (h *lineHeader) entries() error {
	var forms []uint64
	for range h.uint(1) {
		h.uvarint()
		forms = append(forms, h.uvarint())
	}
	count := h.uvarint()
	if count > maxFiles || count*uint64(h.longest) > maxFileText || count > uint64(len(h.data)) {
		return errBounds
	}
	for range count {
		for _, form := range forms {
			h.value(form)
		}
	}
	return nil
}

// value skips one value by its form.
func (h *lineHeader) value(form uint64) {
	switch form {
	case 0x08: // string
		if h.text() > maxName {
			h.failed = true
		}
	case 0x0e, 0x1f: // strp, line_strp
		h.offset()
	case 0x0b, 0x25: // data1, strx1
		h.skip(1)
	case 0x05, 0x26: // data2, strx2
		h.skip(2)
	case 0x06, 0x28: // data4, strx4
		h.skip(4)
	case 0x07: // data8
		h.skip(8)
	case 0x1e: // data16
		h.skip(16)
	case 0x0f, 0x1a: // udata, strx
		h.uvarint()
	case 0x09: // block
		h.skip(h.uvarint())
	default:
		h.failed = true
	}
}

func (h *lineHeader) skip(n uint64) {
	if n > uint64(len(h.data)) {
		h.failed = true
		n = uint64(len(h.data))
	}
	h.data = h.data[n:]
}

// uint reads a number of up to 8 bytes, or skips what is no number's size.
func (h *lineHeader) uint(size int) (n uint64) {
	if len(h.data) < size {
		h.skip(uint64(size))
		return 0
	}
	switch size {
	case 1:
		n = uint64(h.data[0])
	case 2:
		n = uint64(h.order.Uint16(h.data))
	case 4:
		n = uint64(h.order.Uint32(h.data))
	case 8:
		n = h.order.Uint64(h.data)
	}
	h.data = h.data[size:]
	return n
}

func (h *lineHeader) offset() {
	if h.wide {
		h.skip(8)
	} else {
		h.skip(4)
	}
}

func (h *lineHeader) uvarint() uint64 {
	n, size := binary.Uvarint(h.data)
	if size <= 0 {
		h.failed = true
		h.data = nil
		return 0
	}
	h.data = h.data[size:]
	return n
}

// text skips a string and returns its length.
func (h *lineHeader) text() int {
	end := bytes.IndexByte(h.data, 0)
	if end < 0 {
		h.failed = true
		h.data = nil
		return 0
	}
	h.data = h.data[end+1:]
	return end
}

// tooMuch is the error for tables without an end.
func (f *File) tooMuch(what string) error {
	return fmt.Errorf("`%s` has more %s than can be read", f.name(), what)
}
