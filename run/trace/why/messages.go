package why

import (
	"fmt"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// messages are the messages that have not arrived yet.
type messages struct {
	sent    map[channel][]*sending
	early   map[channel]int    // receives whose sends come later in the trace, because of another clock
	pending map[int][]*sending // by receiver, in the order of time
	posted  map[requestKey]int64
	nowhere uint64 // messages to or from unknown ranks
}

// channel identifies messages that do not overtake each other.
type channel struct {
	group         string
	from, to, tag int
}

type requestKey struct {
	process *recorded.Process
	request uint64
}

// sending is a message in transit.
type sending struct {
	begin, end int64 // of the sending call; end is 0 until it ends
	where      string
	from, to   int
	blocking   bool  // whether the call may wait for the receiver
	come       bool  // whether the message has been received
	wanted     int64 // when the receive began
}

func newMessages() messages {
	return messages{sent: map[channel][]*sending{}, early: map[channel]int{}, pending: map[int][]*sending{}, posted: map[requestKey]int64{}}
}

func rank(n int) string { return fmt.Sprintf("MPI rank %d", n) }

func (f *finder) enterMPI(e *recorded.Event, fr *recorded.Frame, top *frame) {
	if !fr.Kind.MPI() {
		return
	}
	top.until = fr.Begin
	top.request, _ = e.Field("request")
}

func (f *finder) leaveMPI(fr *recorded.Frame, end int64, e *recorded.Event, top *frame) {
	switch fr.Kind.Call {
	case "MPI_Init", "MPI_Init_thread", "MPI_Finalize":
		f.add(InitFinalize, top.where, end-top.begin, "")
	case "MPI_Irecv":
		if request, ok := e.Field("request"); ok {
			f.posted[requestKey{e.Thread.Process, request}] = top.begin
		}
	}
	if s := top.sent; s != nil {
		s.end = end
		f.lateReceiver(s)
	}
}

// message handles a message that was sent, or has arrived.
func (f *finder) message(e *recorded.Event, m recorded.Message) error {
	if m.From < 0 || m.To < 0 {
		f.nowhere++
		return nil
	}
	t := f.thread(e.Thread)
	if len(t.stack) == 0 { // the begin of the call is not in the trace
		f.nowhere++
		return nil
	}
	c := channel{m.Group, m.From, m.To, m.Tag}
	if m.Sent {
		f.sends(c, t.top(), e)
	} else {
		f.receives(c, t.top(), e)
	}
	return nil
}

func (f *finder) sends(c channel, top *frame, e *recorded.Event) {
	if f.early[c] > 0 { // it has already arrived, according to the clocks
		f.early[c]--
		return
	}
	s := &sending{begin: e.Time, where: top.where, from: c.from, to: c.to, blocking: e.Kind.Call == "MPI_Send"}
	top.sent = s
	f.sent[c] = append(f.sent[c], s)
	f.pending[c.to] = append(f.pending[c.to], s)
}

func (f *finder) receives(c channel, top *frame, e *recorded.Event) {
	key := requestKey{e.Thread.Process, top.request}
	if request, ok := e.Field("request"); ok { // the request is one of several
		key.request = request
	}
	list := f.sent[c]
	if len(list) == 0 {
		f.early[c]++
		return
	}
	s := list[0]
	if f.sent[c] = list[1:]; len(list) == 1 {
		delete(f.sent, c)
	}
	s.come = true
	rest := f.pending[s.to]
	for len(rest) > 0 && rest[0].come {
		rest = rest[1:]
	}
	f.pending[s.to] = rest
	var atWait bool
	switch call := strings.TrimSuffix(e.Kind.Call, "_replace"); call {
	case "MPI_Recv", "MPI_Sendrecv":
		s.wanted = top.begin
	default:
		atWait = true
		s.wanted = f.posted[key]
		delete(f.posted, key)
	}
	if late := min(s.begin, e.Time); late > top.until { // several late messages in one call are one wait
		f.add(f.waitKind(s, top.until, atWait), top.where, late-top.until, rank(s.from))
		top.until = late
	}
	f.lateReceiver(s)
}

// waitKind returns the reason why a message was waited for, from a time on.
func (f *finder) waitKind(s *sending, since int64, atWait bool) Kind {
	rest := f.pending[s.to]
	switch {
	case len(rest) > 0 && rest[0].begin < since:
		return WrongOrder
	case atWait:
		return LateSenderAtWait
	}
	return LateSender
}

// lateReceiver handles a message of which both ends are known.
func (f *finder) lateReceiver(s *sending) {
	if s.blocking && s.come && s.end > s.wanted && s.wanted > s.begin {
		f.add(LateReceiver, s.where, s.wanted-s.begin, rank(s.to))
		s.blocking = false
	}
}

// unmatched returns the number of calls that have no counterpart in the trace.
func (f *finder) unmatched() uint64 {
	n := f.nowhere + f.differ
	for _, list := range f.sent {
		n += uint64(len(list))
	}
	for _, count := range f.early {
		n += uint64(count)
	}
	for _, list := range f.calls {
		n += uint64(len(list))
	}
	return n
}
