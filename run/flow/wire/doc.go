// Package wire encodes data in a binary format. A pipeline and its programs exchange data in this
// format, and `serializer` writes it.
//
//	flow.Datum ─ Encoder ─▶ bytes │ shared memory ─ Decoder ─▶ flow.Datum
//
// A value is a byte for its kind, followed by the data of that kind; everything is little-endian.
// Large arrays may be in memory that both sides share, so that they are copied only once.
// docs/protocol.md has the table.
package wire

// The kinds of values. The comments describe the data that follow the kind.
const (
	kindEmpty  = iota // nothing; the step has no value
	kindInt           // i64
	kindFloat         // f64
	kindText          // text
	kindBytes         // payload
	kindTensor        // array
	kindImage         // array of height, width, channels
	kindError         // text: the reason why there is no value
	kindBool          // u8
	kindList          // u32, values
	kindRecord        // text: name of the record; u32: number of members; for each member, its name and value
	kindFlush         // nothing; the data after the flush do not belong to the data before it
)

// Where the bytes of a payload are.
const (
	inline   = iota // they follow: u32 length, bytes
	shared          // in the memory of the sender: u32 block, u64 offset, u64 length
	returned        // in the memory of the receiver: u64 offset, u64 length
)

// The kinds of columns. A column has the data of one port for several steps.
const (
	mixed  = 0   // values of any kind
	ints   = 'q' // an i64 for each step
	floats = 'd' // an f64 for each step
)

// MaxDepth limits how deeply lists and records may be nested.
const MaxDepth = 64

// Large is the size in bytes from which a payload is put into shared memory.
const Large = 64 << 10
