package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAPIBites checks that a breaking change to a package changes or removes a line of its list, and
// that a renamed parameter does not.
func TestAPIBites(t *testing.T) {
	const before = `package p
const Limit = 3
var Names []string
type Config struct { Path string; hidden int; base }
type base struct{}
func (base) Shown() {}
func (c *Config) Read(path string) error { return nil }
type Opener interface { Open(name string) error }
func New[T any](values ...T) *Config { return nil }
func Walk(visit func(path string) bool) {}
type Old = Config
`
	const after = `package p
const Limit = 4
var Names []string
type Config struct { Path []byte; base }
type base struct{}
func (c *Config) Read(file string) error { return nil }
func (c *Config) Close() {}
type Opener interface { Open(name string) error; Close() }
func New[T any](values ...T) *Config { return nil }
func Walk(each func(name string) bool) {}
type Old = Config
`
	gone, added := apart(declarationsOf(t, before), declarationsOf(t, after))
	slices.Sort(gone)
	slices.Sort(added)
	if diff := cmp.Diff([]string{
		"method (Config) Shown()",
		"type Config struct, Path string",
		"type Opener interface { Open(string) error }",
	}, gone); diff != "" {
		t.Errorf("gone (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"method (*Config) Close()",
		"type Config struct, Path []byte",
		"type Opener interface { Close(); Open(string) error }",
	}, added); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
}

func declarationsOf(t *testing.T, text string) []string {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("p", set, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return declarations(p)
}
