package target

// goArchs maps Go's architecture names to COIL's.
var goArchs = map[string]struct {
	arch string
	mode int
}{
	"386": {"x86", 32}, "amd64": {"x86", 64}, "arm": {"ARM", 32}, "arm64": {"ARM", 64}, "loong64": {"LoongArch", 64},
	"mips": {"MIPS", 32}, "mipsle": {"MIPS", 32}, "mips64": {"MIPS", 64}, "mips64le": {"MIPS", 64},
	"ppc64": {"PowerPC", 64}, "ppc64le": {"PowerPC", 64}, "riscv64": {"RISC-V", 64}, "s390x": {"S390X", 64}, "wasm": {"WASM", 32},
}

// Detect is the default configuration of a host's processor: COIL's (auto-detected) filled in.
func (m Machines) Detect(h Host) (Target, error) {
	here, ok := goArchs[h.Arch]
	if !ok {
		p := wrong(UnknownMachine, KeyArchitecture, "this machine's architecture `%s` has no COIL name", h.Arch)
		p.Expected = "write the target by hand"
		return Target{}, p
	}
	t := m.Default("CPU", here.arch, here.mode)
	v := m.look(t)
	if v.isa == nil {
		return Target{}, wrong(UnknownMachine, KeyMode, "the tables have no %s with mode %d", here.arch, here.mode)
	}
	t.Memory.Endianness = "Little"
	if h.BigEndian {
		t.Memory.Endianness = "Big"
	}
	set := detectFeatures(v.isa, v.mode, h)
	t.Features = set.Minus(base(v.isa, v.mode)).List().Names(v.isa)
	return t, nil
}
