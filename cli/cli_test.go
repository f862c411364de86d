package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pentode-dev/pentode/cli"
)

func TestMain(m *testing.M) {
	// Runs are registered in a folder of the tests, and not in that of the user,
	// who may have none.
	if os.Getenv("XDG_STATE_HOME") == "" {
		os.Setenv("XDG_STATE_HOME", filepath.Join(os.TempDir(), fmt.Sprintf("pentode-cli-%d", os.Getuid())))
	}
	testscript.Main(m, map[string]func(){
		"pentode":              func() { os.Exit(cli.Main(cli.Options{})) },
		"coil-config-validate": func() { os.Exit(cli.ValidateCoil(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs one script for each verb.
func TestScripts(t *testing.T) {
	state := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir: "testdata", UpdateScripts: os.Getenv("PENTODE_UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, noRaceNap, "XDG_STATE_HOME="+state)
			return nil
		},
	})
}

// noRaceNap keeps programs under the race detector from sleeping for a second
// before they exit.
const noRaceNap = "GORACE=atexit_sleep_ms=0"

// write makes a file of a test.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
