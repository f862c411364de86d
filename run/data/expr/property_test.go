package expr_test

import (
	"fmt"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// TestArithmeticLaw checks the documented integers against exact arithmetic: the same
// result, or an error if the result does not fit 64 bits.
func TestArithmeticLaw(t *testing.T) {
	s := newScope()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		op := rapid.SampledFrom([]string{"+", "-", "*", "/", "%", "<", ">", "="}).Draw(t, "op")
		x, y, want := big.NewInt(a), big.NewInt(b), new(big.Int)
		switch op {
		case "+":
			want.Add(x, y)
		case "-":
			want.Sub(x, y)
		case "*":
			want.Mul(x, y)
		case "/", "%":
			if b == 0 {
				want = nil
			} else if op == "/" {
				want.Quo(x, y)
			} else {
				want.Rem(x, y)
			}
		default:
			if c := x.Cmp(y); c < 0 && op == "<" || c > 0 && op == ">" || c == 0 && op == "=" {
				want.SetInt64(1)
			}
		}
		p, err := expr.Compile(fmt.Sprintf("%d %s %d", a, op, b), expr.Documented)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Bind(s).Long()
		if exact := want != nil && want.IsInt64(); exact != (err == nil) || exact && got != want.Int64() {
			t.Fatalf("%d %s %d is %d, %v; want %v", a, op, b, got, err, want)
		}
	})
}

// TestFormatLaw compares format specs with Go's verbs where both mean the same.
func TestFormatLaw(t *testing.T) {
	s := newScope()
	check := func(t *rapid.T, typ expr.Kind, value, spec, want string) {
		d := expr.Datum{Type: expr.Scalar(typ), Bytes: make([]byte, 8)}
		v, err := expr.Compile(value, expr.Documented)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Bind(s).Copy(d); err != nil {
			t.Fatal(err)
		}
		*s.Cell("x") = expr.Cell{State: expr.Ready, Datum: d}
		p, err := expr.Compile("${x:"+spec+"}", expr.Documented)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Bind(s).Text()
		if got != want || err != nil {
			t.Fatalf("%s with %q is %q, %v; want %q", value, spec, got, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		flags := rapid.SampledFrom([]string{"", "+", "0", "+0"}).Draw(t, "flags")
		width := strconv.Itoa(rapid.IntRange(1, 40).Draw(t, "width"))
		i := rapid.Int64().Draw(t, "i")
		verb := rapid.SampledFrom([]string{"d", "x", "X", "b", "o"}).Draw(t, "verb")
		check(t, expr.Int64, strconv.FormatInt(i, 10), flags+width+verb, fmt.Sprintf("%"+flags+width+verb, i))

		x := rapid.Float64Range(-1e18, 1e18).Draw(t, "x")
		precision := "." + strconv.Itoa(rapid.IntRange(1, 20).Draw(t, "precision"))
		fverb := rapid.SampledFrom([]string{"e", "E", "f", "g"}).Draw(t, "float verb")
		text := strconv.FormatFloat(x, 'e', -1, 64)
		check(t, expr.Float64, text, flags+width+precision+fverb, fmt.Sprintf("%"+flags+width+precision+fverb, x))
	})
}
