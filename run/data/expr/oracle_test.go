package expr_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/data/expr"
)

type oracleContext struct {
	Spec string
	Set  [][2]string
}

// An oracleError has a class and upstream's text. A crash has no class.
type oracleError struct {
	Status, What string
	Crash        any
}

type oracleReading struct {
	Value any // number or string
	Error *oracleError
	Crash any
	Type  json.RawMessage
	Bytes string
}

type oracleCase struct {
	Group, Input, Form, Context, As string
	Result                          map[string]oracleReading
	Error                           *oracleError
}

// oracleType is a type as the oracle prints it: a name or a description.
type oracleType struct {
	Class, Kind           string
	Buffersize, Alignment int
	Size, Start, Subsize  int
	Subtype               *oracleType
	Members, Elements     []oracleMember
}

type oracleMember struct {
	Name string
	Disp int
	Type *oracleType
}

// eachExpression runs a test on every expression of the recorded answers, with the values
// of its names.
func eachExpression(t *testing.T, try func(t *testing.T, s *scope, c oracleCase)) {
	golden.Oracle(t, "pdi", func(t *testing.T, set golden.Set) {
		var contexts map[string]oracleContext
		set.Read(t, "contexts_expr.json", &contexts)
		for i, c := range golden.List[oracleCase](t, set, "expressions.json") {
			t.Run(fmt.Sprintf("%s-%d", c.Group, i), func(t *testing.T) {
				s := newScope()
				if context, ok := contexts[c.Context]; ok {
					s.declare(t, context.Spec, context.Set)
				}
				try(t, s, c)
			})
		}
	})
}

func TestOracleExpressions(t *testing.T) { eachExpression(t, testOracleCase) }

// TestOracleDocumentedDialect reads the same expressions in the documented dialect. Every
// difference from upstream must be one that the documentation requires.
func TestOracleDocumentedDialect(t *testing.T) {
	eachExpression(t, func(t *testing.T, s *scope, c oracleCase) {
		if c.Form != "string" {
			t.Skip("the dialects differ in texts alone")
		}
		for _, reading := range []string{"long", "double", "text", "type"} {
			documented, up := outcome(s, expr.Documented, reading, c.Input), outcome(s, expr.Upstream, reading, c.Input)
			if documented != up && !mayDiffer(s, c.Input, documented) {
				t.Errorf("%s of %q is %q, upstream %q, and the document does not ask for it", reading, c.Input, documented, up)
			}
		}
	})
}

// mayDiffer reports whether the documentation gives an expression another meaning than
// upstream does.
func mayDiffer(s *scope, text, documented string) bool {
	p, err := expr.Compile(text, expr.Documented)
	if err != nil {
		return strings.Contains(text, `\`) // escapes
	}
	for _, l := range p.Lints() {
		if l.Code == expr.DialectsDiffer { // blanks, escapes, specs without braces, float literals, `off`
			return true
		}
	}
	unsigned := false
	for r := range p.Refs() {
		alone, err := expr.Compile(text[r.Offset:r.End], expr.Documented)
		if err != nil {
			return false
		}
		k, _ := alone.Static(func(name string) *expr.Type { return s.Cell(name).Datum.Type })
		if r.HasSpec || k == expr.Array { // formats by type; text of arrays
			return true
		}
		unsigned = unsigned || k == expr.Uint64
	}
	return p.Form() == expr.Operation || // int64 and float64, overflow, division by zero
		strings.Contains(text, "$(") ||
		unsigned || documented == "error VALUE" && p.Form() != expr.Text // numbers that do not fit an integer
}

func testOracleCase(t *testing.T, s *scope, c oracleCase) {
	var p *expr.Program
	var err error
	if c.Form == "yaml" {
		p, err = readProgram(yamlNode(t, c.Input), expr.Upstream)
	} else {
		p, err = expr.Compile(c.Input, expr.Upstream)
	}
	if c.Error != nil || err != nil {
		sameError(t, c.Input, c.Error, err)
		return
	}
	b := p.Bind(s)
	for reading, want := range c.Result {
		var got any
		var err error
		switch reading {
		case "long":
			got, err = b.Long()
			want.Value = asInt(t, want.Value)
		case "double":
			var f float64
			f, err = b.Double()
			got = printed(f)
		case "string":
			got, err = b.Text()
		case "ref", "typed":
			var d expr.Datum
			if reading == "ref" {
				d, err = b.Ref()
			} else {
				var typ *expr.Type
				if typ, err = readType(yamlNode(t, c.As)); err != nil && (want.Error != nil || want.Crash != nil) {
					continue // upstream refuses the type itself
				} else if err != nil {
					t.Fatal(err)
				}
				d, err = copied(b, typ, &want)
			}
			if want.Error == nil && want.Crash == nil && err == nil {
				sameDatum(t, c.Input, d, want)
				continue
			}
		default:
			t.Fatalf("unknown reading %q", reading)
		}
		what := fmt.Sprintf("%s of %q", reading, c.Input)
		switch {
		case want.Crash != nil: // an error or a value are both better
		case want.Error != nil || err != nil:
			sameError(t, what, want.Error, err)
		case got != want.Value:
			t.Errorf("%s is %#v, want %#v", what, got, want.Value)
		}
	}
}

// copied copies b into memory of type typ. Upstream leaves unwritten bytes unchanged: they
// become 0 on both sides.
func copied(b *expr.Bound, typ *expr.Type, want *oracleReading) (expr.Datum, error) {
	zeros := expr.Datum{Type: typ, Bytes: make([]byte, typ.Size)}
	ones := expr.Datum{Type: typ, Bytes: bytes.Repeat([]byte{0xff}, typ.Size)}
	err := errors.Join(b.Copy(zeros), b.Copy(ones))
	memory, _ := hex.DecodeString(want.Bytes)
	for i := range min(len(memory), typ.Size) {
		if zeros.Bytes[i] != ones.Bytes[i] {
			memory[i] = 0
		}
	}
	want.Bytes = hex.EncodeToString(memory)
	return zeros, err
}

func asInt(t *testing.T, v any) any {
	f, ok := v.(json.Number)
	if !ok {
		return v
	}
	i, err := strconv.ParseInt(f.String(), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// printed formats a float as the oracle does, with 17 digits.
func printed(f float64) string {
	switch {
	case math.IsNaN(f) && math.Signbit(f):
		return "-nan"
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(f), "+"))
	case f == math.Trunc(f) && math.Abs(f) < 1e17:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', 17, 64)
}

func sameError(t *testing.T, what string, want *oracleError, got error) {
	t.Helper()
	var e *expr.Error
	switch {
	case want == nil:
		t.Errorf("%s: %v, upstream has no error", what, got)
	case want.Crash != nil: // an error or a value are both better
	case got == nil:
		t.Errorf("%s: no error, upstream says %s: %s", what, want.Status, want.What)
	case !errors.As(got, &e):
		t.Errorf("%s: %v is not an *expr.Error", what, got)
	case e.Status.String() != want.Status:
		t.Errorf("%s: %v: %v, upstream says %s: %s", what, e.Status, got, want.Status, want.What)
	}
}

func sameDatum(t *testing.T, input string, d expr.Datum, want oracleReading) {
	t.Helper()
	wt := parseType(t, want.Type)
	if wt == nil {
		if d.Type != nil {
			t.Errorf("ref of %q has a type, upstream gives the null reference; want none", input)
		}
		return
	}
	memory, err := hex.DecodeString(want.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if d.Type == nil {
		t.Errorf("ref of %q is null, want %+v", input, *wt)
		return
	}
	compareType(t, fmt.Sprintf("%q", input), d.Type, wt)
	if len(memory) != len(d.Bytes) && want.Bytes != "" {
		t.Errorf("ref of %q has %d bytes, upstream has %d; want as many", input, len(d.Bytes), len(memory))
	}
	if !t.Failed() && want.Bytes != "" {
		compareBytes(t, fmt.Sprintf("%q", input), d.Type, wt, d.Bytes, memory)
	}
}

func parseType(t *testing.T, raw json.RawMessage) *oracleType {
	t.Helper()
	var name string
	if json.Unmarshal(raw, &name) == nil && name == "null-ref" {
		return nil
	}
	var ot oracleType
	if err := json.Unmarshal(raw, &ot); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return &ot
}

// UnmarshalJSON reads a description of a type, or the name of a scalar.
func (o *oracleType) UnmarshalJSON(text []byte) error {
	var name string
	if json.Unmarshal(text, &name) != nil {
		type description oracleType
		return json.Unmarshal(text, (*description)(o))
	}
	for k := expr.Int8; k <= expr.Float64; k++ {
		if k.String() == name {
			n := expr.Scalar(k).Size
			*o = oracleType{Class: "scalar", Kind: classOf(k), Buffersize: n, Alignment: n}
			return nil
		}
	}
	return fmt.Errorf("unknown type %q", name)
}

func classOf(k expr.Kind) string {
	switch {
	case k.Float():
		return "float"
	case k.Signed():
		return "signed"
	case k.Integer():
		return "unsigned"
	}
	return "unknown"
}

// compareType compares everything except the order of a record's members, which in upstream
// depends on a hash table.
func compareType(t *testing.T, what string, got *expr.Type, want *oracleType) {
	t.Helper()
	differ := func(format string, args ...any) { t.Errorf("%s: "+format, append([]any{what}, args...)...) }
	if got.Size != want.Buffersize || got.Align != want.Alignment {
		differ("size %d align %d, want %d and %d", got.Size, got.Align, want.Buffersize, want.Alignment)
	}
	switch want.Class {
	case "scalar":
		if classOf(got.Kind) != want.Kind {
			differ("%v, want %s", got.Kind, want.Kind)
		}
	case "array":
		if got.Kind != expr.Array || got.Len != want.Size || got.Start != want.Start || got.Count != want.Subsize {
			differ("%v %d %d %d, want array %d %d %d", got.Kind, got.Len, got.Start, got.Count, want.Size, want.Start, want.Subsize)
			return
		}
		compareType(t, what+"[]", got.Elem, want.Subtype)
	case "pointer":
		if got.Kind != expr.Pointer {
			differ("%v, want pointer", got.Kind)
		}
	case "tuple":
		if got.Kind != expr.Tuple || len(got.Members) != len(want.Elements) {
			differ("%v of %d, want tuple of %d", got.Kind, len(got.Members), len(want.Elements))
			return
		}
		for i, m := range want.Elements {
			if got.Members[i].Offset != m.Disp {
				differ("element %d at %d, want %d", i, got.Members[i].Offset, m.Disp)
			}
			compareType(t, fmt.Sprint(what, "[", i, "]"), got.Members[i].Type, m.Type)
		}
	case "record":
		if got.Kind != expr.Record || len(got.Members) != len(want.Members) {
			differ("%v of %d, want record of %d", got.Kind, len(got.Members), len(want.Members))
			return
		}
		for _, m := range want.Members {
			g, ok := got.Member(m.Name)
			if !ok {
				differ("no member %s", m.Name)
				continue
			}
			compareType(t, what+"."+m.Name, g.Type, m.Type)
		}
	default:
		t.Fatalf("unknown class %q", want.Class)
	}
}

// compareBytes compares values, without addresses and the bytes between values.
func compareBytes(t *testing.T, what string, got *expr.Type, want *oracleType, g, w []byte) {
	t.Helper()
	switch want.Class {
	case "scalar":
		if string(g) != string(w) {
			t.Errorf("%s: bytes %x, want %x", what, g, w)
		}
	case "array":
		n := got.Elem.Size
		for i := range got.Len {
			compareBytes(t, what+"[]", got.Elem, want.Subtype, g[i*n:(i+1)*n], w[i*n:(i+1)*n])
		}
	case "tuple":
		for i, m := range want.Elements {
			compareBytes(t, what, got.Members[i].Type, m.Type, g[got.Members[i].Offset:][:m.Type.Buffersize], w[m.Disp:][:m.Type.Buffersize])
		}
	case "record":
		for _, m := range want.Members {
			k, _ := got.Member(m.Name)
			compareBytes(t, what+"."+m.Name, k.Type, m.Type, g[k.Offset:][:m.Type.Buffersize], w[m.Disp:][:m.Type.Buffersize])
		}
	}
}
