package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/token"
)

// Print formats a tree. It does not join or split lines; it changes their indentation, the blanks between words, and the empty lines between
// sections.
func Print(t *Tree) string {
	p := printer{tree: t, toks: t.Tokens().Tokens}
	p.out.Grow(t.File().Len() + t.File().Len()/8)
	at := 0
	for i := range t.Stmts {
		s := &t.Stmts[i]
		p.between(at, int(s.Tokens.First))
		if s.Kind == IncludeStmt {
			p.lookAhead(i)
		}
		p.statement(s)
		at = int(s.Tokens.End)
	}
	p.between(at, len(p.toks))
	p.endLine()
	p.flush(p.level())
	return p.out.String()
}

type printer struct {
	tree *Tree
	toks []token.Token
	out  strings.Builder

	written  bool   // the current line is not empty
	empty    bool   // an empty line must be written
	bang     string // a `!` that must be written before the next line
	comments []string

	section bool // below a header
	cluster bool // in the head of a cluster
	depth   int  // open blocks
	before  Kind // the kind of the last statement
	any     bool // a statement was written

	follows          int  // the index of the first statement after the current includes
	sectionContinues bool // that statement belongs to the current section
}

// lookAhead finds out whether the section continues after the includes at i.
func (p *printer) lookAhead(i int) {
	if p.follows > i {
		return
	}
	for p.follows = i; p.follows < len(p.tree.Stmts) && p.tree.Stmts[p.follows].Kind == IncludeStmt; p.follows++ {
	}
	p.sectionContinues = false
	if p.follows < len(p.tree.Stmts) {
		switch p.tree.Stmts[p.follows].Kind {
		case EntryStmt, BlockStmt, EndblockStmt:
			p.sectionContinues = true
		}
	}
}

// between writes the empty lines and comments between two statements.
func (p *printer) between(first, stop int) {
	breaks := 0
	for i := first; i < stop; i++ {
		switch p.toks[i].Kind {
		case Newline:
			p.endLine()
			if breaks++; breaks > 1 || first == 0 && breaks == 1 && p.fresh(i) {
				p.flush(p.level())
				p.empty = p.out.Len() > 0
			}
		case Comment:
			text := strings.TrimRight(p.tree.Tokens().At(i), blanks)
			if p.written {
				p.out.WriteString(p.gap(i))
				p.out.WriteString(text)
				continue
			}
			p.comments = append(p.comments, p.bang+text)
			p.bang = ""
			breaks = 0
		case Bang:
			p.bang = "!"
			if i+1 < stop && p.toks[i+1].Kind == Blank {
				p.bang = "! "
			}
			breaks = 0
		}
	}
}

// fresh reports whether line break i ends an empty line at the start of the file.
func (p *printer) fresh(i int) bool {
	for i--; i >= 0; i-- {
		if k := p.toks[i].Kind; k != Blank && k != Newline {
			return false
		}
	}
	return true
}

// gap returns the blanks before token i. It removes carriage returns, except one without which a word would become an include.
func (p *printer) gap(i int) string {
	if i == 0 || p.toks[i-1].Kind != Blank {
		return ""
	}
	if p.afterInclude(i) {
		return p.tree.Tokens().At(i - 1)
	}
	if text := strings.Trim(p.tree.Tokens().At(i-1), "\r"); text != "" {
		return text
	}
	return " "
}

func (p *printer) endLine() {
	if p.written {
		p.out.WriteByte('\n')
		p.written = false
	}
	if p.bang != "" {
		p.comments = append(p.comments, strings.TrimRight(p.bang, " "))
		p.bang = ""
	}
}

// flush writes the comment lines read so far, indented like the line below them.
func (p *printer) flush(indent int) {
	for _, c := range p.comments {
		p.space()
		p.indent(indent)
		p.out.WriteString(c)
		p.out.WriteByte('\n')
	}
	p.comments = p.comments[:0]
}

func (p *printer) space() {
	if p.empty {
		p.out.WriteByte('\n')
		p.empty = false
	}
}

const sixteen = "                "

func (p *printer) indent(n int) {
	for ; n > len(sixteen); n -= len(sixteen) {
		p.out.WriteString(sixteen)
	}
	p.out.WriteString(sixteen[:n])
}

// level returns the indentation of an entry at the current place.
func (p *printer) level() int {
	n := 2 * min(p.depth, 40)
	if p.section || p.cluster {
		n += 2
	}
	return n
}

// statement writes one statement.
func (p *printer) statement(s *Stmt) {
	head, more := p.place(s)
	if !p.written {
		p.startLine(head)
	} else if p.afterInclude(int(s.Tokens.First)) {
		p.out.WriteString(p.gap(int(s.Tokens.First)))
	} else {
		p.out.WriteByte(' ')
	}
	toks := p.toks[:s.Tokens.End]
	fresh := true // no token of the statement is on this line yet
	var last token.Kind
	for i := int(s.Tokens.First); i < len(toks); i++ {
		switch k := toks[i].Kind; k {
		case Blank:
		case Newline:
			p.endLine()
			fresh = true
		case Comment:
			p.comment(i, more)
		case Bang:
			p.bang = "!"
			if i+1 < len(toks) && toks[i+1].Kind == Blank {
				p.bang = "! "
			}
		default:
			if !p.written {
				p.startLine(more)
			} else if !fresh {
				p.out.WriteString(p.separator(s, i, last))
			}
			p.out.WriteString(p.tree.Tokens().At(i))
			p.written, fresh = true, false
			if k == To && s.Flags&Incomplete == 0 && i+1 < len(toks) && s.Kind != EntryStmt && p.startsLine(i) {
				p.out.WriteString("  ") // align with the text after `from`
			}
			last = k
		}
	}
	p.after(s)
}

// startsLine reports whether token i is the first of its line.
func (p *printer) startsLine(i int) bool {
	for i--; i >= 0; i-- {
		switch p.toks[i].Kind {
		case Blank, Bang:
		case Newline:
			return true
		default:
			return false
		}
	}
	return true
}

func (p *printer) comment(i, indent int) {
	text := strings.TrimRight(p.tree.Tokens().At(i), blanks)
	if p.written {
		p.out.WriteString(p.gap(i))
		p.out.WriteString(text)
		return
	}
	p.flush(indent)
	p.space()
	p.indent(indent)
	p.out.WriteString(p.bang + text)
	p.bang = ""
	p.written = true
}

func (p *printer) startLine(indent int) {
	p.flush(indent)
	p.space()
	p.indent(indent)
	p.out.WriteString(p.bang)
	p.bang = ""
	p.written = true
}

// place returns the indentation of a statement's first and further lines. It requests an empty line before a section.
func (p *printer) place(s *Stmt) (head, more int) {
	gap := false
	head = p.level()
	more = head + 4
	switch s.Kind {
	case ConfigStmt, ProcessStmt, ClusterStmt:
		gap = true
		head, more = 0, 2
	case ConnectStmt:
		gap = p.before != ConnectStmt
		head, more = 0, 8
	case IncludeStmt:
		if p.depth == 0 && !p.sectionContinues {
			head = 0
		}
	case ImapStmt, OmapStmt:
		gap = p.cluster && p.before == DescStmt
		head, more = 2, 7
	case EndblockStmt:
		head = max(head-2, 0)
		if p.depth == 0 {
			head = p.level()
		}
	case EntryStmt:
		gap = p.cluster && p.before == DescStmt
	}
	if gap && p.any && !p.written {
		p.empty = true
	}
	return head, more
}

// after updates the open section and blocks after a statement.
func (p *printer) after(s *Stmt) {
	switch s.Kind {
	case ConfigStmt, ProcessStmt:
		p.section, p.cluster, p.depth = true, false, 0
	case ClusterStmt:
		p.section, p.cluster, p.depth = false, true, 0
	case ConnectStmt:
		p.section, p.cluster, p.depth = false, false, 0
	case BlockStmt:
		p.depth++
	case EndblockStmt:
		p.depth = max(p.depth-1, 0)
	}
	p.before, p.any = s.Kind, true
}

// separator returns the text between the tokens last and i of one line.
func (p *printer) separator(s *Stmt, i int, last token.Kind) string {
	k := p.toks[i].Kind
	had := p.toks[i-1].Kind == Blank
	if s.Kind == Broken || s.Has(Incomplete) {
		return p.gap(i)
	}
	switch {
	case last == Dashes:
		return p.gap(i)
	case last == Word && p.afterInclude(i):
		if k == Value {
			return p.gap(i)
		}
		return ""
	case last == LocalAssign:
		if had {
			return " "
		}
		return ""
	case last == Include:
		if s.Has(Tabbed) {
			return p.gap(i)
		}
		return " "
	case k == Value, k == Assign, k == LocalAssign, k == DoubleColon, last == DoubleColon, last == Comma:
		return " "
	case k == Colon, k == Slash, k == Dot, k == Comma, k == Open, k == Close,
		last == Colon, last == Slash, last == Dot, last == Open:
		return p.tight(s, k, last)
	}
	return " "
}

// afterInclude reports whether token i follows a word `include` at the start of a line that is not an include statement. A space between the two
// would make it one.
func (p *printer) afterInclude(i int) bool {
	for i--; i >= 0 && p.toks[i].Kind == Blank; i-- {
	}
	return i >= 0 && p.toks[i].Kind == Word && p.tree.Tokens().At(i) == "include" && p.startsLine(i)
}

// tight returns the separator between the parts of a name: none, except a space between `relativepath` and a colon.
func (p *printer) tight(s *Stmt, k, last token.Kind) string {
	if last == Relativepath && k == Colon && s.Has(Relative|OldStyle) {
		return " "
	}
	return ""
}
