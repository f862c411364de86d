package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/forecast"
)

// TestTraceCalibrate: the measurement is saved, and forecasts no longer mark times with "about".
func TestTraceCalibrate(t *testing.T) {
	need.Slow(t)
	need.Compiler(t, "cc")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	// Building the tracer takes longer than measuring: use the one that other tests have built.
	if code, _, said := ask("trace", "record", "-o", filepath.Join(t.TempDir(), "traced"), "--", "true"); code != 0 {
		t.Fatalf("%d, %s; want 0", code, said)
	}
	var built []string
	if cache, err := os.UserCacheDir(); err == nil {
		built, _ = filepath.Glob(filepath.Join(cache, "pentode", "trace", "*.so"))
	}
	playedRun(t, steps(0, 10), "", "")
	cache, err := os.MkdirTemp("/tmp", "calibrate") // the path must not contain blanks or colons, so that the tracer can be preloaded
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(cache) })
	t.Setenv("XDG_CACHE_HOME", cache)
	folder := filepath.Join(cache, "pentode", "trace")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range built {
		if err := os.Symlink(path, filepath.Join(folder, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	if _, out, _ := ask("trace", "forecast", "--record", "traced", "trace_config.txt"); !strings.Contains(out, ", about ") {
		t.Errorf("nothing was measured, and that is not said:\n%s", out)
	}
	code, out, said := ask("trace", "forecast", "--calibrate")
	if code != 0 || !strings.Contains(out, "an event costs ") || !strings.Contains(said, "calibration.json") {
		t.Fatalf("%d, %s, %s; want code = 0, %q in out and %q in said", code, out, said, "an event costs ", "calibration.json")
	}
	_, out, said = ask("trace", "forecast", "--record", "traced", "--format", "json", "trace_config.txt")
	var f forecast.Forecast
	if err := json.Unmarshal([]byte(out), &f); err != nil || !f.Cost.Measured || f.Cost.Recorded <= 0 || f.Cost.Against < 0 || f.Cost.Off < 0 {
		t.Errorf("%v, %+v, %s", err, f.Cost, said)
	}
	if _, out, _ = ask("trace", "forecast", "--record", "traced", "trace_config.txt"); strings.Contains(out, "about") {
		t.Errorf("what was measured is not used:\n%s", out)
	}
	// Measuring with the OpenMP runtime of a program needs the events of its locks; without them there is no
	// result.
	clang := need.Program(t, "clang", "--version")
	if err := os.WriteFile("loop.c", []byte("int main(void) {\n#pragma omp parallel\n\t;\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(clang, "-fopenmp", "loop.c", "-o", "loop").CombinedOutput(); err != nil {
		need.Ability(t, "a compiler with OpenMP", fmt.Errorf("%w: %s", err, out))
	}
	if code, out, said = ask("trace", "forecast", "--calibrate", "--", "./loop"); code != 0 || !strings.Contains(out, "libomp") {
		t.Fatalf("%d, %s, %s; want code = 0 and %q in out", code, out, said, "libomp")
	}
	text, err := os.ReadFile(filepath.Join(folder, "calibration.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c forecast.Calibration
	if err := json.Unmarshal(text, &c); err != nil || !strings.HasPrefix(c.Runtime, "libomp") || !c.Cost.Measured {
		t.Errorf("%v, %s", err, text)
	}
	if code, _, said = ask("trace", "forecast", "--calibrate", "--", "no-such-program"); code != exitNo || !strings.Contains(said, "there is no program `no-such-program`") {
		t.Errorf("%d, %s; want code = %v and %q in said", code, said, exitNo, "there is no program `no-such-program`")
	}
}
