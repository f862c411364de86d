package suite

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/target"
)

// Machine is the table of sizes and alignments that C and Fortran have on a
// target. A target without 32 or 64 bits has none.
func Machine(t target.Target) (*data.Machine, error) {
	var m *data.Machine
	x86 := strings.EqualFold(t.Architecture, "x86")
	switch {
	case t.Mode == 64 && t.Linker.OutputFormat == "PE":
		m = data.LLP64()
	case t.Mode == 64 && x86:
		m = data.X86_64()
	case t.Mode == 64:
		m = data.LP64()
	case t.Mode == 32 && x86:
		m = data.I386()
	case t.Mode == 32:
		m = data.ILP32()
	default:
		return nil, fmt.Errorf("no data layout is known for %s %s with %d bits", t.PU, t.Architecture, t.Mode)
	}
	m.Name = fmt.Sprintf("%s-%d", strings.ToLower(t.Architecture), t.Mode)
	m.BigEndian = t.Memory.Endianness == "Big"
	return m, nil
}
