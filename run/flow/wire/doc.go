// Package wire has the binary form of data: a pipeline and a program exchange it, and `serializer`
// writes it.
//
//	flow.Datum ─ Encoder ─▶ bytes │ shared memory ─ Decoder ─▶ flow.Datum
//
// A value is a byte for its kind, followed by the data of that kind; everything is little-endian.
// Large arrays may be in memory that both sides share, so that they are copied only once.
// docs/protocol.md has the table.
package wire

// The kinds of values.
const (
	kindEmpty  = iota // no value in this step
	kindInt           // i64
	kindFloat         // f64
	kindText          // text
	kindBytes         // payload
	kindTensor        // array
	kindImage         // array of height, width, channels
	kindError         // text: why there is no value
	kindBool          // u8
	kindList          // u32, values
	kindRecord        // text: its name; u32, pairs of text and value
	kindFlush         // the data after it do not belong to the data before it
)

// Where a payload is.
const (
	inline   = iota // u32 length, bytes
	shared          // u32 block, u64 offset, u64 length in the memory of the sender
	returned        // u64 offset, u64 length in the memory of the receiver
)

// Column forms: the data of one port in several steps.
const (
	mixed  = 0   // values
	ints   = 'q' // i64 each
	floats = 'd' // f64 each
)

// MaxDepth is the maximum nesting of lists and records.
const MaxDepth = 64

// Large is the size from which a payload is put into shared memory.
const Large = 64 << 10
