package export

import (
	"io"
	"slices"
	"strconv"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// speedscope writes a profile for each thread.
func speedscope(w io.Writer, t *recorded.Trace) ([]string, error) {
	if err := t.Survey(); err != nil {
		return nil, err
	}
	s := &scope{frames: map[frame]int{}, threads: map[*recorded.Thread]*steps{}}
	err := t.Walk(recorded.Handler{Unordered: true, Enter: s.enter, Leave: s.leave, Instant: func(*recorded.Event) error { s.instants++; return nil }})
	if err != nil {
		return nil, err
	}
	out := newWriter(w)
	out.WriteString(`{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"pentode","name":`)
	out.Write(quote(nil, t.Program()))
	out.WriteString(`,"shared":{"frames":[`)
	for i, f := range s.order {
		b := quote(append(comma(nil, i), `{"name":`...), f.name)
		if f.file != "" {
			b = quote(append(b, `,"file":`...), f.file)
			b = strconv.AppendInt(append(b, `,"line":`...), int64(f.line), 10)
		}
		out.Write(append(b, '}'))
	}
	out.WriteString(`]},"profiles":[`)
	written := 0
	for _, th := range t.Threads {
		list := s.threads[th]
		if list == nil {
			continue
		}
		out.Write(comma(nil, written))
		written++
		list.write(out, th, t.Start)
	}
	out.WriteString("]}\n")
	return addLeftOut(nil, s.instants, "event that is no slice", "events that are no slices"), out.Flush()
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ",\n"...)
	}
	return b
}

type frame struct {
	name, file string
	line       int
}

func frameOf(f *recorded.Frame) frame {
	if r := f.Region; r != nil {
		return frame{f.Name, r.File, r.Line}
	}
	return frame{name: f.Name}
}

type scope struct {
	frames   map[frame]int
	order    []frame
	threads  map[*recorded.Thread]*steps
	instants int
}

// steps are the openings and closings of a thread's frames.
type steps struct {
	list []step
}

type step struct {
	at    int64
	frame int32
	open  bool
}

func (s *scope) add(t *recorded.Thread, key frame, at int64, open bool) {
	number, ok := s.frames[key]
	if !ok {
		number = len(s.order)
		s.frames[key] = number
		s.order = append(s.order, key)
	}
	if s.threads[t] == nil {
		s.threads[t] = &steps{}
	}
	list := s.threads[t]
	list.list = append(list.list, step{at, int32(number), open})
}

func (s *scope) enter(e *recorded.Event, f *recorded.Frame) error {
	for _, call := range f.Via {
		s.add(e.Thread, frame{call.Caller(), call.File, call.Line}, f.Begin, true)
	}
	s.add(e.Thread, frameOf(f), f.Begin, true)
	return nil
}

func (s *scope) leave(t *recorded.Thread, f *recorded.Frame, end int64, _ bool, _ *recorded.Event) error {
	s.add(t, frameOf(f), end, false)
	for _, call := range slices.Backward(f.Via) {
		s.add(t, frame{call.Caller(), call.File, call.Line}, end, false)
	}
	return nil
}

func (s *steps) write(out *writer, t *recorded.Thread, zero int64) {
	b := quote(append(out.line[:0], `{"type":"evented","unit":"nanoseconds","name":`...), t.Process.Name()+", "+t.Name())
	b = strconv.AppendInt(append(b, `,"startValue":`...), s.list[0].at-zero, 10)
	b = strconv.AppendInt(append(b, `,"endValue":`...), s.list[len(s.list)-1].at-zero, 10)
	out.Write(append(b, `,"events":[`...))
	for i, e := range s.list {
		b = comma(b[:0], i)
		kind := `{"type":"C","frame":`
		if e.open {
			kind = `{"type":"O","frame":`
		}
		b = strconv.AppendInt(append(b, kind...), int64(e.frame), 10)
		b = strconv.AppendInt(append(b, `,"at":`...), e.at-zero, 10)
		out.Write(append(b, '}'))
	}
	out.line = b
	out.WriteString("]}")
}
