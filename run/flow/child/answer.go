package child

import (
	"bufio"
	"context"
	"errors"
	"log/slog"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/wire"
	"github.com/pentode-dev/pentode/run/handoff"
)

// An answer is a frame received from a program.
type answer struct {
	kind     byte
	err      error  // if set, there is no answer, and no further one will come
	text     []byte // JSON text of a reply
	message  string // error message of a failure
	trace    string
	steps    int
	complete bool
	outputs  []pushes
}

// pushes has the data for one output, for all steps of an answer.
type pushes struct {
	data   []flow.Datum
	counts []int // number of data in each step; nil: one in each
	at     int
}

// The ways in which an answer encodes the data of an output.
const (
	pushNone = iota // no data
	pushEach        // a column with one datum for each step
	pushMany        // for each step a u32 with the number of its data; then one column with the data of all steps
)

// push pushes the data of step i to the outputs.
func (a *answer) push(outs []*flow.Out, i int) {
	for k := range a.outputs {
		p := &a.outputs[k]
		n := 1
		if p.counts != nil {
			n = p.counts[i]
		}
		for _, d := range p.data[p.at : p.at+n] {
			outs[k].Push(d)
		}
		p.at += n
	}
}

// hear reads one frame. If it is a log message, hear logs it.
func (l *link) hear(r *bufio.Reader) (answer, error) {
	kind, payload, err := handoff.ReadFrame(r, maxRecord)
	if large := (*handoff.SizeError)(nil); errors.As(err, &large) {
		return answer{}, wrong("a part of the program's answer claims to have %d bytes", large.Size)
	}
	if err != nil {
		return answer{}, err
	}
	d := wire.Decoder{Buf: payload}
	if l.read != nil {
		d.Theirs, d.Ours = l.written.Bytes, l.read.Bytes
	}
	a := answer{kind: kind}
	switch kind {
	case frameReady:
		a.text = payload
	case frameDone:
	case frameAnswer:
		err = l.readAnswer(&a, &d)
	case frameFail:
		if a.message, err = d.Text(); err == nil {
			a.trace, err = d.Text()
		}
	case frameLog:
		err = l.logged(&d)
	default:
		return a, wrong("the program `%s` sent a frame of the unknown kind `%c`", l.name, kind)
	}
	if err != nil {
		return a, wrong("the answer of the program `%s` cannot be read: %v", l.name, err)
	}
	return a, nil
}

// readAnswer reads these fields of an answer:
//
//	u32 steps, u8 whether the process is complete,
//	u32 count, u32 each: blocks of memory that the program has released,
//	for each output: u8 form and its data
func (l *link) readAnswer(a *answer, d *wire.Decoder) error {
	steps, err := d.U32()
	if err != nil {
		return err
	}
	if steps > maxSteps {
		return wrong("it claims to answer %d steps", steps)
	}
	a.steps = int(steps)
	complete, err := d.U8()
	if err != nil {
		return err
	}
	a.complete = complete != 0
	a.outputs = make([]pushes, len(l.outs))
	released, err := l.readReleases(d)
	if err != nil {
		return err
	}
	for i, out := range l.outs {
		if err := a.outputs[i].read(d, a.steps); err != nil {
			return wrong("output `%s`: %v", out.Name(), err)
		}
	}
	// Release the blocks last: the outputs may refer to data in them.
	for _, block := range released {
		if l.arena == nil || !l.arena.release(block) {
			return wrong("it releases block %d of the shared memory, which the program does not have", block)
		}
	}
	return nil
}

func (l *link) readReleases(d *wire.Decoder) ([]uint32, error) {
	n, err := d.U32()
	if err != nil || n == 0 {
		return nil, err
	}
	if uint64(n)*4 > uint64(len(d.Buf)) {
		return nil, wrong("it ends too early")
	}
	list := make([]uint32, n)
	for i := range list {
		if list[i], err = d.U32(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// maxPushes limits the number of data for one output in one answer.
const maxPushes = 1 << 22

func (p *pushes) read(d *wire.Decoder, steps int) error {
	form, err := d.U8()
	if err != nil {
		return err
	}
	switch form {
	case pushNone:
		p.counts = make([]int, steps)
		return nil
	case pushEach:
		p.data, err = d.Column(steps)
		return err
	case pushMany:
		total := 0
		p.counts = make([]int, steps)
		for i := range p.counts {
			n, err := d.U32()
			if err != nil {
				return err
			}
			if total += int(n); n > maxPushes || total > maxPushes {
				return wrong("more than %d data in one answer", maxPushes)
			}
			p.counts[i] = int(n)
		}
		p.data, err = d.Column(total)
		return err
	}
	return wrong("an output has the unknown form %d", form)
}

// levels maps the level numbers of the protocol to levels of the log.
var levels = [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}

func (l *link) logged(d *wire.Decoder) error {
	level, err := d.U8()
	if err != nil {
		return err
	}
	text, err := d.Text()
	if err == nil {
		l.log.Log(context.Background(), levels[min(int(level), len(levels)-1)], text)
	}
	return err
}
