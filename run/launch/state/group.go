package state

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// groupFile records the control group of a run in its folder, so that the group can be removed after the supervisor has died.
const groupFile = "group"

// Group is the control group of a run. Below it, each program can have a group that limits the memory of all its processes together.
type Group struct {
	dir   string
	limit string // the name of the file with the limit of a group
}

// NewGroup makes the control group of a run; nil if this machine does not allow it.
func (d *Dir) NewGroup() *Group {
	g := groupPlace("/")
	if g == nil {
		return nil
	}
	g.dir = filepath.Join(g.dir, "pentode-"+d.Run.ID)
	if os.Mkdir(g.dir, 0o755) != nil {
		return nil
	}
	err := d.WriteFile(groupFile, []byte(g.dir+"\n"))
	if err == nil && g.limit == limitV2 {
		err = os.WriteFile(filepath.Join(g.dir, "cgroup.subtree_control"), []byte("+memory"), 0)
	}
	if err != nil {
		d.RemoveGroup()
		return nil
	}
	return g
}

// Limit makes the group of a node, whose processes together may use the given number of bytes. A process that writes its ID into `cgroup.procs` there
// belongs to the group, with all processes that it starts.
func (g *Group) Limit(node string, bytes int64) (dir string, ok bool) {
	dir = filepath.Join(g.dir, FileName(node))
	if err := os.Mkdir(dir, 0o755); err != nil && !os.IsExist(err) {
		return "", false
	}
	if os.WriteFile(filepath.Join(dir, g.limit), []byte(strconv.FormatInt(bytes, 10)), 0) != nil {
		return "", false
	}
	if g.limit == limitV2 {
		_ = os.WriteFile(filepath.Join(dir, "memory.oom.group"), []byte("1"), 0) // older kernels kill one process alone
	}
	return dir, true
}

// RemoveGroup removes the control group of the run after its processes have ended.
func (d *Dir) RemoveGroup() {
	text, err := os.ReadFile(filepath.Join(d.Path, groupFile))
	if err != nil {
		return // most runs have none
	}
	dir := strings.TrimSuffix(string(text), "\n")
	for end := time.Now().Add(groupPatience); ; time.Sleep(cleanupPoll) {
		entries, _ := os.ReadDir(dir) // a removed folder has no entries
		for _, e := range entries {
			if e.IsDir() {
				_ = os.Remove(filepath.Join(dir, e.Name())) // a group with processes stays, and so do its parents
			}
		}
		if err := os.Remove(dir); err == nil || os.IsNotExist(err) || time.Now().After(end) {
			break
		}
	}
	_ = os.Remove(filepath.Join(d.Path, groupFile))
}

// groupPatience is how long the system may take to forget ended processes.
const groupPatience = time.Second

// The names of the file with the limit of a group, in the two versions of control groups.
const (
	limitV1 = "memory.limit_in_bytes"
	limitV2 = "memory.max"
)

// groupPlace returns the place where this program may make groups that limit memory: below its own group in version 1, beside it in version 2,
// because there a group has either processes or subgroups. root is the root of the file system.
func groupPlace(root string) *Group {
	own, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return nil
	}
	mounts, err := os.ReadFile(filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(own)) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		first := slices.Contains(strings.Split(parts[1], ","), "memory")
		if !first && parts[1] != "" {
			continue
		}
		at, ok := groupMount(string(mounts), first, parts[2])
		if !ok {
			continue
		}
		g := &Group{filepath.Join(root, at), limitV1}
		if !first {
			if filepath.Clean(parts[2]) == "/" {
				continue
			}
			g = &Group{filepath.Dir(g.dir), limitV2}
			enabled, err := os.ReadFile(filepath.Join(g.dir, "cgroup.subtree_control"))
			if err != nil || !slices.Contains(strings.Fields(string(enabled)), "memory") {
				continue
			}
		}
		if f, err := os.OpenFile(filepath.Join(g.dir, "cgroup.procs"), os.O_WRONLY, 0); err == nil {
			f.Close() // a user who may not write there may not move processes either
			return g
		}
	}
	return nil
}

// groupMount finds the folder of a group in the mounts of this process.
func groupMount(mounts string, first bool, group string) (string, bool) {
	for line := range strings.Lines(mounts) {
		left, right, ok := strings.Cut(line, " - ")
		words, kind := strings.Fields(left), strings.Fields(right)
		if !ok || len(words) < 5 || len(kind) < 3 {
			continue
		}
		if first && (kind[0] != "cgroup" || !slices.Contains(strings.Split(kind[2], ","), "memory")) || !first && kind[0] != "cgroup2" {
			continue
		}
		if below, ok := strings.CutPrefix(group, strings.TrimSuffix(words[3], "/")); ok {
			return words[4] + below, true
		}
	}
	return "", false
}
