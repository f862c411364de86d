package ctf

// Footprint computes the size of a Stream on disk without writing it.
type Footprint struct {
	filled int   // the size of the current packet; 0: it has no event yet
	sealed int64 // the size of complete packets
}

// Add adds an event of the given size, as Kind.Size returns it.
func (f *Footprint) Add(size int) {
	if f.filled > 0 && f.filled+size > pageSize {
		f.Flush()
	}
	if f.filled == 0 {
		f.filled = headerSize
	}
	f.filled += size
}

// Flush ends the current packet, as Stream.Flush does.
func (f *Footprint) Flush() {
	f.sealed += int64(f.filled+pageSize-1) / pageSize * pageSize
	f.filled = 0
}

// Bytes returns the size of the file.
func (f *Footprint) Bytes() int64 {
	last := *f
	last.Flush()
	return last.sealed
}

// Size returns the number of bytes that a Stream writes for an event.
func (k *Kind) Size(o *Occurrence) int {
	return eventHeader + sizeOf(k.Context, o.Context) + sizeOf(k.Fields, o.Fields)
}

// eventHeader is the size of an event before its context: its number and time.
const eventHeader = 2 + 8

func sizeOf(members []Member, values []Value) int {
	size := 0
	for i := range members {
		switch m := &members[i]; m.Form {
		case String:
			size += len(values[i].Text) + 1
		case Bytes:
			size += len(values[i].Text)
		case List:
			for at := 0; at < len(values[i].List); at += len(m.Elem) {
				size += sizeOf(m.Elem, values[i].List[at:])
			}
		default:
			size += m.Bits / 8
		}
	}
	return size
}
