package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

var every = flag.Bool("every", false, "TestOtherPlatforms makes the release of all platforms, and not of two that differ most")

// TestOtherPlatforms makes the release for other platforms and checks the files
// in it, since their programs cannot run here.
func TestOtherPlatforms(t *testing.T) {
	need.Slow(t)
	if runtime.GOOS != "linux" {
		t.Skip("packages are made on linux")
	}
	others := []string{"linux/arm64", "windows/amd64"}
	if *every {
		others = allPlatforms
	}
	others = slices.DeleteFunc(slices.Clone(others), func(name string) bool { return name == runtime.GOOS+"/"+runtime.GOARCH })
	dist := makeRelease(t, filepath.Join(t.TempDir(), "clone"), others...)
	for _, name := range others {
		t.Run(name, func(t *testing.T) {
			p, err := parsePlatform(name)
			if err != nil {
				t.Fatal(err)
			}
			checkArchive(t, dist, p)
			if p.os == "linux" {
				checkForeignDeb(t, dist, p)
			}
		})
	}
}

// debArch has Debian's names of processors.
var debArch = map[string]string{"amd64": "amd64", "arm64": "arm64", "ppc64le": "ppc64el"}

// checkArchive looks for the program of a platform and what belongs to it.
func checkArchive(t *testing.T, dist string, p platform) {
	held := map[string][]byte{}
	packed := read(t, "", find(t, dist, fmt.Sprintf("pentode-*-%s-%s.*", p.os, p.arch)))
	unpack := unpackTar
	if p.os == "windows" {
		unpack = unpackZip
	}
	if err := unpack(packed, func(name string, text []byte) { held[path.Base(name)] = text }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "LICENSE", "NOTICES", "CHANGELOG.md", "__main__.py", "pentode.1", "pentode-check.1", "pentode.bash", "_pentode", "pentode.fish", "pentode.ps1"} {
		if len(held[name]) == 0 {
			t.Errorf("the archive has no %s", name)
		}
	}
	machine, stripped, err := machineOf(held[p.program()])
	if err != nil || machine != p.String() || !stripped {
		t.Errorf("%s is for %s, stripped: %v, %v", p.program(), machine, stripped, err)
	}
}

// checkForeignDeb looks for the libraries in the package of another processor.
func checkForeignDeb(t *testing.T, dist string, p platform) {
	deb := find(t, dist, "*_"+debArch[p.arch]+".deb")
	files := output(t, exec.Command(need.Program(t, "dpkg-deb", "--version"), "--fsys-tarfile", deb))
	seen := 0
	r := tar.NewReader(strings.NewReader(files))
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		base := path.Base(h.Name)
		if h.Typeflag != tar.TypeReg || base != "pentode" && !strings.HasPrefix(base, "libpdi.so.") && !strings.HasPrefix(base, "libparaconf.so.") || !strings.HasPrefix(h.Name, "./usr/") {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := elf.NewFile(bytes.NewReader(text)); err == nil {
			seen++
			if f.Machine != elfMachines[p.arch] {
				t.Errorf("%s is for %s; want %v", h.Name, f.Machine, elfMachines[p.arch])
			}
		}
	}
	if seen < 3 {
		t.Errorf("the package has %d programs and libraries, want at least 3", seen)
	}
}

var elfMachines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "ppc64le": elf.EM_PPC64}

// machineOf reads from the header of a program which machine it runs on, and
// whether its symbols were removed.
func machineOf(program []byte) (name string, stripped bool, err error) {
	r := bytes.NewReader(program)
	if f, err := elf.NewFile(r); err == nil {
		for arch, m := range elfMachines {
			if m == f.Machine && f.ByteOrder.String() == "LittleEndian" {
				return "linux/" + arch, f.Section(".symtab") == nil && f.Section(".debug_info") == nil, nil
			}
		}
		return "linux/" + f.Machine.String(), false, nil
	}
	if f, err := macho.NewFile(r); err == nil {
		arch := map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu]
		return "darwin/" + arch, f.Section("__debug_info") == nil && f.Section("__zdebug_info") == nil, nil
	}
	f, err := pe.NewFile(r)
	if err != nil {
		return "", false, err
	}
	arch := map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64"}[f.Machine]
	return "windows/" + arch, f.Section(".debug_info") == nil && len(f.Symbols) == 0, nil
}

func unpackTar(packed []byte, each func(string, []byte)) error {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		each(h.Name, text)
	}
}

func unpackZip(packed []byte, each func(string, []byte)) error {
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		each(f.Name, text)
	}
	return nil
}
