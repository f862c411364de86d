//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
)

// TestLaunchLogs: `logs` selects lines by time, text and program, and prints them with their time or as JSON.
func TestLaunchLogs(t *testing.T) {
	need.Slow(t)
	need.Program(t, "grep")
	b := newBench(t)
	b.file("p.sh", `#!/bin/sh
echo early
log="$XDG_STATE_HOME/pentode/$PENTODE_RUN/logs/all.log"
until grep -qs early "$log" && grep -qs other "$log"; do sleep 0.01; done
date -u +%Y-%m-%dT%H:%M:%SZ > mark
sleep 1
echo "late 1"; echo "late 2" >&2
`)
	b.file("q.sh", "#!/bin/sh\necho other\n")
	b.file("a.psdl", `process { name "p"; command "./p.sh"; host "localhost"; daemon "sleep 60"; }
process { name "quick"; command "./q.sh"; host "localhost"; daemon "sleep 60"; }
`)
	if out, err := b.command("run", "a.psdl").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	mark, err := os.ReadFile(filepath.Join(b.dir, "mark"))
	if err != nil {
		t.Fatal(err)
	}
	then, err := time.Parse(time.RFC3339, strings.TrimSpace(string(mark)))
	if err != nil {
		t.Fatal(err)
	}
	since := then.Add(time.Second).Format(time.RFC3339)
	const stamp = `[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z`
	for _, c := range []struct {
		args []string
		want string // a regular expression for the output
	}{
		{[]string{"p"}, `early\nlate 1\nlate 2\n`},
		{[]string{"--grep", "^(early|other)$"}, `(p +\| early\n|quick +\| other\n){2}`},
		{[]string{"--since", since, "--follow"}, `(p +\| late [12]\n){2}`},
		{[]string{"--since", "1h", "--grep", "1", "--time"}, stamp + ` p +\| late 1\n`},
		{[]string{"--time", "quick"}, stamp + ` other\n`},
		{[]string{"--format", "json", "--grep", "2", "p"}, `{"time":"` + stamp + `","node":"p","stream":"err","text":"late 2"}\n`},
		{[]string{"--grep", "nothing"}, ``},
	} {
		got := b.ask(append([]string{"logs"}, c.args...)...)
		if !regexp.MustCompile("^" + c.want + "$").MatchString(got) {
			t.Errorf("%q: %s; want a match of %q from beginning to end", c.args, got, c.want)
		}
	}
	for _, c := range []struct{ flag, value, want string }{
		{"--since", "soon", "--since takes how long ago, such as 10m, or when, such as 14:30 or 2026-03-04T14:30:00Z, not `soon`"},
		{"--grep", "(", "--grep: `(` is not a regular expression: missing closing )"},
		{"--format", "xml", "--format takes text or json, not `xml`"},
	} {
		if code, out := b.code("logs", c.flag, c.value); code != 2 || !strings.Contains(out, c.want) {
			t.Errorf("%s: code %d, %s; want exit 2 and %q", c.flag, code, out, c.want)
		}
	}
}
