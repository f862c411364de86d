package calls

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pentode-dev/pentode/core/source"
)

// Program holds the PDI calls in the source files of a program, or of a part of one.
type Program struct {
	Files []*File
	Calls []Call // sorted by file and position

	whole  bool           // all source files were read
	mains  map[*File]bool // the source files that contain the tree's file name; nil if none does
	byName map[string][]int
	vague  []int // indexes of the calls whose names are only known at run time
}

// Limits on what is read.
const (
	maxFiles = 20_000
	maxBytes = 128 << 20
)

// Sources are the source files of a program. A file that has not changed is scanned only once.
type Sources struct {
	Paths []string

	mu      sync.Mutex
	scanned map[string]*File
	program *Program
}

// Read reads the source files. If a file cannot be read, the program may contain any call.
func (s *Sources) Read(o source.Opener) *Program {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scanned == nil {
		s.scanned = map[string]*File{}
	}
	same, whole, size := s.program != nil, len(s.Paths) <= maxFiles, 0
	var files []*File
	for _, path := range s.Paths[:min(len(s.Paths), maxFiles)] {
		f, err := o.Open(path)
		if err != nil || size > maxBytes {
			whole = false
			continue
		}
		size += f.Len()
		have := s.scanned[path]
		if have == nil || have.Source != f && have.Source.Text() != f.Text() {
			have, same = Scan(f), false
			s.scanned[path] = have
		}
		files = append(files, have)
	}
	if !same || len(files) != len(s.program.Files) {
		calls, resolved := resolve(files)
		s.program = newProgram(files, calls, whole && resolved)
	}
	return s.program
}

func newProgram(files []*File, calls []Call, whole bool) *Program {
	p := &Program{Files: files, Calls: calls, whole: whole, byName: map[string][]int{}}
	for i := range calls {
		c := &calls[i]
		if c.Name == "" {
			p.vague = append(p.vague, i)
		} else {
			p.byName[c.Name] = append(p.byName[c.Name], i)
		}
	}
	p.whole = whole && !slices.ContainsFunc(files, func(f *File) bool { return f.opaque })
	return p
}

// Of returns the part of the program that reads a tree: the source files that contain the tree's file name, the files they are built with, and the
// source files that belong to no program with another tree. named is false if no source contains the name; in that case own has only the last of
// these kinds.
func (p *Program) Of(tree string, exists func(path string) bool) (own *Program, named bool) {
	var mine, others []*File
	for _, f := range p.Files {
		switch names, other := f.namesTree(tree, exists); {
		case names:
			mine = append(mine, f)
		case other:
			others = append(others, f)
		}
	}
	if len(mine)+len(others) == 0 {
		return p, false
	}
	x := newIndex(p.Files)
	ours, theirs := x.reach(mine), x.reach(others)
	keep := map[*File]bool{}
	var files []*File
	for _, f := range p.Files {
		if ours[f] || !theirs[f] {
			keep[f] = true
			files = append(files, f)
		}
	}
	var calls []Call
	for _, c := range p.Calls {
		if keep[c.file] {
			calls = append(calls, c)
		}
	}
	own = newProgram(files, calls, p.whole)
	if len(mine) == 0 {
		return own, false
	}
	own.mains = map[*File]bool{}
	for _, f := range mine {
		own.mains[f] = true
	}
	return own, true
}

// ForTree reports whether a call is intended for the tree. Other calls may be for the trees of other programs that share the source.
func (p *Program) ForTree(c *Call) bool {
	return (p.mains == nil || p.mains[c.file]) && c.Through.IsZero()
}

// namesTree reports whether a source contains the file name of the tree, and whether it contains the name of another tree that exists in the folder
// of the source or of the tree.
func (s *File) namesTree(tree string, exists func(string) bool) (names, other bool) {
	dir := filepath.Dir(s.Source.Path())
	if filepath.Clean(s.Source.Path()) == filepath.Clean(tree) {
		return true, false
	}
	for text := range s.literals {
		near := filepath.Join(dir, filepath.FromSlash(text))
		if base := filepath.Base(text); base != filepath.Base(tree) {
			other = other || looksLikeTree(base) && (exists(near) || exists(filepath.Join(filepath.Dir(tree), filepath.FromSlash(text))))
			continue
		}
		if near != filepath.Clean(tree) && exists(near) {
			other = true
			continue
		}
		return true, false
	}
	return false, other
}

// looksLikeTree reports whether a name looks like the name of a tree, or of a header that contains one.
func looksLikeTree(base string) bool {
	ext := filepath.Ext(base)
	return ext == ".yml" || ext == ".yaml" || strings.Contains(base, ".yml.") || strings.Contains(base, ".yaml.")
}

// index finds source files by the names with which other files include or import them.
type index struct{ byName map[string][]*File }

func newIndex(files []*File) index {
	x := index{map[string][]*File{}}
	for _, f := range files {
		base := filepath.Base(f.Source.Path())
		names := append([]string{base, stem(base)}, f.modules...)
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			x.byName[name] = append(x.byName[name], f)
		}
	}
	return x
}

func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// reach returns the given files and all files they are built with: files that they include, import or use, and, for a header, the source file of the
// same name.
func (x index) reach(from []*File) map[*File]bool {
	seen := map[*File]bool{}
	queue := slices.Clone(from)
	for _, f := range from {
		seen[f] = true
	}
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		for _, need := range f.needs {
			for _, name := range []string{need, stem(need)} {
				for _, next := range x.byName[name] {
					if !seen[next] {
						seen[next] = true
						queue = append(queue, next)
					}
				}
			}
		}
	}
	return seen
}

// Named returns the calls of the given kinds with a name.
func (p *Program) Named(name string, kinds ...Kind) (list []*Call) {
	for _, i := range p.byName[name] {
		if slices.Contains(kinds, p.Calls[i].Kind) {
			list = append(list, &p.Calls[i])
		}
	}
	return list
}

// Names returns, sorted, the names that appear as literals in calls of the given kind.
func (p *Program) Names(kind Kind) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(p.byName)) {
		for _, i := range p.byName[name] {
			if c := &p.Calls[i]; c.Kind == kind && !c.Implied {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// May reports whether a call of a kind may have this name although no source contains it as a literal. Such a name is put together from parts at run
// time.
func (p *Program) May(name string, kind Kind) bool {
	if !p.whole {
		return true
	}
	for _, i := range p.vague {
		if c := &p.Calls[i]; c.Kind == kind && c.fits(name) && (c.hasLiteral() || p.canSpell(name)) {
			return true
		}
	}
	return false
}

// hasLiteral reports whether a part of the name is a literal.
func (c *Call) hasLiteral() bool {
	return slices.ContainsFunc(c.name, func(p part) bool { return p.kind == literal && len(p.value) > 1 })
}

// fits reports whether a name begins and ends with the known parts of the call's name.
func (c *Call) fits(name string) bool {
	n := len(c.name)
	if n == 0 {
		return true
	}
	if first := c.name[0]; first.kind == literal {
		if !strings.HasPrefix(name, first.value) {
			return false
		}
		name = name[len(first.value):]
	}
	last := c.name[n-1]
	return n == 1 || last.kind != literal || strings.HasSuffix(name, last.value)
}

// canSpell reports whether the string literals of the sources contain the name, or the parts from which it could be concatenated.
func (p *Program) canSpell(name string) bool {
	for _, f := range p.Files {
		if f.literals[name] || slices.ContainsFunc(f.pieces, func(piece string) bool { return strings.HasPrefix(name, piece) || strings.HasSuffix(name, piece) }) {
			return true
		}
	}
	return false
}

// Together reports whether name is already shared when the call `with` shares its own name.
func (p *Program) Together(name string, with *Call) bool {
	for _, c := range p.Named(name, Share) {
		if c.file == with.file && c.function == with.function && c.at < with.at && p.until(c) > with.at {
			return true
		}
	}
	return false
}

// until returns the token up to which a call's data are shared: the call that ends the sharing, or the end of the source.
func (p *Program) until(c *Call) int {
	if c.until > 0 {
		return c.until
	}
	for _, take := range p.Named(c.Name, Take) {
		if take.file == c.file && take.function == c.function && take.at > c.at {
			return take.at
		}
	}
	return len(c.file.toks)
}

// After reports whether all calls that share a name come after the given call in the same function, so that the name has no value at that call. It
// returns the first of them.
func (p *Program) After(name string, call *Call) (*Call, bool) {
	list := p.Named(name, Share)
	if len(list) == 0 || call.branch {
		return nil, false
	}
	for _, c := range list {
		if c.file != call.file || c.function != call.function || c.at < call.at || !call.file.encloses(call.block, c.block) {
			return nil, false
		}
	}
	return list[0], true
}
