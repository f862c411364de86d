package launch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/run/launch/state"
)

// Each program is asked to end in its own way, and killed after its own grace period.
func TestRealStopSettings(t *testing.T) {
	w := newWorkshop(t)
	file := filepath.Join(w.dir, "asked")
	body := `trap 'echo INT >>asked.$1; exit 0' INT; trap 'echo TERM >>asked.$1; exit 0' TERM; echo up; while :; do sleep 0.02; [ -e end.$1 ] && exit 0; done`
	p := w.script("p", body)
	deaf := w.script("deaf", `trap '' TERM INT; echo up; while :; do sleep 0.02; done`)
	w.script("bye", `echo "command for $PARADYN_NAME, $PENTODE_PID" >>asked.c; touch end.c`)
	d := Decls{}
	for _, name := range []string{"a", "b", "c", "e"} {
		command := p
		if name == "e" {
			command = deaf
		}
		d.Processes = append(d.Processes, Process{Name: name, Command: command, Args: []string{name}, Host: "localhost"})
	}
	d.Settings = settingsOf(t, "a stop = INT", "b stop = exec:false", "c stop = exec:./bye", "e grace = 50ms")
	r := w.start(d, Options{}, RunOptions{Grace: time.Hour})
	r.until("all are up", func() bool { return strings.Count(r.output.String(), "| up") == 4 })
	pid := r.Status()[2].Pid
	r.Stop(0)
	got := r.wait()
	if got.Code != 0 || got.Nodes[3].Exit.Signal != 9 {
		t.Errorf("%+v, want got.Code = 0 and got.Nodes[3].Exit.Signal = 9", got)
	}
	for name, want := range map[string]string{"a": "INT\n", "b": "TERM\n", "c": "command for c, " + strconv.Itoa(pid) + "\n"} {
		if text, err := os.ReadFile(file + "." + name); string(text) != want || err != nil {
			t.Errorf("%s was asked by %q, %v", name, text, err)
		}
	}
	if logs := r.reported(state.Log); len(logs) != 1 || logs[0] != "the command that ends `b` has failed, so the program gets TERM: ended with code 1" {
		t.Errorf("%q, want len(logs) = 1 and logs[0] = %q", logs, "the command that ends `b` has failed, so the program gets TERM: ended with code 1")
	}
	if kills := r.reported(state.Killing); len(kills) != 1 || kills[0] != "process `e` has not ended in 50ms and is killed" {
		t.Errorf("%q, want len(kills) = 1 and kills[0] = %q", kills, "process `e` has not ended in 50ms and is killed")
	}
}

// Other supervisors ask programs to end in the same way, as far as they can.
func TestStopSettingsConverted(t *testing.T) {
	d := crewOf("a", "b")
	d.Settings = settingsOf(t, "a stop = INT", "a grace = 3s", "b stop = exec:sh -c 'exit 0'")
	p, found := NewPlan(d, Options{Host: nowhere})
	if len(found) > 0 {
		t.Fatalf("%v; want at most 0", found)
	}
	for format, wants := range map[string][]string{
		"process-compose": {"signal: 2\n      timeout_seconds: 3\n", "command: \"sh -c 'exit 0'\"\n      timeout_seconds: 10\n"},
		"systemd":         {"TimeoutStopSec=3\nKillSignal=2\n", "ExecStop="},
		"slurm":           {"node `a` gets TERM at the end, not `INT`"},
	} {
		var out strings.Builder
		lost, err := p.Convert(format, Place{}, &out)
		for _, l := range lost {
			out.WriteString(l.Message + "\n")
		}
		for _, want := range wants {
			if err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("%s lacks %q, %v\n%s", format, want, err, &out)
			}
		}
	}
}
