//go:build linux

package collect

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/layout"
)

// Device records arrive late and out of order. For each stream of a device the trace has a
// stream, in which events wait until the earlier ones have arrived.

// lane is a stream of a device. Overlapping activities, such as kernels of a graph, are placed in additional lanes.
type lane struct {
	thread // contains the stream of the trace
	key    laneKey
	held   []arrival // waiting events
	newest uint64    // the latest time received by the last flush
	ends   uint64    // when the last written activity ends, on the device's clock
	beside *lane
}

type laneKey struct {
	pid, device, context, stream uint32
	queue                        bool // whether it shows when kernels were queued, instead of when they ran
}

// The indexes of the fields at the start of every device record.
const (
	deviceNumber  = 0
	deviceStart   = 2
	deviceEnd     = 3
	deviceContext = 4
	deviceStream  = 5
)

func deviceField(record []byte, i int) uint64 {
	return binary.LittleEndian.Uint64(record[recordHeader+8*i:])
}

type arrival struct {
	time   uint64
	record []byte
}

// maxLanes is the number of lanes above which further streams of a process share one.
const maxLanes = 1 << 10

// maxHeld is the number of events that may wait in a lane.
const maxHeld = 1 << 16

// laneTID is the first number that is used as the thread id of a lane.
const laneTID = 1 << 31

// takeDevice puts a device record into its lane.
func (c *Collector) takeDevice(t *thread, record []byte) {
	field := func(i int) uint32 { return uint32(deviceField(record, i)) }
	queue := int(binary.LittleEndian.Uint16(record[recordType:])) == agent.QueueRecord
	key := laneKey{t.pid, field(deviceNumber), field(deviceContext), field(deviceStream), queue}
	if len(c.lanes) >= maxLanes {
		key = laneKey{pid: t.pid}
	}
	l := c.lanes[key]
	if l == nil {
		l = c.newLane(key, t.process)
		c.lanes[key] = l
	}
	l.held = append(l.held, arrival{binary.LittleEndian.Uint64(record[recordTime:]), slices.Clone(record)})
	if len(l.held) >= maxHeld {
		l.sort()
		c.release(l, maxHeld/2)
	}
}

func (l *lane) sort() {
	slices.SortStableFunc(l.held, func(a, b arrival) int { return cmp.Compare(a.time, b.time) })
}

func (c *Collector) newLane(key laneKey, process int) *lane {
	l := &lane{key: key, thread: thread{pid: key.pid, process: process}}
	name := fmt.Sprintf("stream_%d_device_%d_%d_%d_%d", key.pid, key.device, key.context, key.stream, c.Counts.Lanes)
	var err error
	if l.stream, err = c.trace.Stream(name, key.pid, laneTID+uint32(c.Counts.Lanes)); err != nil {
		c.fail(err)
	}
	c.Counts.Lanes++
	return l
}

// release writes the first count events of a lane, which are in order.
func (c *Collector) release(l *lane, count int) {
	for _, a := range l.held[:count] {
		c.place(l, a.record)
	}
	l.held = slices.Delete(l.held, 0, count)
}

// maxBeside is the largest number of lanes of one device stream.
const maxBeside = 64

// place writes an event to the first lane in which it overlaps nothing.
func (c *Collector) place(l *lane, record []byte) {
	start := deviceField(record, deviceStart)
	for i := 0; start < l.ends && i < maxBeside; i++ {
		if l.beside == nil {
			l.beside = c.newLane(l.key, l.process)
		}
		l = l.beside
	}
	l.ends = max(l.ends, deviceField(record, deviceEnd))
	l.taken++
	if c.lost != nil || l.stream == nil {
		return
	}
	if err := c.write(&l.thread, int(binary.LittleEndian.Uint16(record[recordType:])), record, record[recordHeader:]); err != nil {
		c.fail(err)
	}
}

// writeHeld writes the events that have waited since the last flush.
func (c *Collector) writeHeld() {
	for _, l := range c.lanes {
		l.sort()
		count, _ := slices.BinarySearchFunc(l.held, l.newest, func(a arrival, time uint64) int {
			if a.time <= time {
				return -1
			}
			return 1
		})
		if len(l.held) > 0 {
			l.newest = l.held[len(l.held)-1].time
		}
		c.release(l, count)
	}
}

// endLanes writes the remaining device events of a process.
func (c *Collector) endLanes(pid uint32) {
	for key, l := range c.lanes {
		if key.pid != pid {
			continue
		}
		l.sort()
		c.release(l, len(l.held))
		for ; l != nil; l = l.beside {
			c.finishStream(&l.thread)
		}
		delete(c.lanes, key)
	}
}

// ofDevices reports whether a ring contains device records.
func (t *thread) ofDevices() bool { return t.number == layout.DeviceRing }
