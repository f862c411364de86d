package control

import (
	"context"
	"sync"
)

// feedBuffer is the number of unread values that a feed keeps for each subscriber.
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
	lost   int // number of values dropped since the subscriber last received one; guarded by the feed's mutex
}

// Publish sends a value to every subscriber and never waits. If a subscriber has too many
// unread values, its oldest one is dropped.
func (f *Feed[T]) Publish(v T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subs {
		if len(s.values) == cap(s.values) {
			select {
			case <-s.values:
				s.lost++
			default: // the subscriber has received it in the meantime
			}
		}
		s.values <- v // cannot block: only Publish adds values, and it has just made room
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

// Follow calls send for every value that is published from now on. lost is the number of
// values that were dropped since the previous call. Follow returns when the feed is
// closed, when ctx ends, or when send fails.
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
			// When an engine ends, it closes its server, which cancels ctx. Values that
			// were published before must still be sent.
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
