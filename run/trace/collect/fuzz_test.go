//go:build linux

package collect

import (
	"encoding/binary"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// FuzzRing gives the collector rings with arbitrary content, and heads and tails that no
// agent writes. The collector must take only valid records, and never more than there are.
func FuzzRing(f *testing.F) {
	record := binary.LittleEndian.AppendUint64(nil, 1000)
	record = binary.LittleEndian.AppendUint16(record, uint16(agent.NameRecord))
	record = binary.LittleEndian.AppendUint16(record, uint16(recordHeader/8+layout.NameWords))
	record = append(record, make([]byte, recordHeader+8*layout.NameWords-len(record))...)
	f.Add(record, uint64(len(record)), uint64(0))
	f.Add(record, uint64(1<<63), uint64(8))
	f.Add(record[:40], uint64(4096+40), uint64(4096))
	f.Add([]byte{}, uint64(4096), uint64(0))
	b := &testBed{t: f, catalog: pinsight.Builtin().Catalog}
	o := b.everything()
	o.RingBytes = 4096
	s, err := NewSession(o)
	if err != nil {
		need.Ability(f, "shared memory", err)
	}
	f.Cleanup(func() { _ = s.Close() })
	if err := s.allocate(ringsAt, o.RingBytes); err != nil {
		f.Fatal(err)
	}
	c, err := NewCollector(s, f.TempDir(), "node")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, bytes []byte, head, tail uint64) {
		slot := c.thread(0)
		clear(s.rings[0])
		copy(s.rings[0], bytes)
		s.word(slotAt(0) + slotHead).Store(head)
		s.word(slotAt(0) + slotTail).Store(tail)
		before := slot.taken
		c.ring(0, slot)
		if got := s.word(slotAt(0) + slotTail).Load(); got != head {
			t.Fatalf("the tail is %d after the collector, and the head %d", got, head)
		}
		if taken := slot.taken - before; taken*uint64(recordHeader) > uint64(o.RingBytes) {
			t.Fatalf("%d records in a ring of %d bytes, want at most %v", taken, o.RingBytes, uint64(o.RingBytes))
		}
	})
}
