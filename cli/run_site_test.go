//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/run/flow/remote"
)

// squares is a pipeline on three sites, which ends after so many numbers.
func squares(numbers string) string {
	return "process src :: numbers\n  start = 1\n  end = " + numbers + "\n  _site = deck\n" +
		"process square :: multiplication\n  _site = gpu\n" +
		"process w :: text_write\n  file_name = -\n" +
		"connect from src.number to square.factor1\nconnect from src.number to square.factor2\nconnect from square.product to w.text\n"
}

// TestSitesLocal: every site runs in a process of its own, and the user sees
// one run: its output, its figures, its trace.
func TestSitesLocal(t *testing.T) {
	inFolder(t, squares("6"))
	cmd := process(t, "run", "a.pipe", "--sites", "local", "--stats=json", "--trace", "t.json", "--out", "o")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	text, figures, _ := strings.Cut(out.String(), "{")
	if text != "1\n4\n9\n16\n25\n" {
		t.Errorf("%q", text)
	}
	var stats struct {
		Processes []struct{ Name, Site string }
		Edges     []struct{ Pushed, Taken uint64 }
	}
	if err := json.Unmarshal([]byte("{"+figures), &stats); err != nil || len(stats.Processes) != 3 || stats.Processes[1].Site != "gpu" || len(stats.Edges) != 3 || stats.Edges[2].Taken != 5 {
		t.Errorf("%v %+v", err, stats)
	}
	trace, err := os.ReadFile("o/t.json")
	for _, site := range []string{"deck", "gpu", "main"} {
		if !bytes.Contains(trace, []byte(`"`+site+` (rank `)) {
			t.Errorf("the trace has no site %s: %v", site, err)
		}
	}
	if !strings.HasPrefix(errs.String(), "finished: 15 data over 3 edges in ") || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("%q", errs.String())
	}
}

// TestSitesMisuse: flags of sites that make no sense are refused with what to do.
func TestSitesMisuse(t *testing.T) {
	inFolder(t, squares("6"))
	for args, want := range map[string]string{
		"--sites=here":                         "--sites takes local, not `here`; one site is run by --site NAME",
		"--sites=local --site=":                "finished",
		"--sites=local --site=gpu":             "--sites runs all sites and --site one: give one of them",
		"--site=gpo --nats=nats://127.0.0.1:1": "the pipeline has no site `gpo`; did you mean `gpu`?",
		"--site=gpu":                           "site `gpu` needs the server that the sites share: give --nats URL, or run all sites here with --sites local",
		"--nats=nats://127.0.0.1:1":            "--nats is the server that the sites of a run share: give --site NAME with it",
		"--site=gpu --nats=nats://127.0.0.1:1": "the server `nats://127.0.0.1:1` cannot be reached",
	} {
		out, _ := process(t, append([]string{"run", "a.pipe"}, strings.Fields(args)...)...).CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: %s", args, out)
		}
	}
}

// A sitesRun is a run of all sites on this machine that goes on until it is stopped.
type sitesRun struct {
	*exec.Cmd
	errs  golden.Buffer
	ended chan error
}

func startSites(t *testing.T) *sitesRun {
	inFolder(t, squares("1000000000000"))
	r := &sitesRun{Cmd: process(t, "run", "a.pipe", "--sites", "local"), ended: make(chan error, 1)}
	out, err := r.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Stderr = &r.errs
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1000)); err != nil { // it runs
		t.Fatalf("%v: %s", err, r.errs.String())
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		r.ended <- r.Wait()
	}()
	return r
}

// end waits for the end of the run, and looks for what it has left.
func (r *sitesRun) end(t *testing.T, children []int) int {
	t.Helper()
	var code int
	select {
	case err := <-r.ended:
		code = exitOf(t, err)
	case <-time.After(deadline):
		t.Fatalf("it hangs: %s", r.errs.String())
	}
	for _, pid := range children {
		for end := time.Now().Add(deadline); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
			if stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat")); err == nil && bytes.Contains(stat, []byte(") Z ")) {
				break // it has ended, and the system has not collected it
			}
			if time.Now().After(end) {
				t.Fatalf("process %d is left", pid)
			}
		}
	}
	return code
}

// children are the sites by their process.
func children(t *testing.T, parent int) map[string]int {
	t.Helper()
	sites := map[string]int{}
	tasks, err := filepath.Glob("/proc/" + strconv.Itoa(parent) + "/task/*/children")
	golden.Needs(t, "/proc", err)
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		golden.Needs(t, "/proc/PID/task/TID/children", err)
		for word := range strings.FieldsSeq(string(text)) {
			line, _ := os.ReadFile("/proc/" + word + "/cmdline")
			if _, site, ok := bytes.Cut(line, []byte("--site=")); ok {
				sites[string(bytes.TrimRight(site, "\x00"))], _ = strconv.Atoi(word)
			}
			if bytes.Contains(line, []byte("seed")) {
				t.Error("the key is on a command line")
			}
		}
	}
	return sites
}

func values(m map[string]int) (list []int) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// TestSitesKilled: a site that is killed ends the run with its name, and no
// process is left; nor is one when the program that started them is killed.
func TestSitesKilled(t *testing.T) {
	rounds := 1
	if golden.Full() {
		rounds = 5
	}
	for range rounds {
		for _, victim := range []string{"deck", "gpu", "main", ""} {
			r := startSites(t)
			sites := children(t, r.Process.Pid)
			if len(sites) != 3 {
				t.Fatalf("%v", sites)
			}
			pid := r.Process.Pid
			if victim != "" {
				pid = sites[victim]
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			code := r.end(t, values(sites))
			if victim == "" {
				continue
			}
			if want := "error: site `" + victim + "`: its program has ended (signal: killed); it said nothing\n"; code != 1 || !strings.Contains(r.errs.String(), want) {
				t.Errorf("exit %d, %s", code, r.errs.String())
			}
		}
	}
}

// TestSitesStopped: a site that is stopped and says nothing any more is lost.
func TestSitesStopped(t *testing.T) {
	if !golden.Full() {
		t.Skip("it takes the ten seconds after which a site counts as lost")
	}
	r := startSites(t)
	sites := children(t, r.Process.Pid)
	if err := syscall.Kill(sites["gpu"], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	code := r.end(t, values(sites))
	if code != 1 || !strings.Contains(r.errs.String(), "error: site `gpu`: it has not been heard for 10s; it said nothing") {
		t.Errorf("exit %d, %s", code, r.errs.String())
	}
}

// TestSitesInterrupted: once, everything under way is finished on all sites;
// twice, it ends at once.
func TestSitesInterrupted(t *testing.T) {
	for _, times := range []int{1, 2} {
		r := startSites(t)
		sites := children(t, r.Process.Pid)
		for range times {
			_ = r.Process.Signal(os.Interrupt) // the second may come too late
			time.Sleep(10 * time.Millisecond)
		}
		if code := r.end(t, values(sites)); code != 130 || !strings.Contains(r.errs.String(), "interrupted: ") {
			t.Errorf("exit %d, %s", code, r.errs.String())
		}
	}
}

// TestSitesByHand: sites that are started one by one meet at a server that is
// there already, and the first of the pipeline coordinates.
func TestSitesByHand(t *testing.T) {
	inFolder(t, squares("6"))
	server, err := remote.Serve(remote.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var cmds []*exec.Cmd
	outs := map[string]*golden.Buffer{}
	for _, site := range []string{"main", "gpu", "deck"} {
		cmd := process(t, "run", "a.pipe", "--site", site)
		cmd.Env = append(cmd.Env, remote.TicketVariable+"="+server.Ticket.String())
		outs[site] = &golden.Buffer{}
		cmd.Stdout, cmd.Stderr = outs[site], outs[site]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", cmd.Args, err)
		}
	}
	if !strings.HasPrefix(outs["main"].String(), "1\n4\n9\n16\n25\nfinished: 5 data in ") {
		t.Errorf("%s%s%s", outs["deck"], outs["gpu"], outs["main"])
	}
}

// TestSitesSteered: another terminal sees all sites as one run, and stops it.
func TestSitesSteered(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	r := startSites(t)
	sites := children(t, r.Process.Pid)
	out, err := process(t, "flow", "control", "stats", "--format", "json").Output()
	var stats struct {
		Processes []struct{ Name, Site string }
	}
	if err != nil || json.Unmarshal(out, &stats) != nil || len(stats.Processes) != 3 || stats.Processes[0].Site != "deck" {
		t.Errorf("%v: %s", err, out)
	}
	set := func(setting string) string {
		out, _ := process(t, "flow", "control", "set", setting).CombinedOutput()
		return string(out)
	}
	if have := set("w:prefix=> "); !strings.Contains(have, "w:prefix   → >") || !strings.HasSuffix(have, "changed\n") {
		t.Error(have)
	}
	if have := set("src:end=5"); !strings.Contains(have, "not tunable") || !strings.HasSuffix(have, "nothing was changed\n") {
		t.Error(have)
	}
	for _, order := range []string{"pause", "resume"} {
		if out, err := process(t, "flow", "control", order).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", order, err, out)
		}
	}
	if err := syscall.Kill(sites["gpu"], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for away := false; !away; time.Sleep(10 * time.Millisecond) {
		for _, verb := range [][]string{{"flow", "control", "stats"}, {"top"}} {
			out, err := process(t, verb...).Output()
			if away = strings.Contains(string(out), "\ngpu    away for "); err != nil {
				t.Fatalf("%s: %v: %s", verb, err, r.errs.String()) // it was lost before it was seen
			}
		}
	}
	if err := syscall.Kill(sites["gpu"], syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if out, err := process(t, "flow", "control", "stop").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if code := r.end(t, values(sites)); code != 130 {
		t.Errorf("exit %d, %s", code, r.errs.String())
	}
}

// TestSitesOfPlanHere: with --sites local every program of a plan starts on this machine,
// whatever its host; the figures are of all sites, and so is what is steered.
func TestSitesOfPlanHere(t *testing.T) {
	inFolder(t, squares("6"))
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	const collector = "daemon { name \"collector\"; command \"pentode launch collect\"; host \"far\"; }\n"
	started := func(name, args string) string {
		return "process { name \"" + name + "\"; command \"pentode\"; args { " + args + " }; host \"far\"; daemon \"pentode launch collect\"; }\n"
	}
	plan := collector
	for _, site := range []string{"deck", "gpu", "main"} {
		plan += started(site, `"run" "a.pipe" "--site" "`+site+`"`)
	}
	if err := os.WriteFile("a.psdl", []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("pentode", "run", ".", "--sites", "local", "--stats", "--out", "o").Output()
	if err != nil || !strings.Contains(string(out), "\nsrc       deck   ") || !strings.Contains(string(out), "\n15 data over 3 edges in ") {
		t.Errorf("%v: %s", err, out)
	}
	if err := os.WriteFile("b.psdl", []byte(collector+started("x", `"version"`)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--stats", "--sites=local"} {
		out, err := exec.Command("pentode", "run", "b.psdl", flag).CombinedOutput()
		if exitOf(t, err) != 2 || !strings.Contains(string(out), "this one starts none") {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// TestSitesByHandSteered: sites that were started by hand are steered where the first of
// them runs; elsewhere the message says so, and an end at once is one of all.
func TestSitesByHandSteered(t *testing.T) {
	inFolder(t, squares("1000000000000"))
	server, err := remote.Serve(remote.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ended := make(chan error, 3)
	homes := map[string]string{} // where each site is registered
	ask := func(site string, words ...string) (string, error) {
		cmd := process(t, append([]string{"flow", "control"}, words...)...)
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
		for end := time.Now().Add(deadline); ; time.Sleep(10 * time.Millisecond) {
			if _, err := ask(site, "stats"); err == nil {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("site %s does not answer", site)
			}
		}
	}
	if out, err := ask("gpu", "pause"); err == nil || !strings.Contains(out, "steer them all where site `deck` runs") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := ask("deck", "set", "w:prefix=> "); err != nil || !strings.HasSuffix(out, "changed\n") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := ask("gpu", "stop", "--kill"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for range 3 {
		select {
		case err := <-ended:
			if code := exitOf(t, err); code != 130 {
				t.Errorf("exit %d", code)
			}
		case <-time.After(deadline):
			t.Fatal("it hangs")
		}
	}
}
