package data

import (
	"reflect"
	"slices"
	"testing"

	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/expr"
)

// TestFingerprint checks that types and expressions count by their meaning.
func TestFingerprint(t *testing.T) {
	writer := Plugin{Name: "writer", Config: &config.Rule{Keys: []config.Key{
		{Name: "file", Rule: config.Only(config.Label)}, {Name: "when", Rule: config.Only(config.Condition)}, {Name: "word", Rule: config.Only(config.Text)},
		{Name: "type", Rule: &config.Rule{Type: true, Keys: []config.Key{{Name: "level", Rule: config.Only(config.Number)}}}},
		{Name: "each", Rule: config.ByName(config.Reads, config.Only(config.Label))},
	}}}
	of := func(s Spec) fingerprint.Sum { return Fingerprint(s, Documented, []Plugin{writer}) }
	typed := func(n any) fingerprint.Sum { return of(Tree(Map("data", Map("x", n)))) }
	plugin := func(keysAndValues ...any) fingerprint.Sum {
		return of(Tree(Map("plugins", Map("writer", Map(keysAndValues...)))))
	}
	array := func(size any) *Node { return Map("type", "array", "subtype", "int", "size", size) }
	included := Tree(Map("data", Map("x", "a")))
	included.Sections = append([]Section{{Types: Map("a", "int")}}, included.Sections...)
	for name, c := range map[string]struct {
		a, b fingerprint.Sum
		same bool
	}{
		"style of a type":           {typed("int"), typed(Map("type", "int")), true},
		"style of a size":           {typed(array(3)), typed(array(List("0x3"))), true},
		"order of keys":             {typed(array(3)), typed(Map("size", 3, "subtype", "int", "type", "array")), true},
		"blanks of an expression":   {typed(array("$n + 1")), typed(array("($n+1)")), true},
		"order of an expression":    {typed(array("$n - 1")), typed(array("1 - $n")), false},
		"a reference":               {typed(array("$n")), typed(array("$m")), false},
		"an index":                  {typed(array("$n[1]")), typed(array("$n[2]")), false},
		"an index that is computed": {typed(array("$n[$i]")), typed(array("$n[$j]")), false},
		"order of sizes":            {typed(array(List(2, 3))), typed(array(List(3, 2))), false},
		"part of an array":          {typed(array(4)), typed(Map("type", "array", "subtype", "int", "size", 4, "subsize", 4, "start", 0)), false},
		"order of attributes":       {typed(Map("type", "int", "+a", 1, "+b", 2)), typed(Map("type", "int", "+b", 2, "+a", 1)), true},
		"an attribute":              {typed(Map("type", "int", "+a", 1)), typed(Map("type", "int", "+a", 2)), false},
		"order of members":          {typed(Map("type", "struct", "members", List(Map("a", "int"), Map("b", "int")))), typed(Map("type", "struct", "members", List(Map("b", "int"), Map("a", "int")))), false},
		"kind of a Fortran type":    {typed(Map("type", "real", "kind", 4)), typed(Map("type", "real", "kind", 8)), false},
		"name of a scalar":          {typed("float"), typed("double"), false},
		"what a pointer leads to":   {typed(Map("type", "pointer", "subtype", "int")), typed(Map("type", "pointer", "subtype", "long")), false},
		"data or metadata":          {typed("int"), of(Tree(Map("metadata", Map("x", "int")))), false},
		"types that are wrong":      {typed("nothing"), typed("something"), false},
		"user type":                 {of(Tree(Map("types", Map("a", "int"), "data", Map("x", "a")))), of(Tree(Map("types", Map("a", "long"), "data", Map("x", "a")))), false},
		"include":                   {of(included), of(Tree(Map("types", Map("a", "int"), "data", Map("x", "a")))), true},
		"order of names":            {of(Tree(Map("data", Map("x", "int", "y", "long")))), of(Tree(Map("data", Map("y", "long", "x", "int")))), true},
		"keys of a plugin":          {plugin("when", "$a>1", "word", "w"), plugin("word", "w", "when", "$a > 1"), true},
		"words of a plugin":         {plugin("word", "1"), plugin("word", "01"), false},
		"format of a label":         {plugin("file", "x${i:02d}"), plugin("file", "x${i:03d}"), false},
		"text of a label":           {plugin("file", "x${i}"), plugin("file", "y${i}"), false},
		"order of what is named":    {plugin("each", Map("a", "1", "b", "2")), plugin("each", Map("b", "2", "a", "1")), false},
		"key beside a type":         {plugin("type", Map("type", "int", "level", 1)), plugin("type", Map("level", "0x1", "type", "int")), true},
		"value beside a type":       {plugin("type", Map("type", "int", "level", 1)), plugin("type", Map("type", "int", "level", 2)), false},
		"type beside a key":         {plugin("type", Map("type", "int", "level", 1)), plugin("type", Map("type", "long", "level", 1)), false},
		"unknown plugin":            {of(Tree(Map("plugins", Map("p", Map("a", 1))))), of(Tree(Map("plugins", Map("p", Map("a", 2))))), false},
		"logging":                   {of(Tree(Map("logging", "warn"))), of(Tree(Map("logging", "info"))), false},
	} {
		if same := c.a == c.b; same != c.same {
			t.Errorf("%s: the same %v, want %v", name, same, c.same)
		}
	}
}

// TestFingerprintDeep checks a deep tree: with aliases, a tree can be deeper than its text.
func TestFingerprintDeep(t *testing.T) {
	n := Text("x")
	for range 3000 {
		n = List(Map("a", n))
	}
	spec := Tree(Map("plugins", Map("unknown", n)))
	if first, again := Fingerprint(spec, Documented, nil), Fingerprint(spec, Documented, nil); first != again {
		t.Error("two fingerprints of one tree")
	}
}

// TestFingerprintNeutral lists the fields of types and expressions that do not count: places, the
// text that was read, and derived values.
func TestFingerprintNeutral(t *testing.T) {
	want := []string{
		"Program.lints", "Program.text", "Ref.End", "Ref.NameOffset", "Ref.Offset", "Step.End", "Step.Offset", "Value.Node", "Value.bound",
		"arrayPart.fixed", "arrayPart.node", "code.depth", "formatSpec.err", "formatSpec.span", "fortranPart.machine", "fortranPart.scalar", "instr.span",
		"memberPart.key", "memberPart.node", "membersPart.fixed", "membersPart.node",
		"namedPart.body", "namedPart.err", "namedPart.fixed", "namedPart.made", "namedPart.node", "namedPart.pointers", "number.node", "pointerPart.machine", "step.span",
	}
	found := fingerprint.Neutral(reflect.TypeFor[arrayPart](), reflect.TypeFor[membersPart](), reflect.TypeFor[fortranPart](), reflect.TypeFor[pointerPart](),
		reflect.TypeFor[namedPart](), reflect.TypeFor[attributedPart](), reflect.TypeFor[knownPart](), reflect.TypeFor[expr.Program](), reflect.TypeFor[Scalar]())
	if !slices.Equal(found, want) {
		t.Errorf("%q do not count, want %q", found, want)
	}
}
