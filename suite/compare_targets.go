package suite

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/target"
)

// Fact is one property of two targets.
type Fact struct {
	Group string // processor, features, ABI, memory, system, sizes, alignments
	Name  string
	A, B  string // empty: not given
}

// Differs reports whether the targets differ in this property.
func (f Fact) Differs() bool { return f.A != f.B }

// CompareTargets compares two targets. It lists only features that one of them lacks, in the shortest form: features that are implied by a listed one
// are left out. A target whose sizes are not known has none in the list.
func CompareTargets(machines target.Machines, a, b target.Target) []Fact {
	var list []Fact
	add := func(group, name, a, b string) { list = append(list, Fact{group, name, a, b}) }
	add("processor", string(target.KeyPU), a.PU, b.PU)
	add("processor", string(target.KeyArchitecture), a.Architecture, b.Architecture)
	add("processor", string(target.KeyMode), strconv.Itoa(a.Mode), strconv.Itoa(b.Mode))
	add("features", "only here", strings.Join(machines.Beyond(a, b), " "), strings.Join(machines.Beyond(b, a), " "))
	var none target.ABI
	aa, ab := a.ABI, b.ABI
	if aa == nil {
		aa = &none
	}
	if ab == nil {
		ab = &none
	}
	add("ABI", "Name", aa.Name, ab.Name)
	add("ABI", string(target.KeyStackAlignment), optional(aa.StackAlignment), optional(ab.StackAlignment))
	add("ABI", string(target.KeyRedZone), optional(aa.RedZone), optional(ab.RedZone))
	add("memory", string(target.KeyModel), a.Memory.Model, b.Memory.Model)
	add("memory", "Alignment", strconv.Itoa(a.Memory.Alignment), strconv.Itoa(b.Memory.Alignment))
	add("memory", string(target.KeyStackGrowth), a.Memory.StackGrowth, b.Memory.StackGrowth)
	add("memory", string(target.KeyEndianness), a.Memory.Endianness, b.Memory.Endianness)
	add("system", string(target.KeyOutputFormat), a.Linker.OutputFormat, b.Linker.OutputFormat)
	add("system", string(target.KeyOS), a.Platform.OS, b.Platform.OS)
	add("system", string(target.KeyLibc), a.Platform.Libc, b.Platform.Libc)
	add("system", string(target.KeyFloatABI), a.Platform.FloatABI, b.Platform.FloatABI)
	ma, _ := Machine(a)
	mb, _ := Machine(b)
	for _, row := range sizesOf {
		add(row.group, row.name, sizeOn(ma, row.size), sizeOn(mb, row.size))
	}
	return list
}

// sizesOf lists the sizes and alignments of C types on a machine, in bytes.
var sizesOf = []struct {
	group, name string
	size        func(*data.Machine) int64
}{
	{"sizes", "short", func(m *data.Machine) int64 { return m.Short }},
	{"sizes", "int", func(m *data.Machine) int64 { return m.Int }},
	{"sizes", "long", func(m *data.Machine) int64 { return m.Long }},
	{"sizes", "long long", func(m *data.Machine) int64 { return m.LongLong }},
	{"sizes", "pointer", func(m *data.Machine) int64 { return m.Pointer }},
	{"sizes", "size_t", func(m *data.Machine) int64 { return m.SizeT }},
	{"alignments", "int64_t in a struct", func(m *data.Machine) int64 { return m.IntAlign[3] }},
	{"alignments", "double in a struct", func(m *data.Machine) int64 { return m.FloatAlign[3] }},
	{"alignments", "16-byte float in a struct", func(m *data.Machine) int64 { return m.FloatAlign[4] }},
}

func sizeOn(m *data.Machine, size func(*data.Machine) int64) string {
	if m == nil {
		return ""
	}
	return strconv.FormatInt(size(m), 10)
}

func optional(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}
