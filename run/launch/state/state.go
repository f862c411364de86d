// Package state stores the state of a run on disk, so that it outlives the supervisor of the run.
//
// Each run has a private folder: a description of the run, a journal of the programs
// that started and ended, the logs, and the socket of its supervisor. With the
// folder, another program can see whether the supervisor is still alive. If it is
// not, the program can end the processes that it left behind. Processes are
// recognised by their ID together with their start time, because IDs are reused, and
// by the mark PENTODE_RUN in their environment, which children inherit even if they
// leave their process group.
//
//	$XDG_STATE_HOME/pentode/RUN/   (else ~/.local/state/pentode/RUN/)
//	  run.json        the run and its supervisor, written once
//	  journal.jsonl   one line for each start and end of a node
//	  tunables.json   what PARADYN_TUNABLES names
//	  result.json     how it ended, if its supervisor did not die
//	  record.json     the record of the run, if it is recorded (package runs/record)
//	  kept            present if Prune must not delete the run
//	  logs/           NODE.out, NODE.err, and the common log all.log: every line of both, with time and node
//
// The socket where the supervisor answers requests is $XDG_RUNTIME_DIR/pentode/RUN.socket,
// else RUN/socket. Programs of the run listen in $XDG_RUNTIME_DIR/pentode/RUN/, which ends with the run.
package state

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/run/control"
)

// Run is the description of a run, which stays the same from start to end.
type Run struct {
	ID         string    `json:"id"`
	Started    time.Time `json:"started"`
	Supervisor Identity  `json:"supervisor"`
	Directory  string    `json:"directory"`         // in which it was started
	Sockets    string    `json:"sockets,omitempty"` // the folder of its socket; empty: its own folder
	Nodes      []Node    `json:"nodes"`
	Pipeline   string    `json:"pipeline,omitempty"` // the file of a pipeline that runs by itself, in its supervisor; it leaves no processes
	Launch     string    `json:"launch,omitempty"`   // of a pipeline in a plan: the run of the plan
	Node       string    `json:"node,omitempty"`     // and the name of its node there
	Leader     string    `json:"leader,omitempty"`   // of one site of a pipeline: the site that coordinates it, if that is another site
}

// Node is a program of the run.
type Node struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Host string `json:"host"`
	View string `json:"view,omitempty"` // of a visualisation that the page shows, because its program is not installed
}

// IDs returns the ids of the nodes.
func (r Run) IDs() []string {
	ids := make([]string, len(r.Nodes))
	for i, n := range r.Nodes {
		ids[i] = n.ID
	}
	return ids
}

// Dir is the folder of one run.
type Dir struct {
	Path string
	Run  Run
}

// NewID returns an id for a run; ids sort by time.
func NewID(now time.Time) string {
	var b [3]byte
	rand.Read(b[:]) // never fails
	return now.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:])
}

// Create makes the folder of a new run, with this program as its supervisor.
func Create(base string, r Run) (*Dir, error) {
	if !plainName(r.ID) {
		return nil, fmt.Errorf("`%s` cannot name a run: expected letters, digits, `-`, `_` and `.`", r.ID)
	}
	if err := control.Private(base); err != nil {
		return nil, err
	}
	if r.Sockets != "" {
		if err := control.Private(r.Sockets); err != nil {
			return nil, err
		}
	}
	d := &Dir{Path: filepath.Join(base, r.ID), Run: r}
	if err := os.Mkdir(d.Path, 0o700); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("run `%s` exists already in `%s`", r.ID, base)
	} else if err != nil {
		return nil, fmt.Errorf("the folder of the run `%s` cannot be created: %w", d.Path, plain(err))
	}
	if err := os.Mkdir(filepath.Join(d.Path, "logs"), 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the logs in `%s` cannot be created: %w", d.Path, plain(err))
	}
	d.Run.Supervisor = Self()
	text, err := json.MarshalIndent(d.Run, "", "  ")
	if err != nil {
		return nil, err
	}
	return d, d.WriteFile("run.json", append(text, '\n'))
}

// WriteFile writes a private file of the run, completely or not at all.
func (d *Dir) WriteFile(name string, content []byte) error {
	path := filepath.Join(d.Path, name)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return fmt.Errorf("`%s` cannot be written: %w", path, plain(err))
	}
	return os.Rename(path+".new", path)
}

// plain returns a file error without the name of the system call.
func plain(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// Open finds a run. An empty id means the newest live run, or else the newest run.
func Open(base, id string) (*Dir, error) {
	if id == "" {
		return Newest(base, func(Run) bool { return true })
	}
	if !plainName(id) {
		return nil, fmt.Errorf("no run is called `%s`", id)
	}
	return OpenDir(filepath.Join(base, id))
}

// OpenDir opens the folder of a run.
func OpenDir(path string) (*Dir, error) {
	d, id := &Dir{Path: path}, filepath.Base(path)
	text, err := os.ReadFile(filepath.Join(d.Path, "run.json"))
	if err != nil {
		return nil, fmt.Errorf("no run is called `%s` in `%s`", id, filepath.Dir(path))
	}
	if err := json.Unmarshal(text, &d.Run); err != nil || d.Run.ID != id {
		return nil, fmt.Errorf("`%s` is not the state of run `%s`: remove the folder if nothing of it runs", filepath.Join(d.Path, "run.json"), id)
	}
	return d, nil
}

// Newest finds the newest live run for which wanted returns true, or else the newest ended one.
func Newest(base string, wanted func(Run) bool) (*Dir, error) {
	all, err := List(base)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(d *Dir) bool { return !wanted(d.Run) })
	if len(all) == 0 {
		return nil, fmt.Errorf("no run is known in `%s`", base)
	}
	for _, d := range slices.Backward(all) {
		if !d.Finished() {
			return d, nil
		}
	}
	return all[len(all)-1], nil
}

// List returns all runs, the newest last.
func List(base string) ([]*Dir, error) {
	entries, err := os.ReadDir(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var all []*Dir
	for _, e := range entries {
		if d, err := Open(base, e.Name()); err == nil {
			all = append(all, d)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Run.Started.Before(all[j].Run.Started) })
	return all, nil
}

// Supervised reports whether the supervisor of the run is still alive.
func (d *Dir) Supervised() bool { return d.Run.Supervisor.Alive() }

// Socket returns the path of the supervisor's socket.
func (d *Dir) Socket() string {
	if d.Run.Sockets == "" {
		return filepath.Join(d.Path, "socket")
	}
	return filepath.Join(d.Run.Sockets, d.Run.ID+".socket")
}

// RemoveSockets deletes the socket of the supervisor, and the sockets that programs of the run made for each other.
func (d *Dir) RemoveSockets() {
	_ = os.Remove(d.Socket()) // a supervisor that ended in order has removed it
	if own := filepath.Join(d.Run.Sockets, d.Run.ID); d.Run.Sockets != "" && own != d.Path {
		_ = os.RemoveAll(own) // most runs have none
	}
}

// Remove deletes the folder with its logs, and the sockets.
func (d *Dir) Remove() error {
	d.RemoveSockets()
	return os.RemoveAll(d.Path)
}

// Leave removes the run from the list of runs. Files of other packages in its folder stay.
func (d *Dir) Leave() error {
	if _, err := os.Stat(filepath.Join(d.Path, RecordFile)); err != nil {
		return d.Remove()
	}
	d.RemoveSockets()
	err := errors.Join(os.RemoveAll(filepath.Join(d.Path, "logs")), os.Remove(filepath.Join(d.Path, "run.json")))
	for _, name := range []string{"journal.jsonl", "tunables.json", "result.json", groupFile} {
		_ = os.Remove(filepath.Join(d.Path, name)) // a pipeline has none
	}
	return err
}

// Finished reports whether nothing of the run is live: it is over, or its supervisor has died and left no processes.
func (d *Dir) Finished() bool {
	if d.Supervised() {
		return false
	}
	if d.Over() || d.Run.Pipeline != "" {
		return true
	}
	nodes, err := d.started()
	return err == nil && len(d.leftovers(nodes)) == 0
}

// KeptFile is a file in the folder of a run that Prune leaves alone. RecordFile is the record of a recorded run.
const (
	KeptFile   = "kept"
	RecordFile = "record.json"
)

// TextsDir is the folder beside the runs that contains the texts that recorded runs have read.
const TextsDir = "texts"

func (d *Dir) kept() bool {
	_, err := os.Stat(filepath.Join(d.Path, KeptFile))
	return err == nil
}

// Prune deletes the oldest finished runs. It keeps the newest ones and those with KeptFile, and files of other packages in the folders of deleted
// runs. It returns the runs that it deleted.
func Prune(base string, keep int) ([]*Dir, error) {
	all, err := List(base)
	if err != nil {
		return nil, err
	}
	var gone []*Dir
	for i := len(all) - 1; i >= 0; i-- {
		switch d := all[i]; {
		case !d.Finished() || d.kept():
		case keep > 0 && d.Run.Pipeline == "":
			keep--
		default:
			if err := d.Leave(); err != nil {
				return gone, fmt.Errorf("delete run `%s`: %w", d.Run.ID, err)
			}
			gone = append(gone, d)
		}
	}
	return gone, nil
}

func plainName(id string) bool {
	other := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	}
	return id != "" && id[0] != '.' && len(id) <= 100 && strings.IndexFunc(id, other) < 0
}
