//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow/remote"
	"github.com/pentode-dev/pentode/run/launch/state"
)

// squares returns a pipeline on three sites that ends after the given number of data.
func squares(numbers string) string {
	return "process src :: numbers\n  start = 1\n  end = " + numbers + "\n  _site = deck\n" +
		"process square :: multiplication\n  _site = gpu\n" +
		"process w :: text_write\n  file_name = -\n" +
		"connect from src.number to square.factor1\nconnect from src.number to square.factor2\nconnect from square.product to w.text\n"
}

// TestSitesLocal: every site runs in its own process, but the user sees one run, with one output,
// one table of figures and one trace.
func TestSitesLocal(t *testing.T) {
	inFolder(t, squares("6"))
	cmd := process(t, "run", "a.pipe", "--sites", "local", "--stats=json", "--trace", "t.json", "-o", "o")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	var stats struct {
		Processes []struct{ Name, Site string }
		Edges     []struct{ Pushed, Taken uint64 }
	}
	if err := json.Unmarshal([]byte(out.String()), &stats); err != nil || len(stats.Processes) != 3 || stats.Processes[1].Site != "gpu" || len(stats.Edges) != 3 || stats.Edges[2].Taken != 5 {
		t.Errorf("%v %+v", err, stats)
	}
	trace := readTrace(t, "o/t.json")
	if want := map[int]string{1: "deck", 2: "gpu", 3: "main"}; !maps.Equal(trace.Processes, want) {
		t.Errorf("the sites of the trace are %v, want %v", trace.Processes, want)
	}
	arrows, ways := map[string]string{}, map[string]int{}
	for _, e := range trace.Events {
		if e.ID != "" {
			arrows[e.ID] += e.Ph
		}
	}
	for _, way := range arrows {
		ways[way]++
	}
	if want := map[string]int{"sttf": 15}; !maps.Equal(ways, want) {
		t.Errorf("the arrows are %v, want %v", ways, want)
	}
	// The output of the pipeline goes to standard error, and standard output has only the figures.
	if said := withoutProgress(errs.String()); !strings.HasPrefix(said, "1\n4\n9\n16\n25\nfinished: 15 data over 3 edges in ") || strings.Count(said, "\n") != 6 {
		t.Errorf("%q, want the five squares and the line of the end", said)
	}
}

// withoutProgress removes the progress lines, which appear only on a slow machine.
func withoutProgress(said string) string { return progress.ReplaceAllString(said, "") }

var progress = regexp.MustCompile(`(?m)^(running|finished|failed), .*\n`)

// TestSitesMisuse: wrong combinations of site flags are refused with advice.
func TestSitesMisuse(t *testing.T) {
	inFolder(t, squares("6"))
	for args, want := range map[string]string{
		"--sites=here":                                    "--sites takes local, not `here`; --site NAME runs one site",
		"--sites=local --site=":                           "finished",
		"--sites=local --site=gpu":                        "--sites runs all sites and --site runs one: give only one of them",
		"--site=gpo --nats=nats://127.0.0.1:1":            "the pipeline has no site `gpo`; did you mean `gpu`?",
		"--site=gpu":                                      "site `gpu` needs the server that the sites share: give --nats URL, or run all sites here with --sites local",
		"--nats=nats://127.0.0.1:1":                       "--nats needs --site NAME: the site that this call runs",
		"--site=gpu --name=monday":                        "--name needs --nats URL: the server on which the run has this name",
		"--site=gpu --nats=nats://127.0.0.1:1 --name=a.b": "--name takes a name of letters, digits, - and _, not `a.b`",
		"--site=gpu --nats=nats://127.0.0.1:1":            "the server `nats://127.0.0.1:1` cannot be reached",
	} {
		out, _ := process(t, append([]string{"run", "a.pipe"}, strings.Fields(args)...)...).CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: %s; want %q in it", args, out, want)
		}
	}
}

// TestSitesInterrupted: one interrupt lets all sites process the data under way; a second one ends
// them at once.
func TestSitesInterrupted(t *testing.T) {
	need.Slow(t)
	for _, times := range []int{1, 2} {
		r := startSites(t)
		for range times {
			_ = r.Process.Signal(os.Interrupt) // the run may end before the second signal
			time.Sleep(10 * time.Millisecond)
		}
		if code := r.end(t); code != 130 || !strings.Contains(r.errs.String(), "interrupted: ") {
			t.Errorf("exit %d, %s", code, r.errs.String())
		}
	}
}

// TestSitesByHand: sites that are started one by one meet at an existing server, and the first site
// in the pipeline coordinates them.
func TestSitesByHand(t *testing.T) {
	need.Slow(t)
	inFolder(t, squares("6"))
	sites := byHand(t, []string{"main", "gpu", "deck"})
	for name, cmd := range sites {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v: %s", name, err, cmd.Stderr)
		}
	}
	main := sites["main"]
	if out, errs := fmt.Sprint(main.Stdout), withoutProgress(fmt.Sprint(main.Stderr)); out != "1\n4\n9\n16\n25\n" || !strings.HasPrefix(errs, "finished: 5 data in ") {
		t.Errorf("%q, %q", out, errs)
	}
}

// TestSitesByHandFail: if a process fails, every site ends with an error that names the site and
// the process.
func TestSitesByHandFail(t *testing.T) {
	need.Slow(t)
	need.File(t, "/dev/full")
	inFolder(t, "process src :: numbers\n  end = 6\n  _site = deck\nprocess w :: print_number\n  output = /dev/full\nconnect from src.number to w.number\n")
	for name, cmd := range byHand(t, []string{"main", "deck"}) {
		err, said := cmd.Wait(), fmt.Sprint(cmd.Stderr)
		if exitOf(t, err) != 1 || !strings.Contains(said, "process `w` (print_number) failed") {
			t.Errorf("%s: %v: %s", name, err, said)
		}
	}
}

// TestSitesSteered: another terminal sees all sites as one run, and can stop it.
func TestSitesSteered(t *testing.T) {
	need.Slow(t)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	r := startSites(t)
	out, err := process(t, "control", "stats", "--format", "json").Output()
	var stats struct {
		Processes []struct{ Name, Site string }
	}
	if err != nil || json.Unmarshal(out, &stats) != nil || len(stats.Processes) != 3 || stats.Processes[0].Site != "deck" {
		t.Errorf("%v: %s", err, out)
	}
	set := func(setting string) string {
		out, _ := process(t, "control", "set", setting).CombinedOutput()
		return string(out)
	}
	if have := set("w:prefix=> "); !strings.Contains(have, "w:prefix   → >") || !strings.HasSuffix(have, "changed\n") {
		t.Errorf("%v; want %q in have and have = %q at the end", have, "w:prefix   → >", "changed\n")
	}
	if have := set("src:end=5"); !strings.Contains(have, "not tunable") || !strings.HasSuffix(have, "nothing was changed\n") {
		t.Errorf("%v; want %q in have and have = %q at the end", have, "not tunable", "nothing was changed\n")
	}
	for _, order := range []string{"pause", "stats", "resume"} {
		if out, err := process(t, "control", order).CombinedOutput(); err != nil || order == "stats" && !strings.Contains(string(out), "\npaused: ") {
			t.Errorf("%s: %v: %s", order, err, out)
		}
	}
	r.signal(t, "gpu", syscall.SIGSTOP)
	lost := false
	golden.Until(t, "the site is away", func() (away bool) {
		for _, verb := range [][]string{{"control", "stats"}, {"top"}} {
			out, err := process(t, verb...).Output()
			if away = strings.Contains(string(out), "\ngpu    away for "); err != nil && silent.MatchString(r.errs.String()) {
				lost = true
				return true
			} else if err != nil {
				t.Fatalf("%s: %v: %s", verb, err, r.errs.String())
			}
		}
		return away
	})
	if lost {
		t.Log("on a busy machine it was lost before it was seen")
		return
	}
	r.signal(t, "gpu", syscall.SIGCONT)
	if out, err := process(t, "stop").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if code := r.end(t); code != 130 || !strings.Contains(r.errs.String(), "stopped on request: ") {
		t.Errorf("exit %d, %s", code, r.errs.String())
	}
}

// TestSitesOfPlanHere: with --sites local, every program of a plan starts on this machine, whatever
// its host. Figures and orders cover all sites.
func TestSitesOfPlanHere(t *testing.T) {
	inFolder(t, squares("6"))
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	const collector = "daemon { name \"collector\"; command \"pentode collect\"; host \"far\"; }\n"
	started := func(name, args string) string {
		return "process { name \"" + name + "\"; command \"pentode\"; args { " + args + " }; host \"far\"; daemon \"pentode collect\"; }\n"
	}
	plan := collector
	for _, site := range []string{"deck", "gpu", "main"} {
		plan += started(site, `"run" "a.pipe" "--site" "`+site+`"`)
	}
	if err := os.WriteFile("a.psdl", []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("pentode", "run", ".", "--sites", "local", "--stats", "-o", "o").Output()
	if err != nil || !strings.Contains(string(out), "\nsrc       deck   ") || !strings.Contains(string(out), "\n15 data over 3 edges in ") {
		t.Errorf("%v: %s", err, out)
	}
	if err := os.WriteFile("b.psdl", []byte(collector+started("x", `"version"`)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--stats", "--sites=local"} {
		out, err := exec.Command("pentode", "run", "b.psdl", flag).CombinedOutput()
		if exitOf(t, err) != 2 || !strings.Contains(string(out), "this plan starts none") {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// TestSitesByHandSteered: orders to sites that were started by hand are accepted where the first
// site runs. At another site, a message says where to send them, but `stop` with no grace still
// ends all sites.
func TestSitesByHandSteered(t *testing.T) {
	need.Slow(t) // TestSitesSteered also steers sites
	inFolder(t, squares(countless))
	server, err := remote.Serve(remote.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ended := make(chan error, 3)
	homes := map[string]string{} // the folder in which each site is registered
	ask := func(site string, words ...string) (string, error) {
		if words[0] != "stop" {
			words = append([]string{"control"}, words...)
		}
		cmd := process(t, words...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+homes[site], "XDG_RUNTIME_DIR="+homes[site])
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, site := range []string{"main", "gpu", "deck"} {
		homes[site] = t.TempDir()
		cmd := process(t, "run", "a.pipe", "--site", site)
		cmd.Env = append(cmd.Env, remote.TicketVariable+"="+server.Ticket.String(), "XDG_STATE_HOME="+homes[site], "XDG_RUNTIME_DIR="+homes[site])
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { ended <- cmd.Wait() }()
	}
	for _, site := range []string{"deck", "gpu"} {
		golden.Until(t, "site "+site+" answers", func() bool {
			_, err := ask(site, "stats")
			return err == nil
		})
	}
	if out, err := ask("gpu", "pause"); err == nil || !strings.Contains(out, "control them all where site `deck` runs") {
		t.Errorf("%v: %s", err, out)
	}
	for site, leader := range map[string]string{"gpu": "deck", "deck": ""} {
		base, err := control.StateDir(func(name string) string { return map[string]string{"XDG_STATE_HOME": homes[site]}[name] })
		if err != nil {
			t.Fatal(err)
		}
		if d, err := state.Newest(base, func(state.Run) bool { return true }); err != nil || d.Run.Leader != leader {
			t.Errorf("site %s: %v, led by %q", site, err, d.Run.Leader)
		}
	}
	if out, err := ask("deck", "set", "w:prefix=> "); err != nil || !strings.HasSuffix(out, "changed\n") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := ask("gpu", "stop", "--grace", "0"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for range 3 {
		select {
		case err := <-ended:
			if code := exitOf(t, err); code != 130 {
				t.Errorf("exit %d, want 130", code)
			}
		case <-time.After(golden.Patience):
			t.Fatal("it hangs")
		}
	}
}
