//go:build linux

package collect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// A hand writes to shared memory what an agent would write, so that a test sees each step of the collector.
type fakeAgent struct {
	*testBed
	session   *Session
	collector *Collector
	dir       string
}

func newFakeAgent(t *testing.T, ring int) *fakeAgent {
	t.Helper()
	b := &testBed{t: t, catalog: pinsight.Builtin().Catalog}
	o := b.everything()
	o.RingBytes = ring
	s, err := NewSession(o)
	if err != nil {
		need.Ability(t, "shared memory", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	dir := filepath.Join(t.TempDir(), "trace")
	c, err := NewCollector(s, dir, "node")
	if err != nil {
		t.Fatal(err)
	}
	return &fakeAgent{b, s, c, dir}
}

// begin takes a slot for a thread of a process. The slots before it count as used.
func (h *fakeAgent) begin(slot, process int, pid, tid, thread, serial uint32) {
	h.t.Helper()
	for i := range slot {
		h.session.half(slotAt(i)+slotSerial).CompareAndSwap(0, 1)
	}
	if err := h.session.allocate(ringsAt+slot*h.session.bytes, h.session.bytes); err != nil {
		h.t.Fatal(err)
	}
	h.session.half(processAt(process) + processPID).Store(pid)
	h.session.half(processAt(process) + processState).Store(1)
	at := slotAt(slot)
	for field, v := range map[int]uint32{slotProcess: uint32(process), slotPID: pid, slotTID: tid, slotThread: thread, slotSerial: serial, slotState: layout.SlotInUse, slotReady: 1} {
		h.session.half(at + field).Store(v)
	}
	h.collector.thread(slot) // maps the ring
}

// eventRecord returns a record of a kind with a payload of words.
func eventRecord(kind int, time uint64, number uint32, address uint64, payload ...uint64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, time)
	b = binary.LittleEndian.AppendUint16(b, uint16(kind))
	b = binary.LittleEndian.AppendUint16(b, uint16(recordHeader/8+len(payload)))
	b = binary.LittleEndian.AppendUint32(b, number)
	b = binary.LittleEndian.AppendUint32(b, 21) // team
	b = binary.LittleEndian.AppendUint32(b, 22) // thread of the team
	b = binary.LittleEndian.AppendUint64(b, address)
	for _, word := range payload {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// named returns a record that gives a region its name.
func named(hash uint64, name string) []byte {
	payload := make([]uint64, layout.NameWords)
	text := make([]byte, 8*layout.NameWords)
	copy(text, name)
	for i := range payload {
		payload[i] = binary.LittleEndian.Uint64(text[8*i:])
	}
	return eventRecord(agent.NameRecord, 1, uint32(len(name)), hash, payload...)
}

// put writes records to a ring as an agent does: a record that does not fit before the end
// goes to the start, and zeros fill the gap.
func (h *fakeAgent) put(slot int, records ...[]byte) {
	head := h.session.word(slotAt(slot) + slotHead)
	ring := h.session.rings[slot]
	for _, r := range records {
		from := int(head.Load()) % len(ring)
		if from+len(r) > len(ring) {
			clear(ring[from:])
			head.Add(uint64(len(ring) - from))
			from = 0
		}
		copy(ring[from:], r)
		head.Add(uint64(len(r)))
	}
}

// kind returns the number of a kind of record.
func kind(name string) int {
	return slices.IndexFunc(agent.Records, func(r agent.Record) bool { return r.Name == name })
}

// Each event in the trace has the address of the region that it comes from, in every family.
func TestDrainFamilies(t *testing.T) {
	h := newFakeAgent(t, 4096)
	h.begin(3, 2, uint32(os.Getpid()), 8, 9, 1)
	h.session.half(processAt(2) + processRank).Store(5)
	mpi := slices.IndexFunc(agent.Records, func(r agent.Record) bool { return r.Family == agent.MPI })
	omp := slices.IndexFunc(agent.Records, func(r agent.Record) bool { return r.Family == agent.OpenMP })
	payload := func(kind int) (words []uint64) {
		for i := range agent.Records[kind].Fields {
			words = append(words, uint64(i+1))
		}
		return words
	}
	h.put(3,
		named(0xaa, "solve"),
		eventRecord(kind("region_begin"), 100, 7, 0xaa),
		eventRecord(omp, 110, 6, 0x4010, payload(omp)...),
		eventRecord(mpi, 120, 0, 0x4020, payload(mpi)...),
		eventRecord(agent.AuditRecord, 130, 4, 0x4030, 1|2<<8|3<<16|1<<24|1<<25|5<<32, 0xee, 12),
	)
	if !h.collector.Drain() || h.collector.Drain() {
		t.Error("there is something at first, and then nothing")
	}
	if err := h.collector.Close(); err != nil {
		t.Fatal(err)
	}
	streams := h.read(h.dir)
	if len(streams) != 1 || len(streams[0]) != 4 {
		t.Fatalf("%v, want len(streams) = 1 and len(streams[0]) = 4", streams)
	}
	text := func(o ctf.Occurrence) string {
		var b strings.Builder
		fmt.Fprintf(&b, "%d %d:", o.Time, o.TID)
		for _, v := range slices.Concat(o.Context[2:], o.Fields) {
			if v.Text != "" {
				fmt.Fprintf(&b, " %s", v.Text)
			} else {
				fmt.Fprintf(&b, " %d", v.Number)
			}
		}
		return b.String()
	}
	numbers := func(kind int) string {
		return strings.TrimSuffix(" "+strings.Trim(fmt.Sprint(payload(kind)), "[]"), " ")
	}
	for i, want := range []string{
		"100 8: 5 9 21 22 solve 7",
		fmt.Sprintf("110 8: 5 9 21 22 %d 6%s", 0x4010, numbers(omp)),
		fmt.Sprintf("120 8: 5 9 21 22 %d%s", 0x4020, numbers(mpi)),
		fmt.Sprintf("130 8: 5 9 21 22 1 2 3 1 1 5 %d 4 %d 12", 0x4030, 0xee),
	} {
		o := streams[0][i]
		if got := text(o); got != want || o.Context[0].Text != "node" || o.Context[1].Number != uint64(os.Getpid()) {
			t.Errorf("event %d: %s, want %s", i, got, want)
		}
	}
	if got := h.collector.Regions(); !slices.Equal(got, []uint64{0x4010, 0x4020}) {
		t.Errorf("regions %x, want %v", got, []uint64{0x4010, 0x4020})
	}
	if got, want := h.collector.Counts, (Counts{Processes: 1, Threads: 1, Events: 4}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

// A ring is reused from its start; a ring with invalid content is read up to the first invalid record.
func TestDrainRings(t *testing.T) {
	const size = 256
	begin := func(time uint64) []byte { return eventRecord(kind("region_begin"), time, 0, 0) }
	thread := func(time uint64) []byte { return eventRecord(kind("thread_begin"), time, 0, 0, 1) } // 8 bytes more
	whole := eventRecord(kind("region_begin"), 1, 0, 0)
	cut := slices.Clone(whole)
	binary.LittleEndian.PutUint16(cut[recordWords:], 100) // a size beyond the content of the ring
	short := slices.Clone(whole)
	binary.LittleEndian.PutUint16(short[recordWords:], 3) // less than a header
	unknown := slices.Clone(whole)
	binary.LittleEndian.PutUint16(unknown[recordType:], uint16(len(agent.Records)))
	more := eventRecord(agent.ClockRecord, 1, 0, 0, 1, 2) // the record lacks this payload
	calls := func(n int) []byte { return eventRecord(kind("region_begin"), 1, 0, 0, make([]uint64, n)...) }
	for name, c := range map[string]struct {
		rounds  [][][]byte
		events  uint64
		damaged uint64
	}{
		"round and round":   {[][][]byte{{begin(1), begin(2), named(1, "x")}, {begin(3), begin(4), begin(5)}, {begin(6)}, {begin(7), begin(8), begin(9)}}, 9, 0},
		"full":              {[][][]byte{{begin(1), begin(2), begin(3), begin(4), begin(5), begin(6), begin(7), begin(8)}}, 8, 0},
		"a filler":          {[][][]byte{{thread(1), thread(2), thread(3), thread(4), thread(5), thread(6)}, {thread(7)}}, 7, 0},
		"the least filler":  {[][][]byte{{thread(1), thread(2), thread(3), begin(4), begin(5), begin(6), begin(7)}, {begin(8)}}, 8, 0},
		"a size beyond":     {[][][]byte{{begin(1), cut, begin(2)}, {begin(3)}}, 2, 1},
		"a size too small":  {[][][]byte{{begin(1), short, begin(2)}, {begin(3)}}, 2, 1},
		"an unknown record": {[][][]byte{{begin(1), unknown, begin(2)}, {begin(3)}}, 2, 1},
		"another payload":   {[][][]byte{{begin(1), more}, {begin(3)}}, 2, 1},
		"calls":             {[][][]byte{{begin(1), calls(2)}, {begin(3)}}, 3, 0}, // a backtrace is not an event
		"too many calls":    {[][][]byte{{begin(1), calls(layout.MaxFrames + 1)}, {begin(3)}}, 2, 1},
		"calls alone":       {[][][]byte{{begin(1), eventRecord(agent.BacktraceRecord, 1, 0, 0, 1, 2)}, {begin(3)}}, 2, 1},
		"a short name":      {[][][]byte{{eventRecord(agent.NameRecord, 1, 1, 1, 7), begin(1)}}, 0, 1},
	} {
		ring := size
		switch name {
		case "round and round":
			ring = 512 // a name can be longer than 256 bytes
		case "too many calls":
			ring = 1024
		}
		h := newFakeAgent(t, max(ring, os.Getpagesize()))
		h.begin(0, 0, uint32(os.Getpid()), 1, 0, 1)
		mapped := h.session.rings[0]
		h.session.rings[0] = mapped[:ring] // a mapping cannot be this small
		for _, records := range c.rounds {
			h.put(0, records...)
			h.collector.Drain()
		}
		if err := h.collector.Close(); err != nil {
			t.Fatal(err)
		}
		if got := h.collector.Counts; got.Events != c.events || got.Damaged != c.damaged {
			t.Errorf("%s: %d events and %d damaged rings, want %d and %d", name, got.Events, got.Damaged, c.events, c.damaged)
		}
		h.session.rings[0] = mapped
	}
}

// After a thread has ended, its slot is free for another thread, whose losses are counted separately.
func TestDrainEndedThread(t *testing.T) {
	h := newFakeAgent(t, 4096)
	pid := uint32(os.Getpid())
	at := slotAt(1)
	h.begin(1, 0, pid, 11, 0, 1)
	h.session.word(at + slotReading).Store(1)
	h.put(1, eventRecord(kind("region_begin"), 1, 0, 0))
	h.session.word(at + slotDropped).Store(3)
	h.session.word(at + slotLostAt).Store(0x500)
	h.session.half(at + slotState).Store(layout.SlotEnded)
	h.collector.Drain()
	for name, field := range map[string]int{"state": slotState, "process id": slotPID, "ready": slotReady, "policy": slotReading} {
		if got := h.session.half(at + field).Load(); got != 0 {
			t.Errorf("the %s of a free slot is %d, want 0", name, got)
		}
	}
	if got, want := h.collector.Counts, (Counts{Threads: 1, Events: 1, Dropped: 3, Losing: 1}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	h.begin(1, 0, pid, 12, 0, 2)
	h.put(1, eventRecord(kind("region_end"), 2, 0, 0))
	h.session.word(at + slotDropped).Store(5)
	h.collector.Drain()
	h.session.half(sessionNoSlot).Store(2)
	h.session.half(sessionNoRoom).Store(4)
	if err := h.collector.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := h.collector.Counts, (Counts{Processes: 1, Threads: 2, Events: 2, Dropped: 5, Losing: 2, Refused: 6}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	want := []Loss{{PID: pid, TID: 11, Events: 3, Address: 0x500}, {PID: pid, TID: 12, Events: 2, Address: 0x500}}
	if got := h.collector.Losses; !slices.Equal(got, want) {
		t.Errorf("lost %+v, want %+v", got, want)
	}
	streams := h.read(h.dir)
	if len(streams) != 2 || streams[0][0].TID != 11 || streams[0][0].Discarded != 3 || streams[1][0].TID != 12 || streams[1][0].Discarded != 2 {
		t.Errorf("%+v, want two, of thread 11 with 3 discarded and of thread 12 with 2", streams)
	}
}

// The collector sleeps between turns unless a ring is more than a quarter full.
func TestDrainRests(t *testing.T) {
	h := newFakeAgent(t, 4096)
	h.begin(0, 0, uint32(os.Getpid()), 1, 0, 1)
	record := eventRecord(kind("region_begin"), 1, 0, 0)
	for _, bytes := range []int{64, 1025, 1024, 4000, 0} {
		n := (bytes + len(record) - 1) / len(record)
		for range n {
			h.put(0, record)
		}
		if got := h.collector.Drain(); got != (n > 0) || h.collector.filling != (n*len(record) > 1024) {
			t.Errorf("%d bytes: something there: %v, filling: %v; want got = %v and h.collector.filling = %v", n*len(record), got, h.collector.filling, (n > 0), (n*len(record) > 1024))
		}
	}
	if err := h.collector.Close(); err != nil {
		t.Fatal(err)
	}
}

// A slot that is not ready is ignored.
func TestDrainNotReady(t *testing.T) {
	h := newFakeAgent(t, 4096)
	h.begin(0, 0, uint32(os.Getpid()), 1, 0, 1)
	h.put(0, eventRecord(kind("region_begin"), 1, 0, 0))
	h.session.half(slotAt(0) + slotReady).Store(0)
	before := h.session.word(sessionHeartbeat).Load()
	if h.collector.Drain() {
		t.Error("a ring was taken before its thread was ready")
	}
	if after := h.session.word(sessionHeartbeat).Load(); after != before+1 {
		t.Errorf("the heart beat %d times, want %v", after-before, before+1)
	}
	h.session.half(slotAt(0) + slotReady).Store(1)
	if !h.collector.Drain() {
		t.Error("a ring was not taken")
	}
	if err := h.collector.Close(); err != nil {
		t.Fatal(err)
	}
}

// The threads of a dead process are ended, and other threads continue.
func TestReap(t *testing.T) {
	h := newFakeAgent(t, 4096)
	const gone = 1 << 30 // larger than any process id
	h.begin(0, 0, gone, 1, 0, 1)
	h.begin(1, 1, uint32(os.Getpid()), 2, 0, 1)
	h.begin(2, 0, gone, 3, 1, 1)
	h.session.half(slotAt(2) + slotState).Store(layout.SlotFree)
	if got := h.collector.Processes(); got != 1 {
		t.Errorf("%d processes go on, want 1", got)
	}
	h.collector.reap()
	for slot, want := range []uint32{layout.SlotEnded, layout.SlotInUse, layout.SlotFree} {
		if got := h.session.half(slotAt(slot) + slotState).Load(); got != want {
			t.Errorf("slot %d is in state %d, want %d", slot, got, want)
		}
	}
	if state, pid := h.session.half(processAt(0)+processState).Load(), h.session.half(processAt(0)+processPID).Load(); state != 0 || pid != 0 {
		t.Errorf("the place of a process that is gone: state %d, process %d; want state = 0 and pid = 0", state, pid)
	}
	h.collector.reap()
	if h.collector.Counts.Processes != 1 {
		t.Errorf("%d processes have ended, want 1", h.collector.Counts.Processes)
	}
	if err := h.collector.Close(); err != nil {
		t.Fatal(err)
	}
	if h.collector.Counts.Processes != 2 {
		t.Errorf("%d processes in all, want 2", h.collector.Counts.Processes)
	}
}

// A policy stays in place while a thread reads it, and later its room is reused.
func TestPublish(t *testing.T) {
	h := newFakeAgent(t, 4096)
	s := h.session
	policy, _ := s.current()
	where := func() (epoch uint64, at int) {
		word := s.word(sessionPolicy).Load()
		return word >> 32, int(uint32(word))
	}
	publish := func(size int) {
		t.Helper()
		if err := s.Publish(policy, make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	first, at := where()
	if first != 1 || at != layout.PoliciesAt {
		t.Errorf("the first policy is number %d, at %d; want 1, at %d", first, at, layout.PoliciesAt)
	}
	h.begin(0, 0, uint32(os.Getpid()), 1, 0, 1)
	s.word(slotAt(0) + slotReading).Store(first)
	generation := s.word(processAt(0) + processGeneration)
	publish(100)
	second, behind := where()
	if second != 2 || behind <= at || behind%64 != 0 || generation.Load() != 1 || s.word(processAt(1)+processGeneration).Load() != 0 {
		t.Errorf("policy %d at %d, which %d processes know of; want number 2 behind %d, at a multiple of 64, known to the one process that is there", second, behind, generation.Load(), at)
	}
	publish(100)
	if _, at := where(); at <= behind {
		t.Errorf("a policy at %d over one that is in force, at %d; want more than %v", at, behind, behind)
	}
	s.word(slotAt(0) + slotReading).Store(0)
	publish(100)
	if _, again := where(); again != at {
		t.Errorf("the room of the first policy is not used again, but that at %d", again)
	}
	if _, epoch := s.current(); epoch != 4 {
		t.Errorf("policy %d is in force, want 4", epoch)
	}
	if err := s.Publish(policy, make([]byte, layout.PoliciesEnd-layout.PoliciesAt+1)); err == nil || err.Error() != "there is no room for the policy: it is too large, or threads still read earlier ones" {
		t.Errorf("a policy of any size: %v", err)
	}
	s.half(sessionClosed).Store(1)
	if err := s.Publish(policy, nil); err == nil || err.Error() != "the program is no longer traced" {
		t.Errorf("after the end: %v", err)
	}
}

// TestCutMemory: if a program truncates the shared memory, the collector continues, and the
// trace has everything recorded before.
func TestCutMemory(t *testing.T) {
	h := newFakeAgent(t, 4096)
	h.begin(0, 0, uint32(os.Getpid()), 1, 0, 1)
	h.put(0, eventRecord(kind("region_begin"), 1, 0, 0))
	h.collector.Drain()
	h.put(0, eventRecord(kind("region_end"), 2, 0, 0))
	if err := os.Truncate(h.session.Path, 0); err != nil {
		t.Fatal(err)
	}
	h.collector.turn(&Program{})
	if n := h.collector.Processes(); n != 0 {
		t.Errorf("%d processes, want 0", n)
	}
	if h.session.Offered(1) {
		t.Error("an event is offered")
	}
	if err := h.collector.Close(); !errors.Is(err, errCut) {
		t.Errorf("closed with %v", err)
	}
	if h.collector.Counts.Events != 1 {
		t.Errorf("%+v, want 1", h.collector.Counts)
	}
	babeltrace(t)(h.dir)
}

// TestOverwrittenMemory: whatever a program writes over the entries of processes and threads,
// the collector ends, and no entry counts as a live process.
func TestOverwrittenMemory(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	h := newFakeAgent(t, 4096)
	for p := range layout.MaxProcesses {
		at := processAt(p)
		for i := 0; i < processSize; i += 4 {
			h.session.half(at + i).Store(random.Uint32() | 1)
		}
		h.session.half(at + processPID).Store([]uint32{0, math.MaxUint32, 1<<31 + 1}[p%3])
	}
	for i := range 64 {
		for field := 0; field < slotSize; field += 4 {
			h.session.half(slotAt(i) + field).Store(random.Uint32())
		}
	}
	for range 3 {
		h.collector.turn(&Program{})
	}
	if n := h.collector.Processes(); n != 0 {
		t.Errorf("%d processes go on, want 0", n)
	}
	if err := h.collector.Close(); err != nil {
		t.Error(err)
	}
}

// TestForgedProcess: an entry in the shared memory is not enough to be a traced process. The collector ignores processes
// that are older than the launcher or have not mapped this memory.
func TestForgedProcess(t *testing.T) {
	self := uint32(os.Getpid())
	began := startOf(self)
	if began == 0 {
		t.Skip("the system does not say when a process began")
	}
	h := newFakeAgent(t, 4096)
	peers := &h.collector.peers
	if parent := startOf(uint32(os.Getppid())); peers.launched != parent {
		t.Errorf("the launcher began at %d, want %d", peers.launched, parent)
	}
	other := newFakeAgent(t, 4096) // we have mapped its memory too
	if peers.memory == "" || peers.memory == other.collector.peers.memory {
		t.Errorf("the memory is %q, that of another session %q; want a name each, and different ones", peers.memory, other.collector.peers.memory)
	}
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	child := uint32(cmd.Process.Pid)
	h.begin(0, 0, self, 1, 0, 1)
	h.begin(1, 1, child, 1, 0, 1) // younger than the launcher
	if n := h.collector.Processes(); n != 1 {
		t.Errorf("%d processes, want the one that has mapped the memory", n)
	}
	h.collector.reap()
	if pid, stays := h.session.half(processAt(1)+processPID).Load(), h.session.half(processAt(0)+processPID).Load(); pid != 0 || stays != self {
		t.Errorf("the places are those of processes %d and %d, want the first one free and the second one of %d", pid, stays, self)
	}
	for launched, want := range map[uint64]bool{began: true, began + 1: false} {
		if peers.launched = launched; peers.has(self) != want {
			t.Errorf("a launcher of %d and a process of %d: traced %v, want %v", launched, began, !want, want)
		}
	}
	if user := effectiveUser(self); user != os.Geteuid() || effectiveUser(1<<31) != -1 {
		t.Errorf("we run as user %d, want %d, and -1 for a process that is not there", user, os.Geteuid())
	}
	for _, h := range []*fakeAgent{h, other} {
		if err := h.collector.Close(); err != nil {
			t.Error(err)
		}
	}
}
