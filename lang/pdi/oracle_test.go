package pdi_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
	"github.com/pentode-dev/pentode/run/data/replay"
)

// upstream resolves a text as the original program reads it.
func upstream(t *testing.T, path, text string) (*lang.Config, *pdi.Model) {
	t.Helper()
	env := load.NewEnv()
	env.Dialect = load.Upstream
	c := language.Parse(source.NewFile(path, text)).Resolve(env)
	m, ok := lang.Model[*pdi.Model](c)
	if !ok {
		t.Fatal("the config is not one of this language")
	}
	return c, m
}

type treeCase struct {
	Group, Input string
	Result       struct {
		Status, Errmsg, Log string

		NoYAML any `json:"yaml_error"`
		Crash  any // upstream crashed: an error and a store are both better
	}
}

// TestOracleTrees loads every complete recorded tree, with its includes. The class of the outcome and the log must equal upstream's, and if upstream
// refuses the tree itself, check must refuse it too.
func TestOracleTrees(t *testing.T) {
	golden.Oracle(t, "pdi", func(t *testing.T, set golden.Set) {
		for i, c := range golden.List[treeCase](t, set, "spectrees.json") {
			t.Run(fmt.Sprintf("%s/%d", c.Group, i), func(t *testing.T) { c.load(t, set.Copy(t, "inc")) })
		}
	})
}

func (c *treeCase) load(t *testing.T, dir string) {
	here := func(text string) string { return strings.ReplaceAll(text, "@DIR@", filepath.ToSlash(dir)) }
	text := here(c.Input)
	config, m := upstream(t, filepath.Join(dir, "tree.yml"), text)
	found := config.Diagnostics()
	if c.Result.NoYAML != nil {
		if !found.HasErrors() {
			t.Errorf("%s\nis no YAML (%v), and we find nothing", text, c.Result.NoYAML)
		}
		return
	}
	status, log := start(m, found)
	if c.Result.Crash != nil {
		return
	}
	if status != c.Result.Status {
		t.Fatalf("%s\n got %s %s\nwant %s %s", text, status, log, c.Result.Status, here(c.Result.Errmsg))
	}
	refused := status != "OK" && !atRunTime(c.Input, c.Result.Status, c.Result.Errmsg)
	if found.HasErrors() != refused {
		t.Errorf("%s\ncheck says errors=%v, upstream has %s %s\n%s\nwant %v", text, found.HasErrors(), status, here(c.Result.Errmsg), messages(found), refused)
	}
	if got, want := plainLog(log), plainLog(here(c.Result.Log)); status == "OK" && got != want {
		t.Errorf("%s\nlog\n%s\nupstream\n%s", text, got, want)
	}
}

// atRunTime reports whether upstream's refusal is about plugins and not about the tree: a missing plugin is not an error of check, and errors of
// `on_init` are known only when it runs.
func atRunTime(input, status, message string) bool {
	return status == "PLUGIN" || status == "STATE" || strings.Contains(message, "bad_alloc") ||
		strings.Contains(message, "user function") || strings.Contains(input, "on_init") && strings.Contains(message, "non shared value")
}

// start makes the store of a tree and closes it. Findings of resolving come before the engine: upstream reports a missing included file as SYSTEM,
// everything else as SPECTREE.
func start(m *pdi.Model, found diag.List) (status, log string) {
	for _, d := range found {
		if !strings.HasPrefix(d.Code.ID, "pdi/include") && d.Code.ID != "pdi/bad-include" {
			continue
		}
		if d.Code.ID == "pdi/include-missing" || d.Message == "`include` names no file" {
			return "SYSTEM", d.Message
		}
		return "SPECTREE", d.Message
	}
	var out bytes.Buffer
	s, err := data.New(m.Spec(), data.Options{Dialect: m.Dialect(), Plugins: plugin.List(plugin.Program{}), Host: data.Host{Console: &out}})
	if err != nil {
		return data.StatusOf(err).String(), err.Error()
	}
	if err := s.Close(); err != nil {
		return "closing: " + data.StatusOf(err).String(), err.Error()
	}
	return "OK", out.String()
}

func messages(found diag.List) string {
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "%s %s %s %s\n", d.Severity, d.Code.ID, d.Span, d.Message)
	}
	return b.String()
}

var times = regexp.MustCompile(`\[\d\d:\d\d:\d\d\]|^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+\]`)

// plainLog removes the parts of a log that may differ: times, lines about upstream itself, and warnings with other words.
func plainLog(log string) string {
	var out strings.Builder
	for line := range strings.Lines(log) {
		if strings.Contains(line, "*** trace: ") || strings.Contains(line, "`size") {
			continue
		}
		out.WriteString(times.ReplaceAllString(line, "[T]"))
	}
	return out.String()
}

type storeCase struct {
	Group, Spec string
	Result      struct {
		Steps []storeStep
		Log   string
	}
}

type storeStep struct {
	Op         []any
	Status     string
	Error      *struct{ Status, What string }
	Long, Int  *int64
	String     *string
	Null, Same *bool
}

// TestOracleStore plays every call sequence of the oracle as a script on the tree's store.
func TestOracleStore(t *testing.T) {
	golden.Oracle(t, "pdi", func(t *testing.T, set golden.Set) {
		for i, c := range golden.List[storeCase](t, set, "store.json") {
			t.Run(fmt.Sprintf("%s/%d", c.Group, i), c.play)
		}
	})
}

func (c *storeCase) play(t *testing.T) {
	_, m := upstream(t, "spec.yml", c.Spec)
	var log bytes.Buffer
	p, err := replay.NewPlayer(func() (*data.Store, error) {
		return data.New(m.Spec(), data.Options{Dialect: m.Dialect(), Plugins: plugin.List(plugin.Program{Functions: usercode.Functions(functions(&log))}), Host: data.Host{Console: &log}})
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, step := range c.Result.Steps {
		line, err := json.Marshal(step.Op)
		if err != nil {
			t.Fatal(err)
		}
		script, err := pdi.Script(source.NewFile("script.yml", "- "+string(line)+"\n"))
		if len(script) != 1 {
			t.Fatalf("%s is not read as one call: %v", line, err)
		}
		compareStep(t, k, step, p.Play(script[0]))
	}
	if log.String() != c.Result.Log {
		t.Errorf("log\n%s\nupstream\n%s\nwant %v", log.String(), c.Result.Log, c.Result.Log)
	}
}

// functions are the two functions of the recording program.
func functions(log *bytes.Buffer) map[string]usercode.Function {
	return map[string]usercode.Function{
		"uc_hello": func(*data.Store) error { log.WriteString("UC hello\n"); return nil },
		"uc_fn": func(s *data.Store) error {
			memory, err := s.Access("in", data.In)
			if err != nil {
				return err
			}
			fmt.Fprintf(log, "UC in=%d status=%d\n", int32(binary.NativeEndian.Uint32(memory)), data.StatusOK)
			return s.Release("in")
		},
	}
}

func compareStep(t *testing.T, k int, want storeStep, got replay.Result) {
	t.Helper()
	if s := data.StatusOf(got.Err).String(); s != want.Status {
		t.Errorf("step %d %v: %s %v, upstream has %s", k, want.Op, s, got.Err, want.Status)
	}
	if want.Long != nil && got.Value != *want.Long {
		t.Errorf("step %d %v: %v, upstream has %d", k, want.Op, got.Value, *want.Long)
	}
	if want.String != nil && got.Value != *want.String {
		t.Errorf("step %d %v: %v, upstream has %q", k, want.Op, got.Value, *want.String)
	}
	if want.Int != nil && (got.First == nil || int64(*got.First) != *want.Int) {
		t.Errorf("step %d %v: %v, upstream has %d", k, want.Op, got.First, *want.Int)
	}
	if want.Null != nil && got.Memory == *want.Null || want.Same != nil && got.Same != *want.Same {
		t.Errorf("step %d %v: memory %v same %v, upstream differs", k, want.Op, got.Memory, got.Same)
	}
	switch {
	case want.Error == nil && got.Failed != nil:
		t.Errorf("step %d %v: %v, upstream has a value", k, want.Op, got.Failed)
	case want.Error != nil && data.StatusOf(got.Failed).String() != want.Error.Status:
		t.Errorf("step %d %v: %v, upstream has %s %s", k, want.Op, got.Failed, want.Error.Status, want.Error.What)
	}
}
