package timeline

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"

	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Arrow leads from one track to another, or to the same track.
type Arrow struct {
	From, To   uint32 // indexes into Head.Tracks
	Sent, Come int64
	Bytes      uint64 // of a message
	Kind       ArrowKind
}

// ArrowKind is the meaning of an arrow.
type ArrowKind uint32

// The kinds of arrows.
const (
	MessageArrow ArrowKind = iota // an MPI message
	TaskArrow                     // from the creation of a task to its begin
	DeviceArrow                   // from a call to the device activity it caused
)

// end is one end of an arrow.
type end struct {
	way   way
	come  bool
	at    int64
	bytes uint64
	track uint32
}

// way is what the two ends of an arrow have in common. MPI keeps the order of messages between two ranks with the
// same tag and communicator; a task and a device call have a unique number in their process.
type way struct {
	kind          ArrowKind
	from, to, tag int
	group         string
	process       *recorded.Process
	number        uint64
}

func (k *trackMaker) end(e end) {
	if len(k.ends) < maxEnds {
		k.ends = append(k.ends, e)
		return
	}
	k.lostEnds++
}

func (k *trackMaker) message(e *recorded.Event, m recorded.Message) error {
	k.thread = e.Thread
	if m.From < 0 || m.To < 0 {
		k.unknown++
		return nil
	}
	k.end(end{way: way{from: m.From, to: m.To, tag: m.Tag, group: m.Group}, come: !m.Sent, at: e.Time - k.start, bytes: m.Bytes})
	return nil
}

// begins handles the begin of a frame at which an arrow may start or end.
func (k *trackMaker) begins(e *recorded.Event, f *recorded.Frame) {
	at := e.Time - k.start
	if f.Task != 0 {
		k.end(end{way: way{kind: TaskArrow, process: e.Thread.Process, number: f.Task}, come: true, at: at})
	}
	if i := k.correlation(e.Kind); i >= 0 && e.Fields[i].Number != 0 && !e.Kind.Queues() {
		k.end(end{way: way{kind: DeviceArrow, process: e.Thread.Process, number: e.Fields[i].Number}, come: e.Kind.Phase == recorded.Whole, at: at})
	}
}

// correlation returns the index of a kind's member with the number of a device call, or -1. It looks it up once per kind.
func (k *trackMaker) correlation(kind *recorded.Kind) int {
	if kind != k.lastKind {
		k.lastKind, k.lastMember = kind, kind.Member("correlationId")
	}
	return k.lastMember
}

// happens handles an event outside of frames at which an arrow may start or end.
func (k *trackMaker) happens(e *recorded.Event) {
	if e.Kind.Call != "task_create" {
		return
	}
	if id, ok := e.Field("task_id"); ok {
		k.end(end{way: way{kind: TaskArrow, process: e.Thread.Process, number: id}, at: e.Time - k.start})
	}
}

// arrows connects ends of the same way in the order of time. left is the number of ends without a counterpart.
func (m *maker) arrows() (list []Arrow, left uint64) {
	type both struct{ sent, come []end }
	ways := map[way]*both{}
	for i, k := range m.tracks {
		left += k.lostEnds + k.unknown
		for _, e := range k.ends {
			e.track = uint32(i)
			b := ways[e.way]
			if b == nil {
				b = &both{}
				ways[e.way] = b
			}
			if e.come {
				b.come = append(b.come, e)
			} else {
				b.sent = append(b.sent, e)
			}
		}
		k.ends = nil
	}
	for w, b := range ways {
		for _, ends := range [][]end{b.sent, b.come} {
			slices.SortStableFunc(ends, func(x, y end) int { return cmp.Compare(x.at, y.at) })
		}
		n := min(len(b.sent), len(b.come))
		left += uint64(len(b.sent) + len(b.come) - 2*n)
		for i := range n {
			s, c := &b.sent[i], &b.come[i]
			list = append(list, Arrow{From: s.track, To: c.track, Sent: s.at, Come: c.at, Bytes: max(s.bytes, c.bytes), Kind: w.kind})
		}
	}
	slices.SortFunc(list, func(a, b Arrow) int {
		return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Come, b.Come), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Bytes, b.Bytes))
	})
	return list, left
}

func (a *Arrow) append(b []byte) []byte {
	for _, v := range [...]uint64{uint64(a.Sent), uint64(a.Come), a.Bytes} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, v := range [...]uint32{a.From, a.To, uint32(a.Kind)} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func (x *Index) readArrows(in io.Reader) error {
	x.arrows = make([]Arrow, x.Messages.Arrows)
	b := make([]byte, arrowSize)
	for i := range x.arrows {
		if _, err := io.ReadFull(in, b); err != nil {
			return ErrDamaged
		}
		number := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
		small := func(i int) uint32 { return binary.LittleEndian.Uint32(b[24+4*i:]) }
		a := Arrow{Sent: int64(number(0)), Come: int64(number(1)), Bytes: number(2), From: small(0), To: small(1), Kind: ArrowKind(small(2))}
		if max(a.From, a.To) >= uint32(len(x.Tracks)) {
			return ErrDamaged
		}
		x.arrows[i] = a
	}
	return nil
}

// Arrows returns the arrows in a window. If several from one track to another begin within the same pixel and end within the
// same pixel, it returns one of them. At most limit arrows are returned; whole reports whether these are all.
func (x *Index) Arrows(from, to, pixel int64, limit int) (list []Arrow, whole bool) {
	pixel = max(pixel, 1)
	type spot struct {
		from, to   uint32
		sent, come int64
	}
	seen := map[spot]bool{}
	for _, a := range x.arrows {
		if max(a.Sent, a.Come) < from || min(a.Sent, a.Come) >= to {
			continue
		}
		at := spot{a.From, a.To, a.Sent / pixel, a.Come / pixel}
		if seen[at] {
			continue
		}
		if len(list) == limit {
			return list, false
		}
		seen[at] = true
		list = append(list, a)
	}
	return list, true
}
