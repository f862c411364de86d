package data_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/data"
)

// shape is a type as the oracle describes it.
type shape struct {
	Class                           string
	Datasize, Buffersize, Alignment json.Number
	Dense                           bool
	Kind                            string
	Size, Start, Subsize            json.Number
	Subtype                         *shape
	Members, Elements               []shapeMember
	Attributes                      map[string]any
}

type shapeMember struct {
	Name string
	Disp json.Number
	Type *shape
}

type failure struct {
	Status, What string
	Crash        any // upstream crashed: an error or a type are both better
	NoYAML       any `json:"yaml_error"`
}

type typeCase struct {
	Group, Input, Context, Spec string
	Result                      *struct{ Type, Densified *shape }
	Error                       *failure
}

// UnmarshalJSON reads a description of a type, or the name of a scalar.
func (s *shape) UnmarshalJSON(text []byte) error {
	var name string
	if json.Unmarshal(text, &name) != nil {
		type description shape
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		return d.Decode((*description)(s))
	}
	template, err := data.ParseType(data.Text(name), &data.Env{Machine: data.X86_64()})
	if err != nil {
		return err
	}
	typ, err := template.Evaluate()
	if err != nil {
		return err
	}
	size := json.Number(strconv.FormatInt(typ.Size(), 10))
	*s = shape{Class: "scalar", Datasize: size, Buffersize: size, Alignment: size, Dense: true, Kind: typ.(*data.Scalar).Kind.String()}
	return nil
}

type context struct {
	Spec string
	Set  [][2]string
}

// TestOracleDatatypes declares every type of the oracle in upstream's dialect
// and compares sizes, alignments, offsets, density and attributes, or the class
// of the error.
func TestOracleDatatypes(t *testing.T) {
	eachType(t, func(t *testing.T, c typeCase, std context) {
		typ, err := evaluateIn(t, std, c.Spec, c.Input, data.Upstream)
		for _, d := range c.differences(typ, err) {
			t.Errorf("%s: %s; want the same as upstream", c.Input, d)
		}
	})
}

// TestOracleDatatypesDocumented declares the same types in the documented dialect. Every
// difference must be one of the known differences between the dialects.
func TestOracleDatatypesDocumented(t *testing.T) {
	eachType(t, func(t *testing.T, c typeCase, std context) {
		typ, err := evaluateIn(t, std, c.Spec, c.Input, data.Documented)
		differences := c.differences(typ, err)
		if len(differences) == 0 {
			return
		}
		n := datatest.Tree(t, c.Input)
		for _, d := range decided {
			if d.applies(n, err) {
				return
			}
		}
		t.Errorf("%s: %v; want the same as upstream, or a difference that was decided", c.Input, differences)
	})
}

// decided lists the known differences between the dialects.
var decided = []struct {
	why     string
	applies func(n *data.Node, err error) bool
}{
	{"kind takes an expression, and what is none is an error", func(n *data.Node, err error) bool {
		return n.Lookup("kind") != nil
	}},
	{"a number of elements or bytes is whole", func(_ *data.Node, err error) bool {
		return err != nil && strings.Contains(err.Error(), "expected a whole number after")
	}},
	{"members and elements may be absent or empty", func(n *data.Node, err error) bool {
		word := map[string]string{"struct": "members", "tuple": "elements"}[class(n)]
		list := n.Lookup(word)
		return word != "" && err == nil && (list == nil || len(list.Items) == 0)
	}},
	{"overlaps, and parts outside of a whole, are errors", func(n *data.Node, err error) bool {
		return err != nil && data.StatusOf(err) == data.StatusValue &&
			regexp.MustCompile("negative|outside|inside|takes the bytes|does not fit into any").MatchString(err.Error())
	}},
	{"duplicate members are errors", func(n *data.Node, err error) bool {
		return err != nil && strings.Contains(err.Error(), "declared twice")
	}},
	{"elements of tuples have names, and disp on any subset", func(n *data.Node, err error) bool {
		return err == nil && class(n) == "tuple"
	}},
	{"attributes at a use of a user type are kept", func(n *data.Node, err error) bool {
		return err == nil && n.Kind == data.MappingNode && len(n.Pairs) > 0 && strings.HasPrefix(n.Pairs[len(n.Pairs)-1].Key.Text, "+")
	}},
}

// class returns the value of `type`, or the type itself if it is a single word.
func class(n *data.Node) string {
	if word := n.Lookup("type"); word != nil {
		return word.Text
	}
	return n.Text
}

func eachType(t *testing.T, try func(t *testing.T, c typeCase, std context)) {
	golden.Oracle(t, "pdi", func(t *testing.T, set golden.Set) {
		var contexts map[string]context
		set.Read(t, "contexts_type.json", &contexts)
		for i, c := range golden.List[typeCase](t, set, "datatypes.json") {
			t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) {
				if c.Error != nil && c.Error.NoYAML != nil {
					t.Skip("the engine does not see what is no YAML")
				}
				try(t, c, contexts[c.Context])
			})
		}
	})
}

// evaluateIn declares a type in a store that has the context's values.
func evaluateIn(t *testing.T, c context, spec, input string, d data.Dialect) (data.Type, error) {
	t.Helper()
	if spec == "" {
		spec = c.Spec
	}
	s, err := data.New(data.Tree(datatest.Tree(t, spec)), data.Options{Dialect: d})
	if err != nil {
		return nil, err
	}
	for _, set := range c.Set {
		if _, declared := s.Template(set[0]); declared { // the tree of a single case may lack some of them
			expose(t, s, set[0], set[1])
		}
	}
	template, err := data.ParseType(datatest.Tree(t, input), s.Env())
	if err != nil {
		return nil, err
	}
	return template.Evaluate()
}

// expose sets a declared name to the value written as YAML text.
func expose(t *testing.T, s *data.Store, name, value string) {
	t.Helper()
	must(t, s.Expose(name, valueOf(t, s, name, value), data.Out))
}

// valueOf allocates memory of a name's type and writes a value into it.
func valueOf(t *testing.T, s *data.Store, name, value string) []byte {
	t.Helper()
	template, ok := s.Template(name)
	if !ok {
		t.Fatalf("`%s` is not declared", name)
	}
	typ, err := template.Evaluate()
	must(t, err)
	v, err := s.Env().ParseValue(datatest.Tree(t, value))
	must(t, err)
	memory := make([]byte, typ.Size())
	must(t, v.CopyTo(typ, data.X86_64(), memory))
	return memory
}

// differences compares an outcome with upstream's.
func (c *typeCase) differences(typ data.Type, err error) []string {
	var d differences
	switch {
	case c.Result == nil && c.Error == nil:
		d.add("the case has neither a result nor an error")
	case c.Result == nil && c.Error.Crash != nil:
	case c.Result == nil && err == nil:
		d.add("upstream fails (%s %s), we do not", c.Error.Status, c.Error.What)
	case c.Result == nil:
		if got := data.StatusOf(err).String(); got != c.Error.Status {
			d.add("%s %v, upstream has %s %s", got, err, c.Error.Status, c.Error.What)
		}
	case err != nil:
		d.add("fails: %v", err)
	default:
		d.compare("type", typ, c.Result.Type)
		d.compare("densified", data.Densify(typ), c.Result.Densified)
	}
	return d
}

type differences []string

func (d *differences) add(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

func (d *differences) number(what string, got int64, want json.Number) {
	if strconv.FormatUint(uint64(got), 10) != want.String() {
		d.add("%s is %d, upstream has %s", what, uint64(got), want)
	}
}

func (d *differences) compare(what string, got data.Type, want *shape) {
	if want == nil {
		d.add("%s: upstream has none", what)
		return
	}
	d.number(what+": size", got.Size(), want.Buffersize)
	d.number(what+": data size", got.DataSize(), want.Datasize)
	d.number(what+": alignment", got.Align(), want.Alignment)
	if got.Dense() != want.Dense {
		d.add("%s: dense is %v, upstream has %v", what, got.Dense(), want.Dense)
	}
	d.attributes(what, got.Attributes(), want.Attributes)
	switch got := got.(type) {
	case *data.Scalar:
		if want.Class != "scalar" || got.Kind.String() != want.Kind {
			d.add("%s: a %s scalar, upstream has %s %s", what, got.Kind, want.Kind, want.Class)
		}
	case *data.Array:
		if want.Class != "array" {
			d.add("%s: an array, upstream has %s", what, want.Class)
			return
		}
		d.number(what+": length", got.Length, want.Size)
		d.number(what+": start", got.Start, want.Start)
		d.number(what+": subsize", got.Used, want.Subsize)
		d.compare(what+"[]", got.Elem, want.Subtype)
	case *data.Record:
		d.members(what, "record", got.Members, want.Class, want.Members)
	case *data.Tuple:
		d.members(what, "tuple", got.Elements, want.Class, want.Elements)
	case *data.Pointer:
		if want.Class != "pointer" {
			d.add("%s: a pointer, upstream has %s", what, want.Class)
			return
		}
		d.compare(what+"*", got.Elem, want.Subtype)
	}
}

func (d *differences) members(what, class string, got []data.Member, wantClass string, want []shapeMember) {
	if wantClass != class || len(got) != len(want) {
		d.add("%s: a %s of %d, upstream has %s of %d", what, class, len(got), wantClass, len(want))
		return
	}
	for i, m := range want {
		if class == "record" && got[i].Name != m.Name {
			d.add("%s: member %d is %q, upstream has %q", what, i, got[i].Name, m.Name)
		}
		d.number(fmt.Sprintf("%s: offset of %d", what, i), got[i].Offset, m.Disp)
		d.compare(fmt.Sprintf("%s.%d", what, i), got[i].Type, m.Type)
	}
}

func (d *differences) attributes(what string, got []data.Attribute, want map[string]any) {
	if len(got) != len(want) {
		d.add("%s: %d attributes, upstream has %d", what, len(got), len(want))
	}
	for _, a := range got {
		text, err := a.Value.Text()
		switch want := want[a.Name].(type) {
		case string:
			if err != nil || text != want {
				d.add("%s: +%s is %q, %v; upstream has %q", what, a.Name, text, err, want)
			}
		default:
			if err == nil {
				d.add("%s: +%s is %q, upstream has %v", what, a.Name, text, want)
			}
		}
	}
}
