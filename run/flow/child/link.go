package child

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/wire"
	"github.com/pentode-dev/pentode/run/handoff"
)

// A link exchanges data with a program in the binary protocol, over its own socket
// and two shared memories.
//
//	inputs ─▶ Step ─▶ frames ─▶ │ socket │ ─▶ program
//	outputs ◀─ Step ◀─ answers ◀─ listen ◀─ │ socket │ ◀─ program
//
// If data for further steps are already waiting, Step sends them in the same frame: as many steps
// as the program can probably make in half a millisecond.
type link struct {
	*program
	host    host
	log     *slog.Logger
	conn    net.Conn
	read    *handoff.Memory // memory that the program reads; nil: data are sent over the socket
	written *handoff.Memory // memory that the program writes
	arena   *arena
	ins     []*flow.In
	outs    []*flow.Out
	columns [][]flow.Datum // data to send, for each input
	frame   []byte
	answers chan answer
	closed  chan struct{}
	once    sync.Once
	heard   sync.WaitGroup
	mean    time.Duration // time per step in the last answer
	judges  bool          // the program answers framePrepare, which asks it to judge settings
}

// A host is the program at the other end of one or more links. attach sends it the descriptors of a
// link.
type host interface {
	attach(files []*os.File) error
	leave(pipe.Step) error // called when the link has ended
	close()
}

// turn limits the time that the steps of one frame may take, and maxSteps their number.
const (
	turn     = 500 * time.Microsecond
	maxSteps = 256
)

// memorySize is the size of each of the two shared memories. The system allocates only pages that
// are used.
const memorySize = 256 << 20

// newLink starts a program, exchanges the first messages with it and learns its ports.
func newLink(s *scope, p *program, req request) (*link, error) {
	return attachLink(s, p, &alone{p}, req)
}

func attachLink(s *scope, p *program, h host, req request) (*link, error) {
	l := &link{
		program: p, host: h, log: s.Log(), ins: s.ports.Ins(), outs: s.ports.Outs(),
		answers: make(chan answer, 16), closed: make(chan struct{}), mean: time.Second,
	}
	l.columns = make([][]flow.Datum, len(l.ins))
	req.Protocol, req.Process = protocol, s.Name()
	req.Inputs, req.Outputs = []portInfo{}, []portInfo{}
	for _, in := range l.ins {
		req.Inputs = append(req.Inputs, portInfo{in.Name(), in.Type()})
	}
	for _, out := range l.outs {
		req.Outputs = append(req.Outputs, portInfo{out.Name(), out.Type()})
	}
	if err := l.open(&req); err != nil {
		l.Close()
		return nil, err
	}
	if err := l.greet(s, &req); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// open makes the socket and the memories, and passes their descriptors to the program.
func (l *link) open(req *request) error {
	conn, theirs, err := socketPair()
	if err != nil {
		return err
	}
	l.conn = conn
	defer theirs.Close()
	files := []*os.File{theirs}
	if l.read, err = handoff.NewMemory(memorySize, true); err == nil {
		if l.written, err = handoff.NewMemory(memorySize, false); err == nil {
			l.arena = newArena(l.read.Bytes)
			defer l.read.HandedOver()
			defer l.written.HandedOver()
			files = append(files, l.read.File, l.written.File)
			req.Memory = &memoryInfo{Read: 4, Write: 5, Size: memorySize}
		}
	}
	switch err := l.host.attach(files); {
	case errors.Is(err, errGone):
		return err
	case err != nil:
		return fmt.Errorf("the program `%s` cannot be started: %w", l.name, err)
	}
	l.heard.Add(1)
	go l.listen()
	return nil
}

// socketPair returns the two connected ends of a socket: one for this program, one for the child.
func socketPair() (*net.UnixConn, *os.File, error) {
	ours, theirs, err := handoff.SocketPair()
	if errors.Is(err, errors.ErrUnsupported) {
		err = errors.New("this system cannot pass sockets to programs; use `format = json`")
	}
	return ours, theirs, err
}

// greet sends the program the request and checks its reply.
func (l *link) greet(s *scope, req *request) error {
	text, err := json.Marshal(req)
	if err != nil {
		return err
	}
	a := l.ask(s.Context(), func() error { return handoff.WriteFrame(l.conn, frameHello, text) })
	switch {
	case a.err != nil:
		return l.unanswered(a.err)
	case a.kind == frameFail:
		return l.failure(&a, l.log)
	case a.kind != frameReady:
		return wrong("the program `%s` does not speak the protocol: its first frame is `%c`", l.name, a.kind)
	}
	var r reply
	if err := json.Unmarshal(a.text, &r); err != nil {
		return wrong("the program `%s` does not speak the protocol: its reply is not a JSON object", l.name)
	}
	if r.Protocol != protocol {
		return wrong("the program `%s` speaks version %d of the protocol; expected %d", l.name, r.Protocol, protocol)
	}
	l.judges = r.Prepare
	subject := cmp.Or(req.Class, l.name)
	for _, p := range req.Inputs {
		if err := known(subject, "input", p.Name, r.Inputs); err != nil {
			return err
		}
	}
	for _, p := range req.Outputs {
		if err := known(subject, "output", p.Name, r.Outputs); err != nil {
			return err
		}
	}
	if r.Required != nil {
		s.ports.Require(r.Required)
	}
	return nil
}

// known returns an error if a connected port is not among the program's ports.
func known(subject, side, name string, names []string) error {
	if names == nil {
		return nil
	}
	for _, n := range names {
		if n == name {
			return nil
		}
	}
	text := fmt.Sprintf("`%s` has no %s port `%s`", subject, side, name)
	if near, ok := problem.Nearest(name, names); ok {
		return errors.New(text + "; did you mean `" + near + "`?")
	}
	if len(names) == 0 {
		return errors.New(text + "; it has none")
	}
	return errors.New(text + "; it has " + strings.Join(names, ", "))
}

// ask calls send, which sends a message, and waits for the answer. If send is nil, it only waits.
func (l *link) ask(ctx context.Context, send func() error) answer {
	if l.timeout > 0 {
		late := time.AfterFunc(l.timeout, func() { l.conn.SetDeadline(time.Now()) })
		defer late.Stop()
	}
	if send != nil {
		if err := send(); err != nil {
			// The program may have reported a failure instead of reading the message.
			if a, ok := l.last(); ok {
				return a
			}
			return answer{err: handoff.Torn(err)}
		}
	}
	select {
	case a := <-l.answers:
		return a
	case <-ctx.Done():
		return answer{err: ctx.Err()}
	}
}

// last returns an answer that the program sent before it closed the socket.
func (l *link) last() (answer, bool) {
	select {
	case a := <-l.answers:
		return a, a.err == nil
	case <-time.After(patience):
		return answer{}, false
	}
}

// Step sends the data of this step, and of further steps whose data are already waiting. Then it
// pushes the results.
func (l *link) Step(s pipe.Step) error {
	for i, in := range l.ins {
		l.columns[i] = append(l.columns[i][:0], in.Take())
	}
	n, limit := 1, min(maxSteps, int(turn/max(1, l.mean)))
	for ; n < limit && s.Another(); n++ {
		for i, in := range l.ins {
			l.columns[i] = append(l.columns[i], in.Take())
		}
	}
	began := time.Now()
	send := func() error { return l.send(n) }
	for made := 0; made < n; {
		var a answer
		s.AwaitProgram(func(ctx context.Context) { a = l.ask(ctx, send) })
		send = nil
		if a.err != nil {
			return l.underWay(l.gone(s, a.err), n-made)
		}
		switch {
		case a.kind == frameFail:
			if made > 0 {
				s.Count()
			}
			return l.failure(&a, s.Log().With("step", s.Number()))
		case a.kind != frameAnswer || a.steps < 1 || a.steps > n-made:
			return wrong("the program `%s` answers with `%c` and %d steps, but %d were requested", l.name, a.kind, a.steps, n-made)
		}
		for i := range a.steps {
			if made++; made > 1 {
				s.Count()
			}
			a.push(l.outs, i)
		}
		if a.complete {
			s.Complete()
			return nil
		}
	}
	l.mean = time.Since(began) / time.Duration(n)
	return nil
}

// underWay adds the number of unanswered steps to the error of a program that has ended: it is not
// known in which of these steps the program ended.
func (l *link) underWay(err error, n int) error {
	if n == 1 || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w (it was doing one of %d steps)", err, n)
}

// send sends the columns, with the data of n steps, as one frame.
func (l *link) send(n int) error {
	e := wire.Encoder{Buf: handoff.BeginFrame(l.frame, frameSteps)}
	if l.arena != nil {
		e.Memory = l.arena
	}
	e.U32(n)
	for i, in := range l.ins {
		e.Images = in.Type() == pipe.ImageType
		if err := e.Column(l.columns[i]); err != nil {
			return wrong("input `%s`: %v", in.Name(), err)
		}
		clear(l.columns[i])
	}
	l.frame = e.Buf
	return handoff.EndFrame(l.conn, e.Buf)
}

// Prepare asks the program whether it would accept new settings, without applying them.
func (l *link) Prepare(s *flow.Setup) error {
	if !l.judges {
		return nil
	}
	return l.settings(s, framePrepare)
}

// Reconfigure gives the program new settings, which it may refuse.
func (l *link) Reconfigure(s *flow.Setup) error { return l.settings(s, frameReconfigure) }

// settings sends the part of the new configuration that belongs to a Python class or to a process of
// an embedding program. Other programs have no keys that change.
func (l *link) settings(setup *flow.Setup, kind byte) error {
	s := scope{Env: setup.Env, ports: setup}
	text, err := json.Marshal(s.forClass())
	if err != nil {
		return err
	}
	a := l.ask(s.Context(), func() error { return handoff.WriteFrame(l.conn, kind, text) })
	switch {
	case a.err != nil:
		return l.unanswered(a.err)
	case a.kind == frameFail:
		return errors.New(a.message)
	}
	return nil
}

// Flush tells the program that a flush has passed.
func (l *link) Flush(s pipe.Step) error { return l.until(s, frameFlush) }

// Finalize lets the program do its remaining work, whose results are pushed, and waits until it
// ends.
func (l *link) Finalize(s pipe.Step) error {
	if err := l.until(s, frameEnd); err != nil {
		return err
	}
	l.conn.Close()
	return l.host.leave(s)
}

// until sends a frame without data. It pushes the results that arrive until the program reports
// that it is done.
func (l *link) until(s pipe.Step, kind byte) error {
	send := func() error { return handoff.WriteFrame(l.conn, kind, nil) }
	for {
		var a answer
		s.AwaitProgram(func(ctx context.Context) { a = l.ask(ctx, send) })
		send = nil
		switch {
		case a.err != nil:
			return l.gone(s, a.err)
		case a.kind == frameFail:
			return l.failure(&a, s.Log().With("step", s.Number()))
		case a.kind == frameDone:
			return nil
		case a.kind != frameAnswer:
			return wrong("the program `%s` answers with `%c` when told to end", l.name, a.kind)
		}
		for i := range a.steps {
			a.push(l.outs, i)
		}
	}
}

// failure returns the error that the program reported. It logs the program's stack trace as one
// message.
func (l *link) failure(a *answer, log *slog.Logger) error {
	if a.trace != "" {
		log.Error(a.trace)
	}
	return errors.New(a.message)
}

// gone returns the reason why a step got no answer.
func (l *link) gone(s pipe.Step, err error) error {
	var bad *recordError
	switch {
	case errors.As(err, &bad), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		kill(l.cmd)
		return l.tooLate()
	}
	l.awaitEnd(s)
	return l.why(err)
}

// unanswered returns the reason why a message got no answer outside a step.
func (l *link) unanswered(err error) error {
	var bad *recordError
	switch {
	case errors.As(err, &bad), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return l.tooLate()
	}
	select {
	case <-l.ended:
	case <-time.After(l.grace):
	}
	return l.why(err)
}

func (l *link) why(err error) error {
	switch {
	case l.hasEnded():
		return l.ending(" before its input did")
	case errors.Is(err, io.EOF):
		return fmt.Errorf("the program `%s` closed its socket without an answer", l.name)
	}
	return fmt.Errorf("the program `%s` does not answer: %w", l.name, problem.Reason(err))
}

// Close closes the socket and the memories, and ends the program if this was its last link; an
// embedding program is not ended. l may be nil.
func (l *link) Close() error {
	if l == nil {
		return nil
	}
	l.once.Do(func() {
		close(l.closed)
		if l.conn != nil {
			l.conn.Close()
		}
		l.host.close()
		l.heard.Wait() // wait for listen, which reads the memories
		for _, m := range []*handoff.Memory{l.read, l.written} {
			if m != nil {
				m.Close()
			}
		}
	})
	return nil
}

// listen receives frames from the program until the program ends.
func (l *link) listen() {
	defer l.heard.Done()
	r := bufio.NewReaderSize(l.conn, 1<<16)
	for {
		a, err := l.hear(r)
		if err != nil {
			a = answer{err: err}
		}
		if a.kind != frameLog || err != nil {
			select {
			case l.answers <- a:
			case <-l.closed:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// alone is a host with a single link: a program that serves one process.
type alone struct{ *program }

func (a *alone) attach(files []*os.File) error {
	a.cmd.ExtraFiles = files
	a.cmd.Env = append(a.cmd.Env, "PENTODE_FD=3")
	return a.start()
}

func (a *alone) leave(s pipe.Step) error {
	if late := a.awaitEnd(s); late {
		return fmt.Errorf("the program `%s` did not end within %v after its input", a.name, a.grace)
	}
	if a.hasEnded() && a.exit != nil {
		return a.ending("")
	}
	return nil
}

func (a *alone) close() { a.program.close() }
