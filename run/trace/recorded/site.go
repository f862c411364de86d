package recorded

// last is the last event of a kind in a stream. The next one is mostly like it, so that neither its region nor
// its name is looked up again.
type last struct {
	known   bool
	address uint64
	region  *Region
	entered map[*Region]*entered
}

// entered is the last frame that an event of a kind and a region has entered.
type entered struct {
	label string
	name  string
	id    int
}

// identity is what frames of one ID have in common.
type identity struct {
	kind   *Kind
	region *Region
	name   string
}

// region is what stands at the address of an event.
func (s *source) region(kind int, address uint64) *Region {
	l := &s.last[kind]
	if !l.known || l.address != address {
		l.known, l.address, l.region = true, address, s.part.regions.At(address)
	}
	return l.region
}

func (w *walker) id(i identity) int {
	id, ok := w.ids[i]
	if !ok {
		id = len(w.ids)
		w.ids[i] = id
	}
	return id
}

// frame is the frame that an event enters.
func (w *walker) frame(e *Event) Frame {
	l, label := &e.source.last[e.Event], ""
	if e.Kind.label >= 0 {
		label = e.Fields[e.Kind.label].Text
	}
	known := l.entered[e.Region]
	if known == nil {
		if l.entered == nil {
			l.entered = map[*Region]*entered{}
		}
		known = &entered{id: -1}
		l.entered[e.Region] = known
	}
	if known.id < 0 || known.label != label {
		name := e.name()
		*known = entered{label, name, w.id(identity{e.Kind, e.Region, name})}
	}
	return Frame{Name: known.name, Kind: e.Kind, Region: e.Region, Begin: e.Time, ID: known.id}
}
