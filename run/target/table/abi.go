package table

import (
	"slices"
	"strconv"
	"strings"
)

// named reports whether the ABI has this name.
func (a *ABI) named(normal string) bool {
	if alike(a.Name, normal) {
		return true
	}
	return slices.ContainsFunc(a.Aliases, func(n string) bool { return alike(n, normal) })
}

// On reports whether the ABI exists on an architecture in a mode.
func (a *ABI) On(pu, arch string, bits int) bool {
	return a.Any || a.PU == pu && a.Arch == arch && slices.Contains(a.Modes, bits)
}

// Home names the machine that the ABI belongs to: "x86 64".
func (a *ABI) Home() string {
	if a.Any {
		return "any"
	}
	ms := make([]string, len(a.Modes))
	for i, m := range a.Modes {
		ms[i] = strconv.Itoa(m)
	}
	return a.Arch + " " + strings.Join(ms, ", ")
}

// ABI finds an ABI by name for an architecture (by its canonical name) and mode. If the
// name exists only on other machines, abi is nil and homes lists those machines.
func (t *Tables) ABI(name, pu, arch string, bits int) (abi *ABI, homes []string) {
	n := Normal(name)
	for i := range t.ABIs {
		a := &t.ABIs[i]
		if !a.named(n) {
			continue
		}
		if a.On(pu, arch, bits) {
			return a, nil
		}
		homes = append(homes, a.Home())
	}
	return nil, homes
}

// ABIsOn lists the names of ABIs that exist on an architecture in a mode.
func (t *Tables) ABIsOn(pu, arch string, bits int) []string {
	var out []string
	for i := range t.ABIs {
		if a := &t.ABIs[i]; a.On(pu, arch, bits) {
			out = append(out, a.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
