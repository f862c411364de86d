package web

import "context"

// turns bounds how many requests do something at a time that takes much memory.
type turns chan struct{}

// take waits for a turn, which ends with done.
func (t turns) take(ctx context.Context) (done func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
