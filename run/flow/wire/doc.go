// Package wire is the binary form of data: what a pipeline and a program
// exchange, and what `serializer` writes.
//
//	flow.Datum ─ Encoder ─▶ bytes │ shared memory ─ Decoder ─▶ flow.Datum
//
// A value is one byte for its kind and what the kind needs; everything is
// little-endian. Large arrays may lie beside the bytes, in memory that both
// sides see, so that they are copied once. docs/protocol.md has the table.
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
	kindFlush         // what follows does not belong to what came before
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

// MaxDepth is how many lists and records may stand in each other.
const MaxDepth = 64

// Large is the size from which a payload goes to shared memory.
const Large = 64 << 10
