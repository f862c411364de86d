package ctf

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// schema has a field of every type.
func schema() *Trace {
	return &Trace{
		Context: []Field{{"host", Text}, {"rank", U32}},
		Events: []Event{
			{Name: "empty"},
			{Name: "full", Fields: []Field{{"small", U16}, {"sign", I32}, {"large", U64}, {"address", Hex}, {"text", Text}}},
		},
	}
}

// record makes a trace of one stream; fill writes its events.
func record(t *testing.T, c Clock, fill func(s *Stream)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ctf")
	trace := schema()
	if err := Create(dir, trace); err != nil {
		t.Fatal(err)
	}
	if err := trace.Describe(c); err != nil {
		t.Fatal(err)
	}
	s, err := trace.Stream("stream_0", 7, 8)
	if err != nil {
		t.Fatal(err)
	}
	fill(s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func begin(t *testing.T, s *Stream, id int, time uint64) {
	t.Helper()
	if err := s.Event(id, time); err != nil {
		t.Fatal(err)
	}
	s.Text("node")
	s.Put(U32, 3)
}

// read returns all events of a trace, and the error that ended the reading.
func read(t *testing.T, dir string) (list []Occurrence, err error) {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range r.Streams {
		for o, err := range r.Events(stream) {
			if err != nil {
				return list, err
			}
			list = append(list, o.Clone())
		}
	}
	return list, nil
}

// The offsets of some fields in the header of a packet.
const (
	contentSizeAt = 4 + 16 + 4 + 2*8
	packetSizeAt  = contentSizeAt + 8
)

// Everything written is read again: every type, the clock, and the lost events.
func TestRoundTrip(t *testing.T) {
	minus := int32(-5)
	dir := record(t, Clock{Frequency: 2e9, Offset: -1_500_000_000}, func(s *Stream) {
		begin(t, s, 0, 100)
		begin(t, s, 1, 90) // a time that goes back
		s.Put(U16, 0xfedc)
		s.Put(I32, uint64(uint32(minus)))
		s.Put(U64, 1<<63)
		s.Put(Hex, 0xabcdef)
		s.Text("a\x00b")
		begin(t, s, 1, 110)
		s.Put(U16, 0)
		s.Put(I32, 0)
		s.Put(U64, 0)
		s.Put(Hex, 0)
		s.Text("\x00b")
		s.Discarded = 4
	})
	got, err := read(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	context := []Value{{Text: "node"}, {Number: 3}}
	signed := int64(minus)
	want := []Occurrence{
		{Event: 0, Time: 100, Context: context, Fields: []Value{}, Discarded: 4, PID: 7, TID: 8},
		{Event: 1, Time: 100, Context: context, Fields: []Value{{Number: 0xfedc}, {Number: uint64(signed)}, {Number: 1 << 63}, {Number: 0xabcdef}, {Text: "a"}}, Discarded: 4, PID: 7, TID: 8},
		{Event: 1, Time: 110, Context: context, Fields: make([]Value, 5), Discarded: 4, PID: 7, TID: 8},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if ns := r.Clock.Nanoseconds(100); r.Clock.Frequency != 2e9 || ns != -1_499_999_950 {
		t.Errorf("100 ticks of %d Hz are at %d ns, want r.Clock.Frequency = 2e9 and ns = -1_499_999_950", r.Clock.Frequency, ns)
	}
}

// A stream larger than the write buffer keeps all of its events.
func TestManyPackets(t *testing.T) {
	const events = 3 * bufferSize / 20
	var s *Stream
	dir := record(t, Clock{Frequency: 1e9}, func(stream *Stream) {
		s = stream
		for i := range events {
			begin(t, s, 0, uint64(i))
		}
	})
	got, err := read(t, dir)
	if err != nil || len(got) != events || s.Written != events || s.packets < 2*bufferSize/pageSize {
		t.Fatalf("%d events of %d in %d packets, %d written: %v", len(got), events, s.packets, s.Written, err)
	}
	for i, o := range got {
		if o.Time != uint64(i) {
			t.Fatalf("event %d happened at %d, want %v", i, o.Time, uint64(i))
		}
	}
}

// A stream that was cut off or overwritten gives an error with its name, after the events of the packets before the damage.
func TestDamagedStreams(t *testing.T) {
	dir := record(t, Clock{Frequency: 1e9}, func(s *Stream) {
		begin(t, s, 0, 1)
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		begin(t, s, 0, 2)
	})
	path := filepath.Join(dir, "stream_0")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	half := len(whole) / 2 // each packet is a page
	for _, c := range []struct {
		name   string
		damage func(b []byte) []byte
		events int
		want   string
	}{
		{"nothing", func(b []byte) []byte { return b }, 2, "<nil>"},
		{"the last byte is gone", func(b []byte) []byte { return b[:len(b)-1] }, 1, "the stream `stream_0` is cut off: its last packet, at byte 4096, has 4096 bytes, and only 4095 are in the file"},
		{"half a header", func(b []byte) []byte { return b[:half+10] }, 1, "the stream `stream_0` is damaged: at byte 4096 the header of a packet goes beyond the end of its packet"},
		{"no magic number", func(b []byte) []byte { b[half] ^= 1; return b }, 1, "the stream `stream_0` is damaged: at byte 4096 no packet begins"},
		{"a packet of another trace", func(b []byte) []byte { b[half+4] ^= 1; return b }, 1, "the stream `stream_0` is damaged: at byte 4096 a packet of another trace begins"},
		{"a stream of another kind", func(b []byte) []byte { b[half+20] = 3; return b }, 1, "the stream `stream_0` is damaged: at byte 4096 a packet belongs to the stream 3, which is not declared"},
		{"an unknown event", func(b []byte) []byte { b[headerSize] = 2; return b }, 0, "the stream `stream_0` is damaged: at byte 80 an event has the id 2, which is not declared"},
		{"an event that is cut off", func(b []byte) []byte { b[contentSizeAt]--; return b }, 0, "the stream `stream_0` is damaged: at byte 80 an event goes beyond the end of its packet"},
		{"a packet smaller than its header", func(b []byte) []byte { b[packetSizeAt], b[packetSizeAt+1] = 0, 0; return b }, 0, "the stream `stream_0` is damaged: at byte 0 a packet has a size that is not possible"},
	} {
		if err := os.WriteFile(path, c.damage([]byte(string(whole))), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := read(t, dir); len(got) != c.events || fmt.Sprint(err) != c.want {
			t.Errorf("%s: %d events, %v", c.name, len(got), err)
		}
	}
}

// A folder without a trace, or with a text that declares none, gives an error with its name.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"":              "it has no file `metadata`",
		"/* CTF 1.8 */": "there is no `trace` block",
		"trace { byte_order = le; }; stream { event.header := struct { integer { size = 65; } id; }; };": "line 1, column 63: an integer has a `size` of 1 to 64 bits, not 65",
	} {
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, "metadata"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if err := os.RemoveAll(filepath.Join(dir, "metadata")); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Other files next to the streams are ignored: folders, hidden files, metadata being written.
func TestStreams(t *testing.T) {
	dir := record(t, Clock{Frequency: 1e9}, func(*Stream) {})
	for _, name := range []string{"metadata.partial", ".hidden"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "index"), 0o777); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil || len(r.Streams) != 1 || r.Streams[0] != "stream_0" {
		t.Errorf("%v, %v", r.Streams, err)
	}
}

// A stream may end after any page: readers see this while it grows, and a killed writer leaves such a file.
func TestWholePages(t *testing.T) {
	const events = 2000
	written := uint64(0)
	dir := record(t, Clock{Frequency: 1e9}, func(s *Stream) {
		for i := range events {
			begin(t, s, 1, uint64(i))
			s.Put(U16, 0)
			s.Put(I32, 0)
			s.Put(U64, 0)
			s.Put(Hex, 0)
			length := i % 97
			if i == events/2 {
				length = 3 * pageSize // larger than a page
			}
			s.Text(strings.Repeat("x", length))
			if i%300 == 0 {
				if err := s.Flush(); err != nil {
					t.Fatal(err)
				}
				if written = s.Written; written != uint64(i+1) {
					t.Fatalf("%d events of %d are in the file after a flush", written, i+1)
				}
			}
		}
	})
	path := filepath.Join(dir, "stream_0")
	whole, err := os.ReadFile(path)
	if err != nil || len(whole)%pageSize != 0 {
		t.Fatalf("%d bytes are not whole pages, %v", len(whole), err)
	}
	last := 0
	for size := 0; size <= len(whole); size += pageSize {
		if err := os.WriteFile(path, whole[:size], 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := read(t, dir)
		large := len(got) == events/2 && strings.Contains(fmt.Sprint(err), "is cut off") // in the middle of the one large event
		if err != nil && !large || len(got) < last {
			t.Fatalf("after %d bytes: %d events, %v", size, len(got), err)
		}
		last = len(got)
	}
	if last != events {
		t.Errorf("%d events of %d, want %v", last, events, events)
	}
}

// Large declarations are read or rejected quickly, and each limit has an error message.
func TestLimits(t *testing.T) {
	doubled := "struct s0 { };\n"
	for i := range 40 {
		doubled += fmt.Sprintf("struct s%d { struct s%d a, b; };\n", i+1, i)
	}
	const head = "trace { byte_order = le; };\ntypealias integer { size = 8; align = 8; } := u8;\ntypealias integer { size = 64; } := u64;\n"
	for fields, want := range map[string]string{
		"struct { u8 a; struct { } e[1000000]; }":         "goes beyond the end of its packet",
		"struct { u8 a; struct { } e[64][64]; }":          "an event `x` has lists whose elements take no room",
		"struct { u8 a; u64 n; struct { u64 x; } e[n]; }": "has lists of more than 1048576 values",
		"struct s40":                                             "the events have more than 262144 members, structs and names of options",
		"struct { u8 a[b]; }":                                    "the length of `a`, `b`, is not declared before it",
		"struct { string b; u8 a[b]; }":                          "the length of `a`, `b`, is not declared before it",
		"struct { enum : u8 { x } b; u8 a[b]; }":                 "the length of `a`, `b`, is not an integer",
		"struct { u8 b; variant <b> { u8 x; } v; }":              "the tag of `v`, `b`, is not an enumeration",
		"struct { variant { u8 x; } v; }":                        "the variant `v` has no tag",
		"struct { enum : u8 { y } b; variant <b> { u8 x; } v; }": "an event `x` has a variant whose tag names none of its options",
		"struct { u64 a" + strings.Repeat("[1]", 20) + "; }":     "lists are nested more than 14 deep",
		"struct { }": "events `x` have no bytes",
	} {
		dir := t.TempDir()
		stream := strings.Repeat("\xff", 200)
		if strings.Contains(fields, "{ y }") {
			stream = "\x00\x00"
		}
		for name, text := range map[string]string{"metadata": head + doubled + "event { name = x; fields := " + fields + "; };", "stream": stream} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Open(dir)
		if err == nil {
			c := r.Cursor("stream")
			for c.Next() {
			}
			c.Close()
			err = c.Err()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", fields, err, want)
		}
	}
}

// A context is decoded again only if its bytes have changed; the era stays the same until then.
func TestEra(t *testing.T) {
	ranks := []uint64{3, 3, 4, 4, 4, 3}
	hosts := []string{"node", "node", "node", "node", "nod", "nod"}
	dir := record(t, Clock{Frequency: 1e9}, func(s *Stream) {
		for i, rank := range ranks {
			if i == 1 {
				s.Discarded++
				if err := s.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Event(0, uint64(i)); err != nil {
				t.Fatal(err)
			}
			s.Text(hosts[i])
			s.Put(U32, rank)
		}
	})
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Cursor("stream_0")
	defer c.Close()
	var eras []uint64
	for i := range ranks {
		if !c.Next() || c.Context[0].Text != hosts[i] || c.Context[1].Number != ranks[i] {
			t.Fatalf("%d: %v, %v", i, c.Context, c.Err())
		}
		if len(eras) == 0 || eras[len(eras)-1] != c.Era {
			eras = append(eras, c.Era)
		}
	}
	if len(eras) != 5 { // the eras of the first packet, the second packet, and the contexts with 4, nod and 3
		t.Errorf("%d eras: %v, want 5", len(eras), eras)
	}
}
