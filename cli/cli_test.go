package cli_test

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/internal/played"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"pentode":              func() { os.Exit(cli.Main(cli.Options{})) },
		"coil-config-validate": func() { os.Exit(cli.Main(cli.Options{})) }, // the program under the name of a link to it
	})
}

// tests runs the tests of this package. Runs are registered and the tracer is built once, in temporary folders, because the
// user's folders may not exist.
type tests struct{ *testing.M }

func (m tests) Run() int {
	os.Unsetenv("COLUMNS") // without COLUMNS, output is compared unwrapped
	// Without the user's build cache, a test that builds a Go program would compile everything again.
	if cache, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		os.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
	}
	for _, home := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		if os.Getenv(home) != "" {
			continue
		}
		dir, err := os.MkdirTemp("", "pentode-cli")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		os.Setenv(home, dir)
	}
	// Signals that this process ignores, as under nohup, are also ignored in the programs it starts, unless it handles
	// them.
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	return m.M.Run()
}

// TestGoldenScripts runs one script for each verb.
func TestGoldenScripts(t *testing.T) {
	state := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir: "testdata", UpdateScripts: golden.Updating(),
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, noRaceNap, "XDG_STATE_HOME="+state, "XDG_CACHE_HOME="+os.Getenv("XDG_CACHE_HOME"))
			e.Values[asking{}] = e.T()
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"need": askFor, "slow": askForTime, "played": play},
	})
}

// asking is the key under which the environment of a script has the test that runs it.
type asking struct{}

// askForTime is the command `slow` of scripts that only CI runs.
func askForTime(s *testscript.TestScript, _ bool, _ []string) {
	need.Slow(s.Value(asking{}).(testing.TB))
}

// askFor is the script command `need PROGRAM...`. Unlike `[exec:PROGRAM]`, it does not skip silently if a required program
// is missing.
func askFor(s *testscript.TestScript, not bool, programs []string) {
	if not || len(programs) == 0 {
		s.Fatalf("usage: need PROGRAM...")
	}
	for _, program := range programs {
		need.Program(s.Value(asking{}).(testing.TB), program)
	}
}

// play is the script command `played FILE DIR`: it writes the trace that FILE describes.
func play(s *testscript.TestScript, not bool, args []string) {
	if not || len(args) != 2 {
		s.Fatalf("usage: played FILE DIR")
	}
	s.Check(played.Write(s.MkAbs(args[1]), s.ReadFile(args[0])))
}

// noRaceNap keeps programs under the race detector from sleeping for a second
// before they exit.
const noRaceNap = "GORACE=atexit_sleep_ms=0"

// write writes a file for a test.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
