package data

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/pentode-dev/pentode/internal/leaf/float16"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// Kind says how the bytes of a scalar are interpreted.
type Kind uint8

const (
	Opaque   Kind = iota // bytes that are not a number
	Signed               // two's complement
	Unsigned             // also the kind of char, logical and character
	Float                // IEEE 754
)

func (k Kind) String() string {
	return [...]string{"unknown", "signed", "unsigned", "float"}[k]
}

// Scalar is the type of a number on a machine.
type Scalar struct {
	Name string // the name in the declaration, such as `int32`, `size_t` or `real`
	Kind Kind
	layout
}

func (s *Scalar) String() string { return s.Name }

// Element returns the kind of an array in a pipeline that has the same elements, or 0 if there
// is none.
func (s *Scalar) Element() tensor.Kind {
	switch s.Kind {
	case Signed:
		return sizes{1: tensor.Int8, 2: tensor.Int16, 4: tensor.Int32, 8: tensor.Int64}.of(s)
	case Unsigned:
		return sizes{1: tensor.Uint8, 2: tensor.Uint16, 4: tensor.Uint32, 8: tensor.Uint64}.of(s)
	case Float:
		return sizes{2: tensor.Float16, 4: tensor.Float32, 8: tensor.Float64}.of(s)
	}
	return sizes{1: tensor.Uint8}.of(s)
}

// sizes maps the size of a number in bytes to a kind.
type sizes [9]tensor.Kind

func (e sizes) of(s *Scalar) tensor.Kind {
	if s.size < int64(len(e)) {
		return e[s.size]
	}
	return 0
}

// scalarName is what the name of a number type means: its kind, and its size on a machine.
type scalarName struct {
	kind  Kind
	bytes func(*Machine) int64
}

func fixed(n int64) func(*Machine) int64 { return func(*Machine) int64 { return n } }

// scalarNames are the names of C types. A C type whose name ends in `_t` may be written without
// `_t`, except size_t.
var scalarNames = map[string]scalarName{
	"char":  {Unsigned, fixed(1)},
	"byte":  {Opaque, fixed(1)},
	"short": {Signed, func(m *Machine) int64 { return m.Short }},
	"int":   {Signed, func(m *Machine) int64 { return m.Int }},
	"long":  {Signed, func(m *Machine) int64 { return m.Long }},

	"long long":          {Signed, func(m *Machine) int64 { return m.LongLong }},
	"unsigned short":     {Unsigned, func(m *Machine) int64 { return m.Short }},
	"unsigned long":      {Unsigned, func(m *Machine) int64 { return m.Long }},
	"unsigned long long": {Unsigned, func(m *Machine) int64 { return m.LongLong }},

	"int8": {Signed, fixed(1)}, "uint8": {Unsigned, fixed(1)},
	"int16": {Signed, fixed(2)}, "uint16": {Unsigned, fixed(2)},
	"int32": {Signed, fixed(4)}, "uint32": {Unsigned, fixed(4)},
	"int64": {Signed, fixed(8)}, "uint64": {Unsigned, fixed(8)},

	"int_least8": {Signed, fixed(1)}, "uint_least8": {Unsigned, fixed(1)},
	"int_least16": {Signed, fixed(2)}, "uint_least16": {Unsigned, fixed(2)},
	"int_least32": {Signed, fixed(4)}, "uint_least32": {Unsigned, fixed(4)},
	"int_least64": {Signed, fixed(8)}, "uint_least64": {Unsigned, fixed(8)},

	"int_fast8": {Signed, fixed(1)}, "uint_fast8": {Unsigned, fixed(1)},
	"int_fast16":  {Signed, func(m *Machine) int64 { return m.Fast16 }},
	"uint_fast16": {Unsigned, func(m *Machine) int64 { return m.Fast16 }},
	"int_fast32":  {Signed, func(m *Machine) int64 { return m.Fast32 }},
	"uint_fast32": {Unsigned, func(m *Machine) int64 { return m.Fast32 }},
	"int_fast64":  {Signed, fixed(8)}, "uint_fast64": {Unsigned, fixed(8)},

	"intmax": {Signed, fixed(8)}, "uintmax": {Unsigned, fixed(8)},
	"intptr":  {Signed, func(m *Machine) int64 { return m.Pointer }},
	"uintptr": {Unsigned, func(m *Machine) int64 { return m.Pointer }},
	"ptrdiff": {Signed, func(m *Machine) int64 { return m.PtrDiff }},
	"size_t":  {Unsigned, func(m *Machine) int64 { return m.SizeT }},

	"float":  {Float, fixed(4)},
	"double": {Float, fixed(8)},
}

// fortranNames are the Fortran types, which can have a `kind`. The size in this table is that
// of the default kind.
var fortranNames = map[string]scalarName{
	"integer":   {Signed, func(m *Machine) int64 { return m.Integer }},
	"real":      {Float, func(m *Machine) int64 { return m.Real }},
	"logical":   {Unsigned, func(m *Machine) int64 { return m.Logical }},
	"character": {Unsigned, func(m *Machine) int64 { return m.Character }},
}

// elsewhere has type names that authors may know from other languages, but that PDI lacks, and
// for each what to write instead.
var elsewhere = map[string]string{
	"bool": "uint8", "string": "{type: array, subtype: char, size: N}",
	"uint": "uint32", "unsigned": "uint32", "unsigned int": "uint32",
	"unsigned char": "uint8", "signed char": "int8", "ssize_t": "ptrdiff_t",
	"long double": "{type: real, kind: 16}", "size": "size_t",
	"complex": "{type: array, subtype: double, size: 2}",
	"float32": "float", "float64": "double",
}

// cName looks up the name of a C type, with or without `_t`.
func cName(name string) (scalarName, bool) {
	if s, ok := scalarNames[name]; ok {
		return s, true
	}
	base, hasSuffix := cutT(name)
	switch base {
	case "char", "byte", "short", "int", "long", "float", "double", "size_t":
		return scalarName{}, false // these names cannot be written with `_t`: C has no `int_t`
	}
	s, ok := scalarNames[base]
	return s, ok && hasSuffix
}

func cutT(name string) (string, bool) {
	if n := len(name) - 2; n > 0 && name[n:] == "_t" {
		return name[:n], true
	}
	return name, false
}

// ScalarOf returns a scalar with any name. Its alignment follows from the kind and the size,
// which must be a power of two.
func ScalarOf(m *Machine, name string, kind Kind, size int64) *Scalar {
	table := &m.IntAlign
	if kind == Float {
		table = &m.FloatAlign
	}
	return &Scalar{Name: name, Kind: kind, layout: layout{
		size: size, data: size, align: align(table, size), dense: true, parts: 1,
	}}
}

// TypeNames returns the sorted names of all types that are known without a declaration.
var TypeNames = sync.OnceValue(func() []string {
	names := []string{"array", "struct", "record", "tuple", "pointer"}
	for n := range fortranNames {
		names = append(names, n)
	}
	for n := range scalarNames {
		names = append(names, n)
		if _, ok := cName(n + "_t"); ok {
			names = append(names, n+"_t")
		}
	}
	slices.Sort(names)
	return names
})

// Number returns the value of a scalar in memory: an int64, uint64, float32 or float64, a
// *big.Int for integers of 16 or more bytes, or the bytes themselves if the scalar is not a
// number. b must be large enough for the scalar.
func (m *Machine) Number(s *Scalar, b []byte) any {
	b = b[:s.size]
	switch s.Kind {
	case Signed:
		if s.size > 8 {
			return m.bigInt(b, true)
		}
		shift := 64 - 8*uint(s.size)
		return int64(m.bits(b)<<shift) >> shift
	case Unsigned:
		if s.size > 8 {
			return m.bigInt(b, false)
		}
		return m.bits(b)
	case Float:
		switch s.size {
		case 2:
			return float32(float16.Float(uint16(m.bits(b))))
		case 4:
			return math.Float32frombits(uint32(m.bits(b)))
		case 8:
			return math.Float64frombits(m.bits(b))
		case 16:
			hi, lo := m.bits(b[8:]), m.bits(b[:8])
			if m.BigEndian {
				hi, lo = lo, hi
			}
			return quad(hi, lo)
		}
	}
	return b
}

// bits reads up to eight bytes in the machine's byte order.
func (m *Machine) bits(b []byte) uint64 {
	var w [8]byte
	if m.BigEndian {
		copy(w[8-len(b):], b)
		return binary.BigEndian.Uint64(w[:])
	}
	copy(w[:], b)
	return binary.LittleEndian.Uint64(w[:])
}

// PutInteger writes an integer to the memory of an integer scalar. If v is too large, only its
// low bytes are written.
func (m *Machine) PutInteger(s *Scalar, b []byte, v uint64) {
	for i := range b[:min(s.size, 8)] {
		at := i
		if m.BigEndian {
			at = int(s.size) - 1 - i
		}
		b[at] = byte(v >> (8 * i))
	}
}

func (m *Machine) bigInt(b []byte, signed bool) *big.Int {
	big1 := make([]byte, len(b))
	for i := range b {
		if m.BigEndian {
			big1[i] = b[i]
		} else {
			big1[len(b)-1-i] = b[i]
		}
	}
	n := new(big.Int).SetBytes(big1)
	if signed && big1[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// quad converts a number in IEEE 754 binary128 format to float64. It keeps the upper bits of
// the fraction and drops the others.
func quad(hi, lo uint64) float64 {
	exponent := int(hi >> 48 & 0x7fff)
	fraction := hi<<16>>12 | lo>>60 // the upper 52 of the 112 fraction bits: 48 from hi and 4 from lo
	var f float64
	switch exponent {
	case 0:
		f = 0
	case 0x7fff:
		f = math.Inf(1)
		if fraction != 0 || lo != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(float64(fraction|1<<52), exponent-16383-52)
	}
	if hi>>63 != 0 {
		f = -f
	}
	return f
}

// undeclared is the type of data whose name was never declared. Their size is not known.
var undeclared = &Scalar{Name: "undeclared", Kind: Opaque, layout: layout{align: 1, dense: true, parts: 1}}
