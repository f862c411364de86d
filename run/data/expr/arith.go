package expr

import (
	"math"
	"math/bits"
)

// An opcode says what an instruction does with its operand: push it on the stack, or
// combine it with the value at the top of the stack.
type opcode uint8

const (
	opLoad opcode = iota
	opMul
	opDiv
	opMod
	opAdd
	opSub
	opLess
	opGreater
	opEqual
	opAnd
	opOr
)

// operator returns the operator that the character c stands for, and its precedence.
func operator(c byte) (op opcode, level int) {
	switch c {
	case '*':
		return opMul, 6
	case '/':
		return opDiv, 6
	case '%':
		return opMod, 6
	case '+':
		return opAdd, 5
	case '-':
		return opSub, 5
	case '<':
		return opLess, 4
	case '>':
		return opGreater, 4
	case '=':
		return opEqual, 3
	case '&':
		return opAnd, 2
	case '|':
		return opOr, 1
	}
	return 0, 0
}

var opSigns = [...]string{opMul: "*", opDiv: "/", opMod: "%", opAdd: "+", opSub: "-",
	opLess: "<", opGreater: ">", opEqual: "=", opAnd: "&", opOr: "|"}

// A fault is the reason why an operation has no result.
type fault uint8

const (
	fine fault = iota
	divByZero
	overflow
	floatRemainder
)

func (f fault) error(at span, op opcode, x, y Value) *Error {
	s := opSigns[op]
	switch f {
	case divByZero:
		return at.fail(ValueError, "division by zero: `%v %s %v`", x, s, y)
	case floatRemainder:
		return at.fail(TypeError, "`%v %s %v` is a remainder of floats, `%%` needs integers", x, s, y)
	}
	return at.fail(ValueError, "`%v %s %v` does not fit a 64-bit integer", x, s, y)
}

// apply computes x op y in dialect d.
func (d Dialect) apply(op opcode, x, y Value) (Value, fault) {
	switch {
	case op == opAnd:
		return truth(!x.zero() && !y.zero()), fine
	case op == opOr:
		return truth(!x.zero() || !y.zero()), fine
	case d == Documented && x.kind < Uint64 && y.kind < Uint64:
		return exact(op, int64(x.bits), int64(y.bits))
	case d == Documented:
		return unusual(op, x, y)
	}
	k := common(x.kind, y.kind)
	if k.Float() {
		return floats(op, x.convert(k).float(), y.convert(k).float(), k)
	}
	return wrapped(op, x.convert(k), y.convert(k), k)
}

// unusual computes with two numbers of which at least one is a float or a uint64, in the
// documented dialect.
func unusual(op opcode, x, y Value) (Value, fault) {
	if x.kind.Float() || y.kind.Float() {
		if op == opDiv && y.zero() {
			return Value{}, divByZero
		}
		return floats(op, x.Double(), y.Double(), Float64)
	}
	bigX := x.kind == Uint64 && int64(x.bits) < 0
	bigY := y.kind == Uint64 && int64(y.bits) < 0
	switch {
	case !bigX && !bigY:
		return exact(op, int64(x.bits), int64(y.bits))
	case op == opLess:
		return truth(bigY && (!bigX || x.bits < y.bits)), fine
	case op == opGreater:
		return truth(bigX && (!bigY || x.bits > y.bits)), fine
	case op == opEqual:
		return truth(bigX && bigY && x.bits == y.bits), fine
	}
	return Value{}, overflow
}

// exact computes with integers in the documented dialect. A result that does not fit into
// an int64 is a fault.
func exact(op opcode, a, b int64) (Value, fault) {
	switch op {
	case opAdd:
		if s := a + b; (s > a) == (b > 0) {
			return Int(s), fine
		}
		return Value{}, overflow
	case opSub:
		if s := a - b; (s < a) == (b > 0) {
			return Int(s), fine
		}
		return Value{}, overflow
	case opMul:
		hi, lo := bits.Mul64(uint64(a), uint64(b))
		hi -= uint64(a>>63)&uint64(b) + uint64(b>>63)&uint64(a) // convert the high half of the unsigned product to the signed product's
		if int64(hi) != int64(lo)>>63 {
			return Value{}, overflow
		}
		return Int(int64(lo)), fine
	case opLess:
		return truth(a < b), fine
	case opGreater:
		return truth(a > b), fine
	case opEqual:
		return truth(a == b), fine
	}
	if b == 0 {
		return Value{}, divByZero
	}
	if op == opMod {
		if b == -1 {
			return Int(0), fine
		}
		return Int(a % b), fine
	}
	if a == math.MinInt64 && b == -1 {
		return Value{}, overflow
	}
	return Int(a / b), fine
}

// floats computes in kind k, one of the two float kinds.
func floats(op opcode, x, y float64, k Kind) (Value, fault) {
	var r float64
	switch op {
	case opAdd:
		r = x + y
	case opSub:
		r = x - y
	case opMul:
		r = x * y
	case opDiv:
		r = x / y
	case opMod:
		return Value{}, floatRemainder
	case opLess:
		return truth(x < y), fine
	case opGreater:
		return truth(x > y), fine
	case opEqual:
		return truth(x == y), fine
	}
	if r != r && x == x && y == y {
		r = negNaN
	}
	if k == Float32 {
		// Rounding to float64 first does not change the result: float64 has more than
		// twice the digits of float32.
		r = float64(float32(r))
	}
	return Value{math.Float64bits(r), k}, fine
}

// common returns the kind in which C++ computes with numbers of kinds a and b.
func common(a, b Kind) Kind {
	if a == Float64 || b == Float64 {
		return Float64
	}
	if a == Float32 || b == Float32 {
		return Float32
	}
	a, b = promote(a), promote(b)
	switch {
	case a == b:
		return a
	case a == Uint64 || b == Uint64:
		return Uint64
	case a == Int64 || b == Int64:
		return Int64
	}
	return Uint32 // the only remaining case: Int32 with Uint32
}

func promote(k Kind) Kind {
	if kindSizes[k] < 4 {
		return Int32
	}
	return k
}

// wrapped computes with integers of kind k as C++ on x86-64 does. A computation that
// would crash the process returns a fault.
func wrapped(op opcode, x, y Value, k Kind) (Value, fault) {
	a, b := x.bits, y.bits
	signed := k.Signed()
	var r uint64
	switch op {
	case opAdd:
		r = a + b
	case opSub:
		r = a - b
	case opMul:
		r = a * b
	case opLess:
		return truth(signed && int64(a) < int64(b) || !signed && a < b), fine
	case opGreater:
		return truth(signed && int64(a) > int64(b) || !signed && a > b), fine
	case opEqual:
		return truth(a == b), fine
	default:
		if b == 0 {
			return Value{}, divByZero
		}
		least := int64(math.MinInt64)
		if k == Int32 {
			least = math.MinInt32
		}
		switch {
		case signed && int64(a) == least && int64(b) == -1:
			return Value{}, overflow
		case signed && op == opDiv:
			r = uint64(int64(a) / int64(b))
		case signed:
			r = uint64(int64(a) % int64(b))
		case op == opDiv:
			r = a / b
		default:
			r = a % b
		}
	}
	return Value{narrow(r, k), k}, fine
}
