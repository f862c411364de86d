package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Copies on other machines get the surroundings that the project sets, values from a file of variables are on no command line, and a command beside a
// copy gets the same surroundings.
func TestRealSSHSurroundings(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	for name, text := range map[string]string{"in": "first line\n", "vars": "B=secret words\n"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := w.script("p", `echo "$PENTODE_COPY on $PARADYN_HOST, $A, $B"; umask; ulimit -n; cat; echo up; exec sleep 600`)
	d := Decls{Processes: []Process{{Name: "p", Command: p, Host: "nowhere"}}}
	d.Settings = settingsOf(t, "p hosts = [poona, cham]", "p umask = 027", "p limits.files = 77", "p stdin = in", "p env.A = a b", "p env-file = "+filepath.Join(w.dir, "vars"))
	o := Options{Remote: w.goServer(), RemoteDir: w.dir, Map: map[string]string{"poona": "127.0.0.1", "cham": "127.0.0.1"},
		Host: Host{IsLocal: func(string) bool { return false }}}
	r := w.start(d, o, RunOptions{Grace: time.Second, Host: blind})
	for i, host := range []string{"poona", "cham"} {
		id := fmt.Sprintf("p.%d", i)
		want := fmt.Sprintf("%d on %s, a b, secret words\n0027\n77\nfirst line\nup\n", i, host)
		r.until(id+" is up", func() bool {
			out, _ := os.ReadFile(r.dir.LogFile(id, "out"))
			return string(out) == want
		})
		if line := strings.Join(r.plan.Nodes[i].Starter.Command(r.plan.Nodes[i]).Argv, " "); strings.Contains(line, "secret words") {
			t.Errorf("the command line has %s; want no %q in it", line, "secret words")
		}
	}
	cmd, err := Beside(t.Context(), r.dir, "p.1", []string{"sh", "-c", `echo "$PENTODE_COPY, $A"; umask; cat`})
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = strings.NewReader("typed")
	if out, err := cmd.Output(); string(out) != "1, a b\n0027\ntyped" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	r.Stop(0)
	if got := r.wait(); got.Code != 0 {
		t.Errorf("%+v, want 0", got)
	}
}
