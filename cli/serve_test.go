//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
)

// TestServe: the printed address opens the page of the folder, and Ctrl-C ends it.
func TestServe(t *testing.T) {
	inFolder(t, counts)
	for _, args := range [][]string{{}, {"a.pipe"}} {
		cmd := process(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		address, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
		get := func(address string) string {
			answer, err := client.Get(address)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("%s: %s, %v: %.200s", address, answer.Status, err, text)
			}
			return string(text)
		}
		page, _, _ := strings.Cut(strings.TrimSpace(address), "?")
		if text := get(strings.TrimSpace(address)); !strings.Contains(text, "<html") {
			t.Errorf("the page is %.200s", text)
		}
		if text := get(page + "api/run"); !strings.Contains(text, `"path":"a.pipe"`) {
			t.Errorf("the folder is %.500s", text)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := exitOf(t, cmd.Wait()); code != 0 {
			t.Errorf("exit %d", code)
		}
	}
}

// A served is a page of a bench that goes on.
type served struct {
	*bench
	cmd     *exec.Cmd
	client  *http.Client
	address string // of the page, with a slash at its end
	token   string // that changes need
}

// serve opens the page of the bench.
func (b *bench) serve(args ...string) *served {
	b.t.Helper()
	cmd := b.command(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	s := &served{bench: b, cmd: cmd, client: &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}}
	s.address, _, _ = strings.Cut(strings.TrimSpace(first), "?")
	answer, err := s.client.Get(strings.TrimSpace(first))
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	if m := regexp.MustCompile(`content="([0-9a-f]{32})"`).FindSubmatch(page); m != nil {
		s.token = string(m[1])
	}
	return s
}

// post asks for a change, and returns the status and the answer.
func (s *served) post(path string, change any) (int, string) {
	s.t.Helper()
	text, err := json.Marshal(change)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, s.address+path, bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Pentode-Token", s.token)
	r.Header.Set("Origin", strings.TrimSuffix(s.address, "/"))
	answer, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// end ends the page as Ctrl-C does.
func (s *served) end() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}
	if code := exitOf(s.t, s.cmd.Wait()); code != 0 {
		s.t.Errorf("exit %d", code)
	}
}

// TestServedPipeline: a pipeline that the page starts writes beside it, is found
// by other programs while it runs, and can be started again when it has ended.
func TestServedPipeline(t *testing.T) {
	b := newBench(t)
	b.file("a.pipe", "process count :: numbers\n  end = 3\nprocess w :: text_write\n  file_name = counted.txt\nconnect from count.number to w.text\n")
	b.file("endless.pipe", endless)
	b.file("wrong.pipe", "process count :: nombers\n")
	s := b.serve()
	start := func(name string) (int, string) {
		return s.post("api/start", map[string]string{"path": filepath.Join(b.dir, name)})
	}
	counted := filepath.Join(b.dir, "a-out", "counted.txt")
	for range 2 {
		status, text := start("a.pipe")
		for end := time.Now().Add(golden.Patience); status == http.StatusConflict && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			status, text = start("a.pipe") // the one before has written, and has not ended yet
		}
		if status != http.StatusOK {
			t.Fatalf("%d: %s", status, text)
		}
		for end := time.Now().Add(golden.Patience); ; time.Sleep(10 * time.Millisecond) {
			if text, err := os.ReadFile(counted); err == nil && strings.Count(string(text), "\n") == 3 {
				break
			}
			if time.Now().After(end) {
				t.Fatal("nothing was written")
			}
		}
		if err := os.Remove(counted); err != nil {
			t.Fatal(err)
		}
	}
	if status, text := start("wrong.pipe"); status == http.StatusOK || !strings.Contains(text, "has errors, and is not started") {
		t.Errorf("a pipeline with errors: %d, %s", status, text)
	}
	if status, text := start("endless.pipe"); status != http.StatusOK {
		t.Fatalf("%d: %s", status, text)
	}
	if list := b.ask("flow", "control"); !strings.Contains(list, filepath.Join(b.dir, "endless.pipe")) {
		t.Errorf("the list lacks the pipeline:\n%s", list)
	}
	b.ask("flow", "control", "stop")
	for end := time.Now().Add(golden.Patience); strings.Contains(b.ask("flow", "control"), "endless.pipe"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a pipeline that was stopped is still listed")
		}
	}
	if status, text := start("endless.pipe"); status != http.StatusOK {
		t.Errorf("a second time: %d, %s", status, text)
	}
	s.end() // and the pipeline with it
	if left, _ := filepath.Glob(filepath.Join(b.dir, "*", "pentode", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestServeReadOnly: a page that changes nothing starts nothing.
func TestServeReadOnly(t *testing.T) {
	b := newBench(t)
	b.file("a.pipe", endless)
	s := b.serve("--read-only")
	if status, text := s.post("api/start", map[string]string{"path": filepath.Join(b.dir, "a.pipe")}); status == http.StatusOK {
		t.Errorf("started: %s", text)
	}
	s.end()
}

// TestServeUsualPort: where another program has the usual port, the page takes another.
func TestServeUsualPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:7310")
	if err == nil {
		defer taken.Close()
	}
	b := newBench(t)
	cmd := b.command("serve")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(first, "http://127.0.0.1:") || strings.HasPrefix(first, "http://127.0.0.1:7310/") {
		t.Errorf("the page is at %s, %v", first, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

// TestEditorServer: an editor speaks first and says goodbye; one that is gone
// without it is an error.
func TestEditorServer(t *testing.T) {
	message := func(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }
	goodbye := message(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`) + message(`{"jsonrpc":"2.0","method":"exit"}`)
	for last, want := range map[string]int{goodbye: 0, "": 1} {
		cmd := process(t, "lsp")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		io.WriteString(in, message(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`))
		head, err := bufio.NewReader(out).ReadString('}')
		if err != nil || !strings.Contains(head, `"id":1`) {
			t.Errorf("%s, %v", head, err)
		}
		io.WriteString(in, last)
		in.Close()
		if code := exitOf(t, cmd.Wait()); code != want || errs.Len() > 0 {
			t.Errorf("exit %d, want %d: %s", code, want, errs.String())
		}
	}
}

// TestServeRefuses: what cannot be served is said at once.
func TestServeRefuses(t *testing.T) {
	inFolder(t, counts)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"nowhere"}, "`nowhere`"},
		{[]string{"--listen", "here"}, "--listen takes an address with a port"},
		{[]string{"--listen", taken.Addr().String()}, "cannot be listened on"},
	} {
		out, err := process(t, append([]string{"serve"}, c.args...)...).CombinedOutput()
		if exitOf(t, err) == 0 || !strings.Contains(string(out), c.want) {
			t.Errorf("%q: %v, %s", c.args, err, out)
		}
	}
}
