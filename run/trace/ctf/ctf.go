// Package ctf writes traces in the Common Trace Format 1.8, which babeltrace2 and Trace Compass
// read, and reads CTF traces of any tracer.
//
// A trace is a folder: a text that declares the events and their fields, and one binary file for each stream, divided into
// packets. Everything is packed little-endian, so that writing an event only appends its bytes. A trace can be read while it
// is written: text and streams are complete at any moment.
//
//	Trace ──Stream──▶ Stream ──Event, U32, Text …──▶ packets
//	  └──Close──▶ metadata, with the measured clock
//
//	metadata ──tsdl──▶ Reader, with a plan for each kind of event ──Cursor──▶ events of a stream
package ctf

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/seal"
)

// Type is the type of a field.
type Type int

const (
	U16 Type = iota
	U32
	I32
	U64
	Hex // 64 bits, shown in base 16
	Text
	Hexes // a list of Hex; its length is in the field before it, which has the same name with LengthEnding
)

// LengthEnding ends the name of a field with the length of a list.
const LengthEnding = "_length"

var declarations = [...]string{
	U16:   "integer { size = 16; align = 8; signed = false; }",
	U32:   "integer { size = 32; align = 8; signed = false; }",
	I32:   "integer { size = 32; align = 8; signed = true; }",
	U64:   "integer { size = 64; align = 8; signed = false; }",
	Hex:   "integer { size = 64; align = 8; signed = false; base = 16; }",
	Text:  "string { encoding = UTF8; }",
	Hexes: "integer { size = 64; align = 8; signed = false; base = 16; }", // the type of an element
}

// Field is a field of an event, or of the context of all events.
type Field struct {
	Name string
	Type Type
}

// Field returns the field for writing a member that was read from another trace. ok reports whether this is possible.
func (m *Member) Field() (f Field, ok bool) {
	if m.Form == List && len(m.Elem) == 1 && m.Elem[0].Form == Address && m.Elem[0].Bits == 64 {
		return Field{m.Name, Hexes}, true
	}
	for t, d := range written {
		if d.Form == m.Form && d.Bits == m.Bits && m.Enum == nil {
			return Field{m.Name, Type(t)}, true
		}
	}
	return Field{}, false
}

// written lists the types as readers see them.
var written = [...]Member{
	U16: {Form: Unsigned, Bits: 16}, U32: {Form: Unsigned, Bits: 32}, I32: {Form: Signed, Bits: 32},
	U64: {Form: Unsigned, Bits: 64}, Hex: {Form: Address, Bits: 64}, Text: {Form: String},
}

// Event is a kind of event. Its number is its index.
type Event struct {
	Name   string
	Fields []Field
	Aside  bool // it adds to the next event, and is not counted as an event
}

// Clock gives time stamps a meaning: ticks of this frequency since Offset, which is in nanoseconds since the epoch.
type Clock struct {
	Frequency uint64
	Offset    int64
}

// Trace is a trace being written.
type Trace struct {
	Context []Field
	Events  []Event
	Env     map[string]string

	dir  string
	uuid [16]byte
}

// Create makes the folder of a trace.
func Create(dir string, t *Trace) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	t.dir = dir
	_, err := rand.Read(t.uuid[:])
	t.uuid[6], t.uuid[8] = t.uuid[6]&0x0f|0x40, t.uuid[8]&0x3f|0x80
	return err
}

// Describe writes the text that declares the trace. It may be called again when the clock is known more accurately.
func (t *Trace) Describe(c Clock) error {
	var b strings.Builder
	b.WriteString("/* CTF 1.8 */\n\n")
	id := fmt.Sprintf("%x-%x-%x-%x-%x", t.uuid[:4], t.uuid[4:6], t.uuid[6:8], t.uuid[8:10], t.uuid[10:])
	fmt.Fprintf(&b, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = %q;\n\tbyte_order = le;\n\tpacket.header := struct {\n\t\t%s magic;\n\t\tinteger { size = 8; align = 8; signed = false; } uuid[16];\n\t\t%s stream_id;\n\t};\n};\n\n", id, declarations[U32], declarations[U32])
	b.WriteString("env {\n")
	for _, key := range []string{"hostname", "domain", "tracer_name", "tracer_major", "tracer_minor", "pentode_run", seal.Name} {
		if value, ok := t.Env[key]; ok {
			fmt.Fprintf(&b, "\t%s = %s;\n", key, value)
		}
	}
	seconds, rest := c.Offset/1e9, c.Offset%1e9
	if rest < 0 {
		seconds, rest = seconds-1, rest+1e9
	}
	high, low := bits.Mul64(uint64(rest), c.Frequency)
	ticks, _ := bits.Div64(high, low, 1e9)
	fmt.Fprintf(&b, "};\n\nclock {\n\tname = monotonic;\n\tdescription = \"time stamp counter\";\n\tfreq = %d;\n\toffset_s = %d;\n\toffset = %d;\n\tabsolute = true;\n};\n\n",
		c.Frequency, seconds, ticks)
	b.WriteString(t.declarations())
	return t.declare(b.String())
}

// Quote returns a text as a value of the environment.
func Quote(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }

// declare writes the text to a new file that then replaces the old one, so that a full disk leaves a readable trace.
func (t *Trace) declare(text string) error {
	f, err := outfile.Replace(filepath.Join(t.dir, "metadata"))
	if err != nil {
		return err
	}
	if _, err = io.WriteString(f, text); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Close()
}

// declarations returns the part of the text that describes the streams.
func (t *Trace) declarations() string {
	var b strings.Builder
	b.WriteString("typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := time_t;\n\n")
	b.WriteString("stream {\n\tid = 0;\n\tpacket.context := struct {\n\t\ttime_t timestamp_begin;\n\t\ttime_t timestamp_end;\n")
	for _, name := range []string{"content_size", "packet_size", "packet_seq_num", "events_discarded"} {
		fmt.Fprintf(&b, "\t\t%s %s;\n", declarations[U64], name)
	}
	fmt.Fprintf(&b, "\t\t%s vpid;\n\t\t%s vtid;\n\t};\n", declarations[U32], declarations[U32])
	fmt.Fprintf(&b, "\tevent.header := struct {\n\t\t%s id;\n\t\ttime_t timestamp;\n\t};\n\tevent.context := struct {\n", declarations[U16])
	writeFields(&b, t.Context)
	b.WriteString("\t};\n};\n")
	for i, e := range t.Events {
		fmt.Fprintf(&b, "\nevent {\n\tname = %q;\n\tid = %d;\n\tstream_id = 0;\n\tfields := struct {\n", e.Name, i)
		writeFields(&b, e.Fields)
		b.WriteString("\t};\n};\n")
	}
	return b.String()
}

func writeFields(b *strings.Builder, fields []Field) {
	for _, f := range fields {
		// The underscore distinguishes names from keywords of the language; readers remove it.
		fmt.Fprintf(b, "\t\t%s _%s", declarations[f.Type], f.Name)
		if f.Type == Hexes {
			fmt.Fprintf(b, "[_%s%s]", f.Name, LengthEnding)
		}
		b.WriteString(";\n")
	}
}
