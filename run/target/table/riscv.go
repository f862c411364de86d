package table

import (
	"slices"
	"strings"
)

// isaString reads a RISC-V ISA string such as RV64GC or rv32imac_zba: the base, single
// letters, then longer names between underscores. It returns a group of the named features,
// or nil if the text is not an ISA string.
func (s *ISA) isaString(text string) *Feature {
	low := strings.ToLower(text)
	rest, ok := strings.CutPrefix(low, "rv")
	if !ok {
		return nil
	}
	var bits int
	for _, m := range s.Modes {
		if m.March != "" && strings.HasPrefix(low, m.March) {
			bits, rest = m.Bits, low[len(m.March):]
		}
	}
	if bits == 0 || rest == "" {
		return nil
	}
	var set Set
	parts := strings.Split(rest, "_")
	for i := 0; i < len(parts[0]); i++ {
		id, ok := s.id(parts[0][i : i+1])
		if !ok {
			return nil
		}
		set = set.Union(s.Closure(id))
	}
	for _, p := range parts[1:] {
		id, ok := s.id(p)
		if !ok {
			return nil
		}
		set = set.Union(s.Closure(id))
	}
	return &Feature{Key: low, Name: strings.ToUpper(text[:2]) + text[2:], Implies: set.List(), Modes: []int{bits}, Group: true, LLVM: "-"}
}

// MarchOrder sorts RISC-V extension keys as an ISA string needs them: single letters in the manual's order, then S, Z and
// X names. Older versions of gcc refuse S after Z; the other compilers accept any order.
func MarchOrder(keys []string) {
	const letters = "iemafdqlcbkjtpvnh"
	rank := func(k string) (class, pos int) {
		if len(k) == 1 {
			return 0, strings.Index(letters, k)
		}
		return 1 + strings.IndexByte("szx", k[0]), 0
	}
	slices.SortFunc(keys, func(a, b string) int {
		ca, pa := rank(a)
		cb, pb := rank(b)
		if ca != cb {
			return ca - cb
		}
		if ca == 0 {
			return pa - pb
		}
		return strings.Compare(a, b)
	})
}
