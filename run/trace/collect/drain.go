//go:build linux

package collect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Collector moves the records from the rings of a session to a trace.
type Collector struct {
	Counts    Counts
	Losses    []Loss      // the threads that lost the most records to full rings, the worst first
	Monitored []Monitored // regions that were only counted; set when the trace is closed
	CUDA      CUDA        // the state of CUDA tracing; set when the trace is closed
	Python    Python      // the same for Python

	Unmet []trace.Match // entries of the last policy that matched no region; set when the trace is closed

	session   *Session
	trace     *ctf.Trace
	clock     clock
	host      string
	threads   map[int]*thread // by slot
	lanes     map[laneKey]*lane
	names     map[uint64]string
	functions map[uint64]function // for Python
	regions   map[uint64]bool
	lost      error         // the write error, such as a full disk, after which nothing more is written
	turns     atomic.Uint64 // the number of turns begun
	alive     time.Time
	every     time.Duration // how long an event may wait before it is written; 0: until there are many
	flushed   time.Time
	filling   bool // a ring was more than a quarter full
	windows   [layout.MaxProcesses]*window
	unheard   [layout.MaxProcesses]unheard
	sites     map[launch]uint64
	launched  func(stack []uint64, symbol string) uint64
	peers     peers
	node      turns  // which process collects device times
	copied    []byte // a copy of the current record

	monitored map[monitoredKey]monitoredTimes // of ended threads

	spending *spending // nil if not wanted
}

// thread is a thread whose ring is drained.
type thread struct {
	stream        *ctf.Stream
	serial        uint32
	pid, tid      uint32
	number        uint32
	process       int
	dropped, base uint64 // the slot's number of dropped records: now, and when this thread began
	lostAt        uint64 // the region of the first dropped record
	taken         uint64 // events taken off the ring
	launch        launch // the kernel launch that the next record belongs to
	stacked       bool   // whether launch is valid

	spent map[regionKey]uint64 // events in this window; nil if they are not counted
	told  uint64               // the value of dropped when the window began

	queued    time.Duration // total time spent waiting for a processor
	stretches []Stretch     // stretches that ended in this window
	crossed   uint64        // the value of taken when the last stretch ended
}

// NewCollector begins a trace in a folder.
func NewCollector(s *Session, dir, host string) (*Collector, error) {
	c := &Collector{
		session: s, host: host, peers: newPeers(s), clock: newClock(), threads: map[int]*thread{}, lanes: map[laneKey]*lane{}, names: map[uint64]string{}, functions: map[uint64]function{}, regions: map[uint64]bool{}, sites: map[launch]uint64{}, monitored: map[monitoredKey]monitoredTimes{},
		trace: Schema(),
	}
	c.trace.Env = map[string]string{
		"hostname": fmt.Sprintf("%q", host), "domain": `"ust"`, "tracer_name": `"pentode"`, "tracer_major": "1", "tracer_minor": "0",
	}
	if s.seal != nil {
		c.trace.Env["pentode_run"], c.trace.Env[seal.Name] = ctf.Quote(s.seal.Seal().Run), ctf.Quote(string(s.seal.Text()))
	}
	if err := ctf.Create(dir, c.trace); err != nil {
		return nil, err
	}
	return c, c.trace.Describe(c.clock.measure())
}

// Regions returns the addresses that events came from, sorted.
func (c *Collector) Regions() []uint64 { return slices.Sorted(maps.Keys(c.regions)) }

// Drain takes all records from the rings, and reports whether there were any.
func (c *Collector) Drain() (busy bool) {
	if err := c.session.guard(func() { busy = c.drain() }); err != nil {
		c.fail(err)
	}
	return busy
}

func (c *Collector) drain() bool {
	c.session.word(sessionHeartbeat).Add(1)
	busy := c.take()
	if time.Since(c.alive) > 100*time.Millisecond {
		c.alive = time.Now()
		c.reap()
	}
	if c.every > 0 && time.Since(c.flushed) > c.every {
		c.flush()
	}
	return busy
}

// take takes the records of all rings. It stops at the first slot that was never used: threads take the first free
// slot, and checking all slots would take as long as processing a thousand events.
func (c *Collector) take() bool {
	busy := false
	c.filling = false
	for i := range layout.MaxSlots {
		state := c.session.half(slotAt(i) + slotState).Load()
		if state == layout.SlotFree && c.session.half(slotAt(i)+slotSerial).Load() == 0 {
			break
		}
		if state == layout.SlotFree || c.session.half(slotAt(i)+slotReady).Load() == 0 {
			continue
		}
		t := c.thread(i)
		if t == nil {
			continue
		}
		busy = c.ring(i, t) || busy
		if state == layout.SlotEnded {
			c.ring(i, t)
			c.end(i, t)
		}
	}
	return busy
}

// flush makes the records taken so far visible to readers of the trace.
func (c *Collector) flush() {
	c.flushed = time.Now()
	c.writeHeld()
	for _, t := range c.threads {
		c.flushStream(t)
	}
	for _, l := range c.lanes {
		for ; l != nil; l = l.beside {
			c.flushStream(&l.thread)
		}
	}
	if c.clock.better() && c.lost == nil {
		if err := c.trace.Describe(c.clock.measure()); err != nil {
			c.fail(err)
		}
	}
}

func (c *Collector) flushStream(t *thread) {
	if t.stream == nil || c.lost != nil {
		return
	}
	if err := t.stream.Flush(); err != nil {
		c.fail(err)
	}
}

// thread returns the thread in a slot, with its stream.
func (c *Collector) thread(i int) *thread {
	at := slotAt(i)
	if t := c.threads[i]; t != nil {
		return t
	}
	if c.session.rings[i] == nil {
		ring, err := unix.Mmap(int(c.session.file.Fd()), ringsAt+int64(i)*int64(c.session.bytes), c.session.bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return nil
		}
		c.session.rings[i] = ring
	}
	get := func(field int) uint32 { return c.session.half(at + field).Load() }
	t := &thread{
		serial: get(slotSerial), pid: get(slotPID), tid: get(slotTID), number: get(slotThread),
		process: int(get(slotProcess) % layout.MaxProcesses), base: c.session.word(at + slotDropped).Load(),
	}
	if t.serial == 1 {
		t.base = 0
	}
	c.threads[i] = t
	if t.ofDevices() {
		return t
	}
	if c.spending != nil {
		t.spent = map[regionKey]uint64{}
	}
	name := fmt.Sprintf("stream_%d_%d_%d", t.pid, t.tid, c.Counts.Threads)
	stream, err := c.trace.Stream(name, t.pid, t.tid)
	if err != nil {
		c.fail(err)
	}
	t.stream = stream
	c.Counts.Threads++
	return t
}

func (c *Collector) fail(err error) {
	if c.lost == nil {
		c.lost = err
	}
}

// ring takes the records of one ring.
func (c *Collector) ring(i int, t *thread) bool {
	at, ring := slotAt(i), c.session.rings[i]
	head, tail := c.session.word(at+slotHead).Load(), c.session.word(at+slotTail).Load()
	t.dropped = c.session.word(at + slotDropped).Load()
	t.lostAt = c.session.word(at + slotLostAt).Load()
	if t.stream != nil {
		t.stream.Discarded = t.dropped - t.base
	}
	if head == tail {
		return false
	}
	size := uint64(len(ring))
	c.filling = c.filling || head-tail > size/4
	for tail < head && head-tail <= size && head%8 == 0 {
		from := tail & (size - 1)
		used := c.record(t, ring[from:min(from+head-tail, size)])
		if used == 0 {
			break
		}
		tail += used
	}
	if tail != head {
		c.Counts.Damaged++ // the rest cannot be understood
	}
	c.session.word(at + slotTail).Store(head)
	return true
}

// record takes the first record of a ring's content. It returns the record's size in bytes, or 0 if it is invalid.
func (c *Collector) record(t *thread, b []byte) uint64 {
	if len(b) < recordTeam || binary.LittleEndian.Uint64(b[recordType:]) == 0 {
		return uint64(len(b)) // a filler: the next record is at the start of the ring
	}
	kind, size := int(binary.LittleEndian.Uint16(b[recordType:])), 8*int(binary.LittleEndian.Uint16(b[recordWords:]))
	if kind >= len(agent.Records) || size < recordHeader || size > len(b) {
		return 0
	}
	r := &agent.Records[kind]
	c.copied = append(c.copied[:0], b[:size]...) // the copy ensures that no memory fault interrupts writing an event
	b = c.copied
	payload := b[recordHeader:size]
	switch {
	case kind == agent.NameRecord && len(payload) == 8*layout.NameWords:
		length := min(int(binary.LittleEndian.Uint32(b[recordNumber:])), len(payload))
		c.names[binary.LittleEndian.Uint64(b[recordAddress:])] = string(payload[:length])
		return uint64(size)
	case kind == agent.FunctionRecord && len(payload) == 8*len(r.Fields):
		c.addFunction(binary.LittleEndian.Uint64(b[recordAddress:]), payload)
		return uint64(size)
	case kind == agent.StackRecord && len(payload) == 8*layout.SiteFrames:
		t.keep(binary.LittleEndian.Uint64(b[recordAddress:]), payload)
		return uint64(size)
	case kind == agent.BacktraceRecord || len(payload) < 8*len(r.Fields) || len(payload)-8*len(r.Fields) > 8*maxFrames(r) || (r.Family == agent.Device) != t.ofDevices():
		return 0
	case t.ofDevices():
		c.takeDevice(t, b)
		return uint64(size)
	}
	frames := payload[8*len(r.Fields):]
	t.taken++
	if kind == agent.GapBeginRecord || kind == agent.GapEndRecord || kind == agent.GapBesideRecord {
		t.endStretch(payload)
	}
	t.spend(r.Family, binary.LittleEndian.Uint64(b[recordAddress:]))
	if c.lost != nil || t.stream == nil {
		return uint64(size)
	}
	err := error(nil)
	if len(frames) > 0 {
		err = c.backtrace(t, b, frames)
	}
	if err == nil {
		err = c.write(t, kind, b, payload)
	}
	if err != nil {
		c.fail(err)
	}
	t.stacked = false
	return uint64(size)
}

// maxFrames returns the number of calls that may follow the payload of a record.
func maxFrames(r *agent.Record) int {
	switch r.Family {
	case agent.OpenMP, agent.MPI, agent.User:
		return layout.MaxFrames
	}
	return 0
}

// begin starts an event with the fields that all events have.
func (c *Collector) begin(t *thread, kind int, b []byte) error {
	s := t.stream
	if err := s.Event(kind, binary.LittleEndian.Uint64(b[recordTime:])); err != nil {
		return err
	}
	s.Text(c.host)
	s.Put(ctf.U32, uint64(t.pid))
	s.Put(ctf.U32, uint64(c.session.half(processAt(t.process)+processRank).Load()))
	s.Put(ctf.U32, uint64(t.number))
	s.Put(ctf.U32, uint64(binary.LittleEndian.Uint32(b[recordTeam:])))
	s.Put(ctf.U32, uint64(binary.LittleEndian.Uint32(b[recordThread:])))
	return nil
}

// backtrace writes the calls of a record before its event.
func (c *Collector) backtrace(t *thread, b, frames []byte) error {
	if err := c.begin(t, agent.BacktraceRecord, b); err != nil {
		return err
	}
	t.stream.Put(ctf.U32, uint64(len(frames)/8))
	for ; len(frames) > 0; frames = frames[8:] {
		at := binary.LittleEndian.Uint64(frames)
		c.regions[at] = true
		t.stream.Put(ctf.Hex, at)
	}
	return nil
}

func (c *Collector) write(t *thread, kind int, b, payload []byte) error {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(payload[8*i:]) }
	r, s := &agent.Records[kind], t.stream
	number, address := binary.LittleEndian.Uint32(b[recordNumber:]), binary.LittleEndian.Uint64(b[recordAddress:])
	if err := c.begin(t, kind, b); err != nil {
		return err
	}
	switch r.Family {
	case agent.OpenMP:
		c.regions[address] = true
		s.Put(ctf.Hex, address)
		s.Put(ctf.U32, uint64(number))
	case agent.MPI:
		c.regions[address] = true
		s.Put(ctf.Hex, address)
	case agent.User, agent.CUDA:
		s.Text(c.names[address])
		s.Put(ctf.U32, uint64(number))
	case agent.Python:
		c.function(s, address, number)
	case agent.Audit:
		what := word(0)
		for _, v := range []uint64{what & 0xff, what >> 8 & 0xff, what >> 16 & 0xff, what >> 24 & 1, what >> 25 & 1, what >> 32 & 0xff} {
			s.Put(ctf.U16, v)
		}
		s.Put(ctf.Hex, address)
		s.Put(ctf.U32, uint64(number))
		s.Put(ctf.Hex, word(1))
		s.Put(ctf.U64, word(2))
		return nil
	}
	for i, f := range r.Fields {
		switch f.Type {
		case agent.Text:
			s.Text(c.names[word(i)])
		case agent.Site:
			s.Put(ctf.Hex, c.site(t))
		default:
			s.Put(fieldType[f.Type], word(i))
		}
	}
	return nil
}

// end closes the stream of a thread that has ended and frees its slot.
func (c *Collector) end(i int, t *thread) {
	c.finish(i, t)
	c.monitor(i, t, c.monitored)
	c.session.forget(i)
	c.session.word(slotAt(i) + slotReading).Store(0)
	c.session.half(slotAt(i) + slotPID).Store(0)
	c.session.half(slotAt(i) + slotReady).Store(0)
	c.session.half(slotAt(i) + slotState).Store(layout.SlotFree)
}

// finish closes the stream of a thread and counts its records.
func (c *Collector) finish(i int, t *thread) {
	c.countLosses(t)
	if t.ofDevices() {
		c.endLanes(t.pid)
	}
	if t.spent != nil {
		c.spending.ended = append(c.spending.ended, c.spent(t))
	}
	c.finishStream(t)
	delete(c.threads, i)
}

func (c *Collector) finishStream(t *thread) {
	written := uint64(0)
	if t.stream != nil {
		if err := t.stream.Close(); err != nil {
			c.fail(err)
		}
		written = t.stream.Written
	}
	c.Counts.Events += written
	c.Counts.Unwritten += t.taken - written
}

// reap ends the threads of processes that have ended, for whatever reason.
func (c *Collector) reap() {
	gone := map[uint32]bool{}
	for p := range layout.MaxProcesses {
		at := processAt(p)
		if pid := c.session.half(at + processPID).Load(); c.session.half(at+processState).Load() != 0 && pid != 0 && !c.peers.has(pid) {
			gone[pid] = true
			c.session.half(at + processPID).Store(0) // before another process takes the slot
			c.session.half(at + processState).Store(0)
			c.Counts.Processes++
		}
	}
	if len(gone) == 0 {
		return
	}
	for i := range layout.MaxSlots {
		if c.session.half(slotAt(i)+slotState).Load() == layout.SlotInUse && gone[c.session.half(slotAt(i)+slotPID).Load()] {
			c.session.half(slotAt(i) + slotState).Store(layout.SlotEnded)
		}
	}
}

// Processes returns the number of live traced processes.
func (c *Collector) Processes() (count int) {
	err := c.session.guard(func() {
		for p := range layout.MaxProcesses {
			at := processAt(p)
			if c.session.half(at+processState).Load() != 0 && c.peers.has(c.session.half(at+processPID).Load()) {
				count++
			}
		}
	})
	if err != nil {
		c.fail(err)
		return 0
	}
	return count
}

// Close takes the remaining records and finishes the trace. Its error says what could not be written.
func (c *Collector) Close() error {
	if err := c.session.guard(c.drainRest); err != nil {
		c.fail(err)
	}
	for i, t := range c.threads { // threads left over because the shared memory was truncated
		c.finish(i, t)
	}
	if err := c.trace.Describe(c.clock.measure()); err != nil {
		c.fail(err)
	}
	c.Monitored = c.report()
	if c.lost == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(c.lost, &path) {
		return fmt.Errorf("`%s` cannot be written: %w", path.Path, path.Err)
	}
	return c.lost
}

// drainRest takes the remaining records and ends all threads.
func (c *Collector) drainRest() {
	for i := range layout.MaxSlots {
		if at := slotAt(i); c.session.half(at+slotState).Load() != layout.SlotFree {
			c.session.half(at + slotState).Store(layout.SlotEnded)
		}
	}
	for p := range layout.MaxProcesses {
		if c.session.half(processAt(p)+processState).Load() != 0 {
			c.Counts.Processes++
		}
	}
	c.alive = time.Now()
	c.drain()
	c.Unmet = c.session.unmet()
	c.Counts.Uncollected = c.session.word(sessionCudaLost).Load()
	c.CUDA, c.Python = c.session.cuda(), c.session.python()
	c.Counts.Refused = uint64(c.session.half(sessionNoSlot).Load() + c.session.half(sessionNoRoom).Load())
}
