package forecast

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Spot is an event of a record, with everything needed to decide about it.
type Spot struct {
	Stream             string
	Index              int
	Name               string // of the event, in the trace
	Region             string // its name or address
	Where              string
	Query              trace.Query
	Rank, Team, Thread uint32

	Numbered  bool   // whether the record has the execution's number
	Execution uint32 // counted from 0
	// Before and After are the executions of the region before and after it in the stream; nil: there is none.
	Before, After *uint32
}

// noSuch is the error if a trace lacks a stream or an event. It is an fs.ErrNotExist.
type noSuch string

func (n noSuch) Error() string { return string(n) }

// Is makes noSuch an fs.ErrNotExist.
func (noSuch) Is(target error) bool { return target == fs.ErrNotExist }

// Locate finds the event with a number, counted from 0, in the stream of a file. It looks up entries of the policy by name for the
// event's region. The error for a missing trace, stream or number is an fs.ErrNotExist.
func Locate(dir string, p *trace.Policy, stream string, index int) (*Spot, error) {
	file, err := streamFile(dir, stream)
	if err != nil {
		return nil, err
	}
	r, err := ctf.Open(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	regions := recorded.ReadRegions(filepath.Dir(filepath.Dir(file)))
	spot, n, err := locate(r, regions, p, filepath.Base(file), func(n int, _ *ctf.Cursor) bool { return n == index })
	if err == nil && spot == nil {
		err = noSuch(fmt.Sprintf("the stream `%s` has the events 0 to %d, but no event %d", stream, n-1, index))
	}
	return spot, err
}

// LocateAt finds the event of a thread with a name and a time, in nanoseconds since the epoch, in the traces in dir and its
// subfolders. It returns nil if there is none.
func LocateAt(files fs.FS, dir string, p *trace.Policy, pid, tid uint32, event string, at int64) (found *Spot, err error) {
	err = fs.WalkDir(files, dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() != "metadata" || found != nil {
			return err
		}
		found, err = locateIn(files, path.Dir(file), p, pid, tid, event, at)
		return err
	})
	return found, err
}

func locateIn(files fs.FS, dir string, p *trace.Policy, pid, tid uint32, event string, at int64) (*Spot, error) {
	streams, err := fs.Sub(files, dir)
	if err != nil {
		return nil, err
	}
	r, err := ctf.OpenIn(streams, dir)
	if err != nil {
		return nil, err
	}
	regions := recorded.RegionsIn(files, path.Dir(dir))
	for _, stream := range r.Streams {
		c := r.Cursor(stream)
		is := c.Next() && c.PID == pid && c.TID == tid
		c.Close()
		if !is {
			continue
		}
		s, _, err := locate(r, regions, p, stream, func(_ int, c *ctf.Cursor) bool {
			return c.Kind().Clock.Nanoseconds(c.Time) == at && c.Kind().Name == event
		})
		if s != nil || err != nil {
			return s, err
		}
	}
	return nil, nil
}

// locate reads a stream to its end. It returns the spot of the first event that is accepts, or nil, and the number of events.
func locate(r *ctf.Reader, regions *recorded.Regions, p *trace.Policy, stream string, is func(n int, c *ctf.Cursor) bool) (spot *Spot, n int, err error) {
	l := &locator{policy: p, catalog: p.Catalog(), regions: regions, kinds: make([]*kind, len(r.Kinds)), before: map[regionKey]uint32{}}
	c := r.Cursor(stream)
	defer c.Close()
	for ; c.Next(); n++ {
		k := l.kind(c)
		if l.spot == nil && is(n, c) {
			if err := l.found(c, k); err != nil {
				return nil, n, err
			}
			l.spot.Stream, l.spot.Index = c.Stream(), n
		} else {
			l.pass(c, k)
		}
	}
	if c.Err() != nil || l.spot == nil {
		return nil, n, c.Err()
	}
	l.spot.Query.IDs = l.ids()
	return l.spot, n, nil
}

// streamFile finds a stream by its file name.
func streamFile(dir, stream string) (found string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() != stream {
			return err
		}
		if found != "" {
			return fmt.Errorf("`%s` and `%s` are both streams with this name: give the folder of one node with --record", found, path)
		}
		found = path
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = &ctf.NoTrace{Path: dir, Why: "there is no such folder"}
	case err == nil && found == "":
		err = noSuch(fmt.Sprintf("`%s` has no stream `%s`; streams are the files `stream_…` in its folder `ctf`", dir, stream))
	}
	return found, err
}

// locator reads a stream up to an event and beyond.
type locator struct {
	policy  *trace.Policy
	catalog *trace.Catalog
	regions *recorded.Regions
	kinds   []*kind
	spot    *Spot
	at      regionKey            // of the spot
	before  map[regionKey]uint32 // the last execution of each region so far
	late    bool                 // whether the process got its rank after the spot
}

func (l *locator) kind(c *ctf.Cursor) *kind {
	if l.kinds[c.Event] == nil {
		l.kinds[c.Event] = newKind(l.catalog, c.Kind())
	}
	return l.kinds[c.Event]
}

// regionKey identifies a region: by an address, or by a name.
type regionKey struct {
	place
	name string
}

func (k *kind) regionOf(o *ctf.Occurrence) regionKey {
	v := &o.Fields[k.region]
	if k.role == regionBegin || k.role == regionEnd || k.role == mark {
		return regionKey{place{domain: k.domain}, v.Text}
	}
	return regionKey{place: place{k.domain, v.Number}}
}

// pass uses what an event tells about the event to be found.
func (l *locator) pass(c *ctf.Cursor, k *kind) {
	if k.role == always {
		l.late = l.late || l.spot != nil && c.Fields[k.number].Number == 0
		return
	}
	if k.region < 0 || k.number < 0 || k.role == foreign {
		return
	}
	at, number := k.regionOf(&c.Occurrence), uint32(c.Fields[k.number].Number)
	if l.spot == nil {
		l.before[at] = max(number, l.before[at])
		return
	}
	if s := l.spot; at == l.at && number > s.Execution && (s.After == nil || number < *s.After) {
		s.After = &number
	}
}

// found handles the event to be found.
func (l *locator) found(c *ctf.Cursor, k *kind) error {
	if k.role == foreign {
		return fmt.Errorf("it is `%s`, but the record does not say enough about the regions of %s to explain it", c.Kind().Name, l.catalog.Name(k.domain))
	}
	if k.region < 0 || k.role == ofCall {
		return fmt.Errorf("it is `%s`, which no configuration decides about; take the event before or after it", c.Kind().Name)
	}
	at := k.regionOf(&c.Occurrence)
	l.at = at
	s := &Spot{Name: c.Kind().Name, Region: at.name}
	s.Query = trace.Query{Region: trace.Region{Domain: k.domain, Address: at.address, Name: at.name}, Event: k.event}
	if at.name == "" {
		where := l.regions.At(at.address)
		s.Region, s.Where = regionTitle(at.address), where.Where()
		s.Query.Region.Name, s.Query.Region.File = named(l.policy, l.catalog.Name(k.domain), where)
	}
	if k.rank >= 0 {
		s.Rank = uint32(c.Context[k.rank].Number)
	}
	if k.team >= 0 && k.thread >= 0 {
		s.Team, s.Thread = uint32(c.Context[k.team].Number), uint32(c.Context[k.thread].Number)
	}
	if k.number >= 0 {
		s.Numbered, s.Execution = true, uint32(c.Fields[k.number].Number)
		if n, ok := l.before[at]; ok && n < s.Execution {
			s.Before = &n
		}
	}
	l.spot = s
	return nil
}

// ids returns the ids of the unit. Before MPI begins a process has no rank, even if it gets one later.
func (l *locator) ids() []uint32 {
	if l.late {
		l.spot.Rank = 0
	}
	ids := make([]uint32, l.catalog.Kinds())
	kinds := kindsOf(l.catalog)
	for kind, id := range map[int]uint32{kinds.rank: l.spot.Rank, kinds.team: l.spot.Team, kinds.thread: l.spot.Thread} {
		if kind >= 0 {
			ids[kind] = id
		}
	}
	return ids
}
