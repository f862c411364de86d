package data

import (
	"testing"

	"github.com/pentode-dev/pentode/run/data/expr"
)

// TestScalarKind checks that expressions see a scalar with its kind and all of its bytes.
func TestScalarKind(t *testing.T) {
	for kind, want := range map[Kind][]expr.Kind{
		Signed:   {expr.Int8, expr.Int16, expr.Int32, expr.Int64},
		Unsigned: {expr.Uint8, expr.Uint16, expr.Uint32, expr.Uint64},
		Float:    {expr.Opaque, expr.Opaque, expr.Float32, expr.Float64},
	} {
		for i, size := range []int64{1, 2, 4, 8} {
			s := &Scalar{Kind: kind}
			s.size = size
			if got := scalarKind(s); got != want[i] {
				t.Errorf("kind %v of %d bytes is %v to expressions, want %v", kind, size, got, want[i])
			}
		}
		s := &Scalar{Kind: kind}
		if s.size = 16; scalarKind(s) != expr.Opaque {
			t.Errorf("kind %v of 16 bytes is %v, want %v", kind, scalarKind(s), expr.Opaque)
		}
	}
}
