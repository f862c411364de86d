package handoff

import "github.com/pentode-dev/pentode/run/handoff/tensor"

// A Hello is what a program says when it meets a pipeline.
type Hello struct {
	Protocol int      `json:"protocol"`
	Program  string   `json:"program"` // its name, for messages
	Rank     int      `json:"rank"`    // of the process in its program
	Data     []string `json:"data"`    // what it hands over
	Knobs    []Knob   `json:"knobs"`   // what it takes
	Policy   Policy   `json:"policy"`
	Step     int      `json:"step"`  // the largest number of bytes of a step
	Slots    int      `json:"slots"` // how many of them there is room for
}

// A Knob is a number of the program that the pipeline may set.
type Knob struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // as tensor.Kind has it: a letter
}

// KindOf is the kind of its number.
func (k Knob) KindOf() tensor.Kind {
	if len(k.Kind) != 1 {
		return 0
	}
	return tensor.Kind(k.Kind[0])
}

// reply is the answer of a pipeline that takes the data.
type reply struct {
	Protocol int      `json:"protocol"`
	Wants    []string `json:"wants"` // the data that it uses
}

// protocol is the version of what the two sides say.
const protocol = 2

// Frames.
const (
	frameHello = 'H' // a Hello; two descriptors come with it
	frameReady = 'R' // a reply
	frameFail  = 'X' // why there will be none

	frameNobody = 'N' // in the place of a hello, from the launcher: no program comes any more
)

const (
	maxHello  = 1 << 20
	knobSlots = 3
)

// down and up are the slots of the two memories.
func (h *Hello) down() slots { return slots{size: roundUp(h.Step), count: h.Slots} }

func (h *Hello) up() slots {
	return slots{size: roundUp(stepHead + len(h.Knobs)*(itemHead+alignTo) + alignTo), count: knobSlots}
}

// A Refusal is why a pipeline does not take what a program hands over.
type Refusal struct{ Reason string }

func (e *Refusal) Error() string { return e.Reason }
