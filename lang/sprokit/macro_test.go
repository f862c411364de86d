package sprokit

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
)

func TestDigit(t *testing.T) {
	for c := range 256 {
		if want := c >= '0' && c <= '9'; digit(byte(c)) != want {
			t.Errorf("digit(%q) = %v", rune(c), !want)
		}
	}
}

// TestManyMacros: a value with many macros has few steps, which still lead to the value.
func TestManyMacros(t *testing.T) {
	for _, n := range []int{maxMacros, maxMacros + 1, 10 * maxMacros} {
		text := "config c\n  k = one\n  m = a " + strings.Repeat("$CONFIG{c:k} b ", n) + "c\n"
		m := newOptions(Options{}).resolve(&load.Env{Opener: source.Map{}}, syntax.Parse(source.NewFile("x.pipe", text)))
		e, ok := m.value("c:m")
		if want := "a " + strings.Repeat("one b ", n) + "c"; !ok || e.Value != want {
			t.Fatalf("the value is %q, want %q", e.Value, want)
		}
		if got, wrong := replay(&e); wrong != "" || got != e.Value {
			t.Errorf("the steps make %q of it: %s; want %q", got, wrong, e.Value)
		}
		if want := 1 + min(n, maxMacros+1); len(e.Steps) != want {
			t.Errorf("%d macros are %d steps, not %d", n, len(e.Steps), want)
		}
	}
}
