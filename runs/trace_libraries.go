package runs

import (
	"debug/elf"
	"os/exec"
	"strings"

	"github.com/pentode-dev/pentode/core/debuginfo"
)

// linked opens the libraries that the program is linked with, once. The loader
// itself says which they are; one that does not say leaves them unknown.
func (p *tracedProgram) linked() []*debuginfo.File {
	if p.asked {
		return p.libraries
	}
	p.asked = true
	loader := loaderOf(p.path)
	if loader == "" {
		return nil
	}
	out, err := exec.Command(loader, "--list", p.path).Output()
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		// 	libx.so => /path/of/libx.so (0x7f0000000000)
		_, path, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if end := strings.LastIndex(path, " (0x"); ok && end > 0 {
			if f, err := debuginfo.Open(path[:end], debuginfo.Options{}); err == nil {
				p.libraries = append(p.libraries, f)
			}
		}
	}
	return p.libraries
}

// loaderOf is the loader that a program asks for, or empty.
func loaderOf(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for _, s := range f.Progs {
		if s.Type != elf.PT_INTERP || s.Filesz > 4096 {
			continue
		}
		name := make([]byte, s.Filesz)
		if _, err := s.ReadAt(name, 0); err == nil {
			return strings.TrimRight(string(name), "\x00")
		}
	}
	return ""
}
