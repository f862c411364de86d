package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/pentode-dev/pentode/core/problem"
)

// Call calls a method of the server at a socket and reads its answer into result, which
// may be nil. If the server refuses the call, the error is a *problem.Problem; if there
// is no server, it is ErrNoServer.
func Call(ctx context.Context, path, method string, params, result any) error {
	return call(ctx, path, method, params, func(value json.RawMessage) error {
		if result == nil {
			return nil
		}
		return json.Unmarshal(value, result)
	})
}

// Follow calls a method and calls each for every answer. It returns when the stream of
// answers ends, or when each returns an error.
func Follow[T any](ctx context.Context, path, method string, params any, each func(T) error) error {
	return call(ctx, path, method, params, func(value json.RawMessage) error {
		var v T
		if err := json.Unmarshal(value, &v); err != nil {
			return err
		}
		return each(v)
	})
}

func call(ctx context.Context, path, method string, params any, each func(json.RawMessage) error) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	c, err := Dial(ctx, path)
	switch {
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ECONNREFUSED):
		return ErrNoServer
	case ctx.Err() != nil:
		return unanswered{ctx.Err()}
	case os.IsTimeout(err): // the connection's deadline can pass shortly before the context's
		return unanswered{context.DeadlineExceeded}
	case err != nil:
		return fmt.Errorf("the socket `%s` cannot be reached: %w", path, plain(err))
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	// Go on after an error in writing: a server may refuse a request before it has read
	// all of it, and then its answer is still there to be read.
	if err := writeFrame(c, maxRequest, request{method, text}); err != nil {
		if tooLong := (*problem.Problem)(nil); errors.As(err, &tooLong) {
			return err
		}
	}
	for r := bufio.NewReader(c); ; {
		var a answer
		if err := readFrame(r, maxAnswer, &a); err != nil {
			if ctx.Err() != nil {
				return unanswered{ctx.Err()}
			}
			return ErrNoServer
		}
		if a.Error != nil {
			return a.Error.problem()
		}
		if a.Value != nil {
			if err := each(a.Value); err != nil {
				return err
			}
		}
		if a.Done {
			return nil
		}
	}
}

// unanswered is the error of a call that was cancelled. Its text is for people; programs
// look at the wrapped error.
type unanswered struct{ why error }

func (unanswered) Error() string   { return "the server has not answered" }
func (u unanswered) Unwrap() error { return u.why }
