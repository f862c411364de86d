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
)

var commands = map[string]func(*Server, string) (any, error){ // each takes one text
	commandGraph:    (*Server).graph,
	commandResolved: (*Server).resolved,
	commandRun:      (*Server).run,
	commandExplain:  (*Server).explain,
	commandText:     (*Server).textOf,
}

func commandNames() []string { return slices.Sorted(maps.Keys(commands)) }

// executeCommand runs a command, whose one argument is a URI or a code.
func (s *Server) executeCommand(_ context.Context, p *protocol.ExecuteParams) (any, error) {
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
	SVG   string                       `json:"svg"`
	Nodes map[string]protocol.Location `json:"nodes"` // where each is declared, by its label
}

// graph is the picture of a document.
func (s *Server) graph(uri string) (any, error) {
	c, err := s.open(uri)
	if err != nil {
		return nil, err
	}
	g, err := c.Graph()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := svg.Write(&b, g); err != nil {
		return nil, err
	}
	p := picture{SVG: b.String(), Nodes: map[string]protocol.Location{}}
	parts := s.parts(c)
	for _, n := range g.Nodes {
		label := n.Label
		if label == "" {
			label = n.ID
		}
		if span, ok := parts[label]; ok {
			p.Nodes[label] = s.location(span)
		}
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
func (s *Server) resolved(uri string) (any, error) {
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
func (s *Server) textOf(uri string) (any, error) {
	d := s.docs[filepath.Clean(pathOf(uri))]
	if d == nil {
		return nil, errors.New("the document is not open")
	}
	return text{Text: d.text.text}, nil
}

// run is how a document is run. The client does it, where its user can see
// the run and stop it.
func (s *Server) run(uri string) (any, error) {
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
func (s *Server) explain(code string) (any, error) {
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
