package syntax

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// Parse reads a text. It never fails: text that is not a statement becomes a Broken statement with a problem, and reading continues at the next
// statement.
func Parse(f *source.File) *Tree {
	tokens := &token.List{File: f}
	p := &parser{tree: &Tree{Tree: token.NewTree(tokens)}}
	p.text = f.Text()
	p.toks = make([]token.Token, 0, f.Len()/4+8)
	p.tree.Stmts = make([]Stmt, 0, f.Len()/32+4)
	p.look()
	for p.next.kind != end {
		p.statement()
	}
	tokens.Tokens = p.toks
	return p.tree
}

type parser struct {
	scanner
	tree  *Tree
	depth int // number of open blocks in this file
}

// statement reads one statement.
func (p *parser) statement() {
	p.tree.Stmts = append(p.tree.Stmts, Stmt{})
	s := &p.tree.Stmts[len(p.tree.Stmts)-1]
	s.Tokens.First = int32(len(p.toks))
	ok := true
	switch p.next.kind {
	case Word, Relativepath:
		ok = p.stage(s) || p.entry(s)
	case Colon:
		ok = p.oldEntry(s)
	case Include:
		p.include(s)
	case Block, Endblock:
		k := p.next.kind
		p.accept()
		ok = p.after(k, s)
	case Dashes:
		s.Kind = DescStmt
		p.accept()
		if p.pos < len(p.text) && !isBlank[p.text[p.pos]] && p.text[p.pos] != '\n' && p.text[p.pos] != '#' {
			s.Flags |= Glued
		}
		s.Value = p.rest()
	case Process, Config, Connect, Cluster, Imap, Omap:
		k := p.next.kind
		p.advance()
		ok = p.after(k, s)
	default:
		if ok = p.placeholder(s); !ok {
			p.unexpected()
		}
	}
	if !ok {
		s.Flags |= Incomplete
		p.recover(s)
	}
	s.Tokens.End = p.last()
}

// placeholder reads a line `[-NAME-]`, which a tool later replaces with any text.
func (p *parser) placeholder(s *Stmt) bool {
	line, _, _ := strings.Cut(p.text[p.pos:p.lineEnd()], "#")
	line = strings.TrimRight(line, blanks)
	name, ok := strings.CutPrefix(line, "[-")
	name, closed := strings.CutSuffix(name, "-]")
	if p.next.kind != Open || !p.next.line || !ok || !closed || name == "" || strings.ContainsAny(name, "[]"+blanks) {
		return false
	}
	s.Kind = PlaceholderStmt
	p.rest()
	return true
}

// stage reads a line `pipeline stage N:`. A VIAME tool splits a file at these lines and passes each part separately to the original program.
func (p *parser) stage(s *Stmt) bool {
	line, _, _ := strings.Cut(p.text[p.pos:p.lineEnd()], "#")
	rest, ok := strings.CutPrefix(line, "pipeline stage ")
	if !ok {
		return false
	}
	number, closed := strings.CutSuffix(strings.TrimRight(rest, blanks), ":")
	if _, err := strconv.ParseUint(strings.Trim(number, blanks), 10, 16); !closed || err != nil || !p.next.line {
		return false
	}
	s.Kind = StageStmt
	p.rest()
	return true
}

// after reads the part of a statement after its first word.
func (p *parser) after(k token.Kind, s *Stmt) bool {
	switch k {
	case Process:
		return p.process(s)
	case Config:
		return p.config(s)
	case Connect:
		return p.connect(s)
	case Cluster:
		return p.cluster(s)
	case Imap:
		return p.imap(s)
	case Omap:
		return p.omap(s)
	case Block:
		s.Kind = BlockStmt
		s.Name = p.rest()
		p.depth++
	case Endblock:
		s.Kind = EndblockStmt
		p.depth = max(p.depth-1, 0)
		s.Value = p.rest()
	case Include:
		s.Kind = IncludeStmt
		s.Name = p.rest()
	}
	return true
}

// last returns the index after the last token with a meaning.
func (p *parser) last() int32 {
	n := len(p.toks)
	for n > 0 {
		switch p.toks[n-1].Kind {
		case Blank, Newline, Comment, Bang:
			n--
			continue
		}
		break
	}
	return int32(n)
}

// recover skips the rest of a broken statement: this line, and lines that cannot begin a statement.
func (p *parser) recover(s *Stmt) {
	if !p.next.line || int32(len(p.toks)) == s.Tokens.First || p.forgotten(s) {
		p.skipLine()
	}
	for {
		switch p.next.kind {
		case DoubleColon, From, To, Assign, LocalAssign, Slash, Dot, Comma, Open, Close, token.Bad:
			p.skipLine()
		default:
			return
		}
	}
}

// forgotten reports whether the next line is the second part of a connection that lacks its `to`: a word that does not begin an entry.
func (p *parser) forgotten(s *Stmt) bool {
	return p.next.kind == Word && s.Kind >= ConnectStmt && s.Kind <= OmapStmt && s.Kind != ClusterStmt && !p.assigns()
}

func (p *parser) skipLine() {
	for {
		if p.next.kind == end {
			return
		}
		p.advance()
		if p.next.line {
			return
		}
	}
}

// report adds a problem at the next token or, if the statement ends too soon, at its last one.
func (p *parser) report(code *diag.Code, format string, args ...any) *diag.Diagnostic {
	at := p.tree.File().Span(int(p.next.start), int(p.next.end))
	if n := p.last(); n > 0 && (p.next.kind == end || p.begins()) {
		at = p.tree.File().Span(int(p.toks[n-1].Start), int(p.toks[n-1].End))
	}
	if p.next.kind == Include {
		return p.split(at)
	}
	return p.tree.Report(code, at, format, args...)
}

// split reports a statement that an include interrupts.
func (p *parser) split(at source.Span) *diag.Diagnostic {
	p.tree.Stmts[len(p.tree.Stmts)-1].Flags |= Split
	d := p.tree.Report(SplitStatement, at, "a statement continues after this include")
	return d.Labelled("the line above is not complete").Helped("finish the statement before the include, or put all of it into the included file")
}

// begins reports whether the next line begins another statement.
func (p *parser) begins() bool {
	k := p.next.kind
	switch {
	case !p.next.line:
		return false
	case k == Word:
		return p.assigns()
	}
	return k == Colon || IsKeyword(k) && k != From && k != To
}

// assigns reports whether the current line may contain an entry, because it has a `=`.
func (p *parser) assigns() bool { return strings.Contains(p.text[p.pos:p.lineEnd()], "=") }

// found describes the next token, for a message.
func (p *parser) found() string {
	switch {
	case p.next.kind == end:
		return "the end of the file"
	case p.begins():
		return "the next statement"
	}
	text := problem.Clip(p.text[p.next.start:p.next.end], problem.Short)
	if name, ok := invisible[text]; ok {
		return name
	}
	if IsKeyword(p.next.kind) {
		return "the reserved word `" + text + "`"
	}
	return "`" + text + "`"
}

// invisible maps characters that look like a blank or are not visible at all to their names.
var invisible = map[string]string{
	"\u00a0": "a no-break space", "\u202f": "a narrow no-break space", "\u200b": "a zero-width space", "\ufeff": "a byte order mark",
}

// dashed reports whether the next word begins with `-`, which is allowed only in parts of keys.
func (p *parser) dashed() bool { return p.text[p.next.start] == '-' }

func (p *parser) unexpected() {
	d := p.report(UnexpectedToken, "no statement begins with %s", p.found())
	switch p.next.kind {
	case From, To:
		d.Helped("a connection is `connect from PROCESS.PORT to PROCESS.PORT`")
	case DoubleColon:
		d.Helped("a process is `process NAME :: TYPE`")
	case Slash:
		d.Helped("a comment begins with `#`")
	case token.Bad:
		if _, ok := invisible[p.text[p.next.start:p.next.end]]; ok {
			d.Helped("write a blank in its place")
			return
		}
		fallthrough
	default:
		d.Helped("statements are `key = value`, `:key value`, `config`, `process`, `connect`, `block`, `include`")
	}
}

// include reads a file name.
func (p *parser) include(s *Stmt) {
	s.Kind = IncludeStmt
	p.accept()
	if p.text[p.pos] == '\t' {
		s.Flags |= Tabbed
	}
	s.Name = p.rest()
}

// word reads a name that consists of one word.
func (p *parser) word(what string) (Text, bool) {
	if p.next.kind != Word || p.dashed() {
		p.expected(what)
		return Text{}, false
	}
	t := Text{Start: p.next.start, End: p.next.end}
	p.advance()
	return t, true
}

func (p *parser) expected(what string) {
	if IsKeyword(p.next.kind) && !p.next.line { // at the start of a line, the keyword begins the next statement
		p.report(ReservedWord, "expected %s, but `%s` is a reserved word", what, p.text[p.next.start:p.next.end]).
			Helped("choose another name; reserved are block, endblock, process, connect, from, to, cluster, imap, omap, relativepath, config")
		return
	}
	p.report(ExpectedName, "expected %s, but found %s", what, p.found())
}

// keyword reads a particular keyword.
func (p *parser) keyword(k token.Kind, word, form string) bool {
	if p.next.kind != k {
		d := p.report(ExpectedWord, "expected `%s`, but found %s", word, p.found())
		if p.next.kind == Word {
			d.Suggest(true, word)
		}
		if len(d.Help) == 0 {
			d.Helped("write `%s`", form)
		}
		return false
	}
	p.advance()
	return true
}
