package handoff

import "github.com/pentode-dev/pentode/run/handoff/tensor"

// A Hello is the first message of a program to a pipeline.
type Hello struct {
	Protocol int      `json:"protocol"`
	Program  string   `json:"program"` // the name of the program, for messages
	Rank     int      `json:"rank"`    // the rank of the process within its program
	Data     []string `json:"data"`    // names of the data that it offers
	Knobs    []Knob   `json:"knobs"`   // numbers of the program that the pipeline may set
	Policy   Policy   `json:"policy"`
	Step     int      `json:"step"`  // the largest size of a step in bytes
	Slots    int      `json:"slots"` // the number of slots for steps
}

// A Knob is a number in the program that the pipeline may set.
type Knob struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // the letter of a tensor.Kind
}

// KindOf returns the kind of the knob's number, or 0 if it is invalid.
func (k Knob) KindOf() tensor.Kind {
	if len(k.Kind) != 1 {
		return 0
	}
	return tensor.Kind(k.Kind[0])
}

// reply is what a pipeline answers if it accepts the data.
type reply struct {
	Protocol int      `json:"protocol"`
	Wants    []string `json:"wants"` // the names of the data that it uses
}

// protocol is the version of the protocol. Both sides must have the same.
const protocol = 2

// Kinds of frames.
const (
	frameHello = 'H' // a Hello, together with the descriptors of the two shared memories
	frameReady = 'R' // a reply
	frameFail  = 'X' // the reason why the pipeline refuses the data

	frameNoProgram = 'N' // sent by the launcher instead of a Hello: no more programs will connect
)

const (
	maxHello  = 1 << 20
	knobSlots = 3
)

// down returns the sizes of the memory for steps, from the program to the pipeline, and
// up the sizes of the memory for knobs, in the other direction.
func (h *Hello) down() slots { return slots{size: roundUp(h.Step), count: h.Slots} }

func (h *Hello) up() slots {
	return slots{size: roundUp(stepHead + len(h.Knobs)*(itemHead+alignTo) + alignTo), count: knobSlots}
}

// A Refusal is the error of a pipeline that does not accept the offered data.
type Refusal struct{ Reason string }

func (e *Refusal) Error() string { return e.Reason }
