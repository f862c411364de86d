package scan

import "github.com/pentode-dev/pentode/run/flow/pipe"

// A promise is a call that registers a class under a name that is written elsewhere: `register_algorithm< CLASS >()`.
type promise struct{ class, dir, file string }

// promise reads the template arguments at i. A call with two of them, or with a string, registers something else; in a header
// the class is a parameter of the enclosing template.
func (r *cxxReader) promise(i int) {
	if i >= len(r.list) || !r.list[i].is("<") || isHeader(r.name) {
		return
	}
	end := i + 1
	for end < len(r.list) && (r.list[end].kind == word || r.list[end].is("::")) {
		end++
	}
	if end == i+1 || end+1 >= len(r.list) || !r.list[end].is(">") || !r.list[end+1].is("(") {
		return
	}
	if args, _ := arguments(r.list, end+1); len(args) == 0 || literal(args[0]) == "" {
		r.scanner.promises = append(r.scanner.promises, promise{lastWord(r.list[i+1 : end]), r.dir, r.name})
	}
}

// Unread returns the algorithms whose names are not in the sources: the installation has them in addition to those found.
func (s *Scanner) Unread() []pipe.Unread {
	named := map[*class]bool{}
	for i := range s.registrations {
		if r := &s.registrations[i]; isName(r.typ) {
			if c := s.class(r.class, r.dir); c != nil {
				named[c] = true
			}
		}
	}
	var list []pipe.Unread
	for _, p := range s.promises {
		u := pipe.Unread{Class: p.class, Origin: p.file}
		if c := s.class(p.class, p.dir); c != nil {
			if u.Role = s.role(s.lineage(c), false); u.Role != "" && (named[c] || named[s.other(c)]) {
				continue
			}
		}
		list = append(list, u)
	}
	return list
}
