package child

// protocol is the version of the binary protocol. Each side sends its version to the other.
const protocol = 1

// The first byte of a frame, its kind. Each comment describes what follows it.
const (
	// Frames that the pipeline sends.
	frameHello       = 'H' // a request as JSON; first frame of a connection
	frameSteps       = 'S' // u32 number of steps; a column of data for each input
	framePrepare     = 'P' // settings as JSON; asks whether the program would accept them
	frameReconfigure = 'C' // settings as JSON
	frameFlush       = 'F' // nothing; a flush has arrived
	frameEnd         = 'E' // nothing; there are no more steps

	// Frames that the program sends.
	frameReady  = 'R' // a reply as JSON; answers H
	frameAnswer = 'A' // data for the outputs, see readAnswer
	frameDone   = 'K' // nothing; P, C, F or E is done
	frameFail   = 'X' // two texts: an error message and a stack trace
	frameLog    = 'L' // u8 level and text of a log message
)

// A request is the first message that a program gets.
type request struct {
	Protocol int               `json:"protocol"`
	Process  string            `json:"process"`
	Type     string            `json:"type"`
	Inputs   []portInfo        `json:"inputs"`
	Outputs  []portInfo        `json:"outputs"`
	Config   map[string]string `json:"config"`
	Memory   *memoryInfo       `json:"memory,omitempty"`

	// Only for Python: the class that does the work, or the name of a registered algorithm for the
	// process type above.
	Class     string   `json:"class,omitempty"`
	Algorithm string   `json:"algorithm,omitempty"`
	Search    []string `json:"search,omitempty"`
}

type portInfo struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// memoryInfo describes the two shared memories: a descriptor for each, and the size of each.
type memoryInfo struct {
	Read  int `json:"read"`  // descriptor of the memory that the program reads
	Write int `json:"write"` // descriptor of the memory that the program writes
	Size  int `json:"size"`
}

// A reply is the answer to a request. If it omits a list of ports, ports with any names may be
// connected.
type reply struct {
	Protocol int      `json:"protocol"`
	Inputs   []string `json:"inputs"`
	Outputs  []string `json:"outputs"`
	Required []string `json:"required"` // inputs that must have data before a step; if omitted, the pipeline's declaration decides
	Prepare  bool     `json:"prepare"`  // the program answers framePrepare
}
