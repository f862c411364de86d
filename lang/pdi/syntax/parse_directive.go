package syntax

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/token"
)

var (
	versionLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^%YAML[ \t]+([0-9]{1,9})\.([0-9]{1,9})[ \t]*(#.*)?$`)
	})
	tagLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^%TAG[ \t]+(![0-9A-Za-z_-]*!|!)[ \t]+[0-9A-Za-z_;/?:@&=+$.,!~*'()\[\]%-]+([ \t]+(#.*)?)?$`)
	})
)

// directives reads the lines that begin with `%` and reports whether there are any.
func (p *parser) directives() bool {
	found, version := false, false
	for p.peek(0) == '%' && p.pos == p.line {
		found = true
		end := lineStop(p.text, p.pos, len(p.text))
		line := p.text[p.pos:end]
		switch m := versionLine().FindStringSubmatch(line); {
		case m != nil && version:
			p.report(BadDirective, p.pos, end, "the version of YAML is given twice").Helped("remove this line")
		case m != nil && (m[1] != "1" || m[2] != "1" && m[2] != "2"):
			p.report(BadDirective, p.pos, end, "YAML %s.%s is not supported: PDI reads 1.1, and 1.2 as far as it is the same", problem.Clip(m[1], problem.Short), problem.Clip(m[2], problem.Short)).
				Helped("write `%%YAML 1.1`, or remove the line")
		case m != nil:
			version = true
		default:
			p.tagDirective(line, end)
		}
		p.take(end-p.pos, Directive)
		p.fresh = false
		p.skip()
	}
	return found
}

func (p *parser) tagDirective(line string, end int) {
	m := tagLine().FindStringSubmatch(line)
	if m == nil {
		p.report(BadDirective, p.pos, end, "`%s` is not a directive that YAML knows", problem.Clip(line, problem.Short)).
			Helped("a line that begins with `%%` is `%%YAML 1.1` or `%%TAG !name! prefix`")
		return
	}
	if p.handles[m[1]] {
		p.report(BadDirective, p.pos, end, "the tag `%s` is declared twice", problem.Clip(m[1], problem.Short)).Helped("remove this line")
		return
	}
	if p.handles == nil {
		p.handles = map[string]bool{}
	}
	p.handles[m[1]] = true
}

// encoding reads the byte order mark at the start of the text, and reports whether it belongs to an unsupported encoding.
func (p *parser) encoding() bool {
	if p.begin > 0 {
		return false
	}
	if strings.HasPrefix(p.text, "\ufeff") {
		p.take(len("\ufeff"), ByteOrder)
		p.line = p.pos
	}
	if strings.HasPrefix(p.text, "\xff\xfe") || strings.HasPrefix(p.text, "\xfe\xff") {
		p.report(NotUTF8, 0, 2, "this file is written in UTF-16").Helped("save it as UTF-8")
		p.tree.Root = p.broken(0, -1)
		return true
	}
	return false
}

// unusual are the bytes outside ASCII text that need a check.
var unusual = token.NewSet("\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xff")

// characters looks for characters that no YAML reader accepts, and reports the first of each kind.
func (p *parser) characters() {
	text := p.text[:p.pos]
	control, other := false, false
	for i := p.begin; i < len(text); {
		if i += run(text[i:], unusual); i == len(text) {
			return
		}
		b := text[i]
		if b < utf8.RuneSelf {
			if !control {
				control = true
				p.report(ControlCharacter, i, i+1, "the character U+%04X cannot be written in YAML", b).
					Helped("remove it, or write an escape in double quotes: `\"\\x%02X\"`", b)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1 && !other:
			other = true
			p.report(NotUTF8, i, i+1, "the byte %02X is not UTF-8", b).Helped("save the file as UTF-8")
		case !control && (r >= 0x80 && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff):
			control = true
			p.report(ControlCharacter, i, i+size, "the character U+%04X cannot be written in YAML", r).
				Helped("remove it, or write an escape in double quotes: `\"\\u%04X\"`", r)
		}
		i += size
	}
}
