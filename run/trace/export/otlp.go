package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// spansInLine is the maximum number of spans in a line.
const spansInLine = 512

// otlp writes frames as spans: requests of the OpenTelemetry protocol as the JSON of their
// protobuf messages, one per line, in the form of its file exporter. There, numbers of 64
// bits are texts, and ids are hexadecimal.
func otlp(w io.Writer, t *recorded.Trace) ([]string, error) {
	if err := t.Survey(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", t.Program(), t.Start, len(t.Threads)))
	o := &spans{
		writer: newWriter(w), program: t.Program(), trace: hex.EncodeToString(sum[:16]), open: map[*recorded.Thread][]*span{},
		lines: map[*recorded.Process]*spanLine{}, arrows: newArrows(), sent: map[uint64]uint64{},
	}
	if o.program == "" {
		o.program = "traced program"
	}
	if err := t.Walk(recorded.Handler{Enter: o.enter, Leave: o.leave, Instant: o.instant, Message: o.message}); err != nil {
		return nil, err
	}
	for _, th := range t.Threads {
		if err := o.flush(th.Process); err != nil {
			return nil, err
		}
	}
	return addLeftOut(nil, o.outside, "event outside of all spans", "events outside of all spans"), o.Flush()
}

type spans struct {
	*writer
	program string
	trace   string
	last    uint64
	open    map[*recorded.Thread][]*span
	lines   map[*recorded.Process]*spanLine
	arrows  *arrows
	sent    map[uint64]uint64 // the spans of messages not yet received
	outside int
}

// span is an open frame.
type span struct {
	id         uint64
	attributes []byte
	events     []byte
	links      []byte
}

// spanLine is the part of the next line that belongs to a process.
type spanLine struct {
	text  []byte
	count int
}

func (o *spans) enter(e *recorded.Event, f *recorded.Frame) error {
	o.last++
	s := &span{id: o.last}
	s.attributes = attributes(s.attributes, e, nil)
	if f.Region != nil && f.Region.Function != "" {
		s.attributes = attribute(s.attributes, "code.function.name", `"stringValue":`, quote(nil, f.Region.Function))
	}
	if f.Region != nil && f.Region.File != "" {
		s.attributes = attribute(s.attributes, "code.file.path", `"stringValue":`, quote(nil, f.Region.File))
		s.attributes = attribute(s.attributes, "code.line.number", `"intValue":`, fmt.Appendf(nil, `"%d"`, f.Region.Line))
	}
	if len(f.Calls) > 0 {
		var lines []string
		for _, c := range slices.Backward(f.Calls) {
			lines = append(lines, cmp.Or(c.Where(), c.Caller()))
		}
		s.attributes = attribute(s.attributes, "code.stacktrace", `"stringValue":`, quote(nil, strings.Join(lines, "\n")))
	}
	o.open[e.Thread] = append(o.open[e.Thread], s)
	return nil
}

func (o *spans) leave(t *recorded.Thread, f *recorded.Frame, end int64, whole bool, e *recorded.Event) error {
	stack := o.open[t]
	s := stack[len(stack)-1]
	o.open[t] = stack[:len(stack)-1]
	if whole {
		s.attributes = attributes(s.attributes, e, f.Kind)
	} else {
		s.attributes = attribute(s.attributes, "pentode.end_not_recorded", `"boolValue":`, []byte("true"))
	}
	s.attributes = attribute(s.attributes, "thread.id", `"intValue":`, fmt.Appendf(nil, `"%d"`, t.TID))
	s.attributes = attribute(s.attributes, "thread.name", `"stringValue":`, quote(nil, t.Name()))
	l := o.lines[t.Process]
	if l == nil {
		l = &spanLine{}
		o.lines[t.Process] = l
	}
	if l.count > 0 {
		l.text = append(l.text, ',')
	}
	l.text = fmt.Appendf(l.text, `{"traceId":"%s","spanId":"%016x"`, o.trace, s.id)
	if len(stack) > 1 {
		l.text = fmt.Appendf(l.text, `,"parentSpanId":"%016x"`, stack[len(stack)-2].id)
	}
	l.text = quote(append(l.text, `,"name":`...), f.Name)
	l.text = fmt.Appendf(l.text, `,"kind":1,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[%s]`, f.Begin, end, s.attributes)
	if len(s.events) > 0 {
		l.text = fmt.Appendf(l.text, `,"events":[%s]`, s.events)
	}
	if len(s.links) > 0 {
		l.text = fmt.Appendf(l.text, `,"links":[%s]`, s.links)
	}
	l.text = append(l.text, '}')
	if l.count++; l.count == spansInLine {
		return o.flush(t.Process)
	}
	return nil
}

// flush writes the ended spans of a process.
func (o *spans) flush(p *recorded.Process) error {
	l := o.lines[p]
	if l == nil || l.count == 0 {
		return nil
	}
	var about []byte
	about = attribute(about, "service.name", `"stringValue":`, quote(nil, o.program))
	about = attribute(about, "host.name", `"stringValue":`, quote(nil, p.Host))
	about = attribute(about, "process.pid", `"intValue":`, fmt.Appendf(nil, `"%d"`, p.PID))
	if p.Rank >= 0 {
		about = attribute(about, "mpi.rank", `"intValue":`, fmt.Appendf(nil, `"%d"`, p.Rank))
	}
	_, err := fmt.Fprintf(o, `{"resourceSpans":[{"resource":{"attributes":[%s]},"scopeSpans":[{"scope":{"name":"pentode"},"spans":[%s]}]}]}`+"\n", about, l.text)
	l.text, l.count = l.text[:0], 0
	return err
}

// instant adds an event to the innermost span.
func (o *spans) instant(e *recorded.Event) error {
	stack := o.open[e.Thread]
	if len(stack) == 0 {
		o.outside++
		return nil
	}
	s := stack[len(stack)-1]
	if len(s.events) > 0 {
		s.events = append(s.events, ',')
	}
	s.events = fmt.Appendf(s.events, `{"timeUnixNano":"%d","name":%s,"attributes":[%s]}`, e.Time, quote(nil, e.Title()), attributes(nil, e, nil))
	return nil
}

// message links the receiving span to the sending one. A message received before it was
// sent, according to the clocks of two machines, gets no link.
func (o *spans) message(e *recorded.Event, m recorded.Message) error {
	stack := o.open[e.Thread]
	id, known := o.arrows.message(m)
	if !known || len(stack) == 0 {
		return nil
	}
	s := stack[len(stack)-1]
	if m.Sent {
		o.sent[id] = s.id
		return nil
	}
	if from, ok := o.sent[id]; ok {
		delete(o.sent, id)
		if len(s.links) > 0 {
			s.links = append(s.links, ',')
		}
		s.links = fmt.Appendf(s.links, `{"traceId":"%s","spanId":"%016x"}`, o.trace, from)
	}
	return nil
}

// attributes appends the members of an event that its begin did not have.
func attributes(b []byte, e *recorded.Event, begun *recorded.Kind) []byte {
	for i := range e.Kind.Fields {
		m, v := &e.Kind.Fields[i], &e.Fields[i]
		if v.Absent || begun != nil && begun.Member(m.Name) >= 0 {
			continue
		}
		kind, text := anyValue(m, v)
		b = attribute(b, m.Name, kind, text)
	}
	return b
}

// attribute appends a key and a value of a kind.
func attribute(b []byte, key, kind string, value []byte) []byte {
	if len(b) > 0 {
		b = append(b, ',')
	}
	b = append(append(quote(append(b, `{"key":`...), key), `,"value":{`...), kind...)
	return append(append(b, value...), "}}"...)
}

// anyValue returns a value in the form of the protocol.
func anyValue(m *ctf.Member, v *ctf.Value) (kind string, text []byte) {
	switch {
	case m.Form == ctf.List:
		var all []byte
		for i := 0; len(m.Elem) > 0 && i < len(v.List); i++ {
			kind, text := anyValue(&m.Elem[i%len(m.Elem)], &v.List[i])
			if i > 0 {
				all = append(all, ',')
			}
			all = append(append(append(append(all, '{'), kind...), text...), '}')
		}
		return `"arrayValue":`, fmt.Appendf(nil, `{"values":[%s]}`, all)
	case m.Form == ctf.Real && !math.IsNaN(math.Float64frombits(v.Number)) && !math.IsInf(math.Float64frombits(v.Number), 0):
		return `"doubleValue":`, value(nil, m, v)
	case m.Form == ctf.Signed && m.Enum == nil, m.Form == ctf.Unsigned && m.Enum == nil && v.Number <= math.MaxInt64:
		return `"intValue":`, fmt.Appendf(nil, `"%s"`, value(nil, m, v))
	case m.Form == ctf.Unsigned && m.Enum == nil:
		return `"stringValue":`, fmt.Appendf(nil, `"%s"`, strconv.FormatUint(v.Number, 10))
	}
	text = value(nil, m, v)
	if text[0] != '"' { // a number without a name in its enumeration
		text = quote(nil, string(text))
	}
	return `"stringValue":`, text
}
