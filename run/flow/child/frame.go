package child

// protocol is the version of the binary protocol. Both sides send theirs.
const protocol = 1

// What frames are.
const (
	// From the pipeline.
	frameHello       = 'H' // a request as JSON
	frameSteps       = 'S' // u32 count; a column for each input
	framePrepare     = 'P' // settings as JSON: would they do
	frameReconfigure = 'C' // settings as JSON
	frameFlush       = 'F' // a flush went by
	frameEnd         = 'E' // no step follows

	// From the program.
	frameReady  = 'R' // a reply as JSON
	frameAnswer = 'A' // see readAnswer
	frameDone   = 'K' // the answer to P, C, F and E
	frameFail   = 'X' // text, text: what went wrong, and the trace of it
	frameLog    = 'L' // u8 level, text
)

// A request is what a program learns at its start.
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

// memoryInfo says where the two shared memories are: descriptors and bytes.
type memoryInfo struct {
	Read  int `json:"read"`  // the pipeline writes, the program reads
	Write int `json:"write"` // the other way
	Size  int `json:"size"`
}

// A reply is what a program says of itself at its start. Ports that it leaves
// out may have any names.
type reply struct {
	Protocol int      `json:"protocol"`
	Inputs   []string `json:"inputs"`
	Outputs  []string `json:"outputs"`
	Required []string `json:"required"` // inputs without which there is no step; left out: as the pipeline declares them
	Prepare  bool     `json:"prepare"`  // it judges settings before it gets them
}
