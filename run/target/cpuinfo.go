package target

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// cpuinfo is what /proc/cpuinfo says about the processors.
type cpuinfo struct {
	words map[string]bool // the features that every processor has; nil if the text names none
}

// readCPUInfo reads the kernel's text: a block of lines for each processor, or one for all. Each architecture
// has its own lines for features.
func readCPUInfo(text string) cpuinfo {
	var info cpuinfo
	block := map[string]bool{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if key == "" || key == "processor" {
			info.meet(block)
			block = map[string]bool{}
		}
		for _, w := range featureWords(key, value) {
			block[w] = true
		}
	}
	info.meet(block)
	return info
}

// foreign returns the architecture that the kernel's text describes if it differs from the program's: under an emulator, the program sees
// the file of the real machine. It returns "" if they agree or the architecture is unknown.
func foreign(arch, text string) string {
	for _, k := range []struct {
		line  string // a line that only this architecture has
		name  string
		archs []string
	}{{"\ncpu family", "x86", []string{"amd64", "386"}}, {"\nCPU implementer", "ARM", []string{"arm64", "arm"}}, {"\nhart", "RISC-V", []string{"riscv64"}}} {
		if strings.Contains("\n"+text, k.line) && !slices.Contains(k.archs, arch) {
			return k.name
		}
	}
	return ""
}

// featureWords returns the features that one line names.
func featureWords(key, value string) []string {
	switch key {
	case "flags", "Features", "features", "CPU features", "ASEs implemented":
		return strings.Fields(value)
	case "isa", "ISA":
		if rest, ok := strings.CutPrefix(strings.ToLower(value), "rv"); ok {
			return riscvWords(rest)
		}
		return strings.Fields(value)
	case "cpu":
		return powerWords(value)
	}
	return nil
}

// riscvWords splits an ISA string, `64imafdc_zba1p0`, into single letters and longer names, each perhaps with its version.
func riscvWords(isa string) []string {
	isa = strings.TrimLeft(isa, "0123456789")
	parts := strings.Split(regexp.MustCompile(`[0-9]+p[0-9]+`).ReplaceAllString(isa, ""), "_")
	return append(strings.Split(parts[0], ""), parts[1:]...)
}

// powerWords returns the generation of a POWER name, `POWER9 (raw), altivec supported`, and all generations before it.
func powerWords(value string) []string {
	var words []string
	if strings.Contains(value, "altivec supported") {
		words = append(words, "altivec")
	}
	rest, ok := strings.CutPrefix(value, "POWER")
	if !ok {
		return words
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	last, _ := strconv.Atoi(digits)
	for n := 4; n <= min(last, 99); n++ {
		words = append(words, "power"+strconv.Itoa(n))
	}
	return words
}

// meet keeps only the features that this processor has too: big and little cores differ, and a program may run on either.
func (c *cpuinfo) meet(block map[string]bool) {
	if len(block) == 0 {
		return
	}
	if c.words == nil {
		c.words = block
		return
	}
	for w := range c.words {
		if !block[w] {
			delete(c.words, w)
		}
	}
}

// all reports whether every processor has each of the features in words, "a+b".
func (c *cpuinfo) all(words string) bool {
	for w := range strings.SplitSeq(words, "+") {
		if !c.words[w] {
			return false
		}
	}
	return true
}
