package pdi

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/pdi/syntax"
	"github.com/pentode-dev/pentode/run/data"
)

// placeAll places the nodes of all documents.
func (m *Model) placeAll() {
	for _, f := range m.Files {
		placeAll(f.doc)
	}
}

// placeAll writes into every node of a document where it stands, for the engine's messages. Large
// trees start thousands of times a day, so this is one pass over the text, and all places share one string.
func placeAll(doc value) {
	if doc.Node == nil || doc.Place != "" {
		return
	}
	tree := doc.file.Tree
	nodes := len(tree.Tokens().Tokens) / 3
	p := &placer{file: tree.File(), line: 1, marks: make([]placeMark, 0, nodes), text: make([]byte, 0, nodes*(len(tree.File().Path())+9))}
	p.visit(doc)
	all := string(p.text)
	start := 0
	for _, m := range p.marks {
		m.node.Place = all[start:m.end]
		start = m.end
	}
}

type placer struct {
	file      *source.File
	text      []byte
	marks     []placeMark
	line      int // of the last place
	lineStart int
	at        int
}

type placeMark struct {
	node *data.Node
	end  int // in the text of all places
}

// visit goes through a value in the order of the text. What an alias stands for is placed at its anchor.
func (p *placer) visit(v value) {
	if v.syn == nil || v.syn.Kind == syntax.Alias {
		return
	}
	p.mark(v.Node, int(v.syn.Text.Start))
	for _, item := range v.items() {
		p.visit(item)
	}
	for key, val := range v.pairs() {
		p.visit(key)
		p.visit(val)
	}
}

func (p *placer) mark(n *data.Node, offset int) {
	line, column := p.position(offset)
	p.text = append(p.text, p.file.Path()...)
	p.text = append(p.text, ':')
	p.text = strconv.AppendInt(p.text, int64(line), 10)
	p.text = append(p.text, ':')
	p.text = strconv.AppendInt(p.text, int64(column), 10)
	p.marks = append(p.marks, placeMark{n, len(p.text)})
}

// position counts on from the last place.
func (p *placer) position(offset int) (line, column int) {
	text := p.file.Text()
	if offset < p.at {
		pos := p.file.Position(offset)
		return pos.Line, pos.Column
	}
	for {
		i := strings.IndexByte(text[p.at:offset], '\n')
		if i < 0 {
			break
		}
		p.at += i + 1
		p.line, p.lineStart = p.line+1, p.at
	}
	p.at = offset
	return p.line, 1 + utf8.RuneCountInString(text[p.lineStart:offset])
}
