package lang

import (
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Silence is a comment `pentode: ignore CODE[, CODE…] -- reason`. It hides the
// findings with these codes on its line or, if the comment has a line of its
// own, on the line below.
type Silence struct {
	Codes       []source.Span // as written; `*` matches any text
	Span        source.Span   // the comment
	First, Last int           // the first and last line on which it hides findings
}

const silencing = "pentode: ignore"

// MaySilence reports whether a text may contain such a comment in some
// language. If not, the text need not be parsed.
func MaySilence(f *source.File) bool { return strings.Contains(f.Text(), silencing) }

// Silences returns the comments of a document that hide findings.
func (d *Document) Silences() []Silence {
	if d.Language.comment == token.Bad || !MaySilence(d.File) {
		return nil
	}
	var list []Silence
	tokens := d.Tokens()
	whole := map[int]bool{} // lines with only a comment
	for i := range tokens.Tokens {
		if tokens.Kind(i) != d.Language.comment {
			continue
		}
		at := tokens.Span(i)
		line := at.Position().Line
		whole[line] = startsLine(at)
		if s, ok := readSilence(at); ok && (whole[line] || !d.Language.wholeLine) {
			s.First, s.Last = line, line
			list = append(list, s)
		}
	}
	for i := range list {
		if s := &list[i]; whole[s.First] {
			for whole[s.Last] { // skip comment lines between the comment and the line below it
				s.Last++
			}
		}
	}
	return list
}

// startsLine reports whether only blanks precede a place on its line.
func startsLine(at source.Span) bool {
	before := at.File.Text()[:at.Start]
	return strings.Trim(before[strings.LastIndexByte(before, '\n')+1:], " \t\r\ufeff") == ""
}

// readSilence reads a Silence from a comment, and reports whether it is one.
func readSilence(at source.Span) (Silence, bool) {
	text := at.Text()
	body := strings.TrimLeft(text, "#;/ \t")
	rest, ok := strings.CutPrefix(body, silencing)
	if !ok || rest == "" || !strings.ContainsAny(rest[:1], " \t") {
		return Silence{}, false
	}
	s := Silence{Span: at}
	codes, _, _ := strings.Cut(rest, "--") // the text after -- is a reason for people
	start := at.Start + len(text) - len(rest)
	for code := range strings.SplitSeq(codes, ",") {
		if name := strings.TrimSpace(code); name != "" {
			i := start + strings.Index(code, name)
			s.Codes = append(s.Codes, source.Span{File: at.File, Start: i, End: i + len(name)})
		}
		start += len(code) + 1
	}
	return s, len(s.Codes) > 0
}
