package graph

import (
	"fmt"
	"io"
	"strings"
)

// Format names a way to write a graph.
type Format string

const (
	DOT     Format = "dot"
	Mermaid Format = "mermaid"
	SVG     Format = "svg"
	Text    Format = "text"
)

// Formats lists every format.
func Formats() []Format { return []Format{DOT, Mermaid, SVG, Text} }

// Write writes the graph in a format.
func (g *Graph) Write(w io.Writer, f Format) error {
	switch f {
	case DOT:
		return g.WriteDOT(w)
	case Mermaid:
		return g.WriteMermaid(w)
	case SVG:
		return g.WriteSVG(w)
	case Text:
		return g.WriteText(w)
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return fmt.Errorf("there is no graph format `%s`: use one of %s", f, strings.Join(names, ", "))
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ")

// clean makes a text safe for every format: valid UTF-8, no control characters
// but line ends.
func clean(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' && s[i] != '\n' || s[i] >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	s = lineEnds.Replace(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
			return 0xfffd
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1 // would turn the direction of what follows
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// line is clean on one line.
func line(s string) string {
	return strings.ReplaceAll(clean(s), "\n", " ")
}
