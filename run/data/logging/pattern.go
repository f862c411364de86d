package logging

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Pattern is a compiled pattern. The zero value writes nothing; a nil Pattern writes only
// the text of the message.
type Pattern struct {
	steps []step
}

// step is one part of a pattern: literal text, or a flag with its padding.
type step struct {
	text string
	flag byte // 0 if the step is literal text
	pad  padding
}

type padding struct {
	width    int
	side     byte // '-' aligns left, '=' centres, 0 aligns right
	truncate bool
}

// maxWidth is the largest width to which spdlog pads a value.
const maxWidth = 64

// Compile compiles a pattern. Every text is a valid pattern, because a flag that spdlog
// does not know stands for its own text.
func Compile(pattern string) *Pattern {
	p := &Pattern{}
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			p.steps = append(p.steps, step{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '%' {
			text.WriteByte(pattern[i])
			continue
		}
		pad, at := parsePadding(pattern, i+1)
		if at >= len(pattern) {
			break // the pattern ends inside a flag, which spdlog then drops
		}
		switch flag := pattern[at]; {
		case flag == '%':
			text.WriteByte('%')
		case strings.IndexByte(flags, flag) >= 0:
			flush()
			p.steps = append(p.steps, step{flag: flag, pad: pad})
		default:
			text.WriteString(pattern[i : at+1])
		}
		i = at
	}
	flush()
	return p
}

// Full is what the flag %+ stands for. spdlog also uses it for its own messages.
const Full = "[%Y-%m-%d %H:%M:%S.%e] [%n] [%^%l%$] %v"

func parsePadding(s string, i int) (padding, int) {
	var p padding
	if i < len(s) && (s[i] == '-' || s[i] == '=') {
		p.side = s[i]
		i++
	}
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		p.width = min(p.width*10+int(s[i]-'0'), maxWidth)
	}
	if p.width > 0 && i < len(s) && s[i] == '!' {
		p.truncate = true
		i++
	}
	return p, i
}

// flags are the flags that spdlog knows. The flags for positions in source code (%@ %s %g
// %# %!) are empty here, because they would refer to PDI's C++ code.
const flags = "+nlLtvaAbhBcCYDxmdHIMSefFEpRrTXzP^$@sg#!&uioO"

// colours are the escape sequences with which spdlog colours the levels.
var colours = [...]string{Trace: "\x1b[37m", Debug: "\x1b[36m", Info: "\x1b[32m", Warn: "\x1b[33m\x1b[1m", Error: "\x1b[31m\x1b[1m"}

// Append formats an entry with the pattern and appends it to dst, without a line break.
func (p *Pattern) Append(dst []byte, e *Entry, color bool) []byte {
	if p == nil {
		return append(dst, e.Text...)
	}
	for i := range p.steps {
		s := &p.steps[i]
		if s.flag == 0 {
			dst = append(dst, s.text...)
			continue
		}
		from := len(dst)
		dst = appendFlag(dst, s.flag, e, color)
		if s.pad.width > 0 {
			dst = s.pad.apply(dst, from)
		}
	}
	return dst
}

// apply pads or truncates the text that begins at an offset of dst.
func (p padding) apply(dst []byte, from int) []byte {
	have := utf8.RuneCount(dst[from:])
	if have >= p.width {
		for ; p.truncate && have > p.width; have-- {
			_, size := utf8.DecodeLastRune(dst)
			dst = dst[:len(dst)-size]
		}
		return dst
	}
	missing := p.width - have
	before := missing
	switch p.side {
	case '-':
		before = 0
	case '=':
		before = missing / 2
	}
	text := string(dst[from:])
	dst = append(dst[:from], strings.Repeat(" ", before)...)
	dst = append(dst, text...)
	return append(dst, strings.Repeat(" ", missing-before)...)
}

// layouts maps flags to layouts of Go's time package.
var layouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January",
	'c': "Mon Jan _2 15:04:05 2006", 'C': "06", 'Y': "2006", 'D': "01/02/06", 'x': "01/02/06",
	'm': "01", 'd': "02", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM",
	'r': "03:04:05 PM", 'R': "15:04", 'T': "15:04:05", 'X': "15:04:05", 'z': "-07:00",
}

func appendFlag(dst []byte, flag byte, e *Entry, color bool) []byte {
	if layout, ok := layouts[flag]; ok {
		return e.Time.AppendFormat(dst, layout)
	}
	switch flag {
	case '+':
		return Compile(Full).Append(dst, e, color)
	case 'v':
		return append(dst, e.Text...)
	case 'n':
		return append(dst, e.Name...)
	case 'l':
		return append(dst, e.Level.String()...)
	case 'L':
		return append(dst, "TDIWE"[e.Level])
	case 't', 'P':
		return strconv.AppendInt(dst, int64(process), 10)
	case 'e':
		return appendZeros(dst, e.Time.Nanosecond()/1e6, 3)
	case 'f':
		return appendZeros(dst, e.Time.Nanosecond()/1e3, 6)
	case 'F':
		return appendZeros(dst, e.Time.Nanosecond(), 9)
	case 'E':
		return strconv.AppendInt(dst, e.Time.Unix(), 10)
	case 'u', 'i', 'o', 'O':
		return strconv.AppendInt(dst, elapsed(flag, e), 10)
	case '^':
		if color {
			return append(dst, colours[e.Level]...)
		}
	case '$':
		if color {
			return append(dst, "\x1b[m"...)
		}
	}
	return dst
}

func appendZeros(dst []byte, n, width int) []byte {
	s := strconv.Itoa(n)
	return append(append(dst, "000000000"[:width-len(s)]...), s...)
}

// elapsed returns the time since the previous message. The flag determines the unit.
func elapsed(flag byte, e *Entry) int64 {
	if e.last.IsZero() {
		return 0
	}
	d := e.Time.Sub(e.last)
	switch flag {
	case 'u':
		return d.Nanoseconds()
	case 'i':
		return d.Microseconds()
	case 'o':
		return d.Milliseconds()
	}
	return int64(d / time.Second)
}
