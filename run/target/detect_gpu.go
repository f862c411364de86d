package target

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// DetectGPUs finds the graphics processors of a host, each kind once, in the order NVIDIA, AMD, Intel.
// The notes name GPUs that were found but could not be queried.
func (m Machines) DetectGPUs(h Host) (gpus []Target, notes problem.List) {
	displays := pciDisplays(h)
	nvidia := m.nvidiaFeatures(h)
	if len(nvidia) == 0 {
		nvidia = m.pciFeatures("NVIDIA", displays[nvidiaVendor])
	}
	amd, intel := m.amdFeatures(h), m.pciFeatures("Intel", displays[intelVendor])
	for _, f := range nvidia {
		gpus = append(gpus, m.gpu("NVIDIA", f))
	}
	for _, f := range amd {
		gpus = append(gpus, m.gpu("AMD", f))
	}
	for _, f := range intel {
		gpus = append(gpus, m.gpu("Intel", f))
	}
	if displays[intelVendor] != nil && len(intel) == 0 {
		gpus = append(gpus, m.gpu("Intel", ""))
		note := info(NoAnswer, KeyFeatures, "there is an Intel GPU, but its kind cannot be read from the system")
		note.Expected = "add its name to Features"
		notes = append(notes, note)
	}
	if displays[nvidiaVendor] != nil && len(nvidia) == 0 {
		notes = append(notes, info(NoAnswer, KeyFeatures, "there is an NVIDIA GPU, but `nvidia-smi` does not answer, and the GPU's PCI number is not in the tables"))
	}
	if displays[amdVendor] != nil && len(amd) == 0 {
		notes = append(notes, info(NoAnswer, KeyFeatures, "there is an AMD GPU, but the kernel's amdkfd does not list it"))
	}
	return gpus, notes
}

func (m Machines) gpu(arch, feature string) Target {
	t := m.Default("GPU", arch, 64)
	if feature != "" {
		t.Features = []string{feature}
	}
	return t
}

// Vendor numbers on the PCI bus.
const (
	nvidiaVendor = "0x10de"
	amdVendor    = "0x1002"
	intelVendor  = "0x8086"
)

// pciDisplays lists the device numbers of display controllers (PCI class 0x03) by vendor.
func pciDisplays(h Host) map[string][]int {
	out := map[string][]int{}
	for _, p := range h.glob("/sys/bus/pci/devices/*/class") {
		value := func(name string) string { return strings.TrimSpace(h.file(path.Join(path.Dir(p), name))) }
		if strings.HasPrefix(value("class"), "0x03") {
			device, _ := strconv.ParseInt(value("device"), 0, 32)
			out[value("vendor")] = append(out[value("vendor")], int(device))
		}
	}
	return out
}

// pciFamilies maps ranges of PCI device numbers to the names of GPUs in the tables, from the list
// pci.ids of 2023-04-11. Newer chips are missing.
var pciFamilies = map[string][]struct {
	from, to int
	name     string
}{
	"NVIDIA": {{0x15f0, 0x15ff, "SM_60"}, {0x1720, 0x172f, "SM_60"}, {0x1b00, 0x1d7f, "SM_61"}, {0x1d80, 0x1dff, "SM_70"}, {0x1e00, 0x1fff, "SM_75"}, {0x2080, 0x20ff, "SM_80"}, {0x2180, 0x21ff, "SM_75"},
		{0x2200, 0x227f, "SM_86"}, {0x2300, 0x23ff, "SM_90a"}, {0x2400, 0x25ff, "SM_86"}, {0x2680, 0x28ff, "SM_89"}},
	"Intel": {{0x0bd0, 0x0bdb, "pvc"}, {0x3e90, 0x3e9c, "cfl"}, {0x3ea0, 0x3ea1, "whl"}, {0x4680, 0x4693, "adl_s"}, {0x46a0, 0x46c3, "adl_p"}, {0x4905, 0x4909, "dg1"}, {0x4c8a, 0x4c90, "rkl"}, {0x5690, 0x5692, "acm_g10"},
		{0x5693, 0x5695, "acm_g11"}, {0x56a0, 0x56a2, "acm_g10"}, {0x56a5, 0x56a6, "acm_g11"}, {0x56b0, 0x56b1, "acm_g11"}, {0x9a40, 0x9a78, "tgllp"}, {0x9b21, 0x9bf5, "cml"}, {0xa780, 0xa78b, "rpl_s"}},
}

// pciFeatures returns the devices with these numbers, each once.
func (m Machines) pciFeatures(vendor string, numbers []int) []string {
	var out []string
	for _, n := range numbers {
		for _, f := range pciFamilies[vendor] {
			if name := m.known(vendor, f.name); f.from <= n && n <= f.to && name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// nvidiaFeatures turns the compute capabilities that nvidia-smi prints into SM names. A device has
// everything of its generation, so its own name is the name that implies the most others.
func (m Machines) nvidiaFeatures(h Host) []string {
	if h.Run == nil {
		return nil
	}
	text, err := h.Run("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader")
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		major, minor, ok := strings.Cut(strings.TrimSpace(line), ".")
		if !ok {
			continue
		}
		name := m.known("NVIDIA", "SM_"+major+minor+"a", "SM_"+major+minor)
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// amdFeatures reads the kernel's list of compute nodes. Nodes that are CPUs have version 0.
func (m Machines) amdFeatures(h Host) []string {
	var out []string
	for _, p := range h.glob("/sys/class/kfd/kfd/topology/nodes/*/properties") {
		for line := range strings.Lines(h.file(p)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			n, err := strconv.Atoi(value)
			if key != "gfx_target_version" || err != nil || n == 0 {
				continue
			}
			// 90010 is gfx90a: major, minor, and stepping; minor and stepping are hexadecimal digits.
			name := m.known("AMD", fmt.Sprintf("gfx%d%x%x", n/10000, n/100%100, n%100))
			if name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// known returns the first of the names that the tables have, in the tables' spelling.
func (m Machines) known(arch string, names ...string) string {
	a, _ := m.tables().Arch("GPU", arch)
	if a == nil {
		return ""
	}
	s, _ := a.Mode(64)
	for _, n := range names {
		if f := s.Feature(n); f.Feature != nil {
			return f.Name
		}
	}
	return ""
}
