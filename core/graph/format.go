package graph

import (
	"fmt"
	"io"
	"strings"
)

// Format names a text format for graphs.
type Format string

// The formats. Package svg draws pictures.
const (
	DOT     Format = "dot"
	Mermaid Format = "mermaid"
	Text    Format = "text"
)

// Write writes the graph in a format.
func (g *Graph) Write(w io.Writer, f Format) error {
	switch f {
	case DOT:
		return g.WriteDOT(w)
	case Mermaid:
		return g.WriteMermaid(w)
	case Text:
		return g.WriteText(w)
	}
	return fmt.Errorf("there is no graph format `%s`: use one of %s, %s, %s", f, DOT, Mermaid, Text)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ")

// Clean makes a text safe for every format: valid UTF-8, without control
// characters except line ends.
func Clean(s string) string {
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
			return -1 // it would change the direction of the text after it
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// OneLine is Clean with line ends replaced by blanks.
func OneLine(s string) string {
	return strings.ReplaceAll(Clean(s), "\n", " ")
}
