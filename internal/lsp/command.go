package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/graph/svg"
	"github.com/pentode-dev/pentode/internal/lsp/protocol"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/suite"
	"github.com/pentode-dev/pentode/workspace/project"
)

// The commands.
const (
	commandGraph    = "pentode.graph"
	commandResolved = "pentode.resolved"
	commandRun      = "pentode.run"
	commandExplain  = "pentode.explain"
	commandText     = "pentode.text"
	commandLanguage = "pentode.language"
)

var commands = map[string]func(*session, string) (any, error){ // each takes one text
	commandGraph:    (*session).graph,
	commandResolved: (*session).resolved,
	commandRun:      (*session).run,
	commandExplain:  (*session).explain,
	commandText:     (*session).textOf,
	commandLanguage: (*session).languageOf,
}

func commandNames() []string { return slices.Sorted(maps.Keys(commands)) }

// executeCommand runs a command, whose one argument is a URI or a code.
func (s *session) executeCommand(_ context.Context, p *protocol.ExecuteParams) (any, error) {
	command := commands[p.Command]
	if command == nil {
		return nil, fmt.Errorf("there is no command `%s`; there are %s", p.Command, strings.Join(commandNames(), ", "))
	}
	var argument string
	if len(p.Arguments) == 0 || json.Unmarshal(p.Arguments[0], &argument) != nil {
		return nil, fmt.Errorf("`%s` takes one text", p.Command)
	}
	return command(s, argument)
}

// picture is the answer of pentode.graph.
type picture struct {
	SVG   string        `json:"svg"`   // each node has its number as data-node
	Style string        `json:"style"` // the style sheet that it needs
	Nodes []pictureNode `json:"nodes"` // by number
}

type pictureNode struct {
	ID string             `json:"id"`
	At *protocol.Location `json:"at,omitempty"` // where it is declared
}

// graph is the picture of a document.
func (s *session) graph(uri string) (any, error) {
	c, err := s.open(uri)
	if err != nil {
		return nil, err
	}
	g, err := c.Graph()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := svg.WriteInline(&b, g); err != nil {
		return nil, err
	}
	p := picture{SVG: b.String(), Style: svg.StyleSheet, Nodes: []pictureNode{}}
	for _, n := range g.Nodes {
		node := pictureNode{ID: n.ID}
		if !n.At.IsZero() {
			at := s.location(n.At)
			node.At = &at
		}
		p.Nodes = append(p.Nodes, node)
	}
	return p, nil
}

// text is a document that the server makes.
type text struct {
	Language string `json:"language"`
	Text     string `json:"text"`
}

// resolved is a document without includes and macros; of a language that has
// neither, its settings and where each comes from.
func (s *session) resolved(uri string) (any, error) {
	c, err := s.open(uri)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if _, err := c.Flatten(&b); err == nil {
		return text{c.Document.Language.Name, b.String()}, nil
	}
	for e := range c.Values() {
		if e.Implicit {
			continue
		}
		fmt.Fprintf(&b, "%s = %s", e.Key, e.Value)
		if at := e.Decided().Span; !at.IsZero() {
			fmt.Fprintf(&b, "\t# %s", short(at))
		}
		b.WriteByte('\n')
	}
	return text{"plaintext", b.String()}, nil
}

// textOf is an open document as the server has it, for clients that want to be
// sure that both have the same.
func (s *session) textOf(uri string) (any, error) {
	d := s.docs[filepath.Clean(pathOf(uri))]
	if d == nil {
		return nil, errors.New("the document is not open")
	}
	return text{Text: d.text.text}, nil
}

// languageOf names the language of a file, "" if it has none of ours. Editors ask it of YAML, whose names do not tell.
func (s *session) languageOf(uri string) (any, error) {
	return map[string]string{"language": s.workspace.LanguageOf(pathOf(uri))}, nil
}

// run is how a document is run. The client does it, where its user can see
// the run and stop it.
func (s *session) run(uri string) (any, error) {
	c, err := s.open(uri)
	if err != nil {
		return nil, err
	}
	if !runs(c) {
		return nil, errors.New("a pipeline or a launch file can be run, not this one")
	}
	return map[string]any{"program": "pentode", "arguments": []string{"run", c.Document.File.Path()}}, nil
}

// explain is the explanation of a code.
func (s *session) explain(code string) (any, error) {
	lists := [][]*diag.Code{lang.SharedCodes(), suite.Codes(), project.Codes()}
	for _, l := range s.workspace.Languages {
		lists = append(lists, l.Codes)
	}
	for _, c := range slices.Concat(lists...) {
		if c.ID == code {
			return text{"markdown", fmt.Sprintf("# %s\n\n%s: %s.\n\n%s\n\nBad:\n\n```\n%s\n```\n\nGood:\n\n```\n%s\n```\n", c.ID, c.Severity, c.Title, c.Doc, c.Bad, c.Good)}, nil
		}
	}
	return nil, fmt.Errorf("there is no code `%s`", code)
}

// runs reports whether `pentode run` takes the file.
func runs(c *lang.Config) bool {
	switch c.Document.Language.Role {
	case suite.Launch:
		return true
	case suite.Flow:
		return filepath.Ext(c.Document.File.Path()) == ".pipe"
	}
	return false
}
