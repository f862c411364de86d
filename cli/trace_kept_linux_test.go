package cli

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/runs/record"
)

// TestTraceKept: the record of a traced run contains the configuration, the build of the program, the files of the trace and the
// exit code. The trace itself also contains this information, for other programs.
func TestTraceKept(t *testing.T) {
	need.Slow(t)
	babeltrace := need.Program(t, "babeltrace2", "--version")
	r := newTracer(t)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	newest := func() *record.Record {
		t.Helper()
		store, err := record.Here()
		if err != nil {
			t.Fatal(err)
		}
		kept, err := store.Newest(0)
		if err != nil {
			t.Fatal(err)
		}
		return kept
	}
	out, _ := r.trace("[Lexgion.default]\n    tracing_rate = 1\n", "2")
	kept := newest()
	config := filepath.Join(filepath.Dir(out), "trace_config.txt")
	if len(kept.Files) != 1 || kept.Files[0].Path != config || kept.Files[0].Now() != record.Same {
		t.Errorf("files: %+v, want only %s, as it was kept", kept.Files, config)
	}
	if n := len(kept.Programs); n != 2 || kept.Programs[1].Path != r.program || kept.Programs[1].BuildID != debuginfo.BuildID(r.program) {
		t.Errorf("programs: %+v, want 2, the second one %s with its build ID", kept.Programs, r.program)
	}
	if _, ok := kept.Result("ctf/metadata"); !ok || kept.Kind != record.Trace || kept.Out != out || kept.Exit != 0 {
		t.Errorf("a %s in %s with code %d has left %+v", kept.Kind, kept.Out, kept.Exit, kept.Results)
	}
	if !slices.ContainsFunc(kept.Settings, func(s record.Setting) bool { return strings.HasSuffix(s.Key, "tracing_rate") && s.Value == "1" }) {
		t.Errorf("settings: %+v, want one that sets tracing_rate to 1", kept.Settings)
	}
	text, err := exec.Command(babeltrace, "-c", "sink.text.details", filepath.Join(out, "ctf")).CombinedOutput()
	if err != nil || !strings.Contains(string(text), "pentode_run: "+kept.ID) || !strings.Contains(string(text), `pentode_seal: {"pentode_seal":1,"run":"`+kept.ID+`"`) {
		t.Errorf("babeltrace2 does not show the seal of %s: %v\n%.2000s", kept.ID, err, text)
	}

	var errs bytes.Buffer
	if code := Run(Options{}, []string{"trace", "record", "-o", filepath.Join(t.TempDir(), "failed"), "--", "sh", "-c", "exit 3"}, strings.NewReader(""), &errs, &errs); code != 3 {
		t.Fatalf("trace run ended with %d: %s", code, errs.String())
	}
	if failed := newest(); failed.ID == kept.ID || failed.Exit != 3 || !slices.Equal(failed.Command[len(failed.Command)-3:], []string{"sh", "-c", "exit 3"}) {
		t.Errorf("%+v, want another run than %s, exit 3, and sh -c 'exit 3' at the end of its command", failed, kept.ID)
	}
}
