package ctf

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/trace/ctf/tsdl"
)

// Reader reads a trace of any tracer, using the declarations in its metadata. Several goroutines may read streams of one Reader.
type Reader struct {
	Dir     string
	Env     map[string]string
	Clock   Clock    // of the first stream
	Kinds   []*Kind  // of events, in declaration order
	Streams []string // file names, in order

	files   fs.FS  // in Dir
	uuid    string // 16 bytes, or empty
	header  plan   // of a packet
	classes map[uint64]*class
	caches  int
	magic   int // the slots of fields with known names; -1: not declared
	id      int
	uuidAt  int
}

// Kind is a kind of event.
type Kind struct {
	Name    string
	Clock   Clock    // of its times
	Context []Member // the members that all events of its stream have
	Fields  []Member // the members of this kind

	number int
	plan   plan
}

// class describes one kind of stream.
type class struct {
	packet  plan // after the packet header, in the same frame
	header  plan // of an event
	context plan // after the event header, in the same frame
	steady  bool // whether two contexts with equal bytes always have equal values
	kinds   map[uint64]*Kind
	dense   []*Kind // the kinds with small ids
	ids     []int   // slots of the header with the id of the event; the last one present counts

	begin, content, size, discarded int // slots of the packet
	pid, tid                        place
}

// place is the place of an optional number in a packet or in the context of an event.
type place struct{ frame, slot int }

// NoTrace is the error if a path has no trace. It is an fs.ErrNotExist.
type NoTrace struct{ Path, Why string }

func (e *NoTrace) Error() string { return fmt.Sprintf("`%s` contains no trace: %s", e.Path, e.Why) }

// Is makes NoTrace an fs.ErrNotExist.
func (e *NoTrace) Is(target error) bool { return target == fs.ErrNotExist }

// Open reads the declarations of the trace in a folder.
func Open(dir string) (*Reader, error) { return OpenIn(os.DirFS(dir), dir) }

// OpenIn reads the declarations of a trace in files. dir names the folder in messages.
func OpenIn(files fs.FS, dir string) (*Reader, error) {
	path := filepath.Join(dir, "metadata")
	file, err := fs.ReadFile(files, "metadata")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NoTrace{dir, "it has no file `metadata`"}
	}
	if err != nil {
		return nil, fmt.Errorf("`%s` cannot be read: %w", path, err)
	}
	text, err := tsdl.Text(file)
	if err != nil {
		return nil, fmt.Errorf("`%s` cannot be read: %w", path, err)
	}
	declared, err := tsdl.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("`%s`, %w", path, err)
	}
	r := &Reader{Dir: dir, files: files, Env: declared.Env, classes: map[uint64]*class{}}
	if err := r.compile(declared); err != nil {
		return nil, fmt.Errorf("`%s`: %w", path, err)
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, fmt.Errorf("`%s` cannot be read: %w", dir, err)
	}
	for _, e := range entries {
		half := strings.HasSuffix(e.Name(), outfile.Suffix) // metadata being written
		if e.Type().IsRegular() && e.Name() != "metadata" && !half && !strings.HasPrefix(e.Name(), ".") {
			r.Streams = append(r.Streams, e.Name())
		}
	}
	return r, nil
}

// Size returns the number of bytes of all streams.
func (r *Reader) Size() (total int64) {
	for _, name := range r.Streams {
		if info, err := fs.Stat(r.files, name); err == nil { // opening it reports the error
			total += info.Size()
		}
	}
	return total
}

// compile makes the plans for reading the streams.
func (r *Reader) compile(t *tsdl.Trace) (err error) {
	defer func() {
		switch m := recover().(type) {
		case nil:
		case misdeclared:
			err = errors.New(m.message)
		default:
			panic(m)
		}
	}()
	c := &compiler{big: t.Order == tsdl.Big}
	var packet []Member
	c.section("trace.packet.header", t.Header, &r.header, &packet)
	r.magic, r.id, r.uuidAt = slotOf(packet, "magic"), slotOf(packet, "stream_id"), slotOf(packet, "uuid")
	r.uuid = uuidBytes(t.UUID)
	for i, s := range t.Streams {
		own := *c
		own.roots = c.roots[:len(c.roots):len(c.roots)]
		clock := r.class(&own, s, t, packet)
		c.caches, c.total = own.caches, own.total
		if i == 0 {
			r.Clock = clock
		}
	}
	r.caches = c.caches
	return nil
}

// class compiles one kind of stream and returns its clock.
func (r *Reader) class(c *compiler, s *tsdl.Stream, t *tsdl.Trace, header []Member) Clock {
	k := &class{packet: plan{width: r.header.width}, header: plan{depth: headerFrame}, kinds: map[uint64]*Kind{}}
	packet := append([]Member(nil), header...)
	c.section("stream.packet.context", s.PacketContext, &k.packet, &packet)
	var context []Member
	c.clocks = true
	c.section("stream.event.header", s.EventHeader, &k.header, &context)
	c.clocks = false
	for i, m := range context {
		if m.Name == "id" || strings.HasSuffix(m.Name, ".id") {
			k.ids = append(k.ids, i)
		}
	}
	k.context = plan{depth: headerFrame, width: k.header.width}
	c.section("stream.event.context", s.EventContext, &k.context, &context)
	k.steady = k.context.steady()
	own := context[k.header.width:]
	k.begin, k.content = slotOf(packet, "timestamp_begin"), slotOf(packet, "content_size")
	k.size, k.discarded = slotOf(packet, "packet_size"), slotOf(packet, "events_discarded")
	find := func(name string) place {
		if slot := slotOf(own, name); slot >= 0 {
			return place{headerFrame, k.header.width + slot}
		}
		return place{packetFrame, slotOf(packet, name)}
	}
	k.pid, k.tid = find("vpid"), find("vtid")
	clock := clockOf(t, c.clock)
	for _, e := range s.Events {
		kind := &Kind{Name: e.Name, Clock: clock, Context: own, number: len(r.Kinds), plan: plan{depth: eventFrame}}
		of := *c
		of.roots = c.roots[:len(c.roots):len(c.roots)]
		of.section("event.context", e.Context, &kind.plan, &kind.Fields)
		of.section("event.fields", e.Fields, &kind.plan, &kind.Fields)
		c.caches, c.total = of.caches, of.total
		r.Kinds = append(r.Kinds, kind)
		k.add(e.ID, kind)
	}
	r.classes[s.ID] = k
	return clock
}

// StreamIsThread reports whether all events of a stream are of one thread, according to the contexts of its packets. Otherwise a
// stream belongs to a processor, and the events of a thread are in several streams.
func (r *Reader) StreamIsThread() bool {
	for _, k := range r.classes {
		if k.tid.frame != packetFrame || k.tid.slot < 0 {
			return false
		}
	}
	return true
}

// maxDense is the largest id of kinds that are found by their index in a list.
const maxDense = 1 << 12

func (k *class) add(id uint64, kind *Kind) {
	k.kinds[id] = kind
	if id >= maxDense {
		return
	}
	for uint64(len(k.dense)) <= id {
		k.dense = append(k.dense, nil)
	}
	k.dense[id] = kind
}

func (k *class) kind(id uint64) *Kind {
	if id < uint64(len(k.dense)) {
		return k.dense[id]
	}
	return k.kinds[id]
}

// clockOf returns a clock by name. An undeclared clock counts nanoseconds.
func clockOf(t *tsdl.Trace, name string) Clock {
	declared, ok := t.Clocks[name]
	if !ok {
		return Clock{Frequency: 1e9}
	}
	c := Clock{Frequency: declared.Frequency}
	ticks := int64(c.nanoseconds(uint64(max(declared.Ticks, -declared.Ticks))))
	if declared.Ticks < 0 {
		ticks = -ticks
	}
	c.Offset = declared.Seconds*1e9 + ticks
	return c
}

// slotOf returns the index of a member, or -1.
func slotOf(members []Member, name string) int {
	for i, m := range members {
		if m.Name == name {
			return i
		}
	}
	return -1
}

// uuidBytes returns a UUID in the form used in packets, or empty.
func uuidBytes(text string) string {
	var b []byte
	if n, err := fmt.Sscanf(strings.ReplaceAll(text, "-", ""), "%x", &b); n != 1 || err != nil || len(b) != 16 {
		return ""
	}
	return string(b)
}

// nanoseconds converts ticks to nanoseconds.
func (c Clock) nanoseconds(ticks uint64) uint64 {
	if c.Frequency == 1e9 {
		return ticks
	}
	high, low := bits.Mul64(ticks, 1e9)
	if high >= c.Frequency {
		return 0 // no clock runs that long
	}
	ns, _ := bits.Div64(high, low, c.Frequency)
	return ns
}

// Nanoseconds returns the time of day of a time stamp, in nanoseconds since the epoch.
func (c Clock) Nanoseconds(time uint64) int64 { return c.Offset + int64(c.nanoseconds(time)) }

// Member returns the index of a member among the kind's fields, or -1.
func (k *Kind) Member(name string) int { return slotOf(k.Fields, name) }
