package data_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
)

// TestNode reads the parts of a node and checks that errors name what was found instead.
func TestNode(t *testing.T) {
	n := datatest.Tree(t, "{name: x, list: [a, [b]], empty: , map: {k: v}}")
	list := func(key string) ([]string, error) {
		items, err := n.Lookup(key).List("a list of names")
		var texts []string
		for _, item := range items {
			texts = append(texts, item.Flow(strings.ToUpper))
		}
		return texts, err
	}
	each := func(n *data.Node) ([]string, error) {
		var names []string
		err := n.Each("a mapping of names", func(name string, key, value *data.Node) error {
			names = append(names, name+"="+value.Flow(strings.ToUpper))
			if name == "stop" {
				return fmt.Errorf("stopped")
			}
			return nil
		})
		return names, err
	}
	field := func(n *data.Node, key string) ([]string, error) {
		text, err := n.Field(key, "a name")
		return []string{text}, err
	}
	scalar := func(n *data.Node) ([]string, error) {
		text, err := n.Scalar("a name")
		return []string{text}, err
	}
	for _, c := range []struct {
		name string
		call func() ([]string, error)
		want string
	}{
		{"a field", func() ([]string, error) { return field(n, "name") }, "x"},
		{"a missing field", func() ([]string, error) { return field(n, "nosuch") }, "the key `nosuch` is missing"},
		{"a field that is a list", func() ([]string, error) { return field(n, "list") }, "expected a name, found a sequence"},
		{"a field of a list", func() ([]string, error) { return field(n.Lookup("list"), "k") }, "expected a mapping with the key `k`, found a sequence"},
		{"a field of a text", func() ([]string, error) { return field(n.Lookup("name"), "k") }, "expected a mapping with the key `k`, found `x`"},
		{"a scalar", func() ([]string, error) { return scalar(n.Lookup("name")) }, "x"},
		{"no scalar", func() ([]string, error) { return scalar(n.Lookup("map")) }, "expected a name, found a mapping"},
		{"a list", func() ([]string, error) { return list("list") }, "A [B]"},
		{"an empty list", func() ([]string, error) { return list("empty") }, ""},
		{"an absent list", func() ([]string, error) { return list("nosuch") }, ""},
		{"no list", func() ([]string, error) { return list("map") }, "expected a list of names, found a mapping"},
		{"a text for a list", func() ([]string, error) { return list("name") }, "expected a list of names, found `x`"},
		{"each", func() ([]string, error) { return each(n) }, "name=X list=[A, [B]] empty= map={K: V}"},
		{"each of nothing", func() ([]string, error) { return each(n.Lookup("empty")) }, ""},
		{"each of an empty list", func() ([]string, error) { return each(data.List()) }, ""},
		{"each of a list", func() ([]string, error) { return each(n.Lookup("list")) }, "expected a mapping of names, found a sequence"},
		{"each until an error", func() ([]string, error) { return each(data.Map("a", 1, "stop", 2, "b", 3)) }, "a=1 stop=2 stopped"},
		{"each with a list for a key", func() ([]string, error) { return each(datatest.Tree(t, "{a: 1, [b]: 2}")) }, "a=1 expected a name, found a sequence"},
	} {
		texts, err := c.call()
		got := strings.Join(texts, " ")
		if err != nil {
			got = strings.TrimSpace(got + " " + data.Message(err))
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	if got, want := n.Flow(func(s string) string { return "'" + s + "'" }), "{'name': 'x', 'list': ['a', ['b']], 'empty': '', 'map': {'k': 'v'}}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if datatest.Tree(t, "{[k]: 1, a: 2}").Lookup("a") != nil {
		t.Error("a key after one that is not a scalar is found")
	}
}

// TestNodes checks that nodes share allocations but no memory.
func TestNodes(t *testing.T) {
	var nodes data.Nodes
	var all []*data.Node
	for i := range 3000 {
		n := nodes.New(data.MappingNode, i%3, i%5)
		if n.Kind != data.MappingNode || len(n.Items) != i%3 || len(n.Pairs) != i%5 {
			t.Fatalf("node %d: %+v, want n.Kind = %v, len(n.Items) = %v and len(n.Pairs) = %v", i, n, data.MappingNode, i%3, i%5)
		}
		for k := range n.Items {
			n.Items[k] = data.Text(fmt.Sprint(i))
		}
		for k := range n.Pairs {
			n.Pairs[k] = data.Pair{Key: data.Text(fmt.Sprint(i)), Value: data.Text(fmt.Sprint(k))}
		}
		n.Items = append(n.Items, data.Text("more"))
		n.Pairs = append(n.Pairs, data.Pair{Key: data.Text("more")})
		all = append(all, n)
	}
	for i, n := range all {
		for k := range i % 3 {
			if n.Items[k].Text != fmt.Sprint(i) {
				t.Fatalf("item %d of node %d is %s; want %v", k, i, n.Items[k].Text, fmt.Sprint(i))
			}
		}
		for k := range i % 5 {
			if n.Pairs[k].Key.Text != fmt.Sprint(i) {
				t.Fatalf("pair %d of node %d is %s; want %v", k, i, n.Pairs[k].Key.Text, fmt.Sprint(i))
			}
		}
	}
}

// TestUpstreamMessage checks errors in the form of the original program, with their
// class, place and context.
func TestUpstreamMessage(t *testing.T) {
	region := func(s source.Span) string { return "<" + s.String() + ">" }
	at := func(text string) *data.Node { return datatest.Tree(t, text) }
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"of another package", fmt.Errorf("disk full"), "System error: disk full"},
		{"without words", data.Errorf(data.StatusValue, nil, "own words"), "Invalid value expression: own words"},
		{"with words", data.Errorf(data.StatusState, nil, "own words").Upstream("its %s", "words"), "Precondition not respected: its words"},
		{"with a place", data.Errorf(data.StatusSpecTree, at("a"), "own").Upstream("its"), "Invalid entry in specification tree: <spec.yml:1:1> its"},
		{"of a class without places", data.Errorf(data.StatusType, at("a"), "own").Upstream("its"), "Incorrect type: its"},
		{"at another place", data.Errorf(data.StatusSpecTree, at("a"), "own").UpstreamAt(at("  b"), "its"), "Invalid entry in specification tree: <spec.yml:1:3> its"},
		{"at no place", data.Errorf(data.StatusSpecTree, at("a"), "own").UpstreamAt(nil, "its"), "Invalid entry in specification tree: its"},
		{"of a library", data.Errorf(data.StatusSystem, nil, "own").UpstreamAlone("fmt: 100%"), "fmt: 100%"},
		{"of a library, within", data.Within(data.Errorf(data.StatusSystem, nil, "own").UpstreamAlone("fmt"), "while sharing `d`"), "System error: while sharing `d', "},
		{"of a library, within nothing it says", data.Within(data.Errorf(data.StatusSystem, nil, "own").UpstreamAlone("fmt"), "in the plugin"), "fmt"},
		{"within a share", data.Within(data.Errorf(data.StatusType, nil, "own").Upstream("its"), "cannot share `d`"), "Incorrect type: Unable to share `d', its"},
		{"within an event", data.Within(data.Errorf(data.StatusType, nil, "own"), "while triggering `e`"), "Incorrect type: while triggering `e', own"},
		{"within something else", data.Within(data.Errorf(data.StatusType, nil, "own").Upstream("its"), "attribute `+a`"), "Incorrect type: its"},
		{"without words, within something else", data.Within(data.Errorf(data.StatusType, nil, "own"), "attribute `+a`"), "Incorrect type: attribute `+a`: own"},
		{"no scalar", data.Errorf(data.StatusSpecTree, nil, "own").NoScalar(at("[a]")), "Invalid entry in specification tree: <spec.yml:1:1> Configuration error #2: Expected a scalar, found sequence\n"},
		{"no mapping", data.Errorf(data.StatusSpecTree, at("a"), "own").NoMapping(at("a"), ".plugins{"), "Invalid entry in specification tree: Configuration error #2: Expected mapping, found scalar (ROOT).plugins{\n"},
		{"no sequence", data.Errorf(data.StatusSpecTree, at("a"), "own").NoSequence(at("{a: b}")), "Invalid entry in specification tree: Configuration error #2: Expected sequence, found mapping (ROOT)\n"},
		{"no key", data.Errorf(data.StatusSpecTree, at("a"), "own").NoKey("k", "{"), "Invalid entry in specification tree: Configuration error #3: Key `k' not found in (ROOT){\n"},
	} {
		if got := data.UpstreamMessage(c.err, region); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.name, got, c.want)
		}
	}

	_, err := data.New(data.Tree(at("{metadata: {x: int}, data: {x: double}}")), data.Options{Dialect: data.Upstream})
	if got, want := data.UpstreamMessage(err, region), "Invalid entry in specification tree: <spec.yml:1:29> redefinition of 'x' previously defined in `<spec.yml:1:16>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s := newStore(t, "{logging: off, data: {d: int}}")
	for _, word := range []string{"first", "second"} {
		s.OnShare("d", func(string, data.Ref) error { return data.Errorf(data.StatusValue, nil, "own").Upstream("%s", word) })
	}
	err = s.Share("d", new(int32), data.Out)
	want := "Multiple errors: Unable to share `d', Unable to share `d', while sharing `d', \n * Invalid value expression: first\n * Invalid value expression: second"
	if got := data.UpstreamMessage(err, region); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestStatus checks that every class has a name and a text.
func TestStatus(t *testing.T) {
	var names, texts []string
	for s := data.StatusOK; s <= data.StatusMultiple; s++ {
		names, texts = append(names, s.String()), append(texts, s.Text())
	}
	for _, list := range [][]string{names, texts} {
		slices.Sort(list)
		if len(slices.Compact(list)) != int(data.StatusMultiple)+1 || list[0] == "" {
			t.Errorf("two classes are called the same: %q, want len(slices.Compact(list)) = %v and list[0] other than nothing", list, int(data.StatusMultiple)+1)
		}
	}
	cause := fmt.Errorf("disk full")
	if err := data.Within(cause, "while writing"); data.StatusOf(err) != data.StatusSystem || err.Error() != "while writing: disk full" {
		t.Errorf("got %v", err)
	}
	if data.Within(nil, "while writing") != nil {
		t.Error("no error became one")
	}
	if data.Message(cause) != "disk full" || data.UpstreamText(cause) != "disk full" {
		t.Error("the words of another error are lost")
	}
}
