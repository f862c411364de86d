package trace

import (
	"fmt"
	"strconv"
)

// SetError is what is wrong with the text of a set, at bytes Start to End of it.
type SetError struct {
	Start, End int
	Message    string
}

func (e *SetError) Error() string { return e.Message }

// ParseSet reads `0-3, 7, 12-20` with ids up to largest. Commas may be
// repeated; no text is the empty set. With an error comes the set of what
// stands before it.
func ParseSet(text string, largest uint32) (Set, *SetError) {
	p := setParser{text: text, largest: largest}
	var spans []Span
	for p.skip(true); p.at < len(text); p.skip(true) {
		s, err := p.span()
		if err != nil {
			return NewSet(spans...), err
		}
		spans = append(spans, s)
		if p.skip(false); p.at < len(text) && text[p.at] != ',' {
			return NewSet(spans...), &SetError{p.at, len(text), fmt.Sprintf("there is no comma before `%s`", text[p.at:])}
		}
	}
	return NewSet(spans...), nil
}

type setParser struct {
	text    string
	at      int
	largest uint32
}

// skip moves over blanks, and over commas where they are asked for.
func (p *setParser) skip(commas bool) {
	for p.at < len(p.text) && (isBlank(p.text[p.at]) || commas && p.text[p.at] == ',') {
		p.at++
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\v' || b == '\f' }

// span reads a number or a range.
func (p *setParser) span() (Span, *SetError) {
	start := p.at
	lo, err := p.number()
	if err != nil {
		return Span{}, err
	}
	hi, end := lo, p.at
	if p.skip(false); p.at < len(p.text) && p.text[p.at] == '-' {
		p.at++
		p.skip(false)
		if hi, err = p.number(); err != nil {
			return Span{}, err
		}
		end = p.at
	}
	if lo > hi {
		return Span{}, &SetError{start, end, fmt.Sprintf("the range `%s` runs backwards", p.text[start:end])}
	}
	return Span{lo, hi}, nil
}

func (p *setParser) number() (uint32, *SetError) {
	start, text := p.at, p.text
	for p.at < len(text) && text[p.at] >= '0' && text[p.at] <= '9' {
		p.at++
	}
	if p.at == start {
		end := start
		for end < len(text) && text[end] != ',' && !isBlank(text[end]) {
			end++
		}
		if end == start {
			return 0, &SetError{max(0, start-1), start, "a number is missing here"}
		}
		return 0, &SetError{start, end, fmt.Sprintf("`%s` is not a number", text[start:end])}
	}
	n, err := strconv.ParseUint(text[start:p.at], 10, 64)
	if err != nil || n > uint64(p.largest) {
		return 0, &SetError{start, p.at, fmt.Sprintf("`%s` is larger than the largest id, %d", text[start:p.at], p.largest)}
	}
	return uint32(n), nil
}
