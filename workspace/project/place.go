package project

import "strings"

// place is where in a project file an editor points at. It is found without
// reading the file as TOML, because what is being written mostly is none.
type place struct {
	path   []string // the key that stands there, or the one before the last dot that was written
	word   string   // what stands there, as far as the place
	start  int      // where that begins
	end    int      // and where it ends, which may be behind the place
	head   bool     // in the head of a table
	value  bool     // behind a `=`; path is the whole key then
	quoted bool     // the word is in quotes
}

// locate finds the place of an offset; false: nothing of the project stands there, as in a comment.
func locate(text string, offset int) (place, bool) {
	var table []string
	for at := 0; ; {
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n"))
		if at > offset {
			return place{path: table, start: offset, end: offset}, true // on an empty line
		}
		rest := text[at:]
		switch {
		case rest == "":
			return place{path: table, start: offset, end: offset}, true
		case rest[0] == '#':
			if at += lineEnd(rest); offset <= at {
				return place{}, false
			}
		case rest[0] == '[':
			open := len(rest) - len(strings.TrimLeft(rest, "["))
			end := at + open + keyEnd(rest[open:], "]\n")
			if offset >= at+open && offset <= end {
				p := within(text, at+open, end, offset, nil)
				p.head = true
				return p, true
			}
			table = splitKey(text[at+open : end])
			if at = end + lineEnd(text[end:]); offset <= at {
				return place{}, false
			}
		default:
			end := at + keyEnd(rest, "=\n")
			if offset <= end {
				return within(text, at, end, offset, table), true
			}
			key := append(table[:len(table):len(table)], splitKey(text[at:end])...)
			if end == len(text) || text[end] == '\n' {
				at = end
				continue
			}
			p, over := inValue(text, end+1, offset)
			if p.path = key; over < 0 {
				return p, p.value
			}
			at = over
		}
	}
}

// lineEnd is the length of a line without its end.
func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// keyEnd is where one of the bytes stands outside of quotes, else the length.
func keyEnd(text, ends string) int {
	quote := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\n':
			return i
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte(ends, c) >= 0:
			return i
		}
	}
	return len(text)
}

// splitKey is a key in its parts.
func splitKey(key string) (parts []string) {
	for len(key) > 0 {
		end := keyEnd(key, ".")
		parts = append(parts, strings.Trim(key[:end], " \t\r\"'"))
		key = key[min(end+1, len(key)):]
	}
	return parts
}

// within is a place in a key, whose first parts are those of a table.
func within(text string, start, end, offset int, table []string) place {
	p := place{path: table[:len(table):len(table)], start: start}
	for {
		dot := p.start + keyEnd(text[p.start:end], ".")
		if dot >= offset || dot >= end {
			p.end = dot
			break
		}
		p.path = append(p.path, strings.Trim(text[p.start:dot], " \t\r\"'"))
		p.start = dot + 1
	}
	for p.start < offset && strings.IndexByte(" \t", text[p.start]) >= 0 {
		p.start++
	}
	for p.end > offset && strings.IndexByte(" \t\r", text[p.end-1]) >= 0 {
		p.end--
	}
	p.word = text[p.start:offset]
	return p
}

// inValue looks for an offset in the value that begins at start. Where the offset is not in it, over is where the value ends, else -1.
func inValue(text string, start, offset int) (p place, over int) {
	depth, word := 0, start
	for i := start; ; i++ {
		if i == offset {
			p = place{value: true, word: strings.TrimLeft(text[word:i], " \t\r\n"), start: word, end: i}
			for p.start < i && strings.IndexByte(" \t\r\n", text[p.start]) >= 0 {
				p.start++
			}
			for p.end < len(text) && strings.IndexByte(" \t\r\n,]}#\"'", text[p.end]) < 0 {
				p.end++
			}
			return p, -1
		}
		if i >= len(text) {
			return p, i
		}
		switch c := text[i]; {
		case c == '\n' && depth == 0:
			return p, i
		case c == '#':
			if i += lineEnd(text[i:]); offset <= i {
				return p, -1
			}
			i--
		case c == '"' || c == '\'':
			end := i + 1 + stringEnd(text[i+1:], c)
			if offset > i && offset <= end {
				return place{value: true, quoted: true, word: text[i+1 : offset], start: i + 1, end: end}, -1
			}
			i = min(end, len(text)-1)
			word = i + 1
		case c == '[' || c == '{':
			depth++
			word = i + 1
		case c == ']' || c == '}':
			depth = max(0, depth-1)
			word = i + 1
		case c == ',':
			word = i + 1
		}
	}
}

// stringEnd is where a text ends that began with this quote. Most are on one line.
func stringEnd(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote || text[i] == '\n':
			return i
		}
	}
	return len(text)
}
