package debuginfo

import (
	"debug/elf"
	"slices"
	"strings"
)

// A compiler turns the body of a parallel region or of a task into a separate function,
// the outlined function. Only the code that starts the region refers to it, so the
// outlined function is counted as part of the function with that code.

// outlined reports whether a compiler made the function from a part of another one.
func (n named) outlined() bool {
	for _, name := range []string{n.name, n.linkage} {
		for _, mark := range []string{".omp_outlined", ".omp_task_entry", "._omp_fn."} {
			if strings.Contains(name, mark) {
				return true
			}
		}
	}
	return false
}

// outlining is an outlined function with the code that refers to it.
type outlining struct {
	at int32              // the only function with such code; none if there is none yet, several if there are several
	in map[*Function]bool // the functions with such code

	owner int32 // the function it was made from, once looked up
	asked bool
}

const (
	several  = none - 1
	maxHolds = 16 // the largest number of functions in outlining.in
)

// adopt assigns the code of outlined functions to the functions they were made from. If
// that function is uncertain, the outlined one keeps its name.
func (x *index) adopt() {
	made := map[uint64]*outlining{} // by their start addresses
	for i := range x.funcs {
		if fn := &x.funcs[i]; (named{fn.Name, fn.alias}).outlined() {
			made[fn.Low] = &outlining{at: none, in: map[*Function]bool{}}
		}
	}
	if len(made) == 0 {
		return
	}
	x.file.references(func(at, to uint64) {
		o := made[to]
		if o == nil {
			return
		}
		if fn, by := x.function(at), x.at(at); fn != nil && by != none && fn.Low != to && len(o.in) < maxHolds {
			o.in[fn] = true
			o.at = join(o.at, by)
		}
	})
	for i := range x.segments {
		s := &x.segments[i]
		if s.fn == none || !x.names[s.fn].outlined() {
			continue
		}
		if owner := x.madeFrom(made, x.function(s.low)); owner != none {
			s.fn = owner
		}
	}
}

// join returns b if a is none or equal to b, and several if a and b differ.
func join(a, b int32) int32 {
	if a == none || a == b {
		return b
	}
	return several
}

// madeFrom returns the function that an outlined function was made from, or none.
func (x *index) madeFrom(made map[uint64]*outlining, fn *Function) int32 {
	if fn == nil || made[fn.Low] == nil {
		return none
	}
	o := made[fn.Low]
	if o.asked {
		return o.owner
	}
	o.asked, o.owner = true, none // the function may refer to itself: end the recursion
	owner := x.startedFrom(o, fn)
	if owner < 0 {
		owner = o.at
	}
	if owner >= 0 && x.names[owner].outlined() {
		owner = none
		for holder := range o.in {
			owner = join(owner, x.madeFrom(made, holder))
		}
	}
	o.owner = max(owner, none)
	return o.owner
}

// startedFrom returns the function with the call that starts an outlined function. The
// call is on the same source line, in code that refers to the outlined function.
func (x *index) startedFrom(o *outlining, fn *Function) int32 {
	f, owner := x.file, none
	line, ok, err := f.row(x, fn.Low)
	if err != nil || !ok {
		return none
	}
	for holder := range o.in {
		p, err := f.body(x, holder)
		if err != nil {
			return none
		}
		rows := slices.DeleteFunc(p.rows, func(r row) bool { return r.line != line.line || r.file != line.file })
		for _, c := range f.calls(p, rows) {
			if c.callee != "" {
				owner = join(owner, x.at(c.next-1))
			}
		}
	}
	return owner
}

// references calls visit for each instruction that seems to use an address, with the
// place of the instruction and the address.
func (f *File) references(visit func(at, to uint64)) {
	for _, s := range f.elf.Sections {
		if s.Flags&elf.SHF_EXECINSTR == 0 || s.Type == elf.SHT_NOBITS {
			continue
		}
		code, err := s.Data()
		if err != nil {
			continue
		}
		switch f.elf.Machine {
		case elf.EM_X86_64:
			f.referencesX86(code, s.Addr, visit)
		case elf.EM_AARCH64:
			f.referencesARM64(code, s.Addr, visit)
		}
	}
}

func (f *File) referencesX86(code []byte, base uint64, visit func(at, to uint64)) {
	for i := 1; i+6 <= len(code); i++ {
		at := base + uint64(i)
		switch b := code[i]; {
		case b == 0x8d && code[i-1]&0xf8 == 0x48 && code[i+1]&0xc7 == 0x05: // lea distance(%rip)
			visit(at, at+6+f.distance(code[i+2:]))
		case b == 0xe8 || b == 0xe9: // call, jmp
			visit(at, at+5+f.distance(code[i+1:]))
		case b&0xf8 == 0xb8: // mov, in a program that is not position-independent
			visit(at, uint64(f.elf.ByteOrder.Uint32(code[i+1:])))
		}
	}
}

func (f *File) referencesARM64(code []byte, base uint64, visit func(at, to uint64)) {
	word := func(i int) uint32 { return f.elf.ByteOrder.Uint32(code[i:]) }
	for i := 0; i+4 <= len(code); i += 4 {
		at, w := base+uint64(i), word(i)
		switch {
		case w&0x7c000000 == 0x14000000: // b, bl
			visit(at, at+uint64(int64(int32(w<<6))>>4))
		case w&0x9f000000 == 0x90000000: // adrp, followed closely by an add to the same register
			const apart = 8
			for j := i + 4; j+4 <= len(code) && j <= i+4*apart; j += 4 {
				if add := word(j); add&0xffc00000 == 0x91000000 && add>>5&31 == w&31 {
					visit(at, page(at, w)+uint64(add>>10&0xfff))
					break
				}
			}
		}
	}
}
