// Package recorded reads traces after the run, from this program or from another tracer: the threads, the frame each was in
// at any time, the messages it sent, and where in the source this happened.
//
//	folder ──Open──▶ Trace ──Walk──▶ Handler: Enter and Leave of a frame, Instant, Message, Value
//	  ├─ ctf/metadata, ctf/stream_…  (package ctf)
//	  ├─ regions.json                (Regions)
//	  └─ trace.json                  of pipelines (timeline)
//
// Missing information is not guessed: a thread may have no rank, and a message on an unknown communicator has no receiver.
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

// Trace is everything in a folder.
type Trace struct {
	Start   int64 // the time of the first event, in nanoseconds since the epoch; 0 if there is none
	Threads []*Thread

	started   bool // whether Start is the time of an event
	parts     []*part
	timeline  *timeline // the content of a trace in Chrome's format; nil: the trace consists of parts
	processes map[processKey]*Process
	threads   map[threadKey]*Thread
	tasks     map[taskKey]*Region // where tasks were created
	surveyed  bool                // whether tasks is complete
	mixed     bool                // whether a stream that should have the events of one thread has events of several
}

// part is one trace in the format, with its own clock and places.
type part struct {
	*ctf.Reader
	kinds   []*Kind
	regions *Regions
	sparse  *ctf.Selection     // the members needed for frames and messages
	first   map[string]*Thread // the thread of the first event of each stream
}

// Process is a traced process.
type Process struct {
	Host   string
	PID    uint32
	Title  string // its name, if the trace has one
	Rank   int    // in MPI_COMM_WORLD; -1: unknown
	Stream string // its stream, if events do not name their process
}

// Thread is a thread of a traced process.
type Thread struct {
	*Process
	TID    uint32
	Number int     // in its process; -1: unknown
	Lost   uint64  // events for which there was no room
	Device string  // if it is not a thread: the device stream or the process of a pipeline
	Place  *Region // of the process in the file of its pipeline; nil: unknown

	stack []Frame
	calls []*Region       // the calls that led to the next event
	ended int64           // of a device: the end of the last frame
	tasks map[uint64]bool // the tasks on the stack
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

// Open reads the declarations of the traces in a folder and its subfolders. If dir is a file, or a folder of results with
// such a file, it is the trace of pipelines.
func Open(dir string) (*Trace, error) { return OpenWatched(dir, nil) }

// OpenWatched is Open for a caller that shows progress: read is called with the number of bytes read and in total, now and
// during walks through the trace. It may be called from several goroutines.
func OpenWatched(dir string, read func(done, total int64)) (*Trace, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(full) // the file of its places is next to a folder of streams
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

// OpenIn reads the declarations of traces in files: in a folder and its subfolders, or in one file.
func OpenIn(files fs.FS, name string) (*Trace, error) { return open(files, name, name) }

// open opens a trace. title names it in messages.
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

// add adds a trace, and finds out when it began.
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

// began records the time of the first event of a part.
func (t *Trace) began(at int64) {
	if !t.started || at < t.Start {
		t.Start, t.started = at, true
	}
}

// Program returns the name of the traced program, or "".
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

// HasTasks reports whether the trace says where tasks were created.
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

// Name returns the thread's name for people.
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

// Name returns the process's name for people.
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
