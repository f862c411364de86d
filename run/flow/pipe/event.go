package pipe

import "time"

// An Event is a part of a process's life that can be observed.
type Event uint8

const (
	EventInit     Event = iota // Setup
	EventStep                  // one step
	EventPush                  // a datum pushed
	EventBlock                 // waiting for an edge
	EventDrop                  // a datum dropped
	EventFlush                 // Flush
	EventFinalize              // Finalize
	EventCount
)

var eventNames = [EventCount]string{"flow_init", "flow_step", "flow_push", "flow_block", "flow_drop", "flow_flush", "flow_finalize"}

// String is the event's name in traces and policies: flow_step.
func (ev Event) String() string { return eventNames[ev] }

// IsPart reports whether an event is a part of a process's life, which others
// may interrupt.
func (ev Event) IsPart() bool {
	return ev == EventInit || ev == EventStep || ev == EventFlush || ev == EventFinalize
}

func (ev Event) Part() string { return eventNames[ev][len("flow_"):] }

// Events lists all of them.
func Events() []Event {
	list := make([]Event, EventCount)
	for i := range list {
		list[i] = Event(i)
	}
	return list
}

// An Observer follows what one process does, while it does it. The process
// waits for each call.
type Observer interface {
	// Began tells that a part begins, with the time since the run's start.
	Began(ev Event, at time.Duration)
	// Ended tells that a part has ended: when it began, how long it took, how
	// much of that the process worked, and the edge it is about, if any.
	Ended(ev Event, at, took, busy time.Duration, where string)
	// Close is called once, when the process has ended.
	Close() error
}
