// Package record keeps what is known about a run after it has ended: the files that it read with their texts, every setting with the line that set
// it, its results, and how it ended.
//
// A record is in the folder of the run below the states of runs, and is deleted with it:
//
//	$XDG_STATE_HOME/pentode/   (else ~/.local/state/pentode/)
//	  RUN/record.json        one Record
//	  RUN.results            the complete results of a live run so far
//	  texts/ab/cdef…         the text of a file that runs have read, once, by its SHA-256
//
// The record is written when the run begins, so that a killed run has a record, and again when the run ends. A run never fails because of its record:
// what cannot be recorded is left out.
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

// Version is the version of the record format.
const Version = 1

// Record describes a run.
type Record struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Kind    Kind      `json:"kind"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"` // zero: the run is live, or was killed

	Process state.Identity `json:"process,omitzero"` // the process of the run, until the run has ended

	Command []string `json:"command"`         // the arguments of this program
	Folder  string   `json:"folder"`          // the folder in which the command was given
	Paths   []string `json:"paths,omitempty"` // what was run: a folder or files, absolute
	Out     string   `json:"out"`             // the folder of the results, absolute

	Files        []File            `json:"files"`
	Inputs       []File            `json:"inputs,omitempty"` // data files that it read, whose texts are not stored
	Env          map[string]string `json:"env,omitempty"`
	Settings     []Setting         `json:"settings"`
	Fingerprints map[string]string `json:"fingerprints,omitempty"` // by the name of the file in the run, and under seal.Whole
	Edges        []Edge            `json:"edges,omitempty"`        // the edges of its pipelines

	Target   string    `json:"target,omitempty"` // the machine for which its programs are built
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

// Kind is the kind of a run.
type Kind string

// The kinds of runs.
const (
	Folder   Kind = "folder"
	Pipeline Kind = "pipeline"
	Plan     Kind = "plan"
	Trace    Kind = "trace" // a traced program
)

// JSONValues returns all kinds, for the JSON Schema of answers.
func (Kind) JSONValues() []string {
	return []string{string(Folder), string(Pipeline), string(Plan), string(Trace)}
}

// File is a file that a run has read.
type File struct {
	Path string `json:"path"` // absolute
	Hash string `json:"hash"` // SHA-256 in hexadecimal digits; empty: the file is too large
	Size int64  `json:"size"`
}

// Setting is a resolved setting. If a variable with the name of a secret set it, its value is not recorded.
type Setting struct {
	File  string   `json:"file"` // the name in the run of the file that it configures
	Part  string   `json:"part"` // the part of the run that the file describes: target, launch, flow, data or trace
	Key   string   `json:"key"`
	Value string   `json:"value"`
	At    string   `json:"at,omitempty"`   // FILE:LINE:COLUMN where it is set; empty: not in a file
	From  string   `json:"from,omitempty"` // the setting of the same file from which it has its value
	Of    []string `json:"of,omitempty"`   // the processes to which it belongs
}

// Edge leads from a port of one process to a port of another, such as `heat.pipe/solver.field`.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Host is the machine on which a run was started.
type Host struct {
	Name   string `json:"name"`
	System string `json:"system"` // such as linux/amd64
	CPUs   int    `json:"cpus"`
}

// Program is a program that a run has started; the first one is this program.
type Program struct {
	Path    string `json:"path"`
	BuildID string `json:"build_id,omitempty"`
	Version string `json:"version,omitempty"` // only for this program
}

// Finding is a finding about a file.
type Finding struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	At       string `json:"at"`
	Message  string `json:"message"`
}

// Figure is a measurement of a run.
type Figure struct {
	Name  string  `json:"name"` // such as `heat.pipe/solver steps`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"` // s; empty: a count, which does not change by chance
}

// Stage is the stage of a run.
type Stage string

// The stages of runs.
const (
	Ended      Stage = "ended"
	Running    Stage = "running"
	Killed     Stage = "killed"
	Unfinished Stage = "unfinished" // it is not known here whether the run is live
)

// JSONValues returns all stages, for the JSON Schema of answers.
func (Stage) JSONValues() []string {
	return []string{string(Ended), string(Running), string(Killed), string(Unfinished)}
}

// Stage returns the stage of the run, as far as this machine knows its process.
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

// Whole returns the fingerprint of all files of the run together; empty: there are no files.
func (r *Record) Whole() string { return r.Fingerprints[seal.Whole] }

// What returns a short name for what was run.
func (r *Record) What() string {
	if len(r.Paths) > 0 {
		return filepath.Base(r.Paths[0])
	}
	return strings.Join(r.Command, " ")
}

// Setting finds a setting by file and key.
func (r *Record) Setting(file, key string) (Setting, bool) {
	i := slices.IndexFunc(r.Settings, func(s Setting) bool { return s.File == file && s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return r.Settings[i], true
}

// Result finds a result by its path relative to Out.
func (r *Record) Result(path string) (Result, bool) {
	i := slices.IndexFunc(r.Results, func(f Result) bool { return f.Path == path })
	if i < 0 {
		return Result{}, false
	}
	return r.Results[i], true
}
