package trace

import (
	"fmt"
	"strconv"
)

// SetFault is what is wrong with the text of a set, at bytes Start to End of it.
type SetFault struct {
	Start, End int
	Message    string
}

// ParseSet reads `0-3, 7, 12-20` with ids up to largest. Commas may be
// repeated; no text is the empty set. With a fault comes the set of what stands
// before it.
func ParseSet(text string, largest uint32) (Set, *SetFault) {
	var spans []Span
	i := 0
	skip := func(commas bool) {
		for i < len(text) && (isBlank(text[i]) || commas && text[i] == ',') {
			i++
		}
	}
	number := func() (uint32, *SetFault) {
		start := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		if i == start {
			end := start
			for end < len(text) && text[end] != ',' && !isBlank(text[end]) {
				end++
			}
			if end == start {
				return 0, &SetFault{start - 1, start, "a number is missing here"}
			}
			return 0, &SetFault{start, end, fmt.Sprintf("`%s` is not a number", text[start:end])}
		}
		n, err := strconv.ParseUint(text[start:i], 10, 64)
		if err != nil || n > uint64(largest) {
			return 0, &SetFault{start, i, fmt.Sprintf("`%s` is larger than the largest id, %d", text[start:i], largest)}
		}
		return uint32(n), nil
	}
	for skip(true); i < len(text); skip(true) {
		start := i
		lo, fault := number()
		if fault != nil {
			return NewSet(spans...), fault
		}
		hi, end := lo, i
		if skip(false); i < len(text) && text[i] == '-' {
			i++
			skip(false)
			if hi, fault = number(); fault != nil {
				return NewSet(spans...), fault
			}
			end = i
		}
		if lo > hi {
			return NewSet(spans...), &SetFault{start, end, fmt.Sprintf("the range `%s` runs backwards", text[start:end])}
		}
		spans = append(spans, Span{lo, hi})
		if skip(false); i < len(text) && text[i] != ',' {
			return NewSet(spans...), &SetFault{i, len(text), fmt.Sprintf("there is no comma before `%s`", text[i:])}
		}
	}
	return NewSet(spans...), nil
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\v' || b == '\f' }
