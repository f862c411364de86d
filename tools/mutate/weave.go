package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A woven file holds many mutants of itself, so that one test program judges
// them all. The mutants follow the functions, as further functions:
//
//	func f(x int) int { if mutantNow == 7 { return mutant7_f(x) }; return x + 1 }
//	func mutant7_f(x int) int { return x - 1 }
type woven struct {
	text   []byte
	copies []lines // in the order of the sites
}

type lines struct{ first, last int }

// weave puts the mutants of a file into it. numbers are the numbers of the sites.
func weave(name string, text []byte, sites []Site, numbers []int) (woven, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return woven{}, err
	}
	offset := func(p token.Pos) int { return fset.File(file.Pos()).Offset(p) }
	var edits []edit
	var copies bytes.Buffer
	w := woven{copies: make([]lines, len(sites))}
	line := bytes.Count(text, []byte{'\n'}) + 1
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		start, end := offset(f.Pos()), offset(f.End())
		named := false
		for i, s := range sites {
			if s.Start < offset(f.Body.Pos()) || s.End > end {
				continue
			}
			prefix := fmt.Sprintf("mutant%d_", numbers[i])
			at := offset(f.Name.Pos()) - start
			changed := s.in(text[start:end], start)
			copied := slices.Concat([]byte("\n"), changed[:at], []byte(prefix), changed[at:], []byte("\n"))
			w.copies[i] = lines{line + 1, line + bytes.Count(copied, []byte{'\n'})}
			line = w.copies[i].last
			copies.Write(copied)

			call, names := forward(f, prefix, offset)
			if !named {
				edits = append(edits, names...)
				named = true
			}
			at = offset(f.Body.Lbrace) + 1
			edits = append(edits, edit{at, at, fmt.Sprintf(" if mutantNow == %d { %s }; ", numbers[i], call)})
		}
	}
	w.text = append(apply(text, edits), copies.Bytes()...)
	return w, nil
}

// inFunction reports whether a mutant can be woven.
func inFunction(text []byte, s Site) bool {
	w, err := weave(s.File, text, []Site{s}, []int{1})
	return err == nil && w.copies[0].first > 0
}

// in returns a part of the text with the mutant in it.
func (s Site) in(part []byte, start int) []byte {
	s.Start, s.End = s.Start-start, s.End-start
	return s.Apply(part)
}

// forward returns the statement with which a function calls its mutant, and the
// edits that name its parameters for that.
func forward(f *ast.FuncDecl, prefix string, offset func(token.Pos) int) (string, []edit) {
	var edits []edit
	name := func(field *ast.Field, i int) []string {
		fresh := fmt.Sprintf("mutantArg%d", i)
		if len(field.Names) == 0 {
			at := offset(field.Type.Pos())
			edits = append(edits, edit{at, at, fresh + " "})
			return []string{fresh}
		}
		var names []string
		for k, n := range field.Names {
			if n.Name == "_" {
				n = &ast.Ident{Name: fmt.Sprintf("%s_%d", fresh, k), NamePos: n.NamePos}
				edits = append(edits, edit{offset(n.Pos()), offset(n.Pos()) + 1, n.Name})
			}
			names = append(names, n.Name)
		}
		return names
	}
	call := prefix + f.Name.Name
	if f.Recv != nil {
		call = name(f.Recv.List[0], 0)[0] + "." + call
	}
	if f.Type.TypeParams != nil {
		var types []string
		for _, field := range f.Type.TypeParams.List {
			for _, n := range field.Names {
				types = append(types, n.Name)
			}
		}
		call += "[" + strings.Join(types, ", ") + "]"
	}
	var args []string
	for i, field := range f.Type.Params.List {
		args = append(args, name(field, i+1)...)
		if _, ok := field.Type.(*ast.Ellipsis); ok {
			args[len(args)-1] += "..."
		}
	}
	call += "(" + strings.Join(args, ", ") + ")"
	if f.Type.Results.NumFields() > 0 {
		return "return " + call, edits
	}
	return call + "; return", edits
}

// An edit replaces the text between two offsets.
type edit struct {
	start, end int
	now        string
}

func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, text[done:e.start]...), e.now...)
		done = e.end
	}
	return append(out, text[done:]...)
}

// switchFile is an extra file in a package of mutants, which reads the number of the
// active mutant. The imports have names that no package uses.
const switchFile = `package %s

import (
	mutantOS "os"
	mutantStrconv "strconv"
)

var mutantNow = func() int {
	text, _ := mutantOS.ReadFile(%q)
	n, _ := mutantStrconv.Atoi(string(text))
	return n
}()
`
