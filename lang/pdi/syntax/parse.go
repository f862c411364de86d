package syntax

import (
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
)

// maxDepth bounds the nesting of collections, aliases included.
const maxDepth = 1000

// Parse reads the first document of a text. It never fails: a part that is not YAML becomes a problem and a Broken node, and reading continues at the
// next line that is not indented deeper than the broken part.
//
// From a source of C++ it reads the tree in a raw string; the text before and after it is one token each.
func Parse(f *source.File) *Tree {
	begin, end, embedded := Embedded(f.Text())
	if !embedded {
		end = f.Len()
	}
	p := &parser{
		tree: &Tree{Tree: token.NewTree(&token.List{File: f}), End: end, embedded: embedded},
		text: f.Text()[:end], begin: begin, line: begin, fresh: true, reread: 16*f.Len() + 1<<20,
	}
	p.tabs = strings.IndexByte(p.text[begin:], '\t') >= 0
	// Two tokens for five bytes are more than nearly all files have; growing the slice would copy all tokens.
	p.toks = make([]token.Token, 0, 2*len(p.text)/5+8)
	p.take(begin, Host)
	p.document()
	p.take(end-p.pos, Rest)
	p.take(f.Len()-end, Host)
	p.tree.Tokens().Tokens = p.toks
	p.tree.Problems().Sort()
	return p.tree
}

// parser reads bytes and produces tokens and nodes in one pass.
type parser struct {
	tree *Tree
	text string
	toks []token.Token

	begin  int  // where the document begins
	pos    int  // the next byte
	line   int  // the start of its line
	fresh  bool // only blanks precede it on the line; not maintained inside brackets
	eaten  int  // a plain scalar has already checked the blanks before this position
	depth  int
	tabs   bool // the text has tabs
	reread int  // the number of bytes that may still be read a second time
	quiet  bool // a tab was reported

	failed bool // the current flow collection cannot be read

	nodes   []Node
	entries []Entry
	stack   []Entry
	decoder decoder

	anchors anchors
	handles map[string]bool // the handles declared by %TAG lines
}

// document reads the first document, and the text before it.
func (p *parser) document() {
	if p.encoding() {
		return
	}
	p.prologue()
	p.tree.Root = p.blockNode(-1, false, p.fresh)
	p.skip()
	p.characters()
	p.epilogue()
}

// prologue reads directives and the line `---`.
func (p *parser) prologue() {
	for {
		p.skip()
		if !p.marker("...") {
			break
		}
		p.take(3, DocEnd)
		p.fresh = false
	}
	first, problems := p.pos, len(p.tree.Problems())
	found := p.directives()
	if !p.marker("---") {
		if found && len(p.tree.Problems()) == problems { // else the line is not a directive
			p.report(DirectiveWithoutDocument, first, lineStop(p.text, first, len(p.text)), "a line that begins with `%%` must be followed by a line `---`").
				Helped("write `---` on a line of its own before the document, or quote the text if it is a value")
		}
		return
	}
	p.take(3, DocStart)
	p.fresh = false
}

// epilogue handles the text after the first document.
func (p *parser) epilogue() {
	if p.pos >= len(p.text) {
		return
	}
	at := p.pos
	switch {
	case p.marker("..."):
		p.take(3, DocEnd)
		p.fresh = false
		p.skip()
		if p.pos < len(p.text) {
			p.laterText(p.pos)
		}
	case p.marker("---"):
		p.laterText(at)
	default:
		p.report(TextAfterDocument, at, lineStop(p.text, at, len(p.text)), "the document ends before this line, so nothing from here on is read").
			Helped("indent it like the lines that belong to it, or remove it")
	}
}

func (p *parser) laterText(at int) {
	p.report(LaterDocument, at, lineStop(p.text, at, len(p.text)), "only the first document of a file is read, and this is after its end").
		Helped("move it to a file of its own, or remove it")
}

// take turns the next n bytes into a token.
func (p *parser) take(n int, k token.Kind) {
	if n <= 0 {
		return
	}
	if len(p.toks) == cap(p.toks) {
		p.toks = token.Grow(p.toks, p.pos, len(p.text))
	}
	p.toks = append(p.toks, token.Token{Start: int32(p.pos), End: int32(p.pos + n), Kind: k})
	p.pos += n
}

// column returns the column of the next byte, counted from 0.
func (p *parser) column() int { return p.pos - p.line }

// peek returns the n-th byte after the next, or 0 past the end.
func (p *parser) peek(n int) byte {
	if p.pos+n < len(p.text) {
		return p.text[p.pos+n]
	}
	return 0
}

// gapAt reports whether the end of the text, a blank or a line break is at a position.
func (p *parser) gapAt(at int) bool {
	if at >= len(p.text) {
		return true
	}
	b := p.text[at]
	return isBlank(b) || lineEnd[b] && breakLen(p.text, at) > 0
}

// done reports whether the end of the document is reached.
func (p *parser) done() bool {
	return p.pos >= len(p.text) || p.pos == p.line && (p.marker("---") || p.marker("..."))
}

// marker reports whether a line begins here with the marker m, which starts or ends a document.
func (p *parser) marker(m string) bool {
	return p.pos == p.line && p.markerAt(p.pos, m)
}

func (p *parser) markerAt(at int, m string) bool {
	return len(p.text)-at >= 3 && p.text[at:at+3] == m && p.gapAt(at+3)
}

// anyMarkerAt is markerAt for both markers. It is called at the start of a line.
func (p *parser) anyMarkerAt(at int) bool {
	if at >= len(p.text) {
		return false
	}
	switch p.text[at] {
	case '-':
		return p.markerAt(at, "---")
	case '.':
		return p.markerAt(at, "...")
	}
	return false
}

// skip moves to the next token that has a meaning. A tab must not indent it.
func (p *parser) skip() { p.gap(p.fresh) }

// gap is skip; bans reports whether a tab here counts as indentation.
func (p *parser) gap(bans bool) {
	for p.pos < len(p.text) {
		switch b := p.text[p.pos]; {
		case b == ' ' || b == '\t':
			n := blankLen(p.text[p.pos:])
			if bans && p.tabs {
				if tab := strings.IndexByte(p.text[p.pos:p.pos+n], '\t'); tab >= 0 && p.pos+tab >= p.eaten {
					p.tab(p.pos + tab)
				}
			}
			p.take(n, Blank)
		case b == '#':
			p.take(lineStop(p.text, p.pos, len(p.text))-p.pos, Comment)
		case b == '\n':
			p.take(1, Newline)
			p.line, p.fresh = p.pos, true
			bans = true
		case lineEnd[b] && breakLen(p.text, p.pos) > 0:
			p.take(breakLen(p.text, p.pos), Newline)
			p.line, p.fresh = p.pos, true
			bans = true
		case b == 0xef && p.pos == p.line && strings.HasPrefix(p.text[p.pos:], "\ufeff"):
			// The byte order mark may begin any line; it counts as one column.
			p.take(len("\ufeff"), ByteOrder)
			p.line = p.pos - 1
		default:
			return
		}
	}
}

// flowGap is skip inside brackets, where tabs count as blanks.
func (p *parser) flowGap() {
	for {
		p.gapLine()
		if p.pos >= len(p.text) || !lineEnd[p.text[p.pos]] {
			return
		}
		n := breakLen(p.text, p.pos)
		if n == 0 {
			return
		}
		p.take(n, Newline)
		p.line, p.fresh = p.pos, true
	}
}

// gapLine moves over blanks and a comment, to the end of the line at most.
func (p *parser) gapLine() {
	p.blanks()
	if p.peek(0) == '#' {
		p.take(lineStop(p.text, p.pos, len(p.text))-p.pos, Comment)
	}
}

// blanks moves over blanks.
func (p *parser) blanks() { p.take(blankLen(p.text[p.pos:]), Blank) }

// blankLen returns the number of blanks and tabs at the start of a text.
func blankLen(text string) int {
	for i := range len(text) {
		if !isBlank(text[i]) {
			return i
		}
	}
	return len(text)
}

// tab reports a tab used for indentation, once per file.
func (p *parser) tab(at int) {
	if p.quiet {
		return
	}
	p.quiet = true
	end := at
	for end < len(p.text) && p.text[end] == '\t' {
		end++
	}
	p.report(TabIndent, at, end, "a tab is used for indentation, where YAML allows blanks only").
		Helped("replace the tabs that indent by blanks; further ones in this file are not reported")
}

func (p *parser) span(start, end int) source.Span { return p.tree.File().Span(start, end) }

func (p *parser) report(code *diag.Code, start, end int, format string, args ...any) *diag.Diagnostic {
	return p.tree.Report(code, p.span(start, end), format, args...)
}

// broken gives up the node that begins at start: everything down to the next line that is not indented deeper than indent becomes one bad token.
func (p *parser) broken(start, indent int) *Node {
	p.reread -= p.pos - start
	n := len(p.toks)
	for n > 0 && int(p.toks[n-1].Start) >= start {
		n--
	}
	p.toks = p.toks[:n]
	if n > 0 && int(p.toks[n-1].End) > start {
		p.toks[n-1].End = int32(start)
	}
	p.pos = start
	node := p.node(Scalar, Broken, start)
	end := p.recovery(start, indent)
	p.take(end-start, token.Bad)
	node.Text.End = int32(p.pos)
	p.fresh = false
	p.close(node)
	return node
}

// recovery returns the end of the last line that belongs to the broken node at start.
func (p *parser) recovery(start, indent int) int {
	if p.reread < 0 {
		return len(p.text)
	}
	p.line = start
	for p.line > p.begin && !endsLine(p.text, p.line) {
		p.line--
	}
	end := lineStop(p.text, start, len(p.text))
	for next := end; next < len(p.text); {
		next += breakLen(p.text, next)
		if p.anyMarkerAt(next) {
			break
		}
		at := next
		for at < len(p.text) && isBlank(p.text[at]) {
			at++
		}
		stop := lineStop(p.text, at, len(p.text))
		if at < stop {
			if at-next <= indent {
				break
			}
			p.line, end = next, stop
		}
		next = stop
	}
	return end
}

// endsLine reports whether a line break ends right before a position.
func endsLine(text string, at int) bool {
	switch text[at-1] {
	case '\n':
		return true
	case '\r':
		return at >= len(text) || text[at] != '\n'
	case 0x85:
		return at >= 2 && text[at-2] == 0xc2
	case 0xa8, 0xa9:
		return at >= 3 && text[at-3] == 0xe2 && text[at-2] == 0x80
	}
	return false
}
