package pinsight_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/pinsight"
)

// TestFunctionOfTheProgram: the origin of a region that is named by its function
// says where the program has the function, and nothing where it has none.
func TestFunctionOfTheProgram(t *testing.T) {
	gcc := need.Compiler(t, "gcc")
	path := filepath.Join(t.TempDir(), "app")
	if err := os.WriteFile(path+".c", []byte("int work(void) { return 0; }\nint main(void) { return work(); }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-g", "-o", path, path+".c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := debuginfo.Open(path, debuginfo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	f := source.NewFile("a.pinsight", "[Lexgion(work)]\n    tracing_rate = 2\n[Lexgion(idle)]\n    tracing_rate = 3\n")
	c := pinsight.New(pinsight.Options{Program: program}).Parse(f).Resolve(&load.Env{})
	if origin := golden.Origin(c, "Lexgion(work).tracing_rate"); !strings.Contains(origin, "`work` is at 0x") {
		t.Errorf("the origin does not say where `work` is:\n%s", origin)
	}
	if origin := golden.Origin(c, "Lexgion(idle).tracing_rate"); !strings.Contains(origin, "a.pinsight:4") || strings.Contains(origin, " is at ") {
		t.Errorf("the program has no function `idle`:\n%s", origin)
	}
}
