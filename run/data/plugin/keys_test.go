package plugin_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/into"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
)

// TestKeysAreRead checks that each key that a plugin declares has a Reader. The plugin must refuse a value that no key accepts, which
// shows that it reads the key and does not treat it as unknown. Places for a name or a list of names accept any such value. Keys of
// other mappings are unknown or ignored.
func TestKeysAreRead(t *testing.T) {
	anyFunction := func(string) (usercode.Function, error) { return func(*data.Store) error { return nil }, nil }
	list := plugin.List(plugin.Program{Functions: anyFunction})
	named := []config.Use{config.Reads, config.Event, config.Label, config.Path} // any word is one of these
	tried, unknown := []string{}, func(err error) bool {
		return strings.Contains(err.Error(), "unknown") || strings.Contains(err.Error(), "no key")
	}
	for _, p := range list {
		if p.Runs == 0 {
			continue
		}
		refused := func(n *data.Node) error {
			spec := data.Spec{Sections: []data.Section{{Plugins: data.Map(p.Name, n)}}}
			for _, err := range data.Refused(spec, data.Options{Plugins: list}) {
				return err
			}
			return nil
		}
		names := keyNames(p.Config)
		var below func(where string, r *config.Rule, put func(*data.Node) *data.Node) bool
		below = func(where string, r *config.Rule, put func(*data.Node) *data.Node) (read bool) {
			if r == nil {
				return false
			}
			with := func(key string, n *data.Node) *data.Node {
				m := data.Map(key, n)
				for _, other := range r.Keys {
					if other.Name != key && (other.Required || other.Name == "file") {
						m.Pairs = append(m.Pairs, data.Map(other.Name, "x").Pairs...)
					}
				}
				return put(m)
			}
			impossible := data.Map(data.List("no name"), "")
			for name := range names {
				if r.Keys == nil || r.Names != nil || r.Find(name) != nil {
					continue
				}
				if err := refused(with(name, impossible)); err != nil && !unknown(err) {
					t.Errorf("%s.%s is not declared, but read: %v", where, name, err)
				}
			}
			for _, k := range r.Keys {
				if k.Rule == config.Logging {
					continue // the store reads it
				}
				at := where + "." + k.Name
				tried = append(tried, at)
				if _, ok := k.Read.(into.Reader); !ok {
					t.Errorf("the declaration of %s does not say where its value goes", at)
				}
				beside := func(n *data.Node) *data.Node { return with(k.Name, n) }
				err := refused(beside(impossible))
				if err != nil && unknown(err) {
					t.Errorf("%s is declared, and refused as unknown: %v", at, err)
				}
				for _, takes := range []struct {
					rule  *config.Rule
					value *data.Node
				}{{k.Rule, data.Text("x")}, {k.Rule.List, data.List("x")}} {
					if takes.rule == nil || !slices.Contains(named, takes.rule.Scalar) {
						continue
					}
					if err := refused(beside(takes.value)); err != nil {
						t.Errorf("%s takes a %s by its declaration, and is refused: %v", at, takes.value.Kind, err)
					}
				}
				inside := k.Idle == "" && below(at, k.Rule, beside)
				if err == nil && !inside {
					t.Errorf("%s is declared, but nothing reads it: a value that it cannot have is not refused", at)
				}
				read = read || err != nil || inside
			}
			if r.List != nil && r.List.Keys != nil {
				read = below(where+"[]", r.List, func(n *data.Node) *data.Node { return put(data.List(n)) }) || read
			}
			return below(where+".NAME", r.Names, func(n *data.Node) *data.Node { return put(data.Map("x", n)) }) || read
		}
		below(p.Name, p.Config, func(n *data.Node) *data.Node { return n })
	}
	if len(tried) < 100 {
		t.Errorf("only %d keys were tried: %s", len(tried), tried)
	}
}

// TestKeysAreDeclared checks that plugins do not read keys by name in other ways. A key whose presence a plugin checks must be in its rules.
func TestKeysAreDeclared(t *testing.T) {
	declared := map[string]bool{
		"type":  true, // of a datatype
		"value": true, // of an attribute, which is an expression of any shape
	}
	for _, p := range plugin.List(plugin.Program{}) {
		maps.Copy(declared, keyNames(p.Config))
	}
	var sources []string
	for _, pattern := range []string{"*/*.go", "../declhdf5/*.go", "../declnetcdf/*.go"} {
		files, err := filepath.Glob(pattern)
		must(t, err)
		sources = append(sources, files...)
	}
	sources = slices.DeleteFunc(sources, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	if len(sources) < 20 {
		t.Errorf("only %d sources of plugins were found", len(sources))
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		must(t, err)
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, 0)
		must(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Lookup" || f.Sel.Name == "Field") && !declared[literal(n.Args[0])] {
					t.Errorf("%s looks a key up that no rule of a plugin has: declare it", set.Position(n.Pos()))
				}
			case *ast.CaseClause:
				for _, word := range n.List {
					if declared[literal(word)] {
						t.Errorf("%s chooses what to do by the key %s: say in its declaration where its value goes", set.Position(word.Pos()), literal(word))
					}
				}
			case *ast.BinaryExpr:
				if word := literal(n.Y); (n.Op == token.EQL || n.Op == token.NEQ) && declared[word] && word != "logging" {
					t.Errorf("%s compares with the key %s: say in its declaration where its value goes", set.Position(n.Pos()), word)
				}
			}
			return true
		})
	}
}

// keyNames returns the names of the keys of a rule and of its nested rules.
func keyNames(r *config.Rule) map[string]bool {
	names, seen := map[string]bool{}, map[*config.Rule]bool{}
	var walk func(r *config.Rule)
	walk = func(r *config.Rule) {
		if r == nil || seen[r] {
			return
		}
		seen[r] = true
		for _, k := range r.Keys {
			names[k.Name] = true
			walk(k.Rule)
		}
		walk(r.List)
		walk(r.Names)
	}
	walk(r)
	return names
}

// literal returns the text of a string literal, or "" for other expressions.
func literal(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		text, _ := strconv.Unquote(lit.Value)
		return text
	}
	return ""
}
