package calls

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
)

// Limits of the search for names. If one is reached, no name is reported as missing.
const (
	maxRounds = 4       // how many functions may pass a name on to each other
	maxHanded = 100_000 // calls of such functions
	maxNested = 8       // how many constants may be defined by each other
)

// resolver finds the names of calls.
type resolver struct {
	files     []*File
	global    map[string][]part // constants that are visible in all files; nil if two definitions differ
	templates map[string][]*template
	calls     []Call
	handed    int
	partial   bool
}

// template is a PDI call whose name is a parameter of the enclosing function.
type template struct {
	Call
	index  int // the index of the enclosing function in its file
	called bool
}

// resolve lists all calls with their names, and reports whether the list is complete.
func resolve(files []*File) ([]Call, bool) {
	r := &resolver{files: files, global: map[string][]part{}, templates: map[string][]*template{}}
	for _, f := range files {
		for name, c := range f.constants {
			if name.function != 0 {
				continue
			}
			have, twice := r.global[name.name]
			if c.count > 1 || twice && !slices.Equal(have, c.value) {
				r.global[name.name] = nil
			} else {
				r.global[name.name] = c.value
			}
		}
	}
	var fresh []*template
	for _, f := range files {
		for _, call := range f.Calls {
			fresh = r.add(call, fresh)
		}
	}
	for range maxRounds {
		if len(fresh) == 0 {
			break
		}
		fresh = r.round(fresh)
	}
	for _, list := range r.templates {
		for _, t := range list {
			if !t.called { // no call of the function was found, so the name stays unknown
				r.calls = append(r.calls, t.Call)
			}
		}
	}
	slices.SortStableFunc(r.calls, func(a, b Call) int {
		if a.file != b.file {
			return strings.Compare(a.file.Source.Path(), b.file.Source.Path())
		}
		return a.at - b.at
	})
	return r.calls, !r.partial && len(fresh) == 0
}

// add keeps a call whose name contains a parameter as a template. It adds any other call to the result, because its name will not become
// better known.
func (r *resolver) add(call Call, fresh []*template) []*template {
	call.name = r.flat(call.name, call.file, call.function, maxNested)
	if !slices.ContainsFunc(call.name, func(p part) bool { return p.kind != literal }) {
		var name strings.Builder
		for _, p := range call.name {
			name.WriteString(p.value)
		}
		call.Name = name.String()
	}
	if slices.ContainsFunc(call.name, func(p part) bool { return p.kind == parameter }) {
		return append(fresh, &template{Call: call, index: int(call.function)})
	}
	r.calls = append(r.calls, call)
	return fresh
}

// flat replaces constants in a name by their values, and parameters by their indexes.
func (r *resolver) flat(name []part, f *File, function int32, depth int) []part {
	var out []part
	for _, p := range name {
		if p.kind != named {
			out = append(out, p)
			continue
		}
		if i := slices.Index(f.functions[function].params, p.value); i >= 0 && function > 0 {
			out = append(out, part{kind: parameter, value: p.value, index: i})
			continue
		}
		value, scope := r.constant(p.value, f, function)
		if value == nil || depth == 0 {
			out = append(out, part{kind: unknown})
			continue
		}
		out = append(out, r.flat(value, f, scope, depth-1)...)
	}
	return out
}

// constant returns the value of a name in the scope of a function.
func (r *resolver) constant(name string, f *File, function int32) ([]part, int32) {
	for _, scope := range []int32{function, 0} {
		if have := f.constants[scoped{scope, name}]; have != nil {
			if have.count > 1 {
				return nil, 0
			}
			return have.value, scope
		}
	}
	return r.global[name], 0
}

// round looks for calls of the functions that pass a name on to PDI.
func (r *resolver) round(list []*template) (fresh []*template) {
	wanted := map[string][]*template{}
	for _, t := range list {
		name := t.file.functions[t.index].name
		wanted[name] = append(wanted[name], t)
		r.templates[name] = append(r.templates[name], t)
	}
	for _, f := range r.files {
		for name := range wanted {
			if strings.Contains(f.folded(), name) {
				fresh = r.callers(f, wanted, fresh)
				break
			}
		}
	}
	return fresh
}

// folded returns the text of a source in lower case if its language ignores case.
func (s *File) folded() string {
	if s.language == fortran {
		return strings.ToLower(s.Source.Text())
	}
	return s.Source.Text()
}

func (r *resolver) callers(f *File, wanted map[string][]*template, fresh []*template) []*template {
	if f.toks == nil {
		f.parse()
		defer func() { f.toks, f.match = nil, nil }()
	}
	for i, t := range f.toks {
		if t.kind != word || wanted[t.value] == nil {
			continue
		}
		open := f.open(i)
		if open < 0 || f.match[open] < 0 || f.defines(i) {
			continue
		}
		args := f.arguments(open)
		for _, w := range wanted[t.value] {
			if r.handed++; r.handed > maxHanded {
				r.partial = true
				return fresh
			}
			fresh = r.instantiate(w, f, i, args, fresh)
		}
	}
	return fresh
}

// defines reports whether a function with the name at i is being defined or declared.
func (s *File) defines(i int) bool {
	if i == 0 {
		return false
	}
	before := s.toks[i-1]
	switch s.language {
	case python:
		return before.is("def")
	case fortran:
		return before.is("subroutine") || before.is("function")
	}
	return before.kind == word && before.value != "return" && before.value != "else" || before.is("*") || before.is("&") || before.is(">")
}

// instantiate makes a call from a template, with the arguments of one call of the template's function.
func (r *resolver) instantiate(w *template, f *File, i int, args [][]token, fresh []*template) []*template {
	var name []part
	var at source.Span
	for _, p := range w.name {
		if p.kind != parameter {
			name = append(name, p)
			continue
		}
		if p.index >= len(args) || len(args[p.index]) == 0 {
			return fresh // skip another function with the same name
		}
		name = append(name, f.expression(args[p.index])...)
		if at.IsZero() {
			at = f.place(args[p.index])
		}
	}
	w.called = true
	call := w.Call
	call.name, call.Span, call.Through = name, at, w.Call.Span
	if !w.Through.IsZero() {
		call.Through = w.Through
	}
	call.file, call.function, call.block, call.at, call.Name, call.branch = f, f.toks[i].function, f.toks[i].block, i, "", false
	call.Element = nil
	if w.until > 0 {
		call.until = int(f.match[f.open(i)])
	}
	return r.add(call, fresh)
}
