package project

import "strings"

// place is a position of the cursor in a project file. It is found without parsing TOML, because a file that is being edited is often
// not valid TOML.
type place struct {
	path   []string // the key at the position, or its part before the last dot
	word   string   // the word at the position, up to the position
	start  int      // where the word begins
	end    int      // where the word ends, which may be after the position
	head   bool     // the position is in the header of a table
	value  bool     // the position is after a `=`; in that case path is the full key
	quoted bool     // the word is in quotes
}

// locate returns the place of an offset. It returns false if nothing can be completed there, as in a comment.
func locate(text string, offset int) (place, bool) {
	var table []string
	for at := 0; ; {
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n"))
		if at > offset {
			return place{path: table, start: offset, end: offset}, true // the position is on an empty line
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

// lineEnd returns the length of a line without its line break.
func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// keyEnd returns the index of the first of some bytes outside of quotes, or the length of the text.
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

// splitKey splits a key into its parts.
func splitKey(key string) (parts []string) {
	for len(key) > 0 {
		end := keyEnd(key, ".")
		parts = append(parts, strings.Trim(key[:end], " \t\r\"'"))
		key = key[min(end+1, len(key)):]
	}
	return parts
}

// within returns the place of an offset in a key. The parts of the table's name come before the parts of the key.
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

// inValue returns the place of an offset in the value that begins at start, and -1 for over. If the offset is not in that value, over
// is the end of the value.
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

// stringEnd returns the end of a string that begins with this quote. An unclosed string ends with its line.
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
