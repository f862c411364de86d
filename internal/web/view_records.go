package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/compare"
	"github.com/pentode-dev/pentode/runs/record"
)

// recordEntry is a recorded run, with the keys of `runs list --format json`.
type recordEntry struct {
	Run      string      `json:"run"`
	Kind     record.Kind `json:"kind"`
	What     string      `json:"what"`
	State    string      `json:"state"`
	Started  time.Time   `json:"started"`
	Took     float64     `json:"took_s"`
	Exit     int         `json:"exit"`
	Results  int         `json:"results"`
	Errors   int         `json:"errors"`
	Warnings int         `json:"warnings"`
	Infos    int         `json:"infos"`
	Tags     []string    `json:"tags"`

	Before  string        `json:"before,omitempty"` // the previous run of the same files
	Changes []changeEntry `json:"changes"`          // the first settings that differ from that run
	Changed int           `json:"changed"`          // how many settings differ
}

// changeEntry is a setting that differs, with the lines that set it.
type changeEntry struct {
	compare.Change
	WasPlace placeEntry `json:"was_place"`
	IsPlace  placeEntry `json:"is_place"`
}

// maxChanges is the maximum number of changed settings in the list of runs.
const maxChanges = 3

// recordAnswer is one recorded run.
type recordAnswer struct {
	recordEntry
	Command  []string        `json:"command"`
	Out      string          `json:"out"`
	Host     record.Host     `json:"host"`
	End      string          `json:"end"` // why it failed
	Findings []foundEntry    `json:"findings"`
	Settings []settingEntry  `json:"settings"`
	Figures  []record.Figure `json:"figures"`
	Files    []results.Entry `json:"files"`  // the first of its results
	Traces   []string        `json:"traces"` // among its results
}

type foundEntry struct {
	record.Finding
	placeEntry
}

type settingEntry struct {
	record.Setting
	placeEntry
}

// recordsView returns the recorded runs of the folder, the newest first.
func (s *Server) recordsView(*http.Request) (any, error) {
	out := []recordEntry{}
	list, err := s.ours()
	for i, r := range slices.Backward(list) {
		e := entryOfRecord(r)
		e.since(s, list[:i], r)
		out = append(out, e)
	}
	return out, err
}

// since finds the newest earlier run of the same files, and the settings that changed since then.
func (e *recordEntry) since(s *Server, before []*record.Record, r *record.Record) {
	for _, was := range slices.Backward(before) {
		if was.Kind == r.Kind && was.What() == r.What() && slices.Equal(was.Paths, r.Paths) {
			changes, _ := compare.Settings(was, r)
			e.Before, e.Changed, e.Changes = was.ID, len(changes), s.changesOf(was, r, changes[:min(len(changes), maxChanges)])
			return
		}
	}
}

func (s *Server) recordView(req *http.Request) (any, error) {
	r, err := s.record(req.FormValue("run"))
	if err != nil {
		return nil, err
	}
	out := recordAnswer{
		recordEntry: entryOfRecord(r), Command: r.Command, Out: r.Out, Host: r.Host, End: r.End,
		Findings: []foundEntry{}, Settings: []settingEntry{}, Figures: append([]record.Figure{}, r.Stats...), Files: results.List(r), Traces: results.Traces(r),
	}
	list, err := s.ours()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list, func(o *record.Record) bool { return o.ID == r.ID }); i > 0 {
		out.since(s, list[:i], r)
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, foundEntry{f, s.placeOf(r, f.At)})
	}
	for _, set := range r.Settings {
		out.Settings = append(out.Settings, settingEntry{set, s.placeOf(r, set.At)})
	}
	return out, nil
}

func entryOfRecord(r *record.Record) recordEntry {
	e := recordEntry{
		Run: r.ID, Kind: r.Kind, What: r.What(), State: "failed", Started: r.Started, Took: max(0, r.Ended.Sub(r.Started).Seconds()),
		Exit: r.Exit, Results: len(r.Results), Tags: append([]string{}, r.Tags...), Changes: []changeEntry{},
	}
	switch stage := r.Stage(); {
	case stage != record.Ended:
		e.State = string(stage)
	case r.Exit == 0:
		e.State = "finished"
	case r.Exit == runs.StoppedCode:
		e.State = "stopped"
	}
	for _, f := range r.Findings {
		switch f.Severity {
		case "error":
			e.Errors++
		case "warning":
			e.Warnings++
		default:
			e.Infos++
		}
	}
	return e
}

func (s *Server) changesOf(a, b *record.Record, list []compare.Change) []changeEntry {
	out := []changeEntry{}
	for _, c := range list {
		out = append(out, changeEntry{c, s.placeOf(a, c.WasAt), s.placeOf(b, c.IsAt)})
	}
	return out
}
