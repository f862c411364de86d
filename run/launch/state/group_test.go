package state

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestGroupPlace: groups are made below the program's own group in version 1, beside it in version 2, and nowhere else.
func TestGroupPlace(t *testing.T) {
	const (
		v1 = "25 22 0:22 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"
		v2 = "26 22 0:23 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n"
		in = "27 22 0:24 /docker/x /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	)
	for _, c := range []struct {
		own, mounts string
		files       map[string]string
		dir, limit  string // empty: nowhere
	}{
		{"4:memory:/a/b\n0::/\n", v1, map[string]string{"sys/fs/cgroup/memory/a/b/cgroup.procs": ""}, "sys/fs/cgroup/memory/a/b", limitV1},
		{"4:cpu,memory:/docker/x/b\n", in, map[string]string{"sys/fs/cgroup/memory/b/cgroup.procs": ""}, "sys/fs/cgroup/memory/b", limitV1},
		{"4:memory:/elsewhere\n", in, map[string]string{"sys/fs/cgroup/memory/cgroup.procs": ""}, "", ""},
		{"0::/user/app/own\n", v2, map[string]string{"sys/fs/cgroup/user/app/cgroup.procs": "", "sys/fs/cgroup/user/app/cgroup.subtree_control": "cpu memory pids\n"}, "sys/fs/cgroup/user/app", limitV2},
		{"0::/user/app/own\n", v2, map[string]string{"sys/fs/cgroup/user/app/cgroup.procs": "", "sys/fs/cgroup/user/app/cgroup.subtree_control": "cpu pids\n"}, "", ""},
		{"0::/user/app/own\n", v2, map[string]string{"sys/fs/cgroup/user/app/cgroup.subtree_control": "memory\n"}, "", ""},
		{"0::/\n", v2, map[string]string{"sys/fs/cgroup/cgroup.procs": "", "sys/fs/cgroup/cgroup.subtree_control": "memory\n"}, "", ""},
		{"broken\n", v2, nil, "", ""},
	} {
		root := t.TempDir()
		files := map[string]string{"proc/self/cgroup": c.own, "proc/self/mountinfo": c.mounts}
		for name, text := range c.files {
			files[name] = text
		}
		for name, text := range files {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		g := groupPlace(root)
		if (g != nil) != (c.dir != "") || g != nil && (g.dir != filepath.Join(root, c.dir) || g.limit != c.limit) {
			t.Errorf("%s%s: %+v, want the folder %q and the limit %q, or none if these are empty", c.own, c.mounts, g, c.dir, c.limit)
		}
	}
}

// TestGroup: if this machine allows it, a run has a group with a subgroup for each node, and removes them.
func TestGroup(t *testing.T) {
	d, err := Create(t.TempDir(), Run{ID: NewID(time.Now()), Started: time.Now(), Nodes: []Node{{ID: "a/b"}}})
	if err != nil {
		t.Fatal(err)
	}
	g := d.NewGroup()
	if g == nil {
		t.Log("no control group may be made here")
		return
	}
	dir, ok := g.Limit("a/b", 64<<20)
	if !ok {
		t.Errorf("no group in %s", g.dir)
	}
	if again, ok := g.Limit("a/b", 64<<20); !ok || again != dir {
		t.Errorf("of its next start: %s, %v; want %s", again, ok, dir)
	}
	d.RemoveGroup()
	if _, err := os.Stat(g.dir); !os.IsNotExist(err) {
		t.Errorf("%s is left", g.dir)
	}
	d.RemoveGroup() // a second call does nothing
}
