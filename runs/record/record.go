// Package record keeps what a run was after it has ended: the files that it read with their texts, every
// setting with the line that decided it, what it wrote, how it went.
//
// A record lies in the folder that the run has among the states of runs, and goes with it:
//
//	$XDG_STATE_HOME/pentode/   (else ~/.local/state/pentode/)
//	  RUN/record.json        one Record
//	  RUN.results            results of a run that goes on, as they are complete
//	  texts/ab/cdef…         the text of a file that runs have read, once, by its SHA-256
//
// It is written when the run begins, so that one that is killed has a record, and again when it ends.
// A run is never worse off for its record: what cannot be kept is left out.
package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// Version is that of the form of records.
const Version = 1

// Record is what is known of a run.
type Record struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Kind    Kind      `json:"kind"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"` // zero: it goes on, or was killed

	Process state.Identity `json:"process,omitzero"` // that runs it, until it has ended

	Command []string `json:"command"`         // the words behind the name of this program
	Folder  string   `json:"folder"`          // where it was given
	Paths   []string `json:"paths,omitempty"` // what it ran: a folder or files, absolute
	Out     string   `json:"out"`             // the folder of the results, absolute

	Files        []File            `json:"files"`
	Inputs       []File            `json:"inputs,omitempty"` // data that it read, whose texts are not kept
	Env          map[string]string `json:"env,omitempty"`
	Settings     []Setting         `json:"settings"`
	Fingerprints map[string]string `json:"fingerprints,omitempty"` // by file as the run names it, and that of seal.Whole
	Edges        []Edge            `json:"edges,omitempty"`        // of its pipelines

	Target   string    `json:"target,omitempty"` // what its programs are built for
	Host     Host      `json:"host"`
	Programs []Program `json:"programs"`

	Results  []Result  `json:"results"`
	Writes   *Writes   `json:"writes,omitempty"` // until its results are known
	Findings []Finding `json:"findings,omitempty"`
	Exit     int       `json:"exit"`
	End      string    `json:"end,omitempty"` // why it failed
	Stats    []Figure  `json:"stats,omitempty"`

	Tags    []string `json:"tags,omitempty"`
	Parents []string `json:"parents,omitempty"` // runs that started it, or whose results it read
}

// Kind is what was run.
type Kind string

// The kinds of runs.
const (
	Folder   Kind = "folder"
	Pipeline Kind = "pipeline"
	Plan     Kind = "plan"
	Trace    Kind = "trace" // of a program
)

// JSONValues returns all of them, for the JSON Schema of answers.
func (Kind) JSONValues() []string {
	return []string{string(Folder), string(Pipeline), string(Plan), string(Trace)}
}

// File is a file that a run has read.
type File struct {
	Path string `json:"path"` // absolute
	Hash string `json:"hash"` // SHA-256, in hexadecimal digits; empty: it is too large
	Size int64  `json:"size"`
}

// Setting is a resolved setting. What a variable decided whose name looks like that of a secret is not kept.
type Setting struct {
	File  string   `json:"file"` // which it is a setting of, as the run names it
	Part  string   `json:"part"` // of the run that the file is: target, launch, flow, data or trace
	Key   string   `json:"key"`
	Value string   `json:"value"`
	At    string   `json:"at,omitempty"`   // FILE:LINE:COLUMN of what decided it; empty: no file did
	From  string   `json:"from,omitempty"` // the setting of the same file whose value it has
	Of    []string `json:"of,omitempty"`   // the processes that it belongs to
}

// Edge leads from a port of a process to one of another, as in `heat.pipe/solver.field`.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Host is the machine that a run was started on.
type Host struct {
	Name   string `json:"name"`
	System string `json:"system"` // as in linux/amd64
	CPUs   int    `json:"cpus"`
}

// Program is a program that a run has started, and first this one.
type Program struct {
	Path    string `json:"path"`
	BuildID string `json:"build_id,omitempty"`
	Version string `json:"version,omitempty"` // of this one
}

// Finding is what a check said of a file.
type Finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	At       string `json:"at"`
	Message  string `json:"message"`
}

// Figure is a number that a run was measured by.
type Figure struct {
	Name  string  `json:"name"` // as in `heat.pipe/solver steps`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"` // s; empty: it is a count, which does not change by chance
}

// Stage is how far a run is.
type Stage string

// The stages of runs.
const (
	Ended      Stage = "ended"
	Running    Stage = "running"
	Killed     Stage = "killed"
	Unfinished Stage = "unfinished" // whether it goes on is not known here
)

// JSONValues returns all of them, for the JSON Schema of answers.
func (Stage) JSONValues() []string {
	return []string{string(Ended), string(Running), string(Killed), string(Unfinished)}
}

// Stage is how far the run is, by what this machine knows of its process.
func (r *Record) Stage() Stage {
	switch host, _ := os.Hostname(); {
	case !r.Ended.IsZero():
		return Ended
	case r.Process.Start == 0 || r.Host.Name != host: // a system without /proc, or another machine with the same home
		return Unfinished
	case r.Process.Alive():
		return Running
	}
	return Killed
}

// Whole is the fingerprint of all files of the run together; empty: they have none.
func (r *Record) Whole() string { return r.Fingerprints[seal.Whole] }

// What is what the run ran, in a word.
func (r *Record) What() string {
	if len(r.Paths) > 0 {
		return filepath.Base(r.Paths[0])
	}
	return strings.Join(r.Command, " ")
}

// Setting finds a setting by the file and the key.
func (r *Record) Setting(file, key string) (Setting, bool) {
	i := slices.IndexFunc(r.Settings, func(s Setting) bool { return s.File == file && s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return r.Settings[i], true
}

// Result finds a result by its path from Out.
func (r *Record) Result(path string) (Result, bool) {
	i := slices.IndexFunc(r.Results, func(f Result) bool { return f.Path == path })
	if i < 0 {
		return Result{}, false
	}
	return r.Results[i], true
}
