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
	group   string // name of the group whose members share the messages; empty: none
	id      string // chosen by the client

	// The fields below are guarded by the client's mu.
	got, most int  // messages delivered so far, and their maximum; 0: unlimited
	gone      bool // the subscription has ended
}

// An audience has the subscriptions that match a subject.
type audience struct {
	each   []*subscription   // subscriptions that get every message
	groups [][]*subscription // groups; of each, one member gets a message
}

// A table holds the subscriptions of all clients.
type table struct {
	version atomic.Uint64 // number of changes so far; a cached audience is valid while it stays the same

	mu      sync.RWMutex
	literal map[string][]*subscription
	wild    []*subscription // subscriptions to subjects with * or >
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

// remove removes a subscription if it is in the table.
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

// find returns the subscriptions that match a subject. There are none if a token of the subject is
// empty.
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
