package ctf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/need"
)

// rounds is the number of random traces to read: PENTODE_ROUNDS, or a few.
func rounds(few int) int {
	if n, err := strconv.Atoi(os.Getenv("PENTODE_ROUNDS")); err == nil {
		return n
	}
	return few
}

// bitWriter writes a packet bit by bit, as the specification describes it.
type bitWriter struct {
	bytes []byte
	pos   uint64
}

func (w *bitWriter) align(to uint64) {
	for w.pos%to != 0 {
		w.bit(0)
	}
}

func (w *bitWriter) bit(b uint64) {
	if w.pos/8 == uint64(len(w.bytes)) {
		w.bytes = append(w.bytes, 0)
	}
	w.bytes[w.pos/8] |= byte(b << (w.pos % 8))
	w.pos++
}

// number writes the lowest bits of x. In big-endian order bits are counted from the top of a byte.
func (w *bitWriter) number(x, bits uint64, big bool) {
	for i := range bits {
		if !big {
			w.bit(x >> i & 1)
			continue
		}
		if w.pos/8 == uint64(len(w.bytes)) {
			w.bytes = append(w.bytes, 0)
		}
		w.bytes[w.pos/8] |= byte(x >> (bits - 1 - i) & 1 << (7 - w.pos%8))
		w.pos++
	}
}

// pair is a member and its value.
type pair struct {
	Name  string
	Value Value
}

// model is a random type: its declaration, and how to write a random value of it. write appends what a reader should return.
type model struct {
	head, tail string // the declaration before and after the name
	align      uint64
	write      func(w *bitWriter, name string, out *[]pair)
	// The value of an enumeration sets chosen, for the variant whose tag it is.
	chosen *string
	// The value of a small integer sets count, for the sequence whose length it is.
	count *uint64
}

// world generates random models.
type world struct {
	*rand.Rand
	big bool // the byte order of the trace
}

func (g *world) integer(bits uint64) model {
	signed, big := g.IntN(2) == 0, g.big
	align := uint64(1) << g.IntN(6)
	order := ""
	if bits%8 == 0 && align >= 8 && g.IntN(3) == 0 { // a byte cannot have bit fields of both orders
		big = !big
		order = fmt.Sprintf(" byte_order = %s;", map[bool]string{false: "le", true: "be"}[big])
	} else if bits%8 != 0 || align < 8 {
		order = ""
	}
	count := new(uint64)
	return model{
		head:  fmt.Sprintf("integer { size = %d; align = %d; signed = %v;%s }", bits, align, signed, order),
		align: align, count: count,
		write: func(w *bitWriter, name string, out *[]pair) {
			w.align(align)
			x := g.Uint64() >> (64 - bits)
			w.number(x, bits, big)
			if signed {
				x = uint64(int64(x<<(64-bits)) >> (64 - bits))
			}
			*count = x
			*out = append(*out, pair{name, Value{Number: x}})
		},
	}
}

func (g *world) leaf() model {
	switch g.IntN(5) {
	case 0:
		return model{head: "string", align: 8, write: func(w *bitWriter, name string, out *[]pair) {
			w.align(8)
			s := strings.Repeat("x", g.IntN(4)) + strconv.Itoa(g.IntN(100))
			for _, b := range []byte(s + "\x00") {
				w.number(uint64(b), 8, false)
			}
			*out = append(*out, pair{name, Value{Text: s}})
		}}
	case 1:
		single := g.IntN(2) == 0
		declared := "floating_point { exp_dig = 11; mant_dig = 53; align = 8; }"
		if single {
			declared = "floating_point { exp_dig = 8; mant_dig = 24; align = 32; }"
		}
		return model{head: declared, align: map[bool]uint64{false: 8, true: 32}[single], write: func(w *bitWriter, name string, out *[]pair) {
			f := float64(float32(g.NormFloat64()))
			if single {
				w.align(32)
				w.number(uint64(math.Float32bits(float32(f))), 32, g.big)
			} else {
				w.align(8)
				w.number(math.Float64bits(f), 64, g.big)
			}
			*out = append(*out, pair{name, Value{Number: math.Float64bits(f)}})
		}}
	}
	bits := []uint64{8, 16, 32, 64, 64, uint64(1 + g.IntN(64))}[g.IntN(6)]
	return g.integer(bits)
}

// structure makes a struct of random fields, some of which depend on others.
func (g *world) structure(depth int) model {
	type field struct {
		name string
		model
	}
	var fields []field
	add := func(m model) string {
		name := fmt.Sprintf("_f%d", len(fields))
		fields = append(fields, field{name, m})
		return name
	}
	for range 1 + g.IntN(4) {
		switch kind := g.IntN(8); {
		case kind == 0 && depth > 0:
			add(g.structure(depth - 1))
		case kind == 1:
			add(g.array(g.element(depth), uint64(g.IntN(4)), nil, ""))
		case kind == 2:
			length := g.length()
			add(g.array(g.element(depth), 0, length.count, add(length)))
		case kind == 3 && depth > 0:
			tag := g.enum()
			add(g.variant(tag, add(tag), depth-1))
		case kind == 4:
			add(g.text())
		default:
			add(g.leaf())
		}
	}
	m := model{head: "struct {", tail: "", align: 1}
	for _, f := range fields {
		m.head += " " + f.head + " " + f.name + f.tail + ";"
		m.align = max(m.align, f.align)
	}
	m.head += " }"
	if g.IntN(4) == 0 {
		m.align = max(m.align, 16)
		m.head += " align(16)"
	}
	m.write = func(w *bitWriter, name string, out *[]pair) {
		w.align(m.align)
		for _, f := range fields {
			path := strings.TrimPrefix(f.name, "_")
			if name != "" {
				path = name + "." + path
			}
			f.write(w, path, out)
		}
	}
	return m
}

func (g *world) length() model {
	count := new(uint64)
	return model{head: "integer { size = 3; align = 1; signed = false; }", align: 1, count: count, write: func(w *bitWriter, name string, out *[]pair) {
		*count = uint64(g.IntN(6))
		w.number(*count, 3, g.big)
		*out = append(*out, pair{name, Value{Number: *count}})
	}}
}

func (g *world) element(depth int) model {
	if depth > 0 && g.IntN(3) == 0 {
		return g.structure(depth - 1)
	}
	for {
		// Readers treat an array of single bytes as a text, which has a separate test.
		if m := g.leaf(); !strings.Contains(m.head, "size = 8;") || m.align != 8 {
			return m
		}
	}
}

func (g *world) array(elem model, fixed uint64, count *uint64, length string) model {
	tail := fmt.Sprintf("[%d]%s", fixed, elem.tail)
	if count != nil {
		tail = fmt.Sprintf("[%s]%s", length, elem.tail)
	}
	return model{head: elem.head, tail: tail, align: elem.align, write: func(w *bitWriter, name string, out *[]pair) {
		n := fixed
		if count != nil {
			n = *count
		}
		w.align(elem.align)
		var inner []pair
		for range n {
			elem.write(w, "", &inner)
		}
		var v Value
		for _, p := range inner {
			v.List = append(v.List, p.Value)
		}
		*out = append(*out, pair{name, v})
	}}
}

// text is an array of bytes, which may be characters.
func (g *world) text() model {
	characters := g.IntN(2) == 0
	head := "integer { size = 8; align = 8; }"
	if characters {
		head = "integer { size = 8; align = 8; encoding = UTF8; }"
	}
	return model{head: head, tail: "[5]", align: 8, write: func(w *bitWriter, name string, out *[]pair) {
		w.align(8)
		s := []byte{'a', byte(g.IntN(256)), 'b', byte(g.IntN(2)), 'c'}
		for _, b := range s {
			w.number(uint64(b), 8, false)
		}
		if zero := strings.IndexByte(string(s), 0); characters && zero >= 0 {
			s = s[:zero]
		}
		*out = append(*out, pair{name, Value{Text: string(s)}})
	}}
}

var labels = []string{"red", "green", "blue"}

func (g *world) enum() model {
	chosen := new(string)
	return model{
		head:  "enum : integer { size = 16; align = 8; signed = true; } { red = -5, green = 2 ... 9, \"blue\" }",
		align: 8, chosen: chosen,
		write: func(w *bitWriter, name string, out *[]pair) {
			i := g.IntN(3)
			value := []int16{-5, int16(2 + g.IntN(8)), 10}[i]
			*chosen = labels[i]
			w.align(8)
			w.number(uint64(uint16(value)), 16, g.big)
			*out = append(*out, pair{name, Value{Number: uint64(int64(value))}})
		},
	}
}

func (g *world) variant(tag model, tagName string, depth int) model {
	m := model{head: "variant <" + tagName + "> {", align: 1}
	options := map[string]model{}
	for _, l := range labels {
		options[l] = g.structure(depth)
		m.head += " " + options[l].head + " " + l + options[l].tail + ";"
	}
	m.head += " }"
	m.write = func(w *bitWriter, name string, out *[]pair) {
		options[*tag.chosen].write(w, name+"."+*tag.chosen, out)
	}
	return m
}

// present returns the values that an event has, with their names.
func present(members []Member, values []Value) (list []pair) {
	for i, m := range members {
		if !values[i].Absent {
			list = append(list, pair{m.Name, there(values[i])})
		}
	}
	return list
}

// happened is an event of a random trace.
type happened struct {
	Kind    string
	Time    uint64
	PID     uint32
	Context []pair
	Fields  []pair
}

// randomTrace writes a trace as another tracer may write it: any types, compact headers whose
// time stamps have 27 bits, several packets.
func randomTrace(t *testing.T, seed uint64) (dir string, want []happened) {
	t.Helper()
	luck := rand.NewPCG(seed, 1)
	g := &world{Rand: rand.New(luck)}
	g.big = g.IntN(3) == 0
	order := map[bool]string{false: "le", true: "be"}[g.big]
	context := g.structure(1)
	kinds := []model{g.structure(2), g.structure(2), g.structure(2)}
	ids := []uint64{0, 30, 1000}
	var text strings.Builder
	fmt.Fprintf(&text, `/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
trace { major = 1; minor = 8; byte_order = %s; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
clock { name = "fast"; freq = 2000000000; offset_s = 7; offset = 1000000000; };
typealias integer { size = 27; align = 1; signed = false; map = clock.fast.value; } := stamp27;
typealias integer { size = 64; align = 8; signed = false; map = clock.fast.value; } := stamp;
struct header { enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
	variant <id> { struct { stamp27 timestamp; } compact; struct { uint32_t id; stamp timestamp; } extended; } v; } align(8);
stream { id = 3; event.header := struct header;
	packet.context := struct { stamp timestamp_begin; stamp timestamp_end; uint32_t content_size; uint32_t packet_size; uint32_t vpid; };
	event.context := %s;
};
`, order, context.head)
	for i, k := range kinds {
		fmt.Fprintf(&text, "event { id = %d; name = \"k%d\"; stream_id = 3; fields := %s; };\n", ids[i], i, k.head)
	}
	dir = t.TempDir()
	var file []byte
	now, said := g.Uint64()>>8, *luck
	for pid := uint32(1); pid <= 2; pid++ {
		w := &bitWriter{}
		w.number(packetMagic, 32, g.big)
		w.number(3, 32, g.big)
		begin := now
		for range 2*64 + 2*32 + 32 {
			w.bit(0) // a placeholder
		}
		for range g.IntN(20) {
			w.align(8)
			i := g.IntN(len(kinds))
			h := happened{Kind: fmt.Sprintf("k%d", i), PID: pid}
			now += g.Uint64N(1 << 27)
			if ids[i] <= 30 {
				w.number(ids[i], 5, g.big)
				w.number(now&(1<<27-1), 27, g.big)
			} else {
				now += g.Uint64N(1 << 40)
				w.number(31, 5, g.big)
				w.align(8)
				w.number(ids[i], 32, g.big)
				w.number(now, 64, g.big)
			}
			h.Time = now
			if g.IntN(2) > 0 {
				said = *luck
				context.write(w, "", &h.Context)
			} else { // often the same context as before
				later := *luck
				*luck = said
				context.write(w, "", &h.Context)
				*luck = later
			}
			kinds[i].write(w, "", &h.Fields)
			want = append(want, h)
		}
		content := w.pos
		w.align(8 * 64)
		head := &bitWriter{pos: 64, bytes: append([]byte(nil), w.bytes[:8]...)}
		head.number(begin, 64, g.big)
		head.number(now, 64, g.big)
		head.number(content, 32, g.big)
		head.number(w.pos, 32, g.big)
		head.number(uint64(pid), 32, g.big)
		copy(w.bytes, head.bytes)
		file = append(file, w.bytes...)
	}
	for name, b := range map[string][]byte{"metadata": []byte(text.String()), "channel0": file} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, want
}

// Whatever a trace declares, it is read as it was written: every type, in both byte orders, at every alignment.
func TestRandomDeclarations(t *testing.T) {
	need.Slow(t)
	for seed := range uint64(rounds(200)) {
		dir, want := randomTrace(t, seed)
		r, err := Open(dir)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		if r.Clock != (Clock{Frequency: 2e9, Offset: 75e8}) {
			t.Fatalf("%d: the clock is %+v, want %v", seed, r.Clock, (Clock{Frequency: 2e9, Offset: 75e8}))
		}
		var got []happened
		for o, err := range r.Events("channel0") {
			if err != nil {
				t.Fatalf("%d: %v", seed, err)
			}
			o := o.Clone()
			k := r.Kinds[o.Event]
			got = append(got, happened{k.Name, o.Time, o.PID, present(k.Context, o.Context), present(k.Fields, o.Fields)})
		}
		if !reflect.DeepEqual(want, got) {
			text, _ := os.ReadFile(filepath.Join(dir, "metadata"))
			t.Fatalf("%d (-want +got):\n%s\n%s", seed, cmp.Diff(want, got), text)
		}
	}
}

// A selection reads everything that is wanted, and does not change the values read after skipped ones.
func TestSelect(t *testing.T) {
	spared := 0
	for seed := range uint64(rounds(50)) {
		dir, _ := randomTrace(t, seed)
		r, err := Open(dir)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		wanted := func(_, member int) bool { return member%3 == int(seed%3) }
		all, some := r.Cursor("channel0"), r.Cursor("channel0")
		some.Only(r.Select(wanted))
		for all.Next() {
			if !some.Next() {
				t.Fatalf("%d: %v", seed, some.Err())
			}
			for i := range all.Fields {
				if !wanted(all.Event, i) && !reflect.DeepEqual(all.Fields[i], some.Fields[i]) {
					spared++
					some.Fields[i] = all.Fields[i]
				}
			}
			if diff := cmp.Diff(all.Occurrence, some.Occurrence); diff != "" {
				t.Fatalf("%d (-all +some):\n%s\nwant nothing", seed, diff)
			}
		}
		if all.Err() != nil || some.Next() {
			t.Fatalf("%d: %v", seed, all.Err())
		}
		all.Close()
		some.Close()
	}
	if spared == 0 {
		t.Error("everything was read")
	}
}

// there returns a value as an event has it: it leaves out members that belong to options the
// variant does not have. A list without elements counts as absent.
func there(v Value) Value {
	var list []Value
	for _, e := range v.List {
		if !e.Absent {
			list = append(list, there(e))
		}
	}
	v.List = list
	return v
}

// babeltrace2 accepts the random traces and finds as many events.
func TestRandomDeclarationsElsewhere(t *testing.T) {
	program := need.Program(t, "babeltrace2", "--version")
	for seed := range uint64(rounds(5)) {
		dir, want := randomTrace(t, seed)
		out, err := exec.Command(program, dir).Output()
		if got := strings.Count(string(out), "\n"); err != nil || got != len(want) {
			t.Errorf("%d: babeltrace2 reads %d events of %d: %v", seed, got, len(want), err)
		}
	}
}
