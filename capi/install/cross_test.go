package main

import (
	"debug/elf"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestCross builds an installation for each other supported architecture with Debian's
// cross compilers.
func TestCross(t *testing.T) {
	need.Slow(t)
	for arch, machine := range map[string]elf.Machine{"arm64": elf.EM_AARCH64, "ppc64le": elf.EM_PPC64} {
		t.Run(arch, func(t *testing.T) {
			if arch == runtime.GOARCH {
				t.Skip("it is this machine")
			}
			need.Program(t, tools[arch]+"gcc")
			dir := t.TempDir()
			if _, err := install(dir, arch, false); err != nil {
				t.Fatal(err)
			}
			for _, library := range []string{"libpdi.so.1", "libpdi_private.so.1", "libparaconf.so.1"} {
				f, err := elf.Open(filepath.Join(dir, "lib", library))
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if f.Machine != machine {
					t.Errorf("%s is for %v, want %v", library, f.Machine, machine)
				}
			}
		})
	}
}
