package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A Site is one mutant: a place in a file and the text that replaces it.
type Site struct {
	File   string // below the root of the module
	Line   int
	Column int
	Start  int // offsets of the replaced text
	End    int
	Kind   string // the kind of change: constant, call, error, ...
	Was    string
	Now    string
	Text   string // the line, without the blanks around it
	Nth    int    // its number among the sites of the file that are otherwise equal
}

// ID names a mutant. It stays the same when lines are added elsewhere.
func (s Site) ID() string {
	return fmt.Sprintf("%s: %s: %s %s -> %s (%d.%d)", s.File, s.Text, s.Kind, s.Was, s.Now, s.Column, s.Nth)
}

// At returns the current place of the mutant.
func (s Site) At() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// Apply returns the text with the mutant in it.
func (s Site) Apply(text []byte) []byte {
	return slices.Concat(text[:s.Start], []byte(s.Now), text[s.End:])
}

// rank orders the sites of an area at random; the same seed gives the same order.
// The hash must mix the last bytes well, or all seeds would give the same order.
func (s Site) rank(seed uint64) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s#%d", s.ID(), seed))
	return binary.BigEndian.Uint64(sum[:])
}

// swaps are the tokens that are replaced by other tokens.
var swaps = map[token.Token]struct {
	kind string
	now  token.Token
}{
	token.LSS: {"compare", token.LEQ}, token.LEQ: {"compare", token.LSS},
	token.GTR: {"compare", token.GEQ}, token.GEQ: {"compare", token.GTR},
	token.EQL: {"compare", token.NEQ}, token.NEQ: {"compare", token.EQL},

	token.ADD: {"arithmetic", token.SUB}, token.SUB: {"arithmetic", token.ADD},
	token.MUL: {"arithmetic", token.QUO}, token.QUO: {"arithmetic", token.MUL}, token.REM: {"arithmetic", token.MUL},
	token.SHL: {"arithmetic", token.SHR}, token.SHR: {"arithmetic", token.SHL},
	token.AND: {"arithmetic", token.OR}, token.OR: {"arithmetic", token.AND}, token.AND_NOT: {"arithmetic", token.AND},
	token.ADD_ASSIGN: {"arithmetic", token.SUB_ASSIGN}, token.SUB_ASSIGN: {"arithmetic", token.ADD_ASSIGN},
	token.MUL_ASSIGN: {"arithmetic", token.QUO_ASSIGN}, token.QUO_ASSIGN: {"arithmetic", token.MUL_ASSIGN},
	token.OR_ASSIGN: {"arithmetic", token.AND_ASSIGN}, token.AND_ASSIGN: {"arithmetic", token.OR_ASSIGN},
	token.INC: {"arithmetic", token.DEC}, token.DEC: {"arithmetic", token.INC},

	token.LAND: {"logic", token.LOR}, token.LOR: {"logic", token.LAND},

	token.BREAK: {"loop", token.CONTINUE}, token.CONTINUE: {"loop", token.BREAK},
}

// Sites finds every mutant of a file. It does not know types, so some mutants do not
// compile; they are not counted.
func Sites(name string, text []byte) ([]Site, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	f := finder{name: name, text: text, lines: strings.Split(string(text), "\n"), file: fset.File(file.Pos())}
	ast.PreorderStack(file, nil, func(n ast.Node, outer []ast.Node) bool {
		f.visit(n, outer)
		return true
	})
	slices.SortStableFunc(f.sites, func(a, b Site) int { return cmp.Compare(a.Start, b.Start) })
	seen := map[string]int{}
	for i := range f.sites {
		id := f.sites[i].ID()
		f.sites[i].Nth = seen[id]
		seen[id]++
	}
	return f.sites, nil
}

type finder struct {
	name  string
	text  []byte
	lines []string
	file  *token.File
	sites []Site
}

func (f *finder) add(kind string, from, to token.Pos, now string) {
	at := f.file.Position(from)
	start, end := f.file.Offset(from), f.file.Offset(to)
	f.sites = append(f.sites, Site{
		File: f.name, Line: at.Line, Column: at.Column, Start: start, End: end, Kind: kind,
		Was: string(f.text[start:end]), Now: now, Text: strings.TrimSpace(f.lines[at.Line-1]),
	})
}

func (f *finder) swap(at token.Pos, was token.Token) {
	if s, ok := swaps[was]; ok {
		f.add(s.kind, at, at+token.Pos(len(was.String())), s.now.String())
	}
}

func (f *finder) visit(n ast.Node, outer []ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.swap(n.OpPos, n.Op)
		if n.Op == token.LAND || n.Op == token.LOR {
			f.condition(n.X)
			f.condition(n.Y)
		}
	case *ast.AssignStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		if n.Label == nil {
			f.swap(n.TokPos, n.Tok)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.add("not", n.OpPos, n.OpPos+1, "")
		}
	case *ast.IfStmt:
		f.condition(n.Cond)
	case *ast.ExprStmt:
		if _, ok := n.X.(*ast.CallExpr); ok {
			f.call(n)
		}
	case *ast.DeferStmt:
		f.call(n)
	case *ast.BasicLit:
		f.literal(n)
	case *ast.Ident:
		switch n.Name {
		case "true":
			f.add("bool", n.Pos(), n.End(), "false")
		case "false":
			f.add("bool", n.Pos(), n.End(), "true")
		}
	case *ast.ReturnStmt:
		f.failure(n, outer)
	}
}

// condition negates a name or a call. Operators are mutated elsewhere.
func (f *finder) condition(n ast.Expr) {
	switch n.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.CallExpr:
		f.add("condition", n.Pos(), n.Pos(), "!")
	}
}

// call removes a call, but keeps its line breaks, so that positions do not change.
func (f *finder) call(n ast.Stmt) {
	lines := f.file.Line(n.End()) - f.file.Line(n.Pos())
	f.add("call", n.Pos(), n.End(), strings.Repeat("\n", lines))
}

// literal changes a number or a letter by one.
func (f *finder) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		if v, err := strconv.ParseUint(n.Value, 0, 64); err == nil && v+1 != 0 {
			f.add("constant", n.Pos(), n.End(), strconv.FormatUint(v+1, 10))
		}
	case token.FLOAT:
		f.add("constant", n.Pos(), n.End(), "(1 + "+n.Value+")")
	case token.CHAR:
		if v, _, _, err := strconv.UnquoteChar(strings.Trim(n.Value, "'"), '\''); err == nil {
			f.add("constant", n.Pos(), n.End(), strconv.QuoteRune(v+1))
		}
	}
}

// failure replaces a returned error with nil.
func (f *finder) failure(n *ast.ReturnStmt, outer []ast.Node) {
	results := resultsOf(outer)
	if results == nil || len(n.Results) != results.NumFields() || len(n.Results) == 0 {
		return
	}
	if t, ok := results.List[len(results.List)-1].Type.(*ast.Ident); !ok || t.Name != "error" {
		return
	}
	last := n.Results[len(n.Results)-1]
	if id, ok := last.(*ast.Ident); ok && id.Name == "nil" {
		return
	}
	if strings.Contains(string(f.text[f.file.Offset(last.Pos()):f.file.Offset(last.End())]), "\n") {
		return
	}
	f.add("error", last.Pos(), last.End(), "nil")
}

// resultsOf returns the results of the function around a statement.
func resultsOf(outer []ast.Node) *ast.FieldList {
	for _, n := range slices.Backward(outer) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Type.Results
		case *ast.FuncLit:
			return n.Type.Results
		}
	}
	return nil
}
