package debuginfo

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// openSeparate looks for the debug file of a stripped program in the same places as debuggers: first by
// build id, then by the name in .gnu_debuglink.
func (f *File) openSeparate(o Options) {
	dirs := o.DebugDirs
	if dirs == nil {
		dirs = []string{"/usr/lib/debug"}
	}
	id := buildID(f.elf)
	if len(id) > 1 {
		text := hex.EncodeToString(id)
		for _, dir := range dirs {
			path := filepath.Join(dir, ".build-id", text[:2], text[2:]+".debug")
			if f.takeDebug(path, func(e *elf.File, _ *os.File) bool { return bytes.Equal(buildID(e), id) }) {
				return
			}
		}
	}
	name, sum, ok := debugLink(f.elf)
	if !ok {
		return
	}
	here := filepath.Dir(f.Path)
	if full, err := filepath.Abs(f.Path); err == nil {
		if real, err := filepath.EvalSymlinks(full); err == nil {
			full = real
		}
		here = filepath.Dir(full)
	}
	places := []string{filepath.Join(here, name), filepath.Join(here, ".debug", name)}
	for _, dir := range dirs {
		places = append(places, filepath.Join(dir, here, name))
	}
	for _, path := range places {
		if f.takeDebug(path, func(_ *elf.File, disk *os.File) bool { return checksum(disk) == sum }) {
			return
		}
	}
	if f.DebugPath == "" && !strings.Contains(f.why, "does not belong") {
		f.why = fmt.Sprintf("`%s` has no debug information: its debug file `%s` was not found beside it nor in %s", f.name(), name, strings.Join(dirs, ", "))
	}
}

// takeDebug uses a debug file if it exists and belongs to the program.
func (f *File) takeDebug(path string, belongs func(*elf.File, *os.File) bool) bool {
	disk, e, err := openELF(path)
	if err != nil {
		return false
	}
	if !belongs(e, disk) {
		f.why = fmt.Sprintf("`%s` does not belong to this build of `%s`: compile both again", path, f.name())
		disk.Close()
		return false
	}
	if !hasDWARF(e) {
		disk.Close()
		return false
	}
	f.from, f.why = e, ""
	f.DebugPath, f.debug = path, disk
	return true
}

// BuildID returns the identifier of this build in hexadecimal digits, or "".
func (f *File) BuildID() string { return hex.EncodeToString(buildID(f.elf)) }

// BuildID returns the identifier of a program's build in hexadecimal digits, or "".
func BuildID(path string) string {
	e, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer e.Close()
	return hex.EncodeToString(buildID(e))
}

// buildID reads the note with the identifier of a build.
func buildID(e *elf.File) []byte {
	s := e.Section(".note.gnu.build-id")
	if s == nil || s.Type == elf.SHT_NOBITS || s.Size > 4096 {
		return nil
	}
	note, err := s.Data()
	if err != nil || len(note) < 16 {
		return nil
	}
	nameSize, size := uint64(e.ByteOrder.Uint32(note)), uint64(e.ByteOrder.Uint32(note[4:]))
	start := 12 + (nameSize+3)&^3
	if start+size > uint64(len(note)) {
		return nil
	}
	return note[start : start+size]
}

// debugLink reads the name and checksum of the debug file. No tool writes a name with a folder in it, so
// such a name is ignored.
func debugLink(e *elf.File) (name string, sum uint32, ok bool) {
	s := e.Section(".gnu_debuglink")
	if s == nil || s.Type == elf.SHT_NOBITS || s.Size > 8192 {
		return "", 0, false
	}
	data, err := s.Data()
	if err != nil {
		return "", 0, false
	}
	end := bytes.IndexByte(data, 0)
	if end <= 0 || len(data) < (end+4)&^3+4 {
		return "", 0, false
	}
	name = string(data[:end])
	if strings.ContainsRune(name, '/') || name == "." || name == ".." {
		return "", 0, false
	}
	return name, e.ByteOrder.Uint32(data[(end+4)&^3:]), true
}

func checksum(file *os.File) uint32 {
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(file, 0, 1<<62)); err != nil {
		return 0
	}
	return sum.Sum32()
}
