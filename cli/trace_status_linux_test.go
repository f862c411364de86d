package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/runs/traced"
)

// monitored runs `control status` before and after a domain is switched to the mode MONITORING, and
// compares the answers with the table at the end of the program.
func monitored(t *testing.T, program string) {
	r := startTraced(t, program)
	r.begun()
	call := func(args ...string) (int, string) {
		out, err := r.pentode(args...).CombinedOutput()
		return exitOf(t, err), string(out)
	}
	status := func(args ...string) (int, string) { return call(append([]string{"control", "status"}, args...)...) }
	pid := strconv.Itoa(r.cmd.Process.Pid)
	if code, said := call("top"); code != 0 || !strings.HasPrefix(said, pid+"  sh  traced, nothing is monitored; ") {
		t.Errorf("top of a program of which nothing is monitored: %d, %s", code, said)
	}
	if code, said := status(); code != 0 || !strings.HasPrefix(said, "nothing is monitored; `trace_mode = MONITORING`") {
		t.Errorf("where nothing is monitored: %d, %s", code, said)
	}
	r.file("count.txt", "[User.default]\n    trace_mode = MONITORING\n")
	if code, said := r.reload("count.txt"); code != 0 {
		t.Fatalf("reload ended with %d: %s; want 0", code, said)
	}
	table := regexp.MustCompile(`(?m)^region +unit +count +total +mean +longest\nwork +thread 0 +[0-9,]+ +[0-9.]+ [nµm]?s +[0-9.]+ [nµm]?s +[0-9.]+ [nµm]?s$`)
	r.wait("a region that is monitored", func() bool {
		_, said := status()
		return table.MatchString(said)
	})
	read := func(text []byte) []traced.Monitored {
		var report struct{ Regions []traced.Monitored }
		if err := json.Unmarshal(text, &report); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return report.Regions
	}
	_, said := status("--format", "json")
	now := read([]byte(said))
	if len(now) != 1 || now[0].Region != "work" || now[0].Domain != "User" || now[0].Count == 0 || now[0].Mean > now[0].Longest || now[0].Longest > now[0].Total {
		t.Errorf("the report is %s; want the one region `work` of the domain User, counted, its mean at most its longest and that at most its total", said)
	}
	if code, said := status("--format", "xml"); code != 2 || !strings.Contains(said, "--format takes text or json") {
		t.Errorf("of another format: %d, %s; want exit 2 and %q", code, said, "--format takes text or json")
	}
	if code, said := call("control", "solver", "status"); code != 2 || !strings.Contains(said, "is named by the process id") {
		t.Errorf("of another run: %d, %s; want exit 2 and %q", code, said, "is named by the process id")
	}
	if code, said := call("top", pid); code != 0 || !strings.HasPrefix(said, pid+"  sh  traced\n") || !table.MatchString(said) {
		t.Errorf("top: %d, %s; want exit 0, the process %s as sh and traced, and the table with `work`", code, said, pid)
	}
	r.end()
	if code, said := call("top", pid); code != 2 || !strings.Contains(said, "no program is being traced by the process "+pid) {
		t.Errorf("top of a program that has ended: %d, %s; want exit 2 and %q", code, said, "no program is being traced by the process "+pid)
	}
	if !table.MatchString(r.err.String()) {
		t.Errorf("at the end it said\n%s", r.err.String())
	}
	text, err := os.ReadFile(filepath.Join(r.dir, "traced", "monitor.json"))
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]uint64{}
	for _, m := range read(text) {
		whole[m.Region] += m.Count
	}
	if len(now) == 1 && whole["work"] < now[0].Count || whole["late"] != 1 {
		t.Errorf("at the end there are %v, after %v", whole, now)
	}
}
