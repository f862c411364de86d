// Package tsdl reads the text that declares a trace in the Common Trace Format 1.8: the
// structure of its packets and events, and its clocks.
//
//	metadata ──Text──▶ text ──Parse──▶ Trace ──▶ package ctf, which reads the streams
//
// The language has C's declarations of types, and blocks of attributes. A type with several names is one value here.
package tsdl

// Trace holds the declarations of a trace.
type Trace struct {
	UUID    string
	Order   Order
	Env     map[string]string
	Clocks  map[string]Clock
	Header  *Struct // of packets; nil: none
	Streams []*Stream
}

// Clock gives time stamps a meaning: ticks of this frequency since an offset from the
// epoch, which is in seconds and ticks.
type Clock struct {
	Frequency uint64
	Seconds   int64
	Ticks     int64
}

// Stream describes one kind of stream. Missing declarations are nil.
type Stream struct {
	ID            uint64
	PacketContext *Struct
	EventHeader   *Struct
	EventContext  *Struct
	Events        []*Event
}

// Event is a kind of event of a stream.
type Event struct {
	ID      uint64
	Name    string
	Context *Struct
	Fields  *Struct
}

// Order is the byte order of a number.
type Order int

const (
	Native Order = iota // the byte order of the trace
	Little
	Big
)

// Type is the type of a field: *Integer, *Float, *Enum, *String, *Array,
// *Struct or *Variant.
type Type interface {
	// Alignment returns the number of bits to which values are aligned.
	Alignment() uint64
}

type (
	// Integer has 1 to 64 bits.
	Integer struct {
		Bits   uint64
		Align  uint64
		Signed bool
		Base   int
		Order  Order
		Text   bool   // whether it is a character
		Clock  string // the clock whose time it is; empty: none
	}
	// Float has the 32 or 64 bits of IEEE 754.
	Float struct {
		Bits  uint64
		Align uint64
		Order Order
	}
	// Enum is an integer whose values have names.
	Enum struct {
		Integer *Integer
		Labels  []Label
	}
	// Label is the name of the values from Low to High, which are signed if the integer is.
	Label struct {
		Name      string
		Low, High uint64
	}
	// String ends with a zero byte.
	String struct{}
	// Array has Count elements, or as many as the value of the integer at Length.
	Array struct {
		Elem   Type
		Count  uint64
		Length []string
	}
	// Struct is a sequence of fields.
	Struct struct {
		Fields []Field
		Align  uint64 // the minimum; its fields may need a larger alignment
	}
	// Variant has one of several options in each event: the option that the value of the
	// enumeration at Tag names.
	Variant struct {
		Tag     []string
		Options []Field
	}
	// Field is a field of a struct, or an option of a variant.
	Field struct {
		Name string
		Type Type
	}
)

func (t *Integer) Alignment() uint64 { return t.Align }
func (t *Float) Alignment() uint64   { return t.Align }
func (t *Enum) Alignment() uint64    { return t.Integer.Align }
func (t *String) Alignment() uint64  { return 8 }
func (t *Array) Alignment() uint64   { return t.Elem.Alignment() }
func (t *Struct) Alignment() uint64  { return t.Align }
func (t *Variant) Alignment() uint64 { return 1 }

// Has reports whether a label includes a value.
func (t *Enum) Has(l Label, value uint64) bool {
	if t.Integer.Signed {
		return int64(l.Low) <= int64(value) && int64(value) <= int64(l.High)
	}
	return l.Low <= value && value <= l.High
}

// Label returns the name of a value, or "".
func (t *Enum) Label(value uint64) string {
	for _, l := range t.Labels {
		if t.Has(l, value) {
			return l.Name
		}
	}
	return ""
}
