// Package rankstest makes groups of processes for tests: each process is a goroutine.
package rankstest

import (
	"sync"
	"time"

	"github.com/pentode-dev/pentode/run/data/ranks"
)

// New makes a group of n processes.
func New(n int) []ranks.Group {
	t := &together{}
	t.came.L = &t.mutex
	t.mail = make([][][][]byte, n)
	groups := make([]ranks.Group, n)
	for i := range groups {
		t.mail[i] = make([][][]byte, n)
		groups[i] = &member{t, i}
	}
	return groups
}

// Run calls a function in each process of a group and returns their errors.
func Run(groups []ranks.Group, f func(g ranks.Group) error) []error {
	errs := make([]error, len(groups))
	var all sync.WaitGroup
	for i, g := range groups {
		all.Go(func() { errs[i] = f(g) })
	}
	all.Wait()
	return errs
}

type together struct {
	mutex sync.Mutex
	came  sync.Cond
	mail  [][][][]byte // indexed by receiver and sender
}

type member struct {
	*together
	rank int
}

func (m *member) Rank() int    { return m.rank }
func (m *member) Size() int    { return len(m.mail) }
func (m *member) Flush() error { return nil }
func (m *member) Close() error { return nil }

func (m *member) Send(to int, b []byte) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.mail[to][m.rank] = append(m.mail[to][m.rank], b)
	m.came.Broadcast()
	return nil
}

func (m *member) Receive(from int, timeout time.Duration) ([]byte, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	end := time.Now().Add(timeout)
	if timeout > 0 {
		defer time.AfterFunc(timeout, m.came.Broadcast).Stop()
	}
	for len(m.mail[m.rank][from]) == 0 {
		if timeout > 0 && !time.Now().Before(end) {
			return nil, ranks.ErrTimeout
		}
		m.came.Wait()
	}
	b := m.mail[m.rank][from][0]
	m.mail[m.rank][from] = m.mail[m.rank][from][1:]
	return b, nil
}
