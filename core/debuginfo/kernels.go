package debuginfo

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Kernels returns the functions of the program that run on GPUs, as written in the source,
// without template arguments. They are found in the program's images for GPUs, and by the
// functions of the program that launch them. If whole is false, some image cannot be read, for
// example because it is compressed, and may contain further kernels.
func (f *File) Kernels() (names []string, whole bool) {
	k, err := guarded(f, func() (*kernels, error) {
		if f.kernels == nil {
			f.kernels = readKernels(f.elf)
		}
		return f.kernels, nil
	})
	if err != nil {
		return nil, false
	}
	return slices.Sorted(maps.Keys(k.names)), k.whole
}

// kernels are the kernels found so far.
type kernels struct {
	names map[string]bool
	whole bool
	left  int // the number of images and gaps that may still be read
}

// maxImages is more than the largest libraries have.
const maxImages = 1 << 17

// readKernels reads the sections in which CUDA stores images for GPUs.
func readKernels(e *elf.File) *kernels {
	k := &kernels{names: map[string]bool{}, whole: true, left: maxImages}
	for _, s := range e.Sections {
		if (s.Name == ".nv_fatbin" || s.Name == "__nv_relfatbin") && s.Type == elf.SHT_PROGBITS {
			k.containers(s, int64(s.FileSize))
		}
	}
	for _, s := range functionSymbols(e) {
		if _, stub, ok := strings.Cut(s.name, stubMark); ok {
			k.stub(s.name, stub)
		}
	}
	return k
}

// stubMark is part of the name of a function that launches a kernel.
const stubMark = "__device_stub__"

// stub adds a kernel by the function that launches it:
// `_Z32__device_stub__Z6VecAddPKiS0_PiiPKiS0_Pii` launches `_Z6VecAddPKiS0_Pii`. The number
// gives the length of the name.
func (k *kernels) stub(symbol, name string) {
	if digits, ok := strings.CutPrefix(symbol[:len(symbol)-len(name)-len(stubMark)], "_Z"); ok {
		if n, err := strconv.Atoi(strings.TrimLeft(digits, "L")); err == nil && n >= len(stubMark) && n-len(stubMark) <= len(name) {
			name = name[:n-len(stubMark)]
		}
	}
	if strings.HasPrefix(name, "Z") {
		name = "_" + name
	}
	k.add(name)
}

func (k *kernels) add(symbol string) {
	if name := sourceName(symbol); name != "" {
		k.names[name] = true
	}
}

// A section contains containers, and each container contains images. An image is a head, with
// its own size and the size of the data, followed by the data: an ELF file or something else.
const (
	containerMagic = 0xba55ed50
	containerHead  = 16
	imageHead      = 16
	imageELF       = 2
	containerAlign = 8
)

func (k *kernels) containers(s io.ReaderAt, size int64) {
	head := make([]byte, containerHead)
	for at := int64(0); at+containerHead <= size; {
		if k.left--; k.left < 0 {
			k.whole = false
			return
		}
		if _, err := s.ReadAt(head, at); err != nil {
			k.whole = false
			return
		}
		own, length := int64(binary.LittleEndian.Uint16(head[6:])), binary.LittleEndian.Uint64(head[8:])
		if binary.LittleEndian.Uint32(head) != containerMagic { // not a container: a gap between two
			at += containerAlign
			continue
		}
		if own < containerHead || own > size-at || length > uint64(size-at-own) {
			k.whole = false
			return
		}
		k.images(s, at+own, at+own+int64(length))
		at += own + int64(length)
	}
}

// images reads the images of a container. The images for different GPUs have the same kernels,
// so one is enough.
func (k *kernels) images(s io.ReaderAt, at, end int64) {
	found, any := false, false
	head := make([]byte, imageHead)
	for at+imageHead <= end {
		if k.left--; k.left < 0 {
			break
		}
		if _, err := s.ReadAt(head, at); err != nil {
			break
		}
		own, length := int64(binary.LittleEndian.Uint32(head[4:])), binary.LittleEndian.Uint64(head[8:])
		if own < imageHead || own > end-at || length > uint64(end-at-own) {
			break
		}
		any = true
		if binary.LittleEndian.Uint16(head) == imageELF {
			found = k.image(io.NewSectionReader(s, at+own, int64(length))) || found
		}
		at += own + int64(length)
	}
	if any && !found || k.left < 0 {
		k.whole = false
	}
}

// entryFlag marks the symbol of a function that can be launched.
const entryFlag = 0x10

// image reads the symbols of an image, and reports whether it could.
func (k *kernels) image(r io.ReaderAt) bool {
	e, err := elf.NewFile(r)
	if err != nil || e.Class != elf.ELFCLASS64 {
		return false
	}
	table := e.SectionByType(elf.SHT_SYMTAB)
	if table == nil || int(table.Link) >= len(e.Sections) {
		return true
	}
	data, err := table.Data()
	if err != nil {
		return false
	}
	names, err := e.Sections[table.Link].Data()
	if err != nil {
		return false
	}
	for text := 0; len(data) >= elf.Sym64Size && text < maxNameText; data = data[elf.Sym64Size:] {
		name := uint64(e.ByteOrder.Uint32(data))
		if elf.ST_TYPE(data[4]) != elf.STT_FUNC || data[5]&entryFlag == 0 || name >= uint64(len(names)) {
			continue
		}
		symbol, _, _ := bytes.Cut(names[name:min(name+maxName, uint64(len(names)))], []byte{0})
		text += len(symbol)
		k.add(string(symbol))
	}
	return true
}

// sourceName returns the name of a C++ function as written in the source: `app::scale` for
// `_ZN3app5scaleIfEEvPT_`. The name of a C function is unchanged.
func sourceName(symbol string) string {
	rest, ok := strings.CutPrefix(symbol, "_Z")
	if !ok {
		return symbol
	}
	rest, nested := strings.CutPrefix(rest, "N")
	var parts []string
	for {
		rest = strings.TrimPrefix(rest, "L") // the function is local to one file
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n == 0 || n > len(rest)-digits {
			break
		}
		if part := rest[digits : digits+n]; !strings.HasPrefix(part, "_GLOBAL__N_") { // an unnamed name space
			parts = append(parts, part)
		}
		rest = rest[digits+n:]
		if !nested {
			break
		}
	}
	return strings.Join(parts, "::")
}
