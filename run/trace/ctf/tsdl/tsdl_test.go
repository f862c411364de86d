package tsdl

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// begin is the minimum that a trace must declare.
const begin = "trace { major = 1; minor = 8; byte_order = le; };\n"

// The parser reads every kind of declaration in every notation of the language.
func TestParse(t *testing.T) {
	got, err := Parse(`/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := unsigned char;
typedef unsigned char letters[4];
typealias integer { size = 0x20; byte_order = network; signed = true; base = hexadecimal; } := int; // no align
typealias integer { size = 64; map = clock.mono.value; } := stamp *;
trace {
	uuid = "90415882-62dc-471c-8c13-5c115d309614"; byte_order = be;
	packet.header := struct { int magic, id; };
};
env { domain = "u" "st"; major = 3; minor = -2; };
clock { name = mono; freq = 1000; offset_s = -5; offset = 017; };
struct inner { typedef int mine; mine a; unsigned char b[2][a]; } align(32);
variant kinds { struct inner one; string two; };
enum colors { red, green = 'c' ... 200, "dark blue" };
stream {
	packet.context := struct { stamp * timestamp_begin; };
	event.header := struct { enum colors id; variant kinds <id> v; };
	event.context := struct { floating_point { exp_dig = 8; mant_dig = 24; } f; };
};
event { name = "a \"b\" \x41\101\u00e9\?"; id = 7; loglevel = 3; model.emf.uri = "x"; context := struct { letters l; }; fields := struct { variant kinds <stream.event.header.id> v; }; };
event { id = 8; fields := struct inner; }
callsite { name = "x"; func = "y"; file = "z"; line = 3; };
`)
	if err != nil {
		t.Fatal(err)
	}
	char := &Integer{Bits: 8, Align: 8, Base: 10, Text: true}
	integer := &Integer{Bits: 32, Align: 8, Signed: true, Base: 16, Order: Big}
	inner := &Struct{Align: 32, Fields: []Field{{"a", integer}, {"b", &Array{Elem: &Array{Elem: char, Length: []string{"a"}}, Count: 2}}}}
	options := []Field{{"one", inner}, {"two", &String{}}}
	want := &Trace{
		UUID: "90415882-62dc-471c-8c13-5c115d309614", Order: Big,
		Header: &Struct{Align: 8, Fields: []Field{{"magic", integer}, {"id", integer}}},
		Env:    map[string]string{"domain": "ust", "major": "3", "minor": "-2"},
		Clocks: map[string]Clock{"mono": {1000, -5, 15}},
		Streams: []*Stream{{
			PacketContext: &Struct{Align: 8, Fields: []Field{{"timestamp_begin", &Integer{Bits: 64, Align: 8, Base: 10, Clock: "mono"}}}},
			EventHeader: &Struct{Align: 8, Fields: []Field{
				{"id", &Enum{integer, []Label{{"red", 0, 0}, {"green", 'c', 200}, {"dark blue", 201, 201}}}},
				{"v", &Variant{[]string{"id"}, options}},
			}},
			EventContext: &Struct{Align: 8, Fields: []Field{{"f", &Float{Bits: 32, Align: 8}}}},
			Events: []*Event{
				{
					ID: 7, Name: "a \"b\" AAé?", Context: &Struct{Align: 8, Fields: []Field{{"l", &Array{Elem: char, Count: 4}}}},
					Fields: &Struct{Align: 1, Fields: []Field{{"v", &Variant{[]string{"stream", "event", "header", "id"}, options}}}},
				},
				{ID: 8, Fields: inner},
			},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An error is reported with its position.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "line 1, column 1: there is no `trace` block: this is not the description of a trace",
		"trace { };":                      "line 1, column 1: the `trace` block has no `byte_order`",
		"trace { byte_order = native; };": "line 1, column 9: the `byte_order` of a trace is `le` or `be`",
		"trace { byte_order = up; };":     "line 1, column 9: `byte_order` is `le`, `be`, `network` or `native`",
		"trace { major = 2; };":           "line 1, column 9: the trace has version 2 of the format; only 1.8 can be read",
		begin + begin:                     "line 2, column 1: a second `trace` block",
		"{":                               "line 1, column 1: expected a block such as `stream`, `event` or `typealias`, found `{`",
		"streem { };":                     "line 1, column 1: expected a block such as `stream`, `event` or `typealias`, found `streem`",
		"integer { size = 8; };":          "line 1, column 1: expected a block such as `stream`, `event` or `typealias`, found `integer`",
		"stream {":                        "line 1, column 9: the block `stream` does not end: a `}` is missing",
		"stream { id 3; };":               "line 1, column 13: expected `=` after `id`, found 3",
		"stream { id = 3 };":              "line 1, column 17: expected `;` after an attribute of `stream`, found `}`",
		"stream { id = ; };":              "line 1, column 15: expected a value for `id`, found `;`",
		"stream { id = -1; };":            "line 1, column 10: `id` takes a number that is not negative",
		"stream { event.header = 3; };":   "line 1, column 10: `event.header` takes a struct after `:=`",
		"stream { event.header := x; };":  "line 1, column 26: the type `x` is not declared",
		"stream { event. := x; };":        "line 1, column 17: expected a name after `event.`, found `:=`",
		"stream { }; stream { };":         "line 1, column 13: the stream 0 is declared twice",
		"event { name = \"a\n\"; };":      "line 1, column 16: this text does not end on its line",
		"event { id = 1x; };":             "line 1, column 14: `1x` is not a number of at most 64 bits",
		"event { id = 'ab'; };":           "line 1, column 14: a character constant must have exactly one character",
		"/* open":                         "line 1, column 1: this comment does not end",
		"#":                               "line 1, column 1: '#' has no meaning here",
		"clock { freq = 1; };":            "line 1, column 1: a clock without a `name`",
		"clock { name = a; freq = 0; };":  "line 1, column 19: a clock must not have `freq = 0`",
		"clock { name = a; offset = 0x8000000000000000; };":                 "line 1, column 19: `offset` takes a number of at most 63 bits",
		"clock { name = a; }; clock { name = a; };":                         "line 1, column 22: the clock `a` is declared twice",
		begin + "stream { id = 4; }; event { name = x; };":                  "line 2, column 21: the event `x` belongs to the stream 0, which is not declared",
		begin + "event { id = 1; }; event { id = 1; };":                     "line 2, column 20: the stream 0 has two events with the id 1",
		"typealias integer { size = 0; } := x;":                             "line 1, column 11: an integer has a `size` of 1 to 64 bits, not 0",
		"typealias integer { size = 8; align = 3; } := x;":                  "line 1, column 31: an alignment is a power of two, not 3",
		"typealias integer { size = 8; signed = 2; } := x;":                 "line 1, column 31: `signed` is `true` or `false`",
		"typealias integer { size = 8; } x;":                                "line 1, column 33: expected `:=` after the type of a `typealias`, found `x`",
		"typealias string := ;":                                             "line 1, column 21: expected the name of the type, found `;`",
		"typealias string := x; typealias string := x;":                     "line 1, column 41: the type `x` is declared twice",
		"typealias floating_point { exp_dig = 5; mant_dig = 11; } := half;": "line 1, column 11: a `floating_point` has `exp_dig = 8; mant_dig = 24;` or `exp_dig = 11; mant_dig = 53;`, not 5 and 11",
		"struct a { string x; string x; };":                                 "line 1, column 22: the struct has two fields `x`",
		"struct a { string; };":                                             "line 1, column 18: expected the name of a field after its type, found `;`",
		"struct a { x; };":                                                  "line 1, column 12: expected a type and the name of a field, found `x`",
		"struct a { string x":                                               "line 1, column 20: expected `;` after a field, found the end",
		"struct a { string x[; };":                                          "line 1, column 21: expected a name, found `;`",
		"variant v { };":                                                    "line 1, column 1: a variant without options",
		"typealias string := variant v; typealias variant v <t> := w;":      "line 1, column 42: `variant v` is declared as another type",
		"enum a { x };":                                                     "line 1, column 1: an `enum` without a type after `:` is an `int`, which is not declared",
		"typealias string := s; enum a : s { x };":                          "line 1, column 24: the type of an `enum` is an integer",
		"enum a : integer { size = 8; } { x = -1 };":                        "line 1, column 38: the number does not fit the type of the `enum`",
		"enum a : integer { size = 8; } { x y };":                           "line 1, column 36: expected `,` or `}` after a value of an `enum`, found `y`",
		"enum a : integer { size = 8; } { 3 };":                             "line 1, column 34: expected the name of a value of an `enum`, found 3",
		strings.Repeat("struct { ", 65):                                     "line 1, column 577: declarations are nested more than 64 deep",
	} {
		if got, err := Parse(text); fmt.Sprint(err) != want || got != nil {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

// packet is a piece of a text in LTTng's form.
func packet(order binary.AppendByteOrder, text string, padding int) []byte {
	b := order.AppendUint32(nil, packetMagic)
	b = append(b, make([]byte, 16+4)...)
	b = order.AppendUint32(b, uint32(8*(packetHeader+len(text))))
	b = order.AppendUint32(b, uint32(8*(packetHeader+len(text)+padding)))
	b = append(b, 0, 0, 0, 1, 8)
	return append(append(b, text...), make([]byte, padding)...)
}

// A text is read as a whole or in packets; anything else is an error.
func TestText(t *testing.T) {
	change := func(at int, to byte) []byte {
		b := packet(binary.LittleEndian, "trace", 5)
		b[at] = to
		return b
	}
	for _, c := range []struct {
		file []byte
		want string
	}{
		{[]byte("tr"), "tr <nil>"},
		{[]byte("trace { };"), "trace { }; <nil>"},
		{append(packet(binary.LittleEndian, "tra", 9), packet(binary.LittleEndian, "ce", 0)...), "trace <nil>"},
		{packet(binary.BigEndian, "trace", 1), "trace <nil>"},
		{change(schemesAt, 1), " it is compressed or encrypted, which cannot be read"},
		{change(versionAt, 2), " it has version 2.8 of the format; only 1.8 can be read"},
		{change(contentAt, 1), " it is cut off in its packet at byte 0"},
		{change(sizeAt+1, 9), " it is cut off in its packet at byte 0"},
		{append(packet(binary.LittleEndian, "tra", 9), 1), " it is cut off: its packet at byte 49 has no complete header"},
		{append(packet(binary.LittleEndian, "tra", 9), make([]byte, 99)...), " it is damaged: at byte 49 no packet begins"},
	} {
		if text, err := Text(c.file); text+" "+fmt.Sprint(err) != c.want {
			t.Errorf("%q is %q, %v; want %s", c.file, text, err, c.want)
		}
	}
	if _, err := Text(make([]byte, MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "the limit is") {
		t.Error(err)
	}
}

// FuzzParse: a text is either parsed, or gives an error with a position in it.
func FuzzParse(f *testing.F) {
	f.Add(begin)
	f.Add(begin + "struct a { string x[2][y], z; } align(8); enum b : integer { size = 3; } { p = -1 ... 0x7, \"q\\x41\" };")
	f.Add("event { fields := struct { variant <a.b> { string x; } v; }; };")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Parse(text); err != nil {
			if e, ok := err.(*Error); !ok || e.Line < 1 || e.Line > 1+strings.Count(text, "\n") || e.Column < 1 {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
