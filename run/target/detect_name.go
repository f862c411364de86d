package target

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/target/table"
)

// Identity is the name and the visible properties of a host's processor. Values that the host does not report are empty.
type Identity struct {
	Name      string // the vendor's name
	Processor string // the microarchitecture, by its name in the tables
	Exact     bool   // whether the processor's own number identifies it; otherwise Processor is the largest one with these features
	CPUs      int
	Caches    []string // of one processor: "L1d 48K"
	Virtual   string   // the emulator or hypervisor it runs under, or ""
}

// Identify names the processor of a host.
func (m Machines) Identify(h Host) Identity {
	text := h.cpuinfo()
	first := map[string]string{} // the first value of each key
	id := Identity{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if key == "processor" || strings.HasPrefix(key, "processor ") && value != "" {
			id.CPUs++
		}
		if _, seen := first[key]; !seen {
			first[key] = value
		}
	}
	for _, key := range []string{"model name", "cpu", "uarch", "Model Name", "cpu model", "Hardware"} {
		if first[key] != "" && first[key] != "unknown" {
			id.Name = first[key]
			break
		}
	}
	id.Caches = h.caches()
	id.Virtual = h.virtual(text)
	if real := foreign(h.Arch, h.file("/proc/cpuinfo")); real != "" {
		id.Virtual = "an emulator on a processor of " + real
	}
	t, err := m.Detect(h)
	if err != nil {
		return id
	}
	v := m.look(t)
	if p := byNumber(v.isa, numbers(first)); p != nil {
		id.Processor, id.Exact = p.Name, true
		return id
	}
	vendor := first["vendor_id"]
	p := v.isa.Nearest(v.set, func(p *table.Processor) bool {
		older := strings.HasPrefix(p.Name, "core-") || strings.HasPrefix(p.Name, "corei7") || strings.Contains(p.Name, "_") // names that were replaced by others
		return !p.Level && !older && len(p.Numbers) == 0 && (vendor != "AuthenticAMD" && vendor != "HygonGenuine" || amd(p.Name)) && (vendor != "GenuineIntel" || !amd(p.Name))
	})
	if p != nil && t.Mode == 64 {
		id.Processor = p.Name
	}
	return id
}

// numbers returns how a processor identifies itself: on ARM by maker and part, on Z by machine type, on POWER by generation.
func numbers(first map[string]string) []string {
	var out []string
	if maker, part := first["CPU implementer"], first["CPU part"]; maker != "" && part != "" {
		out = append(out, maker+" "+part)
	}
	if _, machine, ok := strings.Cut(first["processor 0"], "machine = "); ok {
		out = append(out, machine)
	}
	if rest, ok := strings.CutPrefix(first["cpu"], "POWER"); ok {
		out = append(out, "POWER"+strconv.Itoa(number(rest)))
	}
	return out
}

func byNumber(s *table.ISA, numbers []string) *table.Processor {
	for i := range s.Processors {
		p := &s.Processors[i]
		if slices.ContainsFunc(p.Numbers, func(n string) bool { return slices.Contains(numbers, n) }) {
			return p
		}
	}
	return nil
}

// amd reports whether an x86 processor is made by AMD.
func amd(name string) bool {
	return slices.ContainsFunc([]string{"amdfam", "athlon", "barcelona", "bdver", "btver", "geode", "k6", "k8", "opteron", "znver"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// caches returns the caches of the first processor.
func (h Host) caches() []string {
	var out []string
	for _, p := range h.glob("/sys/devices/system/cpu/cpu0/cache/index*/level") {
		value := func(name string) string { return strings.TrimSpace(h.file(path.Join(path.Dir(p), name))) }
		kind := map[string]string{"Data": "d", "Instruction": "i"}[value("type")]
		if size := value("size"); size != "" {
			out = append(out, fmt.Sprintf("L%s%s %s", value("level"), kind, size))
		}
	}
	return out
}

// virtual names the emulator or hypervisor of a virtual machine, or is "".
func (h Host) virtual(cpuinfo string) string {
	maker := strings.TrimSpace(h.file("/sys/class/dmi/id/sys_vendor"))
	switch {
	case strings.Contains(cpuinfo, "QEMU"):
		return "QEMU"
	case strings.Contains(cpuinfo, " hypervisor ") || strings.Contains(cpuinfo, " hypervisor\n"):
		if maker != "" {
			return "a hypervisor, " + maker
		}
		return "a hypervisor"
	case maker == "QEMU":
		return "QEMU"
	}
	return ""
}

// Lines describes the processor in sentences, for the head of a file.
func (id Identity) Lines() []string {
	var out []string
	what := id.Name
	switch {
	case id.Processor == "":
	case id.Exact:
		what = strings.TrimPrefix(what+", "+id.Processor, ", ")
	default:
		what = strings.TrimPrefix(what+", by its features "+id.Processor, ", ")
	}
	if what != "" {
		out = append(out, "Processor: "+what+".")
	}
	if id.CPUs > 0 {
		line := quantity.Count(id.CPUs, "processor", "processors") + " to the system"
		if len(id.Caches) > 0 {
			line += "; caches of the first: " + strings.Join(id.Caches, ", ")
		}
		out = append(out, line+".")
	}
	if id.Virtual != "" {
		out = append(out, "It runs under "+id.Virtual+", which may hide features.")
	}
	return out
}
