// Package recorded is a trace after its run, of this program or of another
// tracer: which threads there were, what each was in at which time, which
// messages it sent, and where in the source that is.
//
//	folder ──Open──▶ Trace ──Walk──▶ Handler: Enter and Leave of a frame, Instant, Message, Value
//	  ├─ ctf/metadata, ctf/stream_…  (package ctf)
//	  ├─ regions.json                (Regions)
//	  └─ trace.json                  of pipelines (timeline)
//
// What a trace does not hold is not guessed: a thread without a rank has none,
// and a message whose communicator is not known has no receiver.
package recorded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// Trace is all that lies in a folder.
type Trace struct {
	Start   int64 // when its first event was, in nanoseconds since the epoch; 0 also where there is none
	Threads []*Thread

	started   bool // Start is the time of an event
	parts     []*part
	timeline  *timeline // nil: the trace is in parts
	processes map[processKey]*Process
	threads   map[threadKey]*Thread
	tasks     map[taskKey]*Region // that were created: where
	surveyed  bool                // tasks has all of them
	mixed     bool                // a stream that should be that of a thread is of several
}

// part is one trace in the format, with its own clock and places.
type part struct {
	*ctf.Reader
	kinds   []*Kind
	regions *Regions
	sparse  *ctf.Selection     // the members that frames and messages are made of
	first   map[string]*Thread // of each stream: whose its first event is
}

// Process is a traced process.
type Process struct {
	Host   string
	PID    uint32
	Title  string // what it is called, where the trace says so
	Rank   int    // in MPI_COMM_WORLD; -1: the trace has none
	Stream string // whose file it is, where the trace does not say of which process an event is
}

// Thread is a thread of a traced process.
type Thread struct {
	*Process
	TID    uint32
	Number int     // in its process; -1: the trace has none
	Lost   uint64  // events that found no room
	Device string  // what it is where it is no thread, but a stream of a device or a process of a pipeline
	Place  *Region // of the process in the file of its pipeline; nil: not known

	stack []Frame
	calls []*Region       // that led to the next event
	ended int64           // of a device: when the last frame ended
	tasks map[uint64]bool // of the stack
}

type processKey struct {
	host   string
	pid    uint32
	stream string
}

type threadKey struct {
	processKey
	tid uint32
}

// Open reads what the traces at or below a folder declare. A file, or that in a folder of results, is the
// trace of pipelines.
func Open(dir string) (*Trace, error) { return OpenWatched(dir, nil) }

// OpenWatched is Open for a caller that shows how far the reading is: read is told how many bytes of the trace were read, and
// of how many, now and while the trace is walked through. It is called from many goroutines.
func OpenWatched(dir string, read func(done, total int64)) (*Trace, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(full) // its places lie beside a folder of streams
	if name == string(filepath.Separator) {
		name = "."
	}
	if read == nil {
		return open(os.DirFS(filepath.Dir(full)), name, dir)
	}
	files := &watched{FS: os.DirFS(filepath.Dir(full)), read: read}
	t, err := open(files, name, dir)
	if err == nil && t.timeline == nil {
		files.total.Store(t.size())
		files.done.Store(0)
	}
	return t, err
}

// OpenIn reads what the traces declare that are among some files: at or below a folder, or in a file.
func OpenIn(files fs.FS, name string) (*Trace, error) { return open(files, name, name) }

// open opens a trace that messages call by a title.
func open(files fs.FS, name, title string) (*Trace, error) {
	t := &Trace{processes: map[processKey]*Process{}, threads: map[threadKey]*Thread{}, tasks: map[taskKey]*Region{}}
	called := func(file string) string {
		return filepath.Join(title, filepath.FromSlash(strings.TrimPrefix(file, name)))
	}
	timeline := timelineIn(files, name)
	if info, err := fs.Stat(files, name); err == nil && !info.IsDir() {
		timeline = name
	}
	if timeline != "" {
		return t, t.openTimeline(files, timeline, called(timeline))
	}
	err := fs.WalkDir(files, name, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != "metadata" {
			return err
		}
		return t.add(files, path.Dir(file), called(path.Dir(file)))
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &ctf.NoTrace{Path: title, Why: "there is no such folder"}
	case err != nil:
		return nil, err
	case len(t.parts) == 0:
		return nil, &ctf.NoTrace{Path: title, Why: "there is no file `metadata` in it or below"}
	}
	return t, nil
}

// add takes a trace, and looks when it began.
func (t *Trace) add(files fs.FS, dir, title string) error {
	streams, err := fs.Sub(files, dir)
	if err != nil {
		return err
	}
	r, err := ctf.OpenIn(streams, title)
	if err != nil {
		return err
	}
	p := &part{Reader: r, regions: RegionsIn(files, path.Dir(dir)), first: map[string]*Thread{}}
	for _, k := range r.Kinds {
		p.kinds = append(p.kinds, newKind(k))
	}
	p.sparse = r.Select(func(kind, member int) bool { return p.kinds[kind].wants(member) })
	t.parts = append(t.parts, p)
	for _, stream := range r.Streams {
		c := r.Cursor(stream)
		if c.Next() {
			t.began(c.Kind().Clock.Nanoseconds(c.Time))
			if r.StreamIsThread() {
				p.first[stream] = t.thread(p.kinds[c.Event], &c.Occurrence, stream, r.Env)
			}
		}
		c.Close()
		if c.Err() != nil {
			return c.Err()
		}
	}
	return nil
}

// began takes the time of the first event of a part.
func (t *Trace) began(at int64) {
	if !t.started || at < t.Start {
		t.Start, t.started = at, true
	}
}

// Program is the name of the traced program, or empty.
func (t *Trace) Program() string {
	if t.timeline != nil {
		return t.timeline.title
	}
	for _, p := range t.parts {
		if p.regions.Program != "" {
			return filepath.Base(p.regions.Program)
		}
	}
	return ""
}

// HasTasks reports whether the trace says which tasks were created.
func (t *Trace) HasTasks() bool {
	for _, p := range t.parts {
		for _, k := range p.kinds {
			if k.Phase == Schedule {
				return true
			}
		}
	}
	return false
}

// thread returns the thread of an event.
func (t *Trace) thread(k *Kind, o *ctf.Occurrence, stream string, env map[string]string) *Thread {
	key := threadKey{processKey{env["hostname"], o.PID, ""}, o.TID}
	if v := k.value(k.host, o); v != nil {
		key.host = v.Text
	}
	if v := k.value(k.pid, o); key.pid == 0 && v != nil {
		key.pid = uint32(v.Number)
	}
	if v := k.value(k.number, o); key.tid == 0 && v != nil {
		key.tid = uint32(v.Number)
	}
	if key.tid == 0 && key.pid == 0 {
		key.stream = stream
	}
	found := t.threads[key]
	if found == nil {
		p := t.processes[key.processKey]
		if p == nil {
			p = &Process{Host: key.host, PID: key.pid, Rank: -1, Stream: key.stream}
			t.processes[key.processKey] = p
		}
		found = &Thread{Process: p, TID: key.tid, Number: -1}
		t.threads[key] = found
		t.Threads = append(t.Threads, found)
	}
	return found
}

// Name is what a person calls the thread.
func (t *Thread) Name() string {
	switch {
	case t.Device != "":
		return t.Device
	case t.Stream != "":
		return t.Stream
	case t.Number >= 0:
		return fmt.Sprintf("thread %d", t.Number)
	}
	return fmt.Sprintf("thread %d", t.TID)
}

// Name is what a person calls the process.
func (p *Process) Name() string {
	switch {
	case p.Title != "":
		return p.Title
	case p.Rank >= 0:
		return fmt.Sprintf("MPI rank %d", p.Rank)
	case p.PID > 0:
		return fmt.Sprintf("process %d", p.PID)
	}
	return "not known"
}
