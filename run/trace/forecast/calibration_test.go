package forecast_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/trace/forecast"
)

// A calibration is only used for its machine and its version of the tracer.
func TestCalibrated(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	if got := forecast.Calibrated(dir); got != forecast.Typical() || got.Measured {
		t.Errorf("without a calibration: %+v", got)
	}
	c := forecast.Here()
	c.Cost = forecast.Cost{Recorded: 40, Against: 2, Off: 1, Measured: true}
	if c.Tracer == "" {
		t.Error("the tracer has no version")
	}
	path, err := c.Save(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := forecast.Calibrated(dir); got != c.Cost {
		t.Errorf("%+v, want %+v", got, c.Cost)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, other := range map[string]string{
		"another machine": strings.Replace(string(text), `"machine": "`, `"machine": "another `, 1),
		"another tracer":  strings.Replace(string(text), `"tracer": "`, `"tracer": "x`, 1),
		"a broken file":   string(text[:len(text)/2]),
	} {
		if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := forecast.Calibrated(dir); got != forecast.Typical() {
			t.Errorf("%s: %+v, want %+v", what, got, forecast.Typical())
		}
	}
}
