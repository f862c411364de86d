package target

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// DetectGPUs finds the graphics processors of a host, each kind once, in
// the order NVIDIA, AMD, Intel. Notes name what is there and cannot be asked.
func (m Machines) DetectGPUs(h Host) (gpus []Target, notes problem.List) {
	vendors := pciDisplays(h)
	nvidia := m.nvidiaFeatures(h)
	amd := m.amdFeatures(h)
	for _, f := range nvidia {
		gpus = append(gpus, m.gpu("NVIDIA", f))
	}
	for _, f := range amd {
		gpus = append(gpus, m.gpu("AMD", f))
	}
	if vendors["0x8086"] {
		gpus = append(gpus, m.gpu("Intel", ""))
		note := info(NoAnswer, KeyFeatures, "an Intel GPU is there, but its kind cannot be read from the system")
		note.Expected = "add its name to Features"
		notes = append(notes, note)
	}
	if vendors["0x10de"] && len(nvidia) == 0 {
		notes = append(notes, info(NoAnswer, KeyFeatures, "an NVIDIA GPU is there, but `nvidia-smi` does not answer"))
	}
	if vendors["0x1002"] && len(amd) == 0 {
		notes = append(notes, info(NoAnswer, KeyFeatures, "an AMD GPU is there, but the kernel's amdkfd does not list it"))
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

// pciDisplays lists the vendors of display controllers (PCI class 0x03).
func pciDisplays(h Host) map[string]bool {
	out := map[string]bool{}
	for _, p := range h.glob("/sys/bus/pci/devices/*/class") {
		if strings.HasPrefix(strings.TrimSpace(h.file(p)), "0x03") {
			out[strings.TrimSpace(h.file(path.Join(path.Dir(p), "vendor")))] = true
		}
	}
	return out
}

// nvidiaFeatures turns the compute capabilities that nvidia-smi prints into SM names. A
// device has everything of its generation, so the name that implies most is its own.
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

// amdFeatures reads the kernel's list of compute nodes; processors have version 0.
func (m Machines) amdFeatures(h Host) []string {
	var out []string
	for _, p := range h.glob("/sys/class/kfd/kfd/topology/nodes/*/properties") {
		for line := range strings.Lines(h.file(p)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			n, err := strconv.Atoi(value)
			if key != "gfx_target_version" || err != nil || n == 0 {
				continue
			}
			// 90010 is gfx90a: major, minor and stepping, the last two hexadecimal digits.
			name := m.known("AMD", fmt.Sprintf("gfx%d%x%x", n/10000, n/100%100, n%100))
			if name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// known is the first of the names that the tables have, in their spelling.
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
