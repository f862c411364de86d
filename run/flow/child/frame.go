package child

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"syscall"
)

// protocol is the version of the binary protocol. Both sides send theirs.
const protocol = 1

// A frame is a u32 length, a byte for what it is, and as many bytes as the
// length says.
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

	// For Python.
	Class  string   `json:"class,omitempty"`
	Search []string `json:"search,omitempty"`
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

func writeFrame(w io.Writer, kind byte, payload []byte) error {
	head := binary.LittleEndian.AppendUint32(make([]byte, 0, 5), uint32(len(payload)))
	if _, err := w.Write(append(head, kind)); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// beginFrame is a buffer with room for a frame's head; endFrame writes it.
func beginFrame(buf []byte, kind byte) []byte { return append(buf[:0], 0, 0, 0, 0, kind) }

func endFrame(w io.Writer, buf []byte) error {
	binary.LittleEndian.PutUint32(buf, uint32(len(buf)-5))
	_, err := w.Write(buf)
	return err
}

// readFrame reads a frame; its payload grows with what really comes.
func readFrame(r *bufio.Reader) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, torn(err)
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxRecord {
		return 0, nil, wrong("a part of the program's answer says it has %d bytes", n)
	}
	const step = 1 << 20
	payload = make([]byte, 0, min(n, step))
	for have := uint32(0); have < n; have = uint32(len(payload)) {
		more := min(n-have, max(step, have))
		payload = append(payload, make([]byte, more)...)
		if _, err := io.ReadFull(r, payload[have:]); err != nil {
			return 0, nil, torn(err)
		}
	}
	return head[4], payload, nil
}

// torn is the error of a stream that ended, whether between frames or inside one.
func torn(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return io.EOF
	}
	return err
}
