package export

import "github.com/pentode-dev/pentode/run/trace/recorded"

// arrows numbers the connections from one thread to another. MPI keeps the order of
// messages between two ranks that have the same tag and communicator.
type arrows struct {
	last     uint64
	tasks    map[created]uint64
	calls    map[created]uint64      // of CUDA calls, by their correlation ids
	sent     map[messageKey][]uint64 // messages sent and not yet received
	received map[messageKey][]uint64 // messages received before they were sent: two machines have two clocks
}

type created struct {
	process *recorded.Process
	task    uint64
}

// messageKey identifies messages that keep their order.
type messageKey struct {
	from, to, tag int
	group         string
}

func newArrows() *arrows {
	return &arrows{tasks: map[created]uint64{}, calls: map[created]uint64{}, sent: map[messageKey][]uint64{}, received: map[messageKey][]uint64{}}
}

func (a *arrows) task(p *recorded.Process, id uint64) uint64 {
	return a.number(a.tasks, created{p, id})
}

// call returns the number of a CUDA call, which connects it to its activity on a device.
func (a *arrows) call(p *recorded.Process, id uint64) uint64 {
	return a.number(a.calls, created{p, id})
}

func (a *arrows) number(known map[created]uint64, key created) uint64 {
	if known[key] == 0 {
		a.last++
		known[key] = a.last
	}
	return known[key]
}

// message returns the number of a message. ok reports whether both ranks are known.
func (a *arrows) message(m recorded.Message) (id uint64, ok bool) {
	if m.From < 0 || m.To < 0 {
		return 0, false
	}
	key := messageKey{m.From, m.To, m.Tag, m.Group}
	mine, other := a.sent, a.received
	if !m.Sent {
		mine, other = a.received, a.sent
	}
	if waiting := other[key]; len(waiting) > 0 {
		other[key] = waiting[1:]
		return waiting[0], true
	}
	a.last++
	mine[key] = append(mine[key], a.last)
	return a.last, true
}
