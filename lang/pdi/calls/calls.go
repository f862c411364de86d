// Package calls finds the calls of PDI in the source files of a program.
//
// A specification tree and its program agree on names alone, and no compiler checks these. This package analyses the source files far enough to
// know the names: string literals, macros and constants, and names that a function of the program passes on. A name that is only known at run
// time is marked as unknown, so that no check claims anything about it.
//
//	sources ──scan──▶ File: calls, constants, functions ──resolve──▶ Program ──Of──▶ the sources of one tree
//
// C, C++, Fortran and Python are analysed by their tokens and blocks; no source file is ever rejected.
package calls

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/lexer"
)

// Kind is what a call does.
type Kind uint8

// The kinds of calls.
const (
	Share  Kind = iota // shares memory: PDI_share, PDI_expose, each datum of PDI_multi_expose
	Take               // ends sharing: PDI_reclaim and PDI_release
	Access             // PDI_access: asks for memory that was shared elsewhere
	Event              // triggers an event
	begin              // begins a transaction; end ends it
	end
)

// Direction is what PDI may do with memory.
type Direction uint8

// The directions as the program sees them; 0 means unknown.
const (
	In  Direction = 1 << iota // into the program
	Out                       // out of it
)

// Call is one name that a call of PDI mentions.
type Call struct {
	Kind      Kind
	Name      string // empty if it is only known at run time
	Span      source.Span
	Direction Direction
	Element   *Element    // the type of the memory's elements; nil if unknown
	Through   source.Span // if the program calls its own function, which passes the name to PDI: the place of the PDI call inside it
	Implied   bool        // besides its written name, the call may share this name
	Lone      bool        // an event triggered only together with a datum of the same name

	name     []part
	file     *File
	function int32
	block    int32
	at       int  // the index of the call's token
	until    int  // the data are shared up to this token; 0 if unknown
	branch   bool // the call is the body of a condition without a block
}

// Element is the number type of the elements in memory.
type Element struct {
	Name string // as the source writes it
	Real bool
	Size int64
}

// File is a source file and what was found in it.
type File struct {
	Source *source.File
	Calls  []Call

	needs     []string        // names of the files and modules that it includes, imports or uses
	modules   []string        // modules that it defines
	literals  map[string]bool // the string literals in the source
	pieces    []string        // beginnings and ends of texts that the source concatenates
	opaque    bool            // a macro calls PDI
	functions []function      // the first stands for code outside all functions
	constants map[scoped]*constant
	variables map[scoped]*variable
	blocks    []int32 // the enclosing block of each block
	toks      []token
	match     []int32
	language  lexer.Language
}

// function is a function of the program.
type function struct {
	name   string
	params []string
}

// scoped is a name in a function. Function 0 stands for the whole file.
type scoped struct {
	function int32
	name     string
}

// constant is a name for a text, which is a literal or a concatenation.
type constant struct {
	value []part
	count int // how often a value is assigned; if more than once, it is not a constant
}

// variable is a variable or array of the program with a number type.
type variable struct {
	element  *Element
	pointers int
	other    bool // it is declared again with another type
}

// part is a part of a name: a text, a word whose value is looked up, or something only known at run time.
type part struct {
	kind  partKind
	value string
	index int // for a parameter: its index
}

type partKind uint8

const (
	literal partKind = iota
	named
	parameter
	unknown
)

// Reads reports whether a file is a source file, judged by its name.
func Reads(path string) bool {
	_, ok := languages[strings.ToLower(filepath.Ext(path))]
	return ok
}

// Scan analyses one source file.
func Scan(f *source.File) *File {
	s := &File{
		Source: f, language: languages[strings.ToLower(filepath.Ext(f.Path()))],
		literals: map[string]bool{}, constants: map[scoped]*constant{}, variables: map[scoped]*variable{},
	}
	s.parse()
	s.texts()
	s.define()
	s.find()
	if len(s.Calls) == 0 {
		s.toks, s.match = nil, nil // free memory; most files contain no calls
	}
	return s
}

// parse splits a source into tokens, blocks and functions.
func (s *File) parse() {
	s.functions, s.blocks, s.needs, s.modules = []function{{}}, []int32{-1}, nil, nil
	fixed := slices.Contains([]string{".f", ".for", ".f77"}, strings.ToLower(filepath.Ext(s.Source.Path())))
	s.toks = s.preprocess(lex(s.Source.Text(), s.language, fixed))
	s.match = pairs(s.toks)
	switch s.language {
	case c:
		s.braces()
	case fortran:
		s.statements()
	case python:
		s.indentation()
	}
}

// pairs returns the index of the matching bracket for each bracket, or -1 if there is none.
func pairs(toks []token) []int32 {
	list := make([]int32, len(toks))
	var open []int32
	for i, t := range toks {
		list[i] = -1
		if t.kind != sign {
			continue
		}
		switch t.value {
		case "(", "[", "{":
			open = append(open, int32(i))
		case ")", "]", "}":
			if n := len(open); n > 0 && closes[t.value] == toks[open[n-1]].value {
				list[i], list[open[n-1]] = open[n-1], int32(i)
				open = open[:n-1]
			}
		}
	}
	return list
}

var closes = map[string]string{")": "(", "]": "[", "}": "{"}

// span is the place of tokens.
func (s *File) span(list []token) source.Span {
	if len(list) == 0 {
		return s.Source.Span(0, 0)
	}
	return s.Source.Span(int(list[0].start), int(list[len(list)-1].end))
}

// texts collects the string literals of a source file, and those that it concatenates with others.
func (s *File) texts() {
	const maxText = 200
	for i, t := range s.toks {
		if t.kind != text && t.kind != formatted || len(t.value) > maxText || t.value == "" {
			continue
		}
		s.literals[t.value] = true
		if cut := strings.IndexAny(t.value, "%{"); cut >= 0 {
			s.piece(t.value[:cut])
			s.piece(t.value[strings.LastIndexAny(t.value, "%{}sdi")+1:])
		}
		if s.joins(i-1) || s.joins(i+1) {
			s.piece(t.value)
		}
	}
}

// joins reports whether a token concatenates texts.
func (s *File) joins(i int) bool {
	if i < 0 || i >= len(s.toks) {
		return false
	}
	t := s.toks[i]
	return t.is("+") || t.is("+=") || t.is("//") || t.kind == text || t.kind == formatted
}

// piece records a part of a concatenation. A single letter is skipped, because almost any name could contain it.
func (s *File) piece(value string) {
	if len(value) > 1 {
		s.pieces = append(s.pieces, value)
	}
}
