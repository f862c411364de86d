package expr_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// oracleFolder returns the folder of recorded answers of the original program.
func oracleFolder(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("PENTODE_ORACLE"); dir != "" {
		return filepath.Join(dir, "pdi")
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			if o := filepath.Join(dir, "..", "shared", "oracle", "pdi"); isDir(o) {
				return o
			}
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Skip("PENTODE_ORACLE is not set and ../shared/oracle does not exist")
	return ""
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

type oracleContext struct {
	Spec string
	Set  [][2]string
}

// An oracleError has a class; the text is upstream's own.
type oracleError struct{ Status, What string }

type oracleReading struct {
	Value any // number or string
	Error *oracleError
	Crash string
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

func TestOracleExpressions(t *testing.T) {
	dir := oracleFolder(t)
	var contexts map[string]oracleContext
	readJSON(t, filepath.Join(dir, "contexts_expr.json"), &contexts)
	var cases []oracleCase
	readJSON(t, filepath.Join(dir, "expressions.json"), &cases)
	if len(cases) == 0 {
		t.Fatalf("%s holds no expressions", dir)
	}
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s-%d", c.Group, i), func(t *testing.T) {
			s := newScope()
			s.declare(t, contexts[c.Context].Spec, contexts[c.Context].Set)
			testOracleCase(t, s, c)
		})
	}
}

// TestOracleDocumentedDialect reads the same expressions in the documented dialect. Where
// it differs from upstream, a ruling must say so.
func TestOracleDocumentedDialect(t *testing.T) {
	dir := oracleFolder(t)
	var contexts map[string]oracleContext
	readJSON(t, filepath.Join(dir, "contexts_expr.json"), &contexts)
	var cases []oracleCase
	readJSON(t, filepath.Join(dir, "expressions.json"), &cases)
	for i, c := range cases {
		if c.Form != "string" {
			continue
		}
		t.Run(fmt.Sprintf("%s-%d", c.Group, i), func(t *testing.T) {
			s := newScope()
			s.declare(t, contexts[c.Context].Spec, contexts[c.Context].Set)
			for _, reading := range []string{"long", "double", "text", "type"} {
				documented, up := outcome(s, expr.Documented, reading, c.Input), outcome(s, expr.Upstream, reading, c.Input)
				if documented != up && !ruled(s, c.Input, documented) {
					t.Errorf("%s of %q is %q, upstream %q, and no ruling says so", reading, c.Input, documented, up)
				}
			}
		})
	}
}

// ruled reports whether a ruling lets the documented dialect differ for text.
func ruled(s *scope, text, documented string) bool {
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
		unsigned || documented == "error VALUE" && p.Form() != expr.Text // what does not fit an integer
}

func readJSON(t *testing.T, path string, to any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && os.Getenv("PENTODE_ORACLE") == "" {
		t.Skipf("%s does not exist", path)
	} else if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func testOracleCase(t *testing.T, s *scope, c oracleCase) {
	var p *expr.Program
	var err error
	if c.Form == "yaml" {
		p = compileNode(t, yamlNode(t, c.Input), expr.Upstream)
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
				d, err = copied(b, typeOf(t, yamlNode(t, c.As)), &want)
			}
			if want.Error == nil && want.Crash == "" && err == nil {
				sameDatum(t, c.Input, d, want)
				continue
			}
		default:
			t.Fatalf("unknown reading %q", reading)
		}
		what := fmt.Sprintf("%s of %q", reading, c.Input)
		switch {
		case want.Crash != "" && err == nil:
			t.Errorf("%s is %v, upstream crashes", what, got)
		case want.Crash != "":
		case want.Error != nil || err != nil:
			sameError(t, what, want.Error, err)
		case got != want.Value:
			t.Errorf("%s is %#v, want %#v", what, got, want.Value)
		}
	}
}

// copied returns b in memory of type typ. Upstream leaves what is not written
// as it was: such bytes become 0 on both sides.
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

// printed shows a float as the oracle does, with 17 digits.
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
			t.Errorf("ref of %q has a type, upstream gives the null reference", input)
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
	if !t.Failed() {
		compareBytes(t, fmt.Sprintf("%q", input), d.Type, wt, d.Bytes, memory)
	}
}

func parseType(t *testing.T, raw json.RawMessage) *oracleType {
	t.Helper()
	var name string
	if json.Unmarshal(raw, &name) == nil {
		if name == "null-ref" {
			return nil
		}
		for k := expr.Int8; k <= expr.Float64; k++ {
			if k.String() == name {
				n := expr.Scalar(k).Size
				return &oracleType{Class: "scalar", Kind: classOf(k), Buffersize: n, Alignment: n}
			}
		}
		t.Fatalf("unknown type %q", name)
	}
	var ot oracleType
	if err := json.Unmarshal(raw, &ot); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return &ot
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

// compareType compares all but the order of a record's members, which
// upstream leaves to its hash table.
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

// compareBytes compares values and leaves out addresses and what lies between values.
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
