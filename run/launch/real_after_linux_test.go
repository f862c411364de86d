package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Real programs start when the state that they wait for is reached, and end in reverse order, step by step: each program notes its start and its end
// in one file.
func TestRealAfter(t *testing.T) {
	w := newWorkshop(t)
	story := filepath.Join(w.dir, "story")
	w.script("life", `trap 'echo "$1 goes" >>story; exit 0' TERM
sleep 0.05; echo "$1 is up" >>story; echo up; while :; do sleep 0.02; done`)
	w.script("once", `sleep 0.05; echo "$1 is done" >>story`)
	d := Decls{Daemons: []Daemon{{Name: "web", Command: "./life web", Host: "localhost"}, {Name: "db", Command: "./life db", Host: "localhost"}}}
	for _, name := range []string{"load", "worker"} {
		command := "./once"
		if name == "worker" {
			command = "./life"
		}
		d.Processes = append(d.Processes, Process{Name: name, Command: command, Args: []string{name}, Host: "localhost"})
	}
	d.Settings = settingsOf(t, "db ready = line:^up", "web ready = line:^up", "web after = [load:succeeded]", "load after = [db]", "worker ready = line:^up", "worker after = [web]")
	r := w.start(d, Options{}, RunOptions{Grace: time.Minute})
	r.until("the worker is up", func() bool {
		text, _ := os.ReadFile(story)
		return strings.Contains(string(text), "worker is up")
	})
	r.Stop(0)
	if got := r.wait(); got.Code != 0 {
		t.Errorf("code %d, want 0", got.Code)
	}
	text, err := os.ReadFile(story)
	if want := "db is up\nload is done\nweb is up\nworker is up\nworker goes\nweb goes\ndb goes\n"; string(text) != want || err != nil {
		t.Errorf("got\n%swant\n%s%v", text, want, err)
	}
}
