package launch

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
	"golang.org/x/sys/unix"
)

// reapEvery is how long an adopted child that has ended may stay a zombie.
const reapEvery = 500 * time.Millisecond

// adopt makes this program the parent of orphans of our processes. A daemon that
// forks and leaves its parent would otherwise belong to init, and its end would not
// be noticed. The program remains a subreaper after release, because another run may
// depend on it.
func (s *system) adopt(run string) (release func(), err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, err
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		self, _ := state.ReadProcess(os.Getpid())
		r := reaper{sys: s, run: run, self: self, adopted: map[int]bool{}, seen: map[int]int{}}
		tick := time.NewTicker(reapEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.sweep()
			case <-stop:
				r.sweep()
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-done
	}, nil
}

// reaper collects children that this program has adopted.
type reaper struct {
	sys     *system
	run     string
	self    state.Process
	adopted map[int]bool // seen alive with the mark of the run
	seen    map[int]int  // sessions that we did not start: in how many sweeps their ended processes were found
}

// sweep collects ended children that no goroutine waits for: children known to be adopted,
// children of a session we started, children of a group that another process leads, and children
// of any other foreign session that two earlier sweeps have found. A child that a different part
// of this program started and waits for is collected long before that.
func (r *reaper) sweep() {
	r.sys.mu.Lock()
	defer r.sys.mu.Unlock()
	strangers := map[int]int{}
	for _, pid := range children() {
		if r.sys.leaders[pid] {
			continue
		}
		p, ok := state.ReadProcess(pid)
		if !ok || p.Parent != os.Getpid() {
			continue
		}
		if !p.Zombie() {
			if !r.adopted[pid] && state.HasMark(pid, r.run, "") {
				r.adopted[pid] = true
			}
			continue
		}
		if orphan := p.Group != pid && p.Group != r.self.Group; !orphan && !r.adopted[pid] && !r.sys.sessions[p.Session] {
			if p.Session == r.self.Session {
				continue
			}
			if strangers[pid] = r.seen[pid] + 1; strangers[pid] < 3 {
				continue
			}
		}
		unix.Wait4(pid, nil, unix.WNOHANG, nil)
		delete(r.adopted, pid)
	}
	r.seen = strangers
}

// children lists the children of all threads of this program.
func children() []int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil
	}
	var pids []int
	for _, t := range tasks {
		text, err := os.ReadFile("/proc/self/task/" + t.Name() + "/children")
		if err != nil {
			continue
		}
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// strays finds marked processes. For a whole run it also finds processes that have cleared their environment, if they are in a session that began
// here. Adopted processes come first: we can wait for them, but we can only watch the others.
func (s *system) strays(run, node string) []Proc {
	left := state.Marked(run, node)
	if node == "" {
		left = append(left, s.unmarked(run)...)
	}
	var ours, others []Proc
	for _, p := range left {
		c := &child{sys: s, pid: p.Pid, ours: p.Parent == os.Getpid()}
		if fd, err := unix.PidfdOpen(p.Pid, 0); err == nil {
			c.watch(fd)
		}
		if c.ours {
			ours = append(ours, c)
		} else {
			others = append(others, c)
		}
	}
	return append(ours, others...)
}

// unmarked finds adopted orphans from sessions that we started that lack the mark of the run.
func (s *system) unmarked(run string) []state.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []state.Process
	for _, pid := range children() {
		p, ok := state.ReadProcess(pid)
		if ok && !p.Zombie() && !s.leaders[pid] && p.Pid != p.Session && s.sessions[p.Session] && p.Parent == os.Getpid() && !state.HasMark(pid, run, "") {
			found = append(found, p)
		}
	}
	return found
}
