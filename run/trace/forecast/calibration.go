package forecast

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/run/trace/agent"
)

// Calibrator is the source of a C program that measures the cost of an event.
//
//go:embed calibrate/calibrate.c
var Calibrator []byte

// Calibration is the measured cost of events on a machine, with a version of the tracer.
type Calibration struct {
	Version int       `json:"version"`
	Machine string    `json:"machine"`
	Tracer  string    `json:"tracer"`
	Runtime string    `json:"runtime,omitempty"` // the OpenMP runtime whose events were measured; empty: the program's own regions
	At      time.Time `json:"at"`
	Cost    Cost      `json:"cost"`
}

// calibrationFile is in the folder of built agents.
const calibrationFile = "calibration.json"

// Here returns a calibration without costs for this machine and this version of the tracer.
func Here() Calibration {
	host, _ := os.Hostname() // a machine without a name is identified by its processor
	text, _ := os.ReadFile("/proc/cpuinfo")
	model := ""
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.TrimSpace(name), "model name") {
			model = strings.TrimSpace(value)
			break
		}
	}
	return Calibration{Version: 1, Machine: strings.TrimSpace(host + " " + model), Tracer: agent.Version()}
}

// Save saves a calibration in a folder, and returns the file.
func (c *Calibration) Save(dir string) (string, error) {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, calibrationFile)
	f, err := outfile.Replace(path)
	if err != nil {
		return "", err
	}
	if _, err := io.WriteString(f, string(text)+"\n"); err != nil {
		return "", errors.Join(err, f.Discard())
	}
	return path, f.Close()
}

// Calibrated returns the cost of events on this machine if it was measured with this version of the tracer, or typical costs.
func Calibrated(dir string) Cost {
	text, err := os.ReadFile(filepath.Join(dir, calibrationFile))
	var c Calibration
	here := Here()
	if err != nil || json.Unmarshal(text, &c) != nil || c.Version != here.Version || c.Machine != here.Machine || c.Tracer != here.Tracer || !c.Cost.Measured {
		return Typical()
	}
	return c.Cost
}
