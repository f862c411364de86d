//go:build unix

package cli_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
	"testing"
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
