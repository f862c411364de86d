package control

import (
	"context"
	"sync"
)

// feedBuffer is the number of unread values of a subscriber.
const feedBuffer = 256

// Feed passes the values that an engine publishes to any number of subscribers. The zero
// Feed is ready for use.
type Feed[T any] struct {
	mu     sync.Mutex
	subs   map[*subscriber[T]]bool
	closed bool
}

type subscriber[T any] struct {
	values chan T
	lost   int // values lost since the last received value; guarded by the feed's mutex
}

// Publish sends a value to every subscriber and never waits: a subscriber that is too far
// behind loses its oldest value.
func (f *Feed[T]) Publish(v T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subs {
		if len(s.values) == cap(s.values) {
			select {
			case <-s.values:
				s.lost++
			default: // it has just been received
			}
		}
		s.values <- v // only Publish adds values, so there is room
	}
}

// Close ends the feed: subscribers still receive what was published before.
func (f *Feed[T]) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	for s := range f.subs {
		close(s.values)
	}
	f.subs = nil
}

// Follow calls send for every value published from now on, with the number of values lost
// since the previous one. It returns when the feed is closed, when ctx ends, or with the
// error of send.
func (f *Feed[T]) Follow(ctx context.Context, send func(v T, lost int) error) error {
	s := &subscriber[T]{values: make(chan T, feedBuffer)}
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil
	}
	if f.subs == nil {
		f.subs = map[*subscriber[T]]bool{}
	}
	f.subs[s] = true
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.subs, s)
		f.mu.Unlock()
	}()
	for {
		var v T
		var ok bool
		select {
		case v, ok = <-s.values:
		case <-ctx.Done():
			// An engine that ends closes its server. Its last values must still arrive.
			select {
			case v, ok = <-s.values:
			default:
			}
		}
		if !ok {
			return nil
		}
		if err := send(v, f.takeLost(s)); err != nil {
			return err
		}
	}
}

func (f *Feed[T]) takeLost(s *subscriber[T]) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := s.lost
	s.lost = 0
	return n
}
