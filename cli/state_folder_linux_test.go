package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestStateFolder: a pipeline and a plan run normally even if the state folder is unusable. They report once what cannot be
// stored.
func TestStateFolder(t *testing.T) {
	need.Slow(t)
	need.Program(t, "sh")
	dir, temporary := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("PENTODE_STATE", "")
	t.Setenv("TMPDIR", temporary)
	if err := os.Mkdir("plan", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, "plan/count.pipe", "process a :: numbers\n  end = 5\nprocess w :: print_number\n  output = n.txt\nconnect from a.number to w.number\n")
	write(t, "plan/p.psdl", `process { name "p"; command "sh"; args { "-c" "for i in 0 1 2 3 4; do echo $i; done > $PENTODE_OUT/n.txt" }; host "localhost"; daemon "pentode"; }`)
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string) error
		want string // part of the message; empty: everything is stored
	}{
		{"missing", func(*testing.T, string) error { return nil }, ""},
		{"a file", func(_ *testing.T, dir string) error { return os.WriteFile(dir, nil, 0o600) }, "not a directory"},
		{"a file in it", func(_ *testing.T, dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "pentode"), nil, 0o600))
		}, "not a directory"},
		{"open to others", func(_ *testing.T, dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, "pentode"), 0o700), os.Chmod(filepath.Join(dir, "pentode"), 0o777))
		}, "other users can write to"},
		{"read-only by its mode", func(t *testing.T, dir string) error {
			need.NoRoot(t)
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "pentode"), 0o700) }) // so that it can be deleted
			return errors.Join(os.MkdirAll(filepath.Join(dir, "pentode"), 0o700), os.Chmod(filepath.Join(dir, "pentode"), 0o500))
		}, "permission denied"},
		{"read-only", func(t *testing.T, dir string) error {
			mount(t, dir, "mode=700")
			return errors.Join(os.Mkdir(filepath.Join(dir, "pentode"), 0o700), syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
		}, "read-only file system"},
		{"full", func(t *testing.T, dir string) error {
			mount(t, dir, "mode=700,size=8k")
			return errors.Join(os.WriteFile(filepath.Join(dir, "all"), make([]byte, 8<<10), 0o600), os.Mkdir(filepath.Join(dir, "pentode"), 0o700))
		}, "no space left on device"},
		{"without names", func(t *testing.T, dir string) error { mount(t, dir, "mode=700,nr_inodes=2"); return nil }, "no space left on device"},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := filepath.Join(t.TempDir(), "state")
			t.Setenv("XDG_STATE_HOME", state)
			if err := c.make(t, state); err != nil {
				t.Fatal(err)
			}
			for _, what := range []string{"plan/count.pipe", "plan"} {
				out := filepath.Join(t.TempDir(), "out")
				said, err := process(t, "run", "-o", out, what).CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", what, err, said)
				}
				result := filepath.Join(out, "n.txt")
				if what == "plan" {
					result = filepath.Join(out, "p", "n.txt")
				}
				if text, err := os.ReadFile(result); err != nil || string(text) != "0\n1\n2\n3\n4\n" {
					t.Errorf("%s has left %q, %v", what, text, err)
				}
				if n := strings.Count(string(said), "warning: "); n != min(1, len(c.want)) || !strings.Contains(string(said), c.want) {
					t.Errorf("%s says not once `%s`:\n%s", what, c.want, said)
				}
			}
		})
	}
}

// mount mounts a file system on a folder. Even root may not be allowed to do so in a container.
func mount(t *testing.T, dir, options string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
}
