//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/remote"
)

// These tests inject one fault each into a run on several sites, and check that the run ends with a
// clear message and leaves nothing running or on disk. PENTODE_ROUNDS=100 repeats each a hundred
// times.

// countless is a number of data that no run reaches.
const countless = "1000000000000"

// A sitesRun is a live run on several sites of this machine, which must be stopped.
type sitesRun struct {
	*exec.Cmd
	errs    golden.Buffer
	ended   chan error
	sites   map[string]int // process ids by site name
	scratch string         // folder for its temporary files
}

// startSites starts a run and waits until data flow.
func startSites(t *testing.T, args ...string) *sitesRun {
	t.Helper()
	inFolder(t, squares(countless))
	return startRun(t, append([]string{"run", "a.pipe", "--sites", "local"}, args...)...)
}

// startRun starts a command that runs sites, and waits for its first output.
func startRun(t *testing.T, args ...string) *sitesRun {
	t.Helper()
	r := &sitesRun{Cmd: process(t, args...), ended: make(chan error, 1), scratch: t.TempDir()}
	out, err := r.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Stderr = &r.errs
	r.Env = append(r.Env, "TMPDIR="+r.scratch)
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1000)); err != nil { // output means that the run has begun
		t.Fatalf("%v: %s", err, r.errs.String())
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		r.ended <- r.Wait()
	}()
	if r.sites = sitesOf(t, r.Process.Pid); len(r.sites) != 3 {
		t.Fatalf("%v: %s", r.sites, r.errs.String())
	}
	return r
}

// signal sends a signal to a site; the empty name is the program that started them.
func (r *sitesRun) signal(t *testing.T, site string, s syscall.Signal) {
	t.Helper()
	pid := r.Process.Pid
	if site != "" {
		pid = r.sites[site]
	}
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

// end waits for the end of the run, checks that nothing is left, and returns the exit code.
func (r *sitesRun) end(t *testing.T) int {
	t.Helper()
	var code int
	select {
	case err := <-r.ended:
		code = exitOf(t, err)
	case <-time.After(golden.Patience):
		t.Fatalf("it hangs: %s", r.errs.String())
	}
	for site, pid := range r.sites {
		golden.Until(t, "the process of "+site+" ends", func() bool { return hasEnded(pid) })
	}
	golden.Until(t, "no file of a moment is left", func() bool { return isEmpty(r.scratch) })
	return code
}

func isEmpty(dir string) bool {
	left, err := os.ReadDir(dir)
	return err == nil && len(left) == 0
}

// hasEnded reports whether a process has ended, even if it is still a zombie.
func hasEnded(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil && syscall.Kill(pid, 0) != nil || bytes.Contains(stat, []byte(") Z "))
}

// sitesOf returns the process ids of the sites that a program has started.
func sitesOf(t *testing.T, parent int) map[string]int {
	t.Helper()
	sites := map[string]int{}
	tasks, err := filepath.Glob("/proc/" + strconv.Itoa(parent) + "/task/*/children")
	need.Ability(t, "/proc", err)
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		need.Ability(t, "/proc/PID/task/TID/children", err)
		for word := range strings.FieldsSeq(string(text)) {
			line, _ := os.ReadFile("/proc/" + word + "/cmdline")
			line = bytes.Replace(line, []byte("--site\x00"), []byte("--site="), 1)
			if _, site, ok := bytes.Cut(line, []byte("--site=")); ok {
				name, _, _ := strings.Cut(string(site), "\x00")
				sites[name], _ = strconv.Atoi(word)
			}
			if bytes.Contains(line, []byte("seed")) {
				t.Error("the key is on a command line")
			}
		}
	}
	return sites
}

// TestSitesKilled: killing a site ends the run with a message that names the site, and leaves
// nothing. Killing the program that started the sites, together with its server, leaves nothing
// either.
func TestSitesKilled(t *testing.T) {
	need.Slow(t)
	need.Rounds(t, 1, func(t *testing.T, _ int) {
		for _, victim := range []string{"deck", "gpu", "main", ""} {
			if (victim == "deck" || victim == "gpu") && !need.Full() {
				continue // testing one of the other sites is enough
			}
			r := startSites(t, "--trace", "t.json")
			r.signal(t, victim, syscall.SIGKILL)
			code := r.end(t)
			if victim == "" {
				continue
			}
			if lost := silent.FindStringSubmatch(r.errs.String()); lost != nil && lost[1] != victim {
				t.Logf("site %s had no turn for too long before %s was killed", lost[1], victim)
				continue
			}
			if want := "error: site `" + victim + "`: its program has ended (signal: killed); it logged nothing\n"; code != 1 || !strings.Contains(r.errs.String(), want) {
				t.Errorf("exit %d, %s", code, r.errs.String())
			}
		}
	})
}

var silent = regexp.MustCompile("error: site `(.*)`: it has not reported for ")

// TestSitesKilledAnytime: killing a site at a random moment, even before the run begins or while it
// ends, leads to an error or to a normal end, but never to a hang.
func TestSitesKilledAnytime(t *testing.T) {
	need.Slow(t) // only many rounds are useful
	inFolder(t, squares("2000"))
	need.Rounds(t, 3, func(t *testing.T, _ int) {
		cmd, scratch := process(t, "run", "a.pipe", "--sites", "local", "--trace", "t.json"), t.TempDir()
		var errs golden.Buffer
		cmd.Stderr = &errs
		cmd.Env = append(cmd.Env, "TMPDIR="+scratch)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		moment := rand.N(600 * time.Millisecond)
		time.Sleep(moment)
		sites := sitesOf(t, cmd.Process.Pid)
		victim := "none"
		for victim = range sites { // pick any site
			break
		}
		if pid := sites[victim]; pid != 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL) // the site may just have ended
		}
		code, said := exitOf(t, cmd.Wait()), withoutProgress(errs.String())
		if (code != 0 || !strings.HasPrefix(said, "finished: ")) && (code != 1 || !strings.Contains(said, "error: site `"+victim+"`: its program has ended (signal: killed)")) {
			t.Errorf("%s was killed after %v: exit %d, %s", victim, moment, code, said)
		}
		for site, pid := range sites {
			golden.Until(t, "the process of "+site+" ends", func() bool { return hasEnded(pid) })
		}
		golden.Until(t, "no file of a moment is left", func() bool { return isEmpty(scratch) })
	})
}

// TestSitesOfPlanKilled: killing a site ends the run also if a launch plan starts the sites.
func TestSitesOfPlanKilled(t *testing.T) {
	need.Slow(t)
	need.Rounds(t, 1, func(t *testing.T, _ int) {
		for _, victim := range []string{"deck", "gpu", "main", ""} {
			inFolder(t, squares(countless))
			plan := "daemon { name \"d\"; command \"sleep 600\"; host \"localhost\"; }\n"
			for _, site := range []string{"deck", "gpu", "main"} {
				plan += fmt.Sprintf("process { name \"p%s\"; command \"%s\"; args { \"run\" \"a.pipe\" \"--site\" \"%s\" }; host \"localhost\"; daemon \"sleep 600\"; }\n", site, built(t), site)
			}
			write(t, "a.psdl", plan)
			home := t.TempDir()
			t.Setenv("XDG_STATE_HOME", home)
			t.Setenv("XDG_RUNTIME_DIR", home)
			r := startRun(t, "run", ".", "--config", "run.ready=none", "-o", "o")
			r.signal(t, victim, syscall.SIGKILL)
			code := r.end(t)
			if victim == "" {
				continue
			}
			if want := "error: site `" + victim + "`: its program has ended: "; code == 0 || !strings.Contains(r.errs.String(), want) {
				t.Errorf("exit %d, %s", code, r.errs.String())
			}
		}
	})
}

// TestSitesStopped: a site that is stopped by a signal and no longer answers counts as lost.
func TestSitesStopped(t *testing.T) {
	need.Slow(t) // it takes the ten seconds after which a site counts as lost
	need.Rounds(t, 1, func(t *testing.T, _ int) {
		runs := map[string]*sitesRun{}
		for _, name := range []string{"deck", "gpu", "main"} { // in parallel, because the runs mostly wait
			runs[name] = startSites(t)
			runs[name].signal(t, name, syscall.SIGSTOP)
		}
		for name, r := range runs {
			code := r.end(t)
			if lost := silent.FindStringSubmatch(r.errs.String()); lost != nil && lost[1] != name {
				t.Logf("site %s had no turn for too long before %s was missed", lost[1], name)
			} else if code != 1 || !strings.Contains(r.errs.String(), "error: site `"+name+"`: it has not reported for 10s; it logged nothing") {
				t.Errorf("exit %d, %s", code, r.errs.String())
			}
		}
	})
}

// TestSitesContinued: a site that is stopped for a moment and then continued only delays the run;
// every datum arrives once and in order.
func TestSitesContinued(t *testing.T) {
	need.Slow(t)
	inFolder(t, squares("50000"))
	want, err := process(t, "run", "a.pipe").Output() // the result of a single program
	if err != nil {
		t.Fatal(err)
	}
	need.Rounds(t, 3, func(t *testing.T, round int) {
		cmd := process(t, "run", "a.pipe", "--sites", "local")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 1000)
		if _, err := io.ReadFull(out, got); err != nil {
			t.Fatal(err)
		}
		victim := sitesOf(t, cmd.Process.Pid)[[]string{"gpu", "main", "deck"}[round%3]]
		if err := syscall.Kill(victim, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { _ = syscall.Kill(victim, syscall.SIGCONT) })
		rest, err := io.ReadAll(out)
		if e := cmd.Wait(); e != nil || err != nil || !bytes.Equal(append(got, rest...), want) {
			t.Errorf("%v, %v, %d bytes of %d", e, err, len(got)+len(rest), len(want))
		}
	})
}

// byHand starts the sites of the pipeline one by one, with a server in this test.
func byHand(t *testing.T, names []string, args ...string) map[string]*exec.Cmd {
	t.Helper()
	server, err := remote.Serve(remote.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	t.Setenv(remote.TicketVariable, server.Ticket.String())
	sites := map[string]*exec.Cmd{}
	for _, name := range names {
		cmd := process(t, append([]string{"run", "a.pipe", "--site", name}, args...)...)
		cmd.Stderr = &golden.Buffer{}
		if cmd.Stdout = io.Discard; name == "main" {
			cmd.Stdout = &golden.Buffer{}
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		sites[name] = cmd
	}
	return sites
}

// TestSitesByHandKilled: sites that were started by hand notice by themselves which site is lost,
// even if it is the coordinator.
func TestSitesByHandKilled(t *testing.T) {
	need.Slow(t) // it takes the ten seconds after which a site counts as lost
	names := []string{"deck", "gpu", "main"}
	need.Rounds(t, 1, func(t *testing.T, _ int) {
		inFolder(t, squares(countless))
		runs := map[string]map[string]*exec.Cmd{}
		for _, victim := range names { // in parallel, because the runs mostly wait
			runs[victim] = byHand(t, names)
			golden.Until(t, "something flows", func() bool { return runs[victim]["main"].Stdout.(*golden.Buffer).String() != "" })
			_ = runs[victim][victim].Process.Kill()
		}
		for victim, sites := range runs {
			for name, cmd := range sites {
				err, said := cmd.Wait(), cmd.Stderr.(*golden.Buffer).String()
				if name != victim && (exitOf(t, err) != 1 || !strings.Contains(said, "error: site `"+victim+"`: it ") || !strings.Contains(said, "has not reported for 10s") && !strings.Contains(said, "has sent nothing for 10s")) {
					t.Errorf("%s without %s: %v, %s", name, victim, err, said)
				}
			}
		}
	})
}

// TestSitesOtherVersion: a site that runs another version of the program is refused with a message
// that names it. A site that starts after the others have ended does not wait forever.
func TestSitesOtherVersion(t *testing.T) {
	need.Slow(t)
	inFolder(t, squares("6"))
	need.Rounds(t, 1, func(t *testing.T, _ int) {
		sites := byHand(t, []string{"deck", "main"}, "--wait", "10s")
		ticket, err := remote.ParseTicket(os.Getenv(remote.TicketVariable))
		if err != nil {
			t.Fatal(err)
		}
		p := flow.New(pipe.NewRegistry(&pipe.Type{Name: "other", New: func() pipe.Process { return nil }}))
		p.AddProcess("square", "other", pipe.Set(pipe.SiteKey, "gpu"))
		plan, problems := pipe.Resolve(&p.Graph, p.Registry)
		other, err := remote.Join(remote.SiteOptions{Name: "gpu", Version: "0.0.1", Ticket: ticket}, plan)
		if err != nil {
			t.Fatal(err)
		}
		_, err = flow.Start(context.Background(), plan, problems, other.Prepare(flow.Options{}))
		const want = "site `gpu`: its program has version `0.0.1`, but the run has version `"
		if err = other.End(err); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the other version: %v", err)
		}
		for name, cmd := range sites {
			err, said := cmd.Wait(), cmd.Stderr.(*golden.Buffer).String()
			late := name == "main" && strings.Contains(said, "error: site `deck`: it coordinates the run and has sent nothing for 10s")
			if exitOf(t, err) != 1 || !strings.Contains(said, want) && !late {
				t.Errorf("%s: %v, %s", name, err, said)
			}
		}
	})
}
