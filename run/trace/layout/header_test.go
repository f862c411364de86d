package layout

import (
	"encoding/binary"
	"strings"
	"testing"
	"unsafe"
)

// TestHeader: C has the same names, types and offsets as Go.
func TestHeader(t *testing.T) {
	header := Header()
	for _, want := range []string{
		"\tMAX_PROCESSES = 0x200,\n",
		"\tOPENMP = 0,\n\tMPI = 1,\n\tUSER = 2,\n\tCUDA = 3,\n\tPYTHON = 4,\n",
		"\tOFF = 1,\n\tSTANDBY = 2,\n\tMONITORING = 3,\n\tTRACING = 4,\n};\n",
		"struct session {\n\tuint32_t magic;\n\tuint32_t layout;\n\t_Atomic uint64_t policy;\n\t_Atomic uint32_t stretch;\n\tuint32_t spare4;\n",
		"_Static_assert(offsetof(struct slot, pid) == 8, \"pid of slot\");\n",
		"_Static_assert(sizeof(struct process) == 128, \"process\");\n",
		"\tuint32_t first_section;\n",
		"\tstruct domain domains[5];\n",
		"struct window_end {\n",
		"\tchar name[64];\n\tuint32_t spare1[2];\n\tint64_t integer;\n\tdouble number;\n",
	} {
		if !strings.Contains(header, want) {
			t.Errorf("the header lacks %q:\n%s", want, header)
		}
	}
}

// TestRows: C reads what encoding/binary writes, so rows must not have gaps.
func TestRows(t *testing.T) {
	for name, sizes := range map[string][2]int{
		"policy":     {binary.Size(Policy{}), int(unsafe.Sizeof(Policy{}))},
		"section":    {binary.Size(Section{}), int(unsafe.Sizeof(Section{}))},
		"test":       {binary.Size(Test{}), int(unsafe.Sizeof(Test{}))},
		"change":     {binary.Size(Change{}), int(unsafe.Sizeof(Change{}))},
		"rule":       {binary.Size(Rule{}), int(unsafe.Sizeof(Rule{}))},
		"window end": {binary.Size(WindowEnd{}), int(unsafe.Sizeof(WindowEnd{}))},
		"entry":      {binary.Size(Entry{}), int(unsafe.Sizeof(Entry{}))},
		"range":      {binary.Size(Range{}), int(unsafe.Sizeof(Range{}))},
		"name":       {binary.Size(Name{}), int(unsafe.Sizeof(Name{}))},
		"knob":       {binary.Size(Knob{}), int(unsafe.Sizeof(Knob{}))},
	} {
		if sizes[0] != sizes[1] {
			t.Errorf("a %s has %d bytes where it is written, %d where it is read; want %v", name, sizes[0], sizes[1], sizes[1])
		}
	}
}

// TestModes checks that the modes of eight domains fit into the word of a process.
func TestModes(t *testing.T) {
	for d := range MaxDomains {
		word := uint64(ModeMask)<<(ModeBits*d) | 1<<(ChangedAt+d)
		for other := range MaxDomains {
			if mode, changed := word>>(ModeBits*other)&ModeMask != 0, word>>(ChangedAt+other)&1 != 0; mode != (d == other) || changed != mode {
				t.Errorf("domain %d is seen at the place of domain %d: %v, %v; want mode = %v and changed = %v", d, other, mode, changed, (d == other), mode)
			}
		}
		if word>>EpochAt != 0 || word&^ChangedAll != uint64(ModeMask)<<(ModeBits*d) {
			t.Errorf("domain %d reaches into the epoch: %#x, want word >> EpochAt = 0 and word &^ ChangedAll = %v", d, word, uint64(ModeMask)<<(ModeBits*d))
		}
	}
}
