//go:build linux

package collect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Session is the shared memory of one collector and its traced programs.
type Session struct {
	Path string // the value of PENTODE_TRACE in the programs

	file   *os.File
	memory []byte
	rings  [][]byte // by slot, mapped when first used
	bytes  int      // the size of a ring

	seal *seal.Maker // records what produced the trace; nil: nothing is recorded

	asks chan chan<- []Monitored // requests for the monitored regions

	asked   int          // modules with smaller numbers are known
	reading map[int]bool // modules whose names are being read
	names   sync.WaitGroup

	mu       sync.Mutex
	epoch    uint64 // of the current policy
	tables   uint64 // the number of published tables
	policy   *trace.Policy
	policies []published          // the current one is the last
	met      map[trace.Match]bool // entries that matched regions, in tables that no longer exist
}

// published is a policy's place in the shared memory.
type published struct {
	number   uint64
	at, size int
	policy   *trace.Policy
}

// maxRing is the largest size of a ring.
const maxRing = 1 << 30

// NewSession makes the shared memory in /dev/shm.
func NewSession(o Options) (*Session, error) {
	if o.RingBytes < os.Getpagesize() || o.RingBytes > maxRing || o.RingBytes&(o.RingBytes-1) != 0 {
		return nil, fmt.Errorf("the size of a ring must be a power of two from %d to %d bytes, not %d", os.Getpagesize(), maxRing, o.RingBytes)
	}
	clean()
	dir, err := os.MkdirTemp(sharedMemory, fmt.Sprintf("%s%d-", folder, os.Getpid()))
	if err != nil {
		return nil, fmt.Errorf("there is no shared memory: %w", plain(err))
	}
	s := &Session{Path: filepath.Join(dir, "session"), rings: make([][]byte, layout.MaxSlots), bytes: o.RingBytes, seal: o.Seal, met: map[trace.Match]bool{}, reading: map[int]bool{}, asks: make(chan chan<- []Monitored)}
	if err := s.open(o); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

const (
	sharedMemory = "/dev/shm"
	folder       = "pentode-trace-" // followed by the collector's process id
)

// clean removes the memory that killed collectors left. The process id of a collector in another container means nothing
// here, but the collector holds its lock.
func clean() {
	left, _ := filepath.Glob(filepath.Join(sharedMemory, folder+"*")) // the pattern is valid
	for _, dir := range left {
		var pid uint32
		if _, err := fmt.Sscanf(filepath.Base(dir), folder+"%d-", &pid); err == nil && !exists(pid) && !locked(filepath.Join(dir, "session")) {
			_ = os.RemoveAll(dir) // another user's stays
		}
	}
}

// locked reports whether a live collector has locked a session.
func locked(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil
}

func (s *Session) open(o Options) error {
	var err error
	if s.file, err = os.OpenFile(s.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	if err := unix.Flock(int(s.file.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	if err := s.file.Truncate(ringsAt + int64(layout.MaxSlots)*int64(o.RingBytes+layout.MonitoredBytes)); err != nil {
		return fmt.Errorf("cannot set the size of the shared memory `%s`: %w", s.Path, plain(err))
	}
	if err := s.allocate(0, layout.PoliciesAt); err != nil {
		return err
	}
	if s.memory, err = unix.Mmap(int(s.file.Fd()), 0, layout.PoliciesEnd, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return err
	}
	clock := uint32(0)
	if steady() {
		clock = 1
	}
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(s.memory[at:], v) }
	put(sessionLayout, layout.Number)
	put(sessionSlots, layout.MaxSlots)
	put(sessionRingBytes, uint32(o.RingBytes))
	binary.LittleEndian.PutUint64(s.memory[sessionRingsAt:], ringsAt)
	put(sessionClock, clock)
	put(sessionWait, layout.Bool(o.Wait))
	put(sessionAudit, layout.Bool(o.Audit))
	put(sessionUpstream, layout.Bool(o.Upstream))
	put(sessionTeam, o.Team)
	put(sessionThread, o.Thread)
	put(sessionRank, o.Rank)
	put(sessionDevice, o.Device)
	put(sessionPyThread, o.PythonThread)
	s.setProgram(o.Program)
	if err := s.Publish(o.Policy, o.Table); err != nil {
		return err
	}
	put(sessionMagic, layout.Magic)
	return nil
}

// plain returns the cause of an error without the name of the system call.
func plain(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// allocate takes the memory now, so that a full /dev/shm gives an error here instead of a signal at the first write.
func (s *Session) allocate(at, size int) error {
	if err := unix.Fallocate(int(s.file.Fd()), 0, int64(at), int64(size)); err != nil {
		return fmt.Errorf("there is not enough shared memory in /dev/shm: %w", err)
	}
	return nil
}

// errCut is the error when a program has truncated the session's file.
var errCut = errors.New("a traced program has cut off the memory that it shares with its tracer: what happened afterwards is not in the trace")

// guard calls f, and returns errCut if f used memory that was cut off. The pages of a truncated file stay mapped, and
// accessing them is a fault that would end this program.
func (s *Session) guard(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			if !s.maps(fault.Addr()) {
				panic(fault)
			}
			err = errCut
		default:
			panic(fault)
		}
	}()
	f()
	return nil
}

// maps reports whether an address is in the shared memory.
func (s *Session) maps(at uintptr) bool {
	return slices.ContainsFunc(append([][]byte{s.memory}, s.rings...), func(b []byte) bool {
		begin := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		return at >= begin && at-begin < uintptr(len(b))
	})
}

// word and half return a number in the shared memory that agents may change at the same time.
func (s *Session) word(at int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&s.memory[at]))
}

func (s *Session) half(at int) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&s.memory[at]))
}

func slotAt(i int) int    { return layout.SlotsAt + i*slotSize }
func processAt(i int) int { return layout.ProcessesAt + i*processSize }

// Publish makes a policy the current one. Each thread of the traced programs sees it at its next event.
func (s *Session) Publish(policy *trace.Policy, table []byte) error {
	return s.place(func() error {
		s.epoch++
		if err := s.put(policy, table); err != nil {
			s.epoch--
			return err
		}
		s.policy = policy
		s.renew()
		return nil
	})
}

// Adjust replaces the current policy by a policy that differs only in rates. Threads see it at their next event; windows and pauses continue unchanged.
func (s *Session) Adjust(policy *trace.Policy, table []byte) error {
	return s.place(func() error {
		if err := s.put(policy, table); err != nil {
			return err
		}
		s.policy = policy
		s.renew()
		return nil
	})
}

// renew makes all threads read the policy again.
func (s *Session) renew() {
	for i := range layout.MaxProcesses {
		if s.half(processAt(i)+processState).Load() != 0 {
			s.word(processAt(i) + processGeneration).Add(1)
		}
	}
}

// Amend replaces the current policy by a policy that knows more modules, which were met just now. Decisions made with the old one stay valid.
func (s *Session) Amend(policy *trace.Policy, table []byte) error {
	return s.place(func() error {
		if err := s.put(policy, table); err != nil {
			return err
		}
		s.policy = policy
		return nil
	})
}

// place changes the policies while holding the lock.
func (s *Session) place(change func() error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cut := s.guard(func() { err = change() }); cut != nil {
		return cut
	}
	return err
}

// put writes a table and makes it the current one.
func (s *Session) put(policy *trace.Policy, table []byte) error {
	if s.half(sessionClosed).Load() != 0 {
		return errors.New("the program is no longer traced")
	}
	s.reclaim()
	at, ok := s.room(len(table))
	if !ok {
		return errors.New("there is no room for the policy: it is too large, or threads still read earlier ones")
	}
	if err := s.allocate(at, len(table)); err != nil {
		return err
	}
	copy(s.memory[at:], table)
	binary.LittleEndian.PutUint32(s.memory[at+policyEpoch:], uint32(s.epoch))
	s.tables++
	s.policies = append(s.policies, published{s.tables, at, len(table), policy})
	s.word(sessionPolicy).Store(s.tables<<32 | uint64(at))
	return nil
}

// reclaim frees the policies that no thread reads any more.
func (s *Session) reclaim() {
	if len(s.policies) < 2 {
		return
	}
	reading := map[uint64]bool{}
	for i := range layout.MaxSlots {
		if epoch := s.word(slotAt(i) + slotReading).Load(); epoch != 0 {
			reading[epoch] = true
		}
	}
	current := s.policies[len(s.policies)-1]
	kept := s.policies[:0]
	for _, p := range s.policies {
		if p == current || reading[p.number] {
			kept = append(kept, p)
		} else {
			s.collectMet(p)
		}
	}
	s.policies = kept
}

// room finds a place for size bytes between the current policies.
func (s *Session) room(size int) (int, bool) {
	const align = 64
	at := layout.PoliciesAt
	for at+size <= layout.PoliciesEnd {
		next := at
		for _, p := range s.policies {
			if at < p.at+p.size && p.at < at+size {
				next = max(next, (p.at+p.size+align-1)&^(align-1))
			}
		}
		if next == at {
			return at, true
		}
		at = next
	}
	return 0, false
}

// current returns the policy in force and its number.
func (s *Session) current() (*trace.Policy, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policy, s.epoch
}

// Offered reports whether the OpenMP runtime of a traced program supports an event.
func (s *Session) Offered(event uint8) (offered bool) {
	_ = s.guard(func() { offered = s.word(sessionOffered).Load()>>(event&63)&1 != 0 }) // memory that was cut off offers nothing
	return offered
}

// Close ends the session. Programs that still run continue untraced.
func (s *Session) Close() error {
	s.names.Wait()
	if s.memory != nil {
		_ = s.guard(func() { // if the memory was truncated, no process is waiting
			s.half(sessionClosed).Store(1)
			for i := range layout.MaxProcesses {
				s.half(processAt(i) + processPaused).Store(0)
			}
		})
		_ = unix.Munmap(s.memory)
	}
	for _, r := range s.rings {
		if r != nil {
			_ = unix.Munmap(r)
		}
	}
	if s.file != nil {
		s.file.Close()
	}
	return os.RemoveAll(filepath.Dir(s.Path))
}
