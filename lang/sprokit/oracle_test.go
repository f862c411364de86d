package sprokit

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow"
)

// rows reads a table with a header; a missing file has none.
func rows(t *testing.T, path string) []map[string]string {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for _, row := range all[1:] {
		m := map[string]string{}
		for i, name := range all[0] {
			if i < len(row) {
				m[name] = row[i]
			}
		}
		list = append(list, m)
	}
	return list
}

func oracleDir(t *testing.T) string {
	dir := filepath.Join(golden.Oracle(t), "sprokit")
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("the oracle holds nothing for sprokit: %v", err)
	}
	return dir
}

func openFile(t *testing.T, o Options, path, dir string, d load.Dialect, vars map[string]string) *lang.Config {
	f, err := source.Disk{}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	env := &load.Env{Opener: source.Disk{}, Dir: dir, Dialect: d, Lookup: func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}}
	return New(o).Parse(f).Resolve(env)
}

// differs says why our outcome is another than upstream's, by what the case says.
func differs(exception, note string) string {
	switch {
	case exception == "orphaned_processes_exception":
		return "separate parts run side by side here, with a warning"
	case exception == "no_such_process_type_exception":
		return "types that live elsewhere are a warning"
	case strings.Contains(note, "BUG: deferred"):
		return "upstream counts one reader twice"
	}
	return ""
}

// TestOracleProbes compares outcome and settings of small files. What upstream
// finds when it sets a pipeline up is asked of the engine.
func TestOracleProbes(t *testing.T) {
	dir := oracleDir(t)
	for _, row := range rows(t, filepath.Join(dir, "probes.tsv")) {
		t.Run(row["path"], func(t *testing.T) {
			folder := filepath.Join(dir, "probes")
			t.Chdir(folder)
			vars := map[string]string{"HOME": "/h", "PATH": "/usr/bin:/bin", "SPROKIT_CLUSTER_PATH": "."}
			c := openFile(t, Options{}, row["path"], folder, load.Upstream, vars)
			m, _ := lang.Model[*Model](c)
			found := firstError(c.Diagnostics())
			if d := refusal(m); d == nil && slices.Contains([]string{"lex", "parse", "config"}, row["phase"]) {
				found = "" // upstream was not asked further
			}
			if found == "" && row["phase"] == "setup" {
				found = setupError(t, c)
			}
			outcome, exception, _ := strings.Cut(row["upstream"], ":")
			why := differs(exception, row["note"])
			switch {
			case outcome == "error" && found == "" && why == "":
				t.Errorf("upstream says %s: %s, but nothing was found", exception, row["message"])
			case outcome != "error" && found != "":
				t.Errorf("upstream accepts it (%s), but: %s", row["note"], found)
			case outcome == "error":
				return
			}
			if doc, ok := strings.CutPrefix(row["message"], "desc=["); ok {
				if m.Cluster == nil || m.Cluster.Doc+"]" != doc {
					t.Errorf("the description is %q, want %q", m.Cluster.Doc, strings.TrimSuffix(doc, "]"))
				}
				return
			}
			if outcome == "ok" {
				compareConfig(t, m, "", probeConfig(row["message"]))
			}
		})
	}
}

func firstError(list diag.List) string {
	if i := slices.IndexFunc(list, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error }); i >= 0 {
		return list[i].Message
	}
	return ""
}

// setupError starts a pipeline and stops it.
func setupError(t *testing.T, c *lang.Config) string {
	p, opt, err := modelOf(c).Pipeline()
	if err != nil {
		return err.Error()
	}
	opt.Dir = t.TempDir()
	run, err := p.Start(t.Context(), opt)
	if err != nil {
		return err.Error()
	}
	run.Abort()
	_ = run.Wait()
	return ""
}

// probeConfig reads `key[flag] = [value] ; …`.
func probeConfig(text string) map[string]string {
	config := map[string]string{}
	for part := range strings.SplitSeq(text, " ; ") {
		if key, value, ok := strings.Cut(part, " = ["); ok {
			config[key] = strings.TrimSuffix(value, "]")
		}
	}
	return config
}

// TestOracleRuns runs pipelines under every scheduler, ten times each:
// PENTODE_RUNS says how many times instead.
func TestOracleRuns(t *testing.T) {
	dir := oracleDir(t)
	times := 10
	if text := os.Getenv("PENTODE_RUNS"); text != "" {
		var err error
		if times, err = strconv.Atoi(text); err != nil {
			t.Fatalf("PENTODE_RUNS is a number of runs, not %q", text)
		}
	}
	for _, row := range rows(t, filepath.Join(dir, "runs.tsv")) {
		for _, scheduler := range schedulers {
			t.Run(row["file"]+"/"+scheduler, func(t *testing.T) {
				defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
				for range times {
					oracleRun(t, dir, row, scheduler)
				}
			})
		}
	}
}

// oracleRun runs one pipeline once, in an empty folder.
func oracleRun(t *testing.T, dir string, row map[string]string, scheduler string) {
	work := t.TempDir()
	vars := map[string]string{"SPROKIT_CLUSTER_PATH": filepath.Join(dir, "runs", "clusters")}
	c := openFile(t, Options{}, filepath.Join(dir, "runs", row["file"]), work, load.Documented, vars)
	failed := firstError(c.Diagnostics())
	if failed == "" {
		failed = runPipeline(t, c, scheduler, work)
	}
	if ok := row["ours_outcome"] == "ok"; ok != (failed == "") {
		t.Fatalf("the outcome should be %s: %s", row["ours_outcome"], failed)
	}
	if failed != "" {
		return
	}
	text, err := os.ReadFile(filepath.Join(work, "OUT.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(string(text)), " "); got != strings.TrimSpace(row["ours_numbers"]) {
		t.Fatalf("numbers %s, want %s", got, row["ours_numbers"])
	}
}

func runPipeline(t *testing.T, c *lang.Config, scheduler, dir string) string {
	p, _, err := modelOf(c).Pipeline()
	if err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := p.Run(ctx, flow.Options{Scheduler: scheduler, Dir: dir}); err != nil {
		return err.Error()
	}
	return ""
}
