package flow

import (
	"fmt"
	"iter"
	"runtime"
	"sync"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// A scheduler decides where processes run. All schedulers give the same result.
type scheduler interface {
	start(procs []*proc)
	park(p *proc)  // called by p; returns when p is woken
	ready(p *proc) // called by others: the parked p may continue
	yield(p *proc) // called by p to let other processes run
	alone() bool   // whether at most one process runs at a time
}

// The names of the schedulers.
const (
	SyncScheduler     = "sync"                 // one process at a time
	ThreadScheduler   = "thread_per_process"   // a goroutine for each process
	PythreadScheduler = "pythread_per_process" // same as thread_per_process: Python code runs in child processes anyway
	PoolScheduler     = "thread_pool"          // a fixed number of workers
	DefaultScheduler  = ThreadScheduler
)

// Schedulers lists the names that Options.Scheduler accepts.
func Schedulers() []string {
	return []string{SyncScheduler, ThreadScheduler, PythreadScheduler, PoolScheduler}
}

func newScheduler(name string, workers int, r *Run) (scheduler, error) {
	switch name {
	case SyncScheduler:
		return newPool(r, 1), nil
	case ThreadScheduler, PythreadScheduler:
		return &threads{r}, nil
	case PoolScheduler:
		if workers <= 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		return newPool(r, workers), nil
	}
	p := &problem.Problem{Kind: pipe.UnknownScheduler, Message: fmt.Sprintf("there is no scheduler `%s`", name)}
	pipe.Suggest(p, name, Schedulers(), "expected")
	return nil, p
}

// threads runs each process in its own goroutine.
type threads struct{ run *Run }

func (t *threads) start(procs []*proc) {
	for _, p := range procs {
		p.sem = make(chan struct{}, 1)
		go p.main()
	}
}

func (t *threads) park(p *proc) {
	if t.run.parked(p) {
		<-p.sem
	}
}

func (t *threads) ready(p *proc) { p.sem <- struct{}{} }
func (t *threads) yield(*proc)   {}
func (t *threads) alone() bool   { return false }

// A pool runs processes on a fixed number of workers. Each process is a coroutine: it runs until it must
// wait; then its worker runs the next process of the queue.
type pool struct {
	run     *Run
	workers int

	mu     sync.Mutex
	wake   sync.Cond
	queue  []*proc // ring buffer of processes that can run
	first  int
	length int
	idle   int
	closed bool
}

// A coroutine lets a worker of the pool switch to a process and back.
type coroutine struct {
	next  func() (request, bool)
	yield func(request) bool
}

// A request is the reason why a process gives its worker back.
type request uint8

const (
	wantPark request = iota
	wantTurn
)

func newPool(r *Run, workers int) *pool {
	s := &pool{run: r, workers: workers}
	s.wake.L = &s.mu
	return s
}

func (s *pool) start(procs []*proc) {
	s.queue = make([]*proc, ceilPow2(max(2, len(procs))))
	for _, p := range procs {
		next, _ := iter.Pull(func(yield func(request) bool) {
			p.coro.yield = yield
			p.main()
		})
		p.coro.next = next
		s.put(p)
	}
	var left sync.WaitGroup
	for range s.workers {
		left.Go(s.work)
	}
	s.run.helpers.Go(left.Wait)
}

func (s *pool) work() {
	for {
		p := s.get()
		if p == nil {
			return
		}
		req, alive := p.coro.next()
		switch {
		case !alive:
			if s.run.live.Load() == 0 {
				s.close()
			}
		case req == wantTurn:
			s.put(p)
		case !s.run.parked(p): // it was woken before it could park
			s.put(p)
		}
	}
}

func (s *pool) park(p *proc)  { p.coro.yield(wantPark) }
func (s *pool) yield(p *proc) { p.coro.yield(wantTurn) }
func (s *pool) ready(p *proc) { s.put(p) }
func (s *pool) alone() bool   { return s.workers == 1 }

func (s *pool) put(p *proc) {
	s.mu.Lock()
	s.queue[(s.first+s.length)&(len(s.queue)-1)] = p // there is room: each process is in the queue at most once
	s.length++
	idle := s.idle > 0
	s.mu.Unlock()
	if idle {
		s.wake.Signal()
	}
}

func (s *pool) get() *proc {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.length == 0 {
		if s.closed {
			return nil
		}
		s.idle++
		s.wake.Wait()
		s.idle--
	}
	p := s.queue[s.first]
	s.queue[s.first] = nil
	s.first = (s.first + 1) & (len(s.queue) - 1)
	s.length--
	return p
}

func (s *pool) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wake.Broadcast()
}
