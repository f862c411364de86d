package data_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/datatest"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/logging"
	"github.com/pentode-dev/pentode/run/data/plugin"
)

// rank is a plugin that, like MPI's, provides a value before anything is declared.
var rank = data.Plugin{Name: "rank", Title: "Rank", New: func(c *data.Context) error {
	n := int32(7)
	if err := c.ShareAs("MPI_rank", data.ScalarOf(data.X86_64(), "int", data.Signed, 4), []byte{byte(n), 0, 0, 0}, data.Out); err != nil {
		return err
	}
	c.OnFinalize(func() error { return c.Release("MPI_rank") })
	c.Log.Warn("here")
	return nil
}}

func logOf(t *testing.T, spec string, d data.Dialect) (string, error) {
	t.Helper()
	var log bytes.Buffer
	s, err := data.New(data.Tree(datatest.Tree(t, spec)), data.Options{
		Dialect: d,
		Plugins: append(plugin.List(plugin.Program{}), rank),
		Host:    data.Host{Console: &log, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }},
	})
	if err == nil {
		err = s.Close()
	}
	return log.String(), err
}

func TestLogging(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"data: {x: int}", "[03:04:05][PDI] *** info: Initialization successful\n[03:04:05][PDI] *** info: Finalization\n"},
		{"{data: {x: int}, logging: error}", ""},
		{"{data: {x: int}, logging: }", "[03:04:05][PDI] *** info: Initialization successful\n[03:04:05][PDI] *** info: Finalization\n"},
		{"{logging: {level: warn, pattern: '%L|%v'}}", "W|No data (or metadata) defined in specification tree\n"},
		{"{logging: {level: warn, pattern: '%v', output: {console: off}}}", ""},
		{"{data: {x: int}, plugins: {rank: }, logging: {level: info, pattern: '<%{MPI_rank:03d}> %n %v'}}",
			"<%{MPI_rank:03d}> Rank here\n<007> PDI Initialization successful\n<007> PDI Finalization\n"},
		{"{data: {x: int}, plugins: {trace: {logging: {pattern: 'T%{MPI_rank} %v'}}, rank: {logging: off}}, logging: {level: info, pattern: '%v'}}",
			"T%{MPI_rank} Welcome!\nInitialization successful\nT7 !!!                            named event: pdi_start_timer\n" +
				"T7 !!!                            named event: pdi_stop_timer\nFinalization\nT7 <<= data stop being available in the store: MPI_rank\nT7 Goodbye!\n"},
		{"{data: {x: {type: int, size: 3}}, logging: {level: warn, pattern: '%v'}}",
			"spec.yml:1:24: `int` has no key `size`, it is ignored: only an `array` has a size: `{type: array, subtype: int, size: …}`\n"},
	} {
		got, err := logOf(t, c.spec, data.Documented)
		if err != nil || got != c.want {
			t.Errorf("%s\n got %q %v\nwant %q", c.spec, got, err, c.want)
		}
	}
}

// TestPatternBlock checks that a plugin's block is in every line unless the tree has a pattern; the
// original program then still writes it in the store's own lines.
func TestPatternBlock(t *testing.T) {
	block := data.Plugin{Name: "block", Title: "Block", New: func(c *data.Context) error {
		c.OnFinalize(func() error { c.Log.Warn("bye"); return nil })
		return c.AddPatternBlock("rank 7")
	}}
	for _, c := range []struct {
		logging string
		dialect data.Dialect
		want    string
	}{
		{"{level: warn}", data.Documented, "[03:04:05][rank 7][PDI] *** warning: hello\n[03:04:05][rank 7][Block] *** warning: bye\n"},
		{"{level: warn}", data.Upstream, "[03:04:05][rank 7][PDI] *** warning: hello\n[03:04:05][rank 7][Block] *** warning: bye\n"},
		{"{level: warn, pattern: '%n %v'}", data.Documented, "PDI hello\nBlock bye\n"},
		{"{level: warn, pattern: '%n %v'}", data.Upstream, "[03:04:05][rank 7][PDI] *** warning: hello\nBlock bye\n"},
	} {
		var log bytes.Buffer
		s, err := data.New(data.Tree(datatest.Tree(t, "{data: {x: int}, plugins: {block: }, logging: "+c.logging+"}")), data.Options{
			Dialect: c.dialect, Plugins: []data.Plugin{block},
			Host: data.Host{Console: &log, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Log.Warn("hello")
		if err := s.Close(); err != nil || log.String() != c.want {
			t.Errorf("%s: %v\n got %q\nwant %q", c.logging, err, log.String(), c.want)
		}
	}
}

// TestSetLevel checks that a new level applies to the store and to plugins without their own level.
func TestSetLevel(t *testing.T) {
	var log bytes.Buffer
	say := func(name string) data.Plugin {
		return data.Plugin{Name: name, Title: name, New: func(c *data.Context) error {
			c.OnEvent("say", func(string) error {
				c.Log.Info("speaks")
				c.Log.Error("shouts")
				return nil
			})
			return nil
		}}
	}
	s, err := data.New(data.Tree(datatest.Tree(t, "{data: {x: int}, logging: {level: error, pattern: '%n %v'}, plugins: {common: , own: {logging: {level: error}}}}")),
		data.Options{Plugins: []data.Plugin{say("common"), say("own")}, Host: data.Host{Console: &log}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		level logging.Level
		want  string
	}{
		{logging.Info, "common speaks\ncommon shouts\nown shouts\n"},
		{logging.Off, "own shouts\n"},
	} {
		s.SetLevel(c.level)
		log.Reset()
		if err := s.Event("say"); err != nil || log.String() != c.want {
			t.Errorf("level %v: %v\n%s", c.level, err, &log)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestLoggingUpstream checks what the original program ignores in `logging` and what it refuses.
func TestLoggingUpstream(t *testing.T) {
	for _, c := range []struct {
		spec string
		want data.Status
	}{
		{"logging: [debug]", data.StatusOK},
		{"logging: {output: abc}", data.StatusOK},
		{"logging: {output: [x]}", data.StatusOK},
		{"logging: {output: {console: [a]}}", data.StatusOK},
		{"logging: {output: {file: [a]}}", data.StatusSpecTree},
		{"logging: {level: [a]}", data.StatusSpecTree},
		{"plugins: {trace: {logging: [a]}}", data.StatusOK},
		{"plugins: {trace: [a]}", data.StatusOK},
		{"plugin_path: [a, b]", data.StatusOK},
		{"plugin_path: [a, [b]]", data.StatusSpecTree},
		{"plugin_path: {a: b}", data.StatusSpecTree},
		{"data: []", data.StatusOK},
		{"metadata: []", data.StatusOK},
		{"types: []", data.StatusOK},
		{"plugins: []", data.StatusOK},
		{"plugins: [trace]", data.StatusSpecTree},
	} {
		if _, err := logOf(t, c.spec, data.Upstream); data.StatusOf(err) != c.want {
			t.Errorf("%s: %v, want %v", c.spec, err, c.want)
		}
	}
}

func TestLoggingErrors(t *testing.T) {
	for _, c := range []struct{ logging, want string }{
		{"loud", "`loud` is not a logging level: the levels are `trace`, `debug`, `info`, `warn`, `error`, `off`"},
		{"WARN", "`WARN` is not a logging level"},
		{"[info]", "expected a level or a mapping after `logging`, found a sequence"},
		{"{level: [a]}", "expected a level, found a sequence"},
		{"{output: {console: no}}", "expected `on` or `off` after `console`, found `no`"},
		{"{output: x}", "expected a mapping with `file` or `console` after `output`, found `x`"},
		{"{output: {file: /nosuch/dir/x.log}}", "cannot write the log `/nosuch/dir/x.log`"},
		{"{pattern: '%{nosuch}'}", "in the pattern of the log: "},
		{"{pattern: '%{MPI_rank'}", "in the pattern of the log: `%{MPI_rank` has no closing brace"},
	} {
		_, err := logOf(t, "{data: {x: int}, logging: "+c.logging+"}", data.Documented)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.logging, err, c.want)
		}
	}
	for _, quiet := range []string{"loud", "{output: {console: no}}", "{output: {file: /nosuch/dir/x.log}}"} {
		if _, err := logOf(t, "{data: {x: int}, logging: "+quiet+"}", data.Upstream); err != nil {
			t.Errorf("%s: upstream says nothing, we say %v", quiet, err)
		}
	}
}

func TestLogFile(t *testing.T) {
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "x.log"))
	for _, c := range []struct{ console, want string }{{"", ""}, {", console: on", "Initialization successful\nFinalization\n"}} {
		got, err := logOf(t, "{data: {x: int}, logging: {pattern: '%v', output: {file: "+file+c.console+"}}}", data.Documented)
		if err != nil || got != c.want {
			t.Errorf("got %q %v, want %q", got, err, c.want)
		}
	}
	text, err := os.ReadFile(file)
	if want := strings.Repeat("Initialization successful\nFinalization\n", 2); err != nil || string(text) != want {
		t.Errorf("the file has %q %v", text, err)
	}
}

// TestPluginErrors checks that errors list the built-in plugins and point at the mistake in the tree.
func TestPluginErrors(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"plugins: {nosuch: }", "plugin `nosuch` is not built in, and shared objects are not loaded: the plugins are `decl_hdf5`, `decl_netcdf`, `flow`, `json`, `mpi`, `pycall`, `rank`, `serialize`, `set_value`, `timer`, `trace`, `user_code`"},
		{"plugins: [trace]", "expected a mapping after `plugins`, found a sequence"},
		{"plugins: {trace: , trace: }", "plugin `trace` is loaded twice"},
		{"plugin_path: {a: b}", "expected a path or a list of paths after `plugin_path`, found a mapping"},
		{"plugins: {serialize: x, timer: y}", "2 errors\n * "},
		{"{metadata: {x: int}, data: {x: int}}", "`x` is already declared at spec.yml:1:13"},
	} {
		_, err := logOf(t, c.spec, data.Documented)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.spec, err, c.want)
		}
	}
}
