package table

import (
	"slices"
	"strconv"
	"strings"
)

// span is a run of numbered names such as r8..r15, or one name if first equals last.
type span struct {
	before, after string
	first, last   int
	numbered      bool
}

// parseSpan reads "rax" or "r8d..r15d".
func parseSpan(text string) (span, bool) {
	lo, hi, ranged := strings.Cut(text, "..")
	if !ranged {
		return span{before: text}, text != ""
	}
	b, n, a := splitNumber(lo)
	b2, n2, a2 := splitNumber(hi)
	if n < 0 || n2 < n || n2-n > 1024 || b != b2 || a != a2 {
		return span{}, false
	}
	return span{b, a, n, n2, true}, true
}

// splitNumber splits "r15d" into r, 15, d at the last number; n is -1 if there is none.
func splitNumber(name string) (before string, n int, after string) {
	end := strings.LastIndexAny(name, "0123456789") + 1
	start := end
	for start > 0 && '0' <= name[start-1] && name[start-1] <= '9' {
		start--
	}
	if start == end {
		return name, -1, ""
	}
	n, err := strconv.Atoi(name[start:end])
	if err != nil {
		return name, -1, ""
	}
	return name[:start], n, name[end:]
}

func (s span) has(low string) bool {
	if !s.numbered {
		return low == s.before
	}
	b, n, a := splitNumber(low)
	if b != s.before || a != s.after || n < s.first || n > s.last {
		return false
	}
	// r08 is not a register.
	return len(low) == len(b)+len(a)+len(strconv.Itoa(n))
}

// Expand writes ranges out: "r8..r10" becomes r8, r9, r10.
func Expand(names []string) []string {
	var out []string
	for _, t := range names {
		s, _ := parseSpan(t)
		if !s.numbered {
			out = append(out, t)
			continue
		}
		for i := s.first; i <= s.last; i++ {
			out = append(out, s.before+strconv.Itoa(i)+s.after)
		}
	}
	return out
}

// HasRegister reports whether a register exists in this mode, ignoring case.
func (m *Mode) HasRegister(name string) bool {
	low := strings.ToLower(name)
	for _, t := range m.Registers {
		if s, _ := parseSpan(t); s.has(low) {
			return true
		}
	}
	return false
}

// RegisterNames lists every register, sorted.
func (m *Mode) RegisterNames() []string {
	out := Expand(m.Registers)
	slices.Sort(out)
	return slices.Compact(out)
}
