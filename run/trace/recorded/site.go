package recorded

import "hash/maphash"

// site holds what events of one kind with the same address and label have in common: their region, and the frame that they enter.
type site struct {
	kind    *Kind // nil: the entry is free
	address uint64
	label   string
	hash    uint64

	region *Region
	name   string // the name of the frame
	id     int    // the ID of the frame; -1: no frame was entered yet
}

// sites is a hash table of a stream's sites. A site is at the index of its hash, or at the next free entry.
type sites struct {
	table []site // a power of two entries, at most half of them used
	used  int
}

// If a stream has more sites than a program can have, the table is cleared.
const (
	firstSites = 1 << 6
	maxSites   = 1 << 12
)

var labels = maphash.MakeSeed()

// site returns the site of the stream's current event. It is valid until the next event.
func (s *source) site(k *Kind) *site {
	address, label, hash := uint64(0), "", uint64(s.Event)
	if k.code >= 0 {
		address = s.Fields[k.code].Number
		hash += address << 8
	}
	hash *= 0x9e3779b97f4a7c15 // the golden ratio spreads similar values
	hash ^= hash >> 32
	if k.label >= 0 {
		label = s.Fields[k.label].Text
		hash += maphash.String(labels, label)
	}
	for i := hash; ; i++ {
		found := &s.sites.table[i&uint64(len(s.sites.table)-1)]
		if found.kind == k && found.address == address && found.label == label {
			return found
		}
		if found.kind == nil {
			break
		}
	}
	added := site{kind: k, address: address, label: label, hash: hash, id: -1}
	if k.code >= 0 {
		added.region = s.part.regions.At(address)
	}
	return s.sites.add(added)
}

func newSites() sites { return sites{table: make([]site, firstSites)} }

// add adds a new site.
func (s *sites) add(added site) *site {
	if s.used == maxSites {
		clear(s.table)
		s.used = 0
	}
	if s.used*2 == len(s.table) {
		larger := sites{table: make([]site, 2*len(s.table))}
		for i := range s.table {
			if s.table[i].kind != nil {
				larger.add(s.table[i])
			}
		}
		*s = larger
	}
	s.used++
	i := added.hash
	for s.table[i&uint64(len(s.table)-1)].kind != nil {
		i++
	}
	at := &s.table[i&uint64(len(s.table)-1)]
	*at = added
	return at
}

// identity holds what frames with one ID have in common.
type identity struct {
	kind   *Kind
	region *Region
	name   string
}

func (w *walker) id(i identity) int {
	id, ok := w.ids[i]
	if !ok {
		id = len(w.ids)
		w.ids[i] = id
	}
	return id
}

// named returns the site of an event that enters a frame, with the frame's name.
func (w *walker) named(e *Event) *site {
	if e.site.id < 0 {
		e.site.name = e.name()
		e.site.id = w.id(identity{e.Kind, e.Region, e.site.name})
	}
	return e.site
}
