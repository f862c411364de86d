package child

// protocol is the version of the binary protocol. Both sides send their version.
const protocol = 1

// The kinds of frames.
const (
	// From the pipeline.
	frameHello       = 'H' // a request as JSON
	frameSteps       = 'S' // u32 count; a column for each input
	framePrepare     = 'P' // settings as JSON: would the program accept them?
	frameReconfigure = 'C' // settings as JSON
	frameFlush       = 'F' // a flush has passed
	frameEnd         = 'E' // no more steps

	// From the program.
	frameReady  = 'R' // a reply as JSON
	frameAnswer = 'A' // see readAnswer
	frameDone   = 'K' // the answer to P, C, F and E
	frameFail   = 'X' // text, text: what went wrong, and its stack trace
	frameLog    = 'L' // u8 level, text
)

// A request is the first message to a program.
type request struct {
	Protocol int               `json:"protocol"`
	Process  string            `json:"process"`
	Type     string            `json:"type"`
	Inputs   []portInfo        `json:"inputs"`
	Outputs  []portInfo        `json:"outputs"`
	Config   map[string]string `json:"config"`
	Memory   *memoryInfo       `json:"memory,omitempty"`

	// For Python: a class, or an algorithm for the process type above.
	Class     string   `json:"class,omitempty"`
	Algorithm string   `json:"algorithm,omitempty"`
	Search    []string `json:"search,omitempty"`
}

type portInfo struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// memoryInfo describes the two shared memories: descriptors and sizes.
type memoryInfo struct {
	Read  int `json:"read"`  // the pipeline writes, the program reads
	Write int `json:"write"` // the program writes, the pipeline reads
	Size  int `json:"size"`
}

// A reply is what a program reports about itself when it starts. If it omits a list of ports, these
// ports may have any names.
type reply struct {
	Protocol int      `json:"protocol"`
	Inputs   []string `json:"inputs"`
	Outputs  []string `json:"outputs"`
	Required []string `json:"required"` // inputs required for a step; omitted: as the pipeline declares them
	Prepare  bool     `json:"prepare"`  // it judges settings before it gets them
}
