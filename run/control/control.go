// Package control lets one program control another running program, with a small protocol
// over a private unix socket.
//
// A server has named methods. Each takes parameters and returns one answer or a stream of
// answers. A connection carries one call: a request, then its answers. A caller cancels
// its call by closing the connection. Calls never wait for each other.
//
//	caller                                             engine
//	  │  {"method":"status","params":{"node":"p"}}       │
//	  ├─────────────────────────────────────────────────▶│
//	  │  {"value":…}                  in a stream        │
//	  │  {"value":…,"done":true}      the last answer    │
//	  │  {"error":{"kind":…,"message":…}}   or an error  │
//	  │◀─────────────────────────────────────────────────┤
//
// A frame is one line of JSON of limited length. The socket is in a folder that only its
// owner can enter, with the permissions 0600, and the server asks the kernel for the
// caller's user before it reads a byte.
//
// No caller can block an engine. A method runs in the goroutine of its connection. A
// caller that does not read for a while is dropped. A Feed passes updates on without
// waiting: a subscriber that is too slow loses the oldest ones.
//
//	engine ──Publish──▶ Feed ──Follow──▶ Stream ──socket──▶ Follow ──▶ view
package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"

	"github.com/pentode-dev/pentode/core/problem"
)

// The kinds of refusals. A method may also refuse with a Problem of another kind, which
// the caller receives.
const (
	BadRequest    problem.Kind = "bad-request"    // it is not a frame, or its parameters do not fit the method
	TooLong       problem.Kind = "too-long"       // a frame is longer than allowed
	UnknownMethod problem.Kind = "unknown-method" // the server has no such method
	OtherUser     problem.Kind = "other-user"     // the caller is not the owner of the server
	Failed        problem.Kind = "failed"         // the method returned an error without a kind
)

// ErrNoServer means that no server answers at a socket: there is none, or it ended before
// it answered.
var ErrNoServer = errors.New("no server answers")

// Requests are small. Answers may list everything in an engine.
const (
	maxRequest = 1 << 20
	maxAnswer  = 64 << 20
)

type request struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

type answer struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error *refusal        `json:"error,omitempty"`
	Done  bool            `json:"done,omitempty"`
}

// refusal is the part of a Problem that has a meaning in another program.
type refusal struct {
	Kind       problem.Kind `json:"kind"`
	Message    string       `json:"message"`
	Expected   string       `json:"expected,omitempty"`
	Suggestion string       `json:"suggestion,omitempty"`
}

func refusalOf(err error) *refusal {
	var p *problem.Problem
	if !errors.As(err, &p) {
		return &refusal{Kind: Failed, Message: err.Error()}
	}
	return &refusal{p.Kind, p.Message, p.Expected, p.Suggestion}
}

func (r *refusal) problem() *problem.Problem {
	return &problem.Problem{Kind: r.Kind, Message: r.Message, Expected: r.Expected, Suggestion: r.Suggestion}
}

// readFrame reads one line of JSON into v. At the end of the stream it returns io.EOF. For a
// frame that is truncated, overlong or not JSON it returns a Problem.
func readFrame(r *bufio.Reader, limit int, v any) error {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return &problem.Problem{Kind: TooLong, Message: "the message is too long"}
		}
		if line = append(line, part...); err == nil {
			break
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return malformed()
		default:
			return err
		}
	}
	if json.Unmarshal(line, v) != nil {
		return malformed()
	}
	return nil
}

func malformed() error {
	return &problem.Problem{Kind: BadRequest, Message: "the message is not one line of JSON"}
}

// writeFrame writes v as one line of JSON of at most limit bytes.
func writeFrame(w io.Writer, limit int, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(line) >= limit {
		return &problem.Problem{Kind: TooLong, Message: "the message is too long"}
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
