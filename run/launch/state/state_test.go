package state

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
)

func TestMain(m *testing.M) { golden.Main(m) }

func TestCreateOpenList(t *testing.T) {
	base := filepath.Join(t.TempDir(), "pentode")
	now := time.Now()
	if _, err := Open(base, ""); err == nil || !strings.Contains(err.Error(), "no run is known") {
		t.Errorf("an empty base: %v", err)
	}
	for i, id := range []string{"b", "a"} {
		d, err := Create(base, Run{ID: id, Started: now.Add(time.Duration(i) * time.Second), Nodes: []Node{{ID: "n"}}})
		if err != nil {
			t.Fatal(err)
		}
		if !d.Supervised() {
			t.Error("this program is the supervisor and lives")
		}
	}
	for path, want := range map[string]os.FileMode{base: 0o700, base + "/a": 0o700, base + "/a/logs": 0o700, base + "/a/run.json": 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
	newest, err := Open(base, "")
	if err != nil || newest.Run.ID != "a" || !slices.Equal(newest.Run.IDs(), []string{"n"}) {
		t.Errorf("newest: %+v, %v", newest, err)
	}
	if _, err := Create(base, Run{ID: "a"}); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("the same id: %v", err)
	}
	for _, id := range []string{"", "../x", "a/b", ".hidden", strings.Repeat("x", 101)} {
		if _, err := Create(base, Run{ID: id}); err == nil {
			t.Errorf("id %q was taken, want one", id)
		}
	}
	for _, id := range []string{"none", "../a"} {
		if _, err := Open(base, id); err == nil || !strings.Contains(err.Error(), "no run is called") {
			t.Errorf("open %q: %v", id, err)
		}
	}
	os.WriteFile(base+"/a/run.json", []byte("{"), 0o600)
	if _, err := Open(base, "a"); err == nil || !strings.Contains(err.Error(), "is not the state of run `a`") {
		t.Errorf("a broken file: %v", err)
	}
	if newest, err = Open(base, ""); err != nil || newest.Run.ID != "b" {
		t.Errorf("newest beside a broken one: %+v, %v", newest, err)
	}
	if err := newest.Remove(); err != nil {
		t.Error(err)
	}
	if all, err := List(base); err != nil || len(all) != 0 {
		t.Errorf("after removal: %v, %v", all, err)
	}
	os.Chmod(base, 0o777)
	if _, err := Create(base, Run{ID: "c"}); err == nil || !strings.Contains(err.Error(), "other users can write to") {
		t.Errorf("an open folder: %v", err)
	}
}

func TestNewIDSorts(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a, b := NewID(now), NewID(now.Add(time.Second))
	if !plainName(a) || a >= b || !strings.HasPrefix(a, "20260102-030405-") {
		t.Errorf("%s, %s; want plain names, the first one before the second and beginning with %q", a, b, "20260102-030405-")
	}
}

func testRun(t *testing.T, id string) *Dir {
	t.Helper()
	d, err := Create(filepath.Join(t.TempDir(), "p"), Run{ID: id, Started: time.Now(), Nodes: []Node{{ID: "n"}, {ID: "../n"}}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestJournal(t *testing.T) {
	d := testRun(t, "r")
	if events, err := d.Events(); err != nil || events != nil || d.Over() {
		t.Errorf("no journal: %v, %v", events, err)
	}
	j, err := d.Journal()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		j.Append(Event{Node: "n", What: Started, Process: Identity{7, 8}})
	}
	if d.Over() {
		t.Error("over too early")
	}
	j.Append(Event{What: Over})
	j.Close()
	if !d.Over() {
		t.Error("the end is not seen")
	}
	f, _ := os.OpenFile(d.Path+"/journal.jsonl", os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString(`{"node":"half`)
	f.Close()
	events, err := d.Events()
	if err != nil || len(events) != 21 || events[0].Process != (Identity{7, 8}) {
		t.Errorf("%d events, %v", len(events), err)
	}
	if d.Over() {
		t.Error("half a line is no end")
	}
}

func TestLogs(t *testing.T) {
	d := testRun(t, "r")
	names := map[string]bool{}
	for _, node := range []string{"n", "all", "%61ll", "../n", ".n", "a/b", "a%2Fb", "", strings.Repeat("x", 300), strings.Repeat("x", 301)} {
		path := d.LogFile(node, "log")
		if names[path] || filepath.Dir(path) != d.Path+"/logs" || len(filepath.Base(path)) > 250 {
			t.Errorf("log of %q: %s, want one of its own in %s/logs, of at most 250 bytes", node, path, d.Path)
		}
		names[path] = true
	}
	var b strings.Builder
	if err := d.Logs(context.Background(), &b, Query{}); err != nil || b.Len() != 0 {
		t.Errorf("no log yet: %q, %v", &b, err)
	}
	if err := d.Logs(context.Background(), &b, Query{Node: "x"}); err == nil || err.Error() != "run `r` has no node `x`" {
		t.Errorf("an unknown node: %v", err)
	}
	write := func(node, stream, text string) {
		f, err := os.OpenFile(d.LogFile(node, stream), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		f.WriteString(text)
	}
	write("../n", "out", "one\n")
	write("../n", "err", "two\n")
	if err := d.Logs(context.Background(), &b, Query{Node: "../n"}); err != nil || b.String() != "one\ntwo\n" {
		t.Errorf("%q, %v", &b, err)
	}
	b.Reset()
	write("", "", "first\n")
	time.AfterFunc(50*time.Millisecond, func() {
		write("", "", "second\n")
		j, _ := d.Journal()
		j.Append(Event{What: Over})
		j.Close()
	})
	ctx, cancel := context.WithTimeout(context.Background(), golden.Patience)
	defer cancel()
	if err := d.Logs(ctx, &b, Query{Follow: true}); err != nil || b.String() != "first\nsecond\n" || ctx.Err() != nil {
		t.Errorf("%q, %v, %v", &b, err, ctx.Err())
	}
}

func TestIdentity(t *testing.T) {
	me := Self()
	if !me.Alive() || (Identity{me.Pid, me.Start + 1}).Alive() || (Identity{}).Alive() {
		t.Error("a process is taken for another")
	}
	cmd := exec.Command("sh", "-c", "exec sleep 60")
	cmd.Env = []string{"A=1", "PENTODE_RUN=run-1", "PENTODE_NODE=a b"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id := Identify(cmd.Process.Pid)
	has := func(run, node string) bool {
		return slices.ContainsFunc(Marked(run, node), func(p Process) bool { return p.Pid == cmd.Process.Pid })
	}
	golden.Until(t, "the process has its mark", func() bool { return has("run-1", "") }) // between fork and exec it has our environment
	if !has("run-1", "a b") || has("run-1", "a") || has("run", "") {
		t.Error("marks are not read right")
	}
	cmd.Process.Kill()
	golden.Until(t, "the process that was killed does not count as alive", func() bool { return !id.Alive() })
	if p, ok := ReadProcess(id.Pid); id.Alive() || !ok || !p.Zombie() {
		t.Error("a zombie counts as alive")
	}
	_ = cmd.Wait()
	if _, ok := ReadProcess(id.Pid); ok {
		t.Error("a collected process is still there")
	}
}

// Prune keeps the newest finished runs, and every live run.
func TestPrune(t *testing.T) {
	base := filepath.Join(t.TempDir(), "p")
	now := time.Now()
	for i, id := range []string{"old", "tagged", "alive", "abandoned", "left", "newer", "newest"} {
		d, err := Create(base, Run{ID: id, Started: now.Add(time.Duration(i) * time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		if id == "tagged" {
			if err := d.WriteFile(KeptFile, nil); err != nil {
				t.Fatal(err)
			}
		}
		j, err := d.Journal()
		if err != nil {
			t.Fatal(err)
		}
		switch id {
		case "alive":
		case "left": // one of its processes is live
			j.Append(Event{Node: "n", What: Started, Process: Identify(os.Getppid())})
		case "abandoned":
			j.Append(Event{Node: "n", What: Started, Process: Identity{os.Getpid(), 1}})
		default:
			j.Append(Event{What: Over})
		}
		j.Close()
		if id != "alive" {
			d.Run.Supervisor.Start++
			text, _ := json.Marshal(d.Run)
			if err := d.WriteFile("run.json", text); err != nil {
				t.Fatal(err)
			}
		}
	}
	gone, err := Prune(base, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range gone {
		got = append(got, d.Run.ID)
	}
	if want := []string{"newer", "abandoned", "old"}; !slices.Equal(got, want) {
		t.Errorf("deleted %v, want %v", got, want)
	}
	if all, err := List(base); err != nil || len(all) != 4 {
		t.Errorf("%d are left, %v", len(all), err)
	}
	if gone, err := Prune(filepath.Join(base, "nowhere"), 1); len(gone) > 0 || err != nil {
		t.Errorf("nothing to prune: %v, %v", gone, err)
	}
}

// The name of a node is encoded as a unique file name.
func TestFileName(t *testing.T) {
	long := strings.Repeat("x", 201)
	for node, want := range map[string]string{
		"azAZ09@#+_-": "azAZ09@#+_-",
		"a.b":         "a.b",
		".a":          "%2Ea",
		"..":          "%2E.",
		"a/b":         "a%2Fb",
		"a`{[@/:":     "a%60%7B%5B@%2F%3A",
		"100%":        "100%25",
		"é":           "%C3%A9",
		"all":         "%61ll",
		"":            "",
		long[1:]:      long[1:],
	} {
		if got := FileName(node); got != want {
			t.Errorf("%q becomes %q, want %q", node, got, want)
		}
	}
	first, second := FileName(long+"1"), FileName(long+"2")
	if first == second || len(first) != 180+17 || !strings.HasPrefix(first, long[:180]+"%") {
		t.Errorf("long names become %q and %q, want first other than %v, len(first) = %v and first = %q at the start", first, second, second, 180+17, long[:180]+"%")
	}
}

// Without a name, Open returns the newest live run.
func TestOpenNewest(t *testing.T) {
	base := filepath.Join(t.TempDir(), "runs")
	for i, id := range []string{"first", "second", "third"} {
		d, err := Create(base, Run{ID: id, Started: time.Unix(int64(i), 0)})
		if err != nil {
			t.Fatal(err)
		}
		if id == "third" {
			d.Run.Supervisor.Start++ // it has died and left nothing
			text, _ := json.Marshal(d.Run)
			if err := d.WriteFile("run.json", text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if d, err := Open(base, ""); err != nil || d.Run.ID != "second" {
		t.Errorf("found %+v, %v; want second", d, err)
	}
}

// TestPipelines: a pipeline leaves nothing to keep.
func TestPipelines(t *testing.T) {
	base := t.TempDir()
	now := time.Now()
	for i, r := range []Run{{ID: "a"}, {ID: "b", Pipeline: "b.pipe"}} {
		r.Started = now.Add(time.Duration(i) * time.Second)
		if _, err := Create(base, r); err != nil {
			t.Fatal(err)
		}
	}
	launches := func(r Run) bool { return r.Pipeline == "" }
	for id, wanted := range map[string]func(Run) bool{"a": launches, "b": func(Run) bool { return true }} {
		if d, err := Newest(base, wanted); err != nil || d.Run.ID != id {
			t.Errorf("the newest is %v, %v, want %s", d, err, id)
		}
	}
	d, err := Open(base, "b")
	if err != nil || d.Finished() {
		t.Fatalf("it runs in this program: %v", err)
	}
	d.Run.Supervisor.Start = 0 // as if it had been killed
	if !d.Finished() {
		t.Error("a pipeline ends with its supervisor")
	}
	text, err := json.Marshal(d.Run)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("run.json", text); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("record.json", nil); err != nil {
		t.Fatal(err)
	}
	if gone, err := Prune(base, 10); err != nil || len(gone) != 1 || gone[0].Run.ID != "b" {
		t.Errorf("pruned %v, %v", gone, err)
	}
	if left, err := os.ReadDir(d.Path); err != nil || len(left) != 1 || left[0].Name() != "record.json" {
		t.Errorf("what others keep there is not all that is left: %v, %v", left, err)
	}
}

// TestCollect: a run of another machine becomes a run of this one, even if it was killed and is on another file system.
func TestCollect(t *testing.T) {
	from := t.TempDir()
	if shm, err := os.MkdirTemp("/dev/shm", "pentode"); err == nil { // usually another file system
		t.Cleanup(func() { os.RemoveAll(shm) })
		from = shm
	}
	d, err := Create(from, Run{ID: "r", Started: time.Now(), Sockets: from, Nodes: []Node{{ID: "n"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{d.LogFile("n", "out"), d.Socket()} {
		if err := os.WriteFile(path, []byte("text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	base := filepath.Join(t.TempDir(), "runs")
	home, err := Collect(d, base)
	if err != nil || home.Path != filepath.Join(base, "r") || !home.Over() {
		t.Fatalf("%+v, %v", home, err)
	}
	var text strings.Builder
	if err := home.Logs(t.Context(), &text, Query{Node: "n"}); err != nil || text.String() != "text\n" {
		t.Errorf("%q, %v", text.String(), err)
	}
	if left, err := os.ReadDir(from); len(left) > 0 || err != nil {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestCollectTexts: texts of recorded runs are moved too, and existing texts stay.
func TestCollectTexts(t *testing.T) {
	from, base := t.TempDir(), filepath.Join(t.TempDir(), "runs")
	if err := CollectTexts(from, base); err != nil {
		t.Errorf("without any: %v", err)
	}
	for path, text := range map[string]string{
		filepath.Join(from, TextsDir, "ab", "cd"): "new", filepath.Join(from, TextsDir, "ab", "ef"): "same", filepath.Join(base, TextsDir, "ab", "ef"): "same",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := CollectTexts(from, base); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"cd": "new", "ef": "same"} {
		if text, err := os.ReadFile(filepath.Join(base, TextsDir, "ab", name)); string(text) != want {
			t.Errorf("%s holds %q, %v", name, text, err)
		}
	}
	if left, err := os.ReadDir(from); len(left) > 0 || err != nil {
		t.Errorf("left are %v, %v", left, err)
	}
}
