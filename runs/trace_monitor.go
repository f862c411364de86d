package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pentode-dev/pentode/lang/pinsight"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/trace/collect"
)

// Monitored is what is known of a region on one unit from the mode MONITORING.
type Monitored struct {
	Domain  string        `json:"domain"`
	Region  string        `json:"region"` // where it is, or the name that the program gives it
	Process uint32        `json:"process"`
	Rank    uint32        `json:"rank"`
	Thread  uint32        `json:"thread"` // its number in the process
	Count   uint64        `json:"count"`  // executions that have ended
	Total   time.Duration `json:"total_ns"`
	Mean    time.Duration `json:"mean_ns"`
	Longest time.Duration `json:"longest_ns"`
}

// MonitoredJSON is a report as programs read it.
func MonitoredJSON(list []Monitored) ([]byte, error) {
	if list == nil {
		list = []Monitored{}
	}
	text, err := json.MarshalIndent(map[string]any{"version": 1, "regions": list}, "", "  ")
	return append(text, '\n'), err
}

// monitorFile holds the report of a whole run, in the folder of the trace.
const monitorFile = "monitor.json"

// monitored gives regions their names.
func (r *traceRun) monitored(list []collect.Monitored) []Monitored {
	var named []Monitored
	for _, m := range list {
		region := m.Region
		if region == "" {
			region = pinsight.Where(r.modules.region(m.Address))
		}
		if region == "" {
			region = fmt.Sprintf("%#x", m.Address)
		}
		named = append(named, Monitored{
			Domain: m.Domain, Region: region, Process: m.PID, Rank: m.Rank, Thread: m.Thread,
			Count: m.Count, Total: m.Total, Mean: m.Total / time.Duration(max(m.Count, 1)), Longest: m.Longest,
		})
	}
	return named
}

// writeMonitored writes the report of a run in which something was monitored.
func (r *traceRun) writeMonitored(list []Monitored) error {
	if len(list) == 0 {
		return nil
	}
	text, err := MonitoredJSON(list)
	if err != nil {
		return err
	}
	return r.write(monitorFile, string(text))
}

const statusMethod = "status"

// TraceStatus asks the process that traces a program, by its number, what is known now of the
// regions in the mode MONITORING; 0 is the run whose script this is, else the newest.
func TraceStatus(ctx context.Context, pid int) (list []Monitored, err error) {
	socket, err := traceSocket(pid)
	if err != nil {
		return nil, err
	}
	err = control.Call(ctx, socket, statusMethod, struct{}{}, &list)
	return list, err
}
