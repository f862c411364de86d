package target

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/target/table"
)

// golang writes the settings of the Go compiler, which knows levels of architectures but few
// single features. One note lists the features that the level does not include.
func (w *writer) golang() {
	system := systems[w.view.os()].golang
	arch := w.goArch()
	if arch == "wasm" {
		system = "wasip1"
	}
	if system == "" || arch == "" {
		w.noTarget("go has no target for %s %s %d like this: no settings", w.t.PU, w.view.arch.Name, w.t.Mode)
		return
	}
	w.add("GOOS="+system, "GOARCH="+arch)
	p := w.t.Platform
	switch p.Position {
	case "PIE":
		w.add("GOFLAGS=-buildmode=pie")
	case "PIC":
		w.note(KeyPosition, "go has no setting for code of a library: build with -buildmode=c-shared")
	}
	for _, row := range []struct {
		key  Key
		text string
	}{{KeyCodeModel, p.CodeModel}, {KeyTLSModel, p.TLSModel}, {KeyOSVersion, p.OSVersion}} {
		if row.text != "" {
			w.note(row.key, "go has no setting for `%s`", row.key)
		}
	}
	have, _ := w.view.isa.Meaning(names(w.wanted()))
	have = have.Union(w.view.isa.Always(w.view.mode, have))
	given := w.view.isa.Always(w.view.mode, have).Union(w.goLevel(arch, have))
	if lost := w.view.isa.Reduce(have.Minus(given)); len(lost) > 0 {
		w.note(KeyFeatures, "go has no setting for %s", quote(lost.Names(w.view.isa)))
	}
	if len(w.t.Preprocessor.Defines)+len(w.t.Preprocessor.Includes) > 0 {
		w.note(KeyDefine, "go has no preprocessor: Define and Include have no settings")
	}
}

// goArch returns Go's name of the architecture, or "" if it has none.
func (w *writer) goArch() string {
	little := w.view.endian() == "Little"
	switch key := fmt.Sprintf("%s %s %d", w.t.PU, w.view.arch.Name, w.t.Mode); key {
	case "CPU PowerPC 64":
		return either(little, "ppc64le", "ppc64")
	case "CPU MIPS 32":
		return either(little, "mipsle", "mips")
	case "CPU MIPS 64":
		return either(little, "mips64le", "mips64")
	case "CPU ARM 32":
		if a, _ := armArch(w.view.isa, w.view.set); bare(a) || !little {
			return ""
		}
		return "arm"
	case "CPU ARM 64":
		return either(little, "arm64", "")
	default:
		return map[string]string{"CPU x86 64": "amd64", "CPU x86 32": "386", "CPU RISC-V 64": "riscv64", "CPU S390X 64": "s390x", "CPU LoongArch 64": "loong64", "CPU WASM 32": "wasm"}[key]
	}
}

// goLevel writes the level of an architecture and returns the features of that level.
func (w *writer) goLevel(arch string, have table.Set) table.Set {
	s := w.view.isa
	has := func(key string) bool { return have.Has(s.Feature(key).ID) }
	level := func(setting string, since int, name func(*table.Processor) string) table.Set {
		p := s.Nearest(have, func(p *table.Processor) bool { return p.Level && name(p) != "" })
		if p == nil {
			return table.Set{}
		}
		if w.c.Major != 0 && w.c.Major < since {
			w.note(KeyFeatures, "go 1.%d has no %s: it came with 1.%d", w.c.Major, setting, since)
			return table.Set{}
		}
		w.addSince(setting+"="+name(p), since)
		return s.Brings(p, p.Clang)
	}
	switch arch {
	case "amd64":
		return level("GOAMD64", 18, func(p *table.Processor) string {
			return either(p.Name == "x86-64", "v1", strings.TrimPrefix(p.Name, "x86-64-"))
		})
	case "arm64":
		given := level("GOARM64", 23, func(p *table.Processor) string {
			number := strings.TrimSuffix(strings.TrimPrefix(p.Name, "arm"), "-a")
			return either(strings.Contains(number, "."), number, number+".0")
		})
		if i := len(w.flags) - 1; strings.HasPrefix(w.flags[i], "GOARM64=") {
			for _, option := range []struct {
				name string
				keys []string
			}{{"lse", []string{"lse"}}, {"crypto", []string{"aes", "sha2"}}} {
				ids, _ := s.Meaning(option.keys)
				if ids.Within(have) && !ids.Within(given) {
					w.flags[i] += "," + option.name
					given = given.Union(ids)
				}
			}
			w.since[w.flags[i]] = 23
		}
		return given
	case "riscv64":
		return level("GORISCV64", 23, func(p *table.Processor) string {
			return either(slices.Contains([]string{"rva20u64", "rva22u64", "rva23u64"}, p.Name), p.Name, "")
		})
	case "ppc64", "ppc64le":
		for _, l := range []string{"10", "9", "8"} {
			if set, _ := s.Processor("pwr" + l); set.Within(have) {
				w.add("GOPPC64=power" + l)
				return set
			}
		}
	case "arm":
		switch number := either(has("armv7-a") || !has("armv4t"), "7", either(has("armv6"), "6", "5")); {
		case w.view.hasFPU():
			w.add("GOARM=" + number + ",hardfloat")
		default:
			w.add("GOARM=" + number + ",softfloat")
		}
		return have // Go chooses these instructions at run time
	case "386":
		w.add("GO386=" + either(has("sse2"), "sse2", "softfloat"))
	}
	return table.Set{}
}
