package target

// AtomicBits is the widest value, in bits, that instructions of the target compare and swap as one; 0
// where it has none, or where the tables do not know the machine.
func (m Machines) AtomicBits(t Target) int {
	v := m.look(t)
	if v.mode == nil {
		return 0
	}
	has := v.set
	if arch, _ := armArch(v.isa, v.set); v.arm32() && arch == nil { // it is the mode's own
		has = has.Union(v.isa.Closure(v.isa.Feature(v.mode.March).ID))
	}
	widest := 0
	for _, a := range atomics[v.arch.PU+" "+v.arch.Name] {
		if a.mode == t.Mode && a.bits > widest && (a.feature == "" || has.Has(v.isa.Feature(a.feature).ID)) {
			widest = a.bits
		}
	}
	return widest
}

// atomic is a width that a mode has, all of its machines or those with a feature.
type atomic struct {
	mode    int
	feature string
	bits    int
}

// atomics are the widths of the instruction sets: what their manuals have for compare and swap, or
// for a load and a store that belong together.
var atomics = map[string][]atomic{
	"CPU x86":       {{16, "cx8", 64}, {16, "", 32}, {32, "cx8", 64}, {32, "", 32}, {64, "", 64}, {64, "cx16", 128}},
	"CPU ARM":       {{32, "armv6", 32}, {32, "armv6k", 64}, {32, "armv7-m", 32}, {32, "armv8-m.base", 32}, {64, "", 128}},
	"CPU RISC-V":    {{32, "a", 32}, {32, "zacas", 64}, {64, "a", 64}, {64, "zacas", 128}},
	"CPU PowerPC":   {{32, "", 32}, {64, "", 64}, {64, "quadword-atomics", 128}},
	"CPU S390X":     {{64, "", 128}},
	"CPU MIPS":      {{32, "", 32}, {64, "", 64}},
	"CPU SPARC":     {{64, "", 64}},
	"CPU LoongArch": {{32, "", 32}, {64, "", 64}},
	"CPU WASM":      {{32, "", 64}, {64, "", 64}},
	"CPU BPF":       {{64, "", 64}},
	"CPU VE":        {{64, "", 64}},
	"CPU Xtensa":    {{32, "s32c1i", 32}},
	"GPU NVIDIA":    {{64, "", 64}},
	"GPU AMD":       {{64, "", 64}},
	"DSP Hexagon":   {{32, "", 64}},
}
