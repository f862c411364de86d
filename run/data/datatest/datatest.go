// Package datatest helps to test the data store and its plugins: trees written as
// YAML, and the recorded answers of the original program.
//
// The engine knows no YAML. Tests read it with a library that has nothing to do
// with the language's own reader, so each is held against the other.
package datatest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
)

// oracle returns the path of an oracle file, or skips.
func oracle(t testing.TB, name string) string {
	t.Helper()
	return shared(t, "PENTODE_ORACLE", "oracle", filepath.Join("pdi", name))
}

// OracleDir returns the folder of the oracle, or skips the test where there is
// none.
func OracleDir(t testing.TB) string {
	t.Helper()
	return oracle(t, "")
}

// Corpus returns the path of a folder of real files, or skips the test where
// there is none.
func Corpus(t testing.TB, name string) string {
	t.Helper()
	return shared(t, "PENTODE_CORPUS", "corpus", name)
}

// shared finds a file in the folder that a variable names or that lies beside the
// repository. A folder that was named must have it.
func shared(t testing.TB, variable, folder, name string) string {
	t.Helper()
	dir, given := os.LookupEnv(variable)
	if !given {
		root, err := filepath.Abs(".")
		for err == nil && filepath.Dir(root) != root {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared", folder)
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		if given {
			t.Fatalf("%s is %s, which has no %s", variable, dir, name)
		}
		t.Skipf("no %s here: set %s to its folder", folder, variable)
	}
	return path
}

// Oracle decodes an oracle file, or skips the test where there is none.
func Oracle(t testing.TB, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(oracle(t, name))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Read reads the first document of a YAML text with an independent library.
func Read(text string) (*data.Node, error) {
	// The library refuses to read a document that says it is YAML 1.2.
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

// Tree reads a YAML text that is known to be good.
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
