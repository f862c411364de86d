package pipe

import "time"

// An Event is a kind of action of a process that can be observed.
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

// String returns the event's name in traces and policies, such as flow_step.
func (ev Event) String() string { return eventNames[ev] }

// IsPart reports whether the event is a whole method call of a process, such as a step, during
// which other events may happen.
func (ev Event) IsPart() bool {
	return ev == EventInit || ev == EventStep || ev == EventFlush || ev == EventFinalize
}

func (ev Event) Part() string { return eventNames[ev][len("flow_"):] }

// Events lists all events.
func Events() []Event {
	list := make([]Event, EventCount)
	for i := range list {
		list[i] = Event(i)
	}
	return list
}

// An Observer is told what one process does while it does it. The process waits until each call
// returns.
type Observer interface {
	// Began is called when a process begins an action. at is the time since the start of the run.
	Began(ev Event, at time.Duration)
	// Ended is called when an action has ended. at is when it began, took is how long it took,
	// and busy is how much of this time the process worked. where is the edge concerned, or "".
	Ended(ev Event, at, took, busy time.Duration, where string)
	// Close is called once, when the process has ended.
	Close() error
}
