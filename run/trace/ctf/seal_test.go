package ctf

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/internal/need"
)

// TestSealed checks that the seal, which records what produced a trace, is in the trace's
// environment, whatever texts it contains, and that other programs can still read the trace.
func TestSealed(t *testing.T) {
	babeltrace := need.Has(t, "babeltrace2")
	dir := filepath.Join(t.TempDir(), "ctf")
	trace := schema()
	want := seal.Seal{Run: "first", Host: "a \"host\" with \\ and ü; };"}
	trace.Env = map[string]string{"hostname": `"node"`, "pentode_run": Quote(want.Run), seal.Name: Quote(string(want.Text()))}
	if err := Create(dir, trace); err != nil {
		t.Fatal(err)
	}
	if err := trace.Describe(Clock{Frequency: 1e9}); err != nil {
		t.Fatal(err)
	}
	s, err := trace.Stream("stream_0", 7, 8)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s, 0, 5)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := seal.Parse([]byte(r.Env[seal.Name]))
	if err != nil || got.Run != "first" || got.Host != want.Host || r.Env["pentode_run"] != "first" {
		t.Fatalf("%+v, %v: %q", got, err, r.Env)
	}
	if list, err := read(t, dir); len(list) != 1 {
		t.Errorf("%d events, %v", len(list), err)
	}
	if !babeltrace {
		return
	}
	if out, err := exec.Command("babeltrace2", dir).CombinedOutput(); err != nil || strings.Count(string(out), "\n") != 1 {
		t.Errorf("babeltrace2: %v\n%s", err, out)
	}
}
