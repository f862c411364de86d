package launch

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/launch/state"
	"golang.org/x/crypto/ssh"
)

// key makes a key pair in the workshop and returns the private file.
func (w *workshop) key(name string) (file string, private ed25519.PrivateKey, public ssh.PublicKey) {
	w.Helper()
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		w.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		w.Fatal(err)
	}
	if public, err = ssh.NewPublicKey(pub); err != nil {
		w.Fatal(err)
	}
	file = filepath.Join(w.dir, name)
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(file+".pub", ssh.MarshalAuthorizedKey(public), 0o600); err != nil {
		w.Fatal(err)
	}
	return file, private, public
}

// client returns a starter that connects to one port with one key.
func client(t *testing.T, port int, key string) SSH {
	return SSH{Grace: time.Second, Program: []string{
		need.Program(t, "ssh"), "-F", "none", "-p", strconv.Itoa(port), "-i", key, "-o", "IdentitiesOnly=yes", "-o", "LogLevel=ERROR",
		"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "GlobalKnownHostsFile=/dev/null",
	}}
}

// goServer starts an ssh server in this program. It runs commands as sshd does: through a shell, whose input ends with the connection.
func (w *workshop) goServer() SSH {
	w.Helper()
	key, _, allowed := w.key("client")
	_, hostKey, _ := w.key("host")
	signer, err := ssh.NewSignerFromKey(hostKey)
	if err != nil {
		w.Fatal(err)
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
		if string(k.Marshal()) != string(allowed.Marshal()) {
			return nil, fmt.Errorf("this key is not allowed")
		}
		return nil, nil
	}}
	config.AddHostKey(signer)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { serveSSH(c, config, &serving) })
		}
	})
	w.Cleanup(func() {
		listener.Close()
		serving.Wait()
	})
	return client(w.T, listener.Addr().(*net.TCPAddr).Port, key)
}

func serveSSH(c net.Conn, config *ssh.ServerConfig, serving *sync.WaitGroup) {
	defer c.Close()
	conn, channels, requests, err := ssh.NewServerConn(c, config)
	if err != nil {
		return
	}
	serving.Go(func() { ssh.DiscardRequests(requests) })
	for n := range channels {
		ch, in, err := n.Accept()
		if err != nil {
			return
		}
		serving.Go(func() {
			for r := range in {
				if r.Type != "exec" {
					r.Reply(false, nil)
					continue
				}
				r.Reply(true, nil)
				serving.Go(func() { execSSH(ch, string(r.Payload[4:])) })
			}
		})
	}
	conn.Close()
}

func execSSH(ch ssh.Channel, command string) {
	defer ch.Close()
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdout, cmd.Stderr = ch, ch.Stderr()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return
	}
	var copying sync.WaitGroup
	copying.Go(func() {
		io.Copy(stdin, ch)
		stdin.Close()
	})
	_ = cmd.Wait() // its code is read below
	ch.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(cmd.ProcessState.ExitCode())}))
	ch.Close()
	copying.Wait()
}

// realServer starts the system's sshd on a loopback port.
func (w *workshop) realServer() SSH {
	w.Helper()
	return SSH{Grace: time.Second, Program: golden.SSH(w.T, os.Getenv("PATH"))}
}

// blind finds no strays: the other machine is this one, and the processes there must end without help from here.
var blind = Host{Strays: func(string, string) []Proc { return nil }}

// TestRealSSH runs a plan over the server of a Go library and, in full tests, over the system's server.
func TestRealSSH(t *testing.T) {
	need.Slow(t)
	t.Parallel()
	for name, server := range map[string]func(*workshop) SSH{
		"go server":   (*workshop).goServer,
		"system sshd": (*workshop).realServer,
	} {
		t.Run(name, func(t *testing.T) {
			testSSH(t, server)
		})
	}
}

// paused reports whether a shell is stopped. A shell that was just starting a program waits in the kernel (D) for its child, which was stopped first.
func paused(pid int) bool {
	p, _ := state.ReadProcess(pid)
	return p.State == 'T' || p.State == 'D'
}

// testSSH runs a plan on two hosts, which are both this machine.
func testSSH(t *testing.T, server func(*workshop) SSH) {
	w := newWorkshop(t)
	daemon := Quote(w.script("daemon", `trap '' TERM; echo "PARADYND $$"; while :; do sleep 0.1; done`))
	words := w.script("words", `for a; do printf '%s' "$a" | od -An -v -tx1 | tr -d ' \n'; echo .; done; echo "t=$PARADYN_TUNABLE_maxEval h=$PARADYN_HOST r=$PENTODE_RANK" >&2; exit 4`)
	process := w.script("process", `trap 'echo got USR2' USR2; trap 'echo got USR1' USR1; echo up; while :; do sleep 0.05; done`)
	d := Decls{
		Tunables: []Tunable{{Name: "maxEval", Value: "3"}},
		Daemons:  []Daemon{{Command: daemon, Host: "poona", Name: "d1"}, {Command: daemon, Host: "cham", Name: "d2"}},
		Processes: []Process{
			{Name: "words", Command: words, Args: oddWords, Host: "poona", Daemon: daemon},
			{Name: "going", Command: process, Host: "cham", Daemon: daemon},
		},
	}
	remote := server(w)
	o := Options{Remote: remote, RemoteDir: w.dir, Map: map[string]string{"poona": "127.0.0.1", "cham": "127.0.0.1"},
		Host: Host{IsLocal: func(string) bool { return false }}}
	r := w.start(d, o, RunOptions{Grace: time.Second, KeepGoing: true, Host: blind})
	r.until("the words are read", func() bool { return r.node("words").State == Ended })
	if st := r.node("words"); st.Exit.Code != 4 {
		t.Errorf("words ended with %+v, want 4", st.Exit)
	}
	var want strings.Builder
	for _, word := range oddWords {
		fmt.Fprintf(&want, "%x.\n", word)
	}
	r.until("the logs are there", func() bool {
		out, _ := os.ReadFile(r.dir.LogFile("words", "out"))
		errs, _ := os.ReadFile(r.dir.LogFile("words", "err"))
		return string(out) == want.String() && string(errs) == "t=3 h=poona r=0\n"
	})
	r.until("the process is up", func() bool { return strings.Contains(r.output.String(), "up") })
	st := r.node("going")
	if p, ok := state.ReadProcess(st.Remote); !ok || p.Session != st.Remote {
		t.Errorf("going reported process %d, which leads no session: %+v", st.Remote, p)
	}
	for _, sig := range []syscall.Signal{syscall.SIGUSR2, syscall.SIGUSR1} { // SIGINT is ignored where the tests run in the background
		if err := r.Signal("going", sig); err != nil {
			t.Error(err)
		}
		r.until("the signal arrives", func() bool { return strings.Contains(r.output.String(), "got "+SignalName(sig)) })
	}
	if err := r.Pause("going"); err != nil {
		t.Error(err)
	}
	r.until("it is paused", func() bool { return paused(st.Remote) })
	if err := r.Continue("going"); err != nil {
		t.Error(err)
	}
	r.until("it goes on", func() bool { p, _ := state.ReadProcess(st.Remote); return p.State != 'T' })
	r.Stop(0)
	result := r.wait()
	if result.Code != 4 || result.Failed != "words" {
		t.Errorf("code %d of %q, want result.Code = 4 and result.Failed = %q", result.Code, result.Failed, "words")
	}
	for _, id := range []string{"d1", "d2"} {
		if log, err := os.ReadFile(r.dir.LogFile(id, "err")); err == nil {
			t.Errorf("%s: the wrapper put its own words into the log: %q, want one", id, log)
		}
	}
	gone(t, r.dir.Run.ID)
}

// TestRemoteClock: a program on another machine reports the time there, so the run knows how far that clock is ahead.
func TestRemoteClock(t *testing.T) {
	w := newWorkshop(t)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "date"), []byte("#!/bin/sh\necho $(( $(/bin/date +%s) + 3600 )).000000000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	remote := w.goServer()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	d := Decls{Processes: []Process{{Name: "p", Command: w.script("p", "echo done"), Host: "poona", Daemon: Self}}}
	o := Options{Remote: remote, RemoteDir: w.dir, Map: map[string]string{"poona": "127.0.0.1"}, Host: Host{IsLocal: func(string) bool { return false }}}
	result := w.start(d, o, RunOptions{Host: blind}).wait()
	if clock := result.Nodes[0].Clock; clock == nil || *clock < time.Hour-golden.Patience || *clock > time.Hour+golden.Patience {
		t.Errorf("the clock is ahead by %v, want clock not nil, *clock at least %v and *clock at most %v", clock, time.Hour-golden.Patience, time.Hour+golden.Patience)
	}
}

// TestReport: the report of a wrapper about its machine.
func TestReport(t *testing.T) {
	now := time.Unix(1000, 500_000_000)
	for text, want := range map[string]string{
		"77 1003.250000000\n": "77 2.75s", "77 999.000000001\n": "77 -1.499999999s", "77\n": "77 unknown", "77 1003.N\n": "77 unknown", "77 1003\n": "77 unknown", "77 x.5 y\n": "", "is up\n": "",
	} {
		have := ""
		if pid, clock, ok := parseReport(text, now); ok {
			have = fmt.Sprint(pid, " unknown")
			if clock != nil {
				have = fmt.Sprint(pid, " ", *clock)
			}
		}
		if have != want {
			t.Errorf("%q is %q, want %q", text, have, want)
		}
	}
}

// A lost connection ends the remote group.
func TestRealSSHConnectionLost(t *testing.T) {
	need.Slow(t)
	t.Parallel()
	w := newWorkshop(t)
	daemon := Quote(w.script("daemon", `trap '' TERM; (trap '' TERM; while :; do sleep 0.1; done) & echo "PARADYND $$"; while :; do sleep 0.1; done`))
	d := Decls{Daemons: []Daemon{{Name: "d", Command: daemon, Host: "poona"}}}
	remote := w.goServer()
	o := Options{Remote: remote, RemoteDir: w.dir, Map: map[string]string{"poona": "127.0.0.1"}, Host: Host{IsLocal: func(string) bool { return false }}}
	r := w.start(d, o, RunOptions{Grace: time.Second, Host: blind})
	r.until("the daemon is ready", func() bool { return r.node("d").Remote != 0 && r.node("d").State == Running })
	if err := syscall.Kill(r.node("d").Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if result := r.wait(); result.Code != 137 {
		t.Errorf("code %d, want 137", result.Code)
	}
	gone(t, r.dir.Run.ID)
}

func gone(t *testing.T, run string) {
	t.Helper()
	left := func() []state.Process { return state.Marked(run, "") }
	golden.Until(t, "no process is left on the other machine", func() bool { return len(left()) == 0 }, golden.Known(func() string { return fmt.Sprint(left()) }))
}

func TestSSHCommand(t *testing.T) {
	n := &Node{ID: "p", Address: "poona", Argv: []string{"prog", "it's"}, Env: []Var{{"PENTODE_RUN", "r1"}}, Dir: "/tmp"}
	c := SSH{}.Command(n)
	head := []string{"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "poona"}
	if got := strings.Join(c.Argv[:len(c.Argv)-1], " "); got != strings.Join(head, " ") {
		t.Errorf("got %s; want %v", got, strings.Join(head, " "))
	}
	words, err := Split(strings.TrimPrefix(c.Argv[len(c.Argv)-1], "exec "))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"sh", "-c", sshWrapper, "sh", "10", "/tmp", "env", "PENTODE_RUN=r1", "sh", "-c", sshReport, "PENTODE-r1", "prog", "it's"}
	if fmt.Sprintf("%q", words) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", words, want)
	}
	if !c.Lifeline || c.Mark != "PENTODE-r1 " {
		t.Errorf("%+v, want a lifeline and the mark %q", c, "PENTODE-r1 ")
	}
	if rsh := (SSH{Program: []string{"rsh", "-x"}}).Command(n).Argv; strings.Join(rsh[:3], " ") != "rsh -x poona" {
		t.Errorf("another remote shell gets options of ssh: %q, want %q", rsh, "rsh -x poona")
	}
	if strings.Contains(sshWrapper+sshReport, "\n") {
		t.Error("csh allows no newline in quotes")
	}
}
