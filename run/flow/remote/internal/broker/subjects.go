package broker

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A subscription is a subject that a client listens to.
type subscription struct {
	client  *client
	subject string
	group   string // name of the group that shares the messages; empty: no group
	id      string // chosen by the client

	// Guarded by the client's mu.
	got, most int  // messages; most is 0 if there is no limit
	gone      bool // it gets no more messages
}

// An audience is the set of subscriptions of a subject.
type audience struct {
	each   []*subscription   // these get every message
	groups [][]*subscription // one member of each group gets every message
}

// A table holds the subscriptions of all clients.
type table struct {
	version atomic.Uint64 // counts changes: a reader keeps audiences until the version changes

	mu      sync.RWMutex
	literal map[string][]*subscription
	wild    []*subscription // their subjects have * or >
}

func (t *table) add(s *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if isLiteral(s.subject) {
		if t.literal == nil {
			t.literal = map[string][]*subscription{}
		}
		t.literal[s.subject] = append(t.literal[s.subject], s)
	} else {
		t.wild = append(t.wild, s)
	}
	t.version.Add(1)
}

// remove removes a subscription, if it is there.
func (t *table) remove(s *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	same := func(o *subscription) bool { return o == s }
	if !isLiteral(s.subject) {
		t.wild = slices.DeleteFunc(t.wild, same)
	} else if rest := slices.DeleteFunc(t.literal[s.subject], same); len(rest) > 0 {
		t.literal[s.subject] = rest
	} else {
		delete(t.literal, s.subject)
	}
	t.version.Add(1)
}

// find returns the subscriptions that match a subject; none if one of its tokens is empty.
func (t *table) find(subject string) *audience {
	a := &audience{}
	if strings.Contains("."+subject+".", "..") {
		return a
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, s := range t.literal[subject] {
		a.add(s)
	}
	for _, s := range t.wild {
		if matches(s.subject, subject) {
			a.add(s)
		}
	}
	return a
}

func (t *table) size() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	n := len(t.wild)
	for _, list := range t.literal {
		n += len(list)
	}
	return n
}

func (a *audience) add(s *subscription) {
	if s.group == "" {
		a.each = append(a.each, s)
		return
	}
	i := slices.IndexFunc(a.groups, func(g []*subscription) bool { return g[0].group == s.group })
	if i < 0 {
		a.groups = append(a.groups, []*subscription{s})
		return
	}
	a.groups[i] = append(a.groups[i], s)
}

// matches reports whether a subject matches a pattern: * is any token, and a > at the end is one or
// more tokens.
func matches(pattern, subject string) bool {
	for {
		want, patterns, more := strings.Cut(pattern, ".")
		if want == ">" && !more {
			return true
		}
		have, rest, further := strings.Cut(subject, ".")
		if want != "*" && want != have || more != further {
			return false
		}
		if !more {
			return true
		}
		pattern, subject = patterns, rest
	}
}

// maxSubject is the maximum length of a subject in bytes.
const maxSubject = 1 << 10

// isSubject reports whether a client may subscribe to a subject: it is not too long, no token is
// empty, and > can only be the last token.
func isSubject(s string) bool {
	if len(s) > maxSubject {
		return false
	}
	for {
		token, rest, more := strings.Cut(s, ".")
		if token == "" || token == ">" && more {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

// isLiteral reports whether a subject has no wildcards.
func isLiteral(s string) bool {
	for token := range strings.SplitSeq(s, ".") {
		if token == "*" || token == ">" {
			return false
		}
	}
	return true
}
