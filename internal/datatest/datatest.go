// Package datatest helps to test the data store and its plugins with trees written as YAML.
//
// The data store does not parse YAML itself. Tests parse it with a third-party library,
// which at the same time checks the project's own parser.
package datatest

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
)

// Read parses the first document of a YAML text with a third-party library.
func Read(text string) (*data.Node, error) {
	// The library refuses a document that declares YAML 1.2.
	text = strings.TrimPrefix(text, "%YAML 1.2\n")
	var doc yaml.Node
	if strings.TrimSpace(text) == "" {
		return &data.Node{}, nil
	}
	if err := yaml.NewDecoder(strings.NewReader(text)).Decode(&doc); err != nil {
		return nil, err
	}
	return convert(source.NewFile("spec.yml", text), &doc), nil
}

// Tree parses a YAML text and fails the test if the text is invalid.
func Tree(t testing.TB, text string) *data.Node {
	t.Helper()
	n, err := Read(text)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return n
}

func convert(f *source.File, y *yaml.Node) *data.Node {
	at := f.Offset(y.Line-1, y.Column-1)
	n := &data.Node{Span: f.Span(at, at)}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 0 {
			return n
		}
		return convert(f, y.Content[0])
	case yaml.AliasNode:
		return convert(f, y.Alias)
	case yaml.SequenceNode:
		n.Kind = data.SequenceNode
		for _, c := range y.Content {
			n.Items = append(n.Items, convert(f, c))
		}
	case yaml.MappingNode:
		n.Kind = data.MappingNode
		for i := 0; i+1 < len(y.Content); i += 2 {
			n.Pairs = append(n.Pairs, data.Pair{Key: convert(f, y.Content[i]), Value: convert(f, y.Content[i+1])})
		}
	default:
		n.Text = y.Value
	}
	return n
}
