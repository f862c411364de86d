package sprokit

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow"
)

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

var mismatch = regexp.MustCompile(`between the '([^']*)' port on the '([^']*)' upstream`)

// differs returns why our outcome differs from upstream's, judged by the exception and the message.
func differs(exception, message, text string) string {
	switch exception {
	case "orphaned_processes_exception":
		return "separate parts run side by side here, with a warning"
	case "no_such_process_type_exception":
		return "types that live elsewhere are a warning"
	case "connection_flag_mismatch_exception":
		m := mismatch.FindStringSubmatch(message)
		if m != nil && len(regexp.MustCompile(`from\s+`+regexp.QuoteMeta(m[2]+"."+m[1])+`\s`).FindAllString(text, -1)) == 1 {
			return "a port with one reader is not shared; upstream counts the reader of a flow-dependent port twice"
		}
	}
	return ""
}

// TestOracleProbes compares outcome and settings of small files. If upstream refuses a pipeline while setting it up, the engine is asked too.
func TestOracleProbes(t *testing.T) {
	golden.Oracle(t, "sprokit", func(t *testing.T, s golden.Set) {
		for _, row := range s.Table(t, "probes.tsv") {
			t.Run(row["path"], func(t *testing.T) { probe(t, filepath.Join(s.Dir, "probes"), row) })
		}
	})
}

func probe(t *testing.T, folder string, row map[string]string) {
	t.Chdir(folder)
	vars := map[string]string{"HOME": "/h", "PATH": "/usr/bin:/bin", "TEST_ENV": "expected", "SPROKIT_CLUSTER_PATH": "."}
	c := openFile(t, Options{}, row["path"], folder, load.Upstream, vars)
	m, _ := lang.Model[*Model](c)
	outcome, exception, _ := strings.Cut(row["upstream"], ":")
	message := strings.ReplaceAll(row["message"], "@ROOT@", folder)
	found := firstError(c.Diagnostics())
	if d := refusal(m); d == nil && slices.Contains([]string{"lex", "parse", "config"}, row["phase"]) {
		found = "" // upstream was not run further
	}
	if found == "" && (row["phase"] == "setup" || outcome == "hang") {
		found = setupError(t, c)
	}
	switch {
	case outcome == "error":
		if found == "" && differs(exception, message, c.Document.File.Text()) == "" {
			t.Errorf("upstream says %s: %s, but nothing was found", exception, message)
		}
	case found != "":
		t.Errorf("upstream accepts it (%s), but: %s", row["note"], found)
	case strings.HasPrefix(message, "desc=["):
		doc := strings.TrimSuffix(strings.TrimPrefix(message, "desc=["), "]")
		if m.Cluster == nil {
			t.Errorf("no cluster, want one with the description %q", doc)
		} else if m.Cluster.Doc != doc {
			t.Errorf("the description is %q, want %q", m.Cluster.Doc, doc)
		}
	case outcome == "ok" && row["kind"] != "cluster":
		compareConfig(t, m, folder, probeConfig(message))
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
	for part := range strings.SplitSeq(strings.TrimSuffix(text, "]"), "] ; ") {
		if key, value, ok := strings.Cut(part, " = ["); ok {
			config[key] = value
		}
	}
	return config
}

// TestOracleRuns runs pipelines under every scheduler: twice, ten times at full size, or as often as PENTODE_RUNS sets.
func TestOracleRuns(t *testing.T) {
	times := 2
	if need.FullSize() {
		times = 10
	}
	if text := os.Getenv("PENTODE_RUNS"); text != "" {
		var err error
		if times, err = strconv.Atoi(text); err != nil {
			t.Fatalf("PENTODE_RUNS is a number of runs, not %q", text)
		}
	}
	golden.Oracle(t, "sprokit", func(t *testing.T, s golden.Set) {
		for _, row := range s.Table(t, "runs.tsv") {
			for _, scheduler := range schedulers {
				t.Run(row["file"]+"/"+scheduler, func(t *testing.T) {
					defer golden.NothingRuns(t, goleak.IgnoreCurrent())
					for range times {
						oracleRun(t, s.Dir, row, scheduler)
					}
				})
			}
		}
	})
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
	ctx, cancel := context.WithTimeout(t.Context(), golden.Patience)
	defer cancel()
	if err := p.Run(ctx, flow.Options{Scheduler: scheduler, Dir: dir}); err != nil {
		return err.Error()
	}
	return ""
}
