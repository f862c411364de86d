package traced

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/trace/collect"
)

// Monitored is what the mode MONITORING has measured for a region on one unit.
type Monitored struct {
	Domain  string        `json:"domain"`
	Region  string        `json:"region"` // its position, or the name that the program gives it
	Process uint32        `json:"process"`
	Rank    uint32        `json:"rank"`
	Thread  uint32        `json:"thread"` // its number in the process
	Unit    string        `json:"unit"`   // the thread for people, with rank or process if there are several
	Count   uint64        `json:"count"`  // executions that have ended
	Total   time.Duration `json:"total_ns"`
	Mean    time.Duration `json:"mean_ns"`
	Longest time.Duration `json:"longest_ns"`
}

// MonitorReport is the report of all regions as JSON.
type MonitorReport struct {
	Version int         `json:"version"`
	Regions []Monitored `json:"regions"`
}

// NewMonitorReport makes a report of regions.
func NewMonitorReport(list []Monitored) MonitorReport {
	return MonitorReport{1, append([]Monitored{}, list...)}
}

// monitorFile is the file in the folder of the trace with the report of a whole run.
const monitorFile = "monitor.json"

// monitored gives regions their names.
func (r *Run) monitored(list []collect.Monitored) []Monitored {
	var named []Monitored
	processes, ranks := map[uint32]bool{}, map[uint32]bool{}
	for _, m := range list {
		processes[m.PID], ranks[m.Rank] = true, true
	}
	for _, m := range list {
		region := m.Region
		if region == "" {
			region = pinsight.Where(r.modules.region(m.Address))
		}
		if region == "" {
			region = fmt.Sprintf("%#x", m.Address)
		}
		unit := fmt.Sprintf("thread %d", m.Thread)
		switch {
		case len(ranks) > 1:
			unit = fmt.Sprintf("rank %d %s", m.Rank, unit)
		case len(processes) > 1:
			unit = fmt.Sprintf("process %d %s", m.PID, unit)
		}
		named = append(named, Monitored{
			Domain: m.Domain, Region: region, Process: m.PID, Rank: m.Rank, Thread: m.Thread, Unit: unit,
			Count: m.Count, Total: m.Total, Mean: m.Total / time.Duration(max(m.Count, 1)), Longest: m.Longest,
		})
	}
	return named
}

// writeMonitored writes the report of a run if any region was monitored.
func (r *Run) writeMonitored(list []Monitored) error {
	if len(list) == 0 {
		return nil
	}
	var text strings.Builder
	if err := jsontext.Write(&text, NewMonitorReport(list)); err != nil {
		return err
	}
	return r.write(monitorFile, text.String())
}

const statusMethod = "status"

// Live is a program that is being traced, with the current figures of its regions in the mode MONITORING.
type Live struct {
	PID       int         `json:"pid"`     // of `pentode trace record`
	Program   string      `json:"program"` // its name, as it was called
	Started   time.Time   `json:"started"`
	Directory string      `json:"directory"`
	Launch    string      `json:"launch,omitempty"` // the run of the plan to which it belongs
	Node      string      `json:"node,omitempty"`   // and its name there
	Regions   []Monitored `json:"regions"`
}

// traced describes the run for other programs.
func (r *Run) traced(list []collect.Monitored) Live {
	here, _ := os.Getwd() // a folder that no longer exists has no page
	return Live{
		PID: os.Getpid(), Program: filepath.Base(r.program.args[0]), Started: r.started, Directory: here,
		Launch: r.around.Launch, Node: r.around.Node, Regions: r.monitored(list),
	}
}

// Status asks the process with this ID that traces a program for the current figures of the regions in the mode MONITORING; 0 means the run to which
// this script belongs, or else the newest.
func Status(ctx context.Context, pid int) (now Live, err error) {
	err = askTracing(ctx, pid, statusMethod, struct{}{}, &now)
	return now, err
}

// statusLimit is how long to wait for one of several runs: a run that is stopped by a signal does not answer.
const statusLimit = time.Second

// All returns the programs that are traced now and answer, in the order of their start.
func All(ctx context.Context) []Live {
	sockets, _ := allTraceSockets() // without a folder for sockets, nothing is traced
	answers := make([]Live, len(sockets))
	var asked sync.WaitGroup
	for i, socket := range sockets {
		asked.Go(func() {
			short, cancel := context.WithTimeout(ctx, statusLimit)
			defer cancel()
			_ = control.Call(short, socket, statusMethod, struct{}{}, &answers[i]) // a program that has just ended is left out
		})
	}
	asked.Wait()
	answers = slices.DeleteFunc(answers, func(t Live) bool { return t.PID == 0 })
	slices.SortFunc(answers, func(a, b Live) int { return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.PID, b.PID)) })
	return answers
}
