//go:build unix

package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
	"syscall"
	"testing"
)

// visitor is a browser that was given the address of a page.
type visitor struct {
	client *http.Client
	page   string
}

// visit reads the address that `serve` prints, and opens the page.
func visit(printed io.Reader) (*visitor, error) {
	address, err := bufio.NewReader(printed).ReadString('\n')
	if err != nil {
		return nil, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	page, token, _ := strings.Cut(strings.TrimSpace(address), "?")
	v := &visitor{&http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}, page}
	text, err := v.get("?" + token)
	if err == nil && !strings.Contains(text, "<html") {
		err = fmt.Errorf("the page is %.200s", text)
	}
	return v, err
}

func (v *visitor) get(view string) (string, error) {
	answer, err := v.client.Get(v.page + view)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.200s", view, answer.Status, text)
	}
	return string(text), err
}

// served runs `serve` while something looks at its page, and ends it with Ctrl-C.
func served(t *testing.T, args []string, look func(*visitor)) {
	t.Helper()
	cmd := process(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	page, err := visit(out)
	if err != nil {
		t.Fatal(err)
	}
	look(page)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitOf(t, cmd.Wait()); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestServe: the printed address opens the page of the folder, and Ctrl-C ends it.
func TestServe(t *testing.T) {
	inFolder(t, counts)
	for _, args := range [][]string{{}, {"a.pipe"}} {
		served(t, args, func(page *visitor) {
			if text, err := page.get("api/run"); err != nil || !strings.Contains(text, `"path":"a.pipe"`) {
				t.Errorf("%v; the folder is %.500s", err, text)
			}
		})
	}
}

// TestServeReads: the page reads as the other verbs do that have these flags.
func TestServeReads(t *testing.T) {
	inFolder(t, counts)
	write(t, "a.txt", "other: 3\n")
	write(t, "env.pipe", "process src :: numbers\n  end = $ENV{SECRET}\n")
	t.Setenv("SECRET", "12345")
	if err := syscall.Mkfifo("pipe.yml", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, view     string
		want, wantsNot string
	}{
		{"", "api/file?path=a.txt", "not known which language", "other"},
		{"--lang pdi", "api/file?path=a.txt", "PDI specification tree", "not known"},
		{"", "api/file?path=env.pipe", "12345", ""},
		{"--inside .", "api/file?path=env.pipe", "SECRET", "12345"},
		{"--max-size 10", "api/file?path=a.pipe", "larger than", "numbers"},
		{"", "api/file?path=pipe.yml", "it is a pipe, not a file", ""},
	} {
		served(t, strings.Fields(c.args), func(page *visitor) {
			text, err := page.get(c.view)
			if err != nil {
				text = err.Error()
			}
			if !strings.Contains(text, c.want) || c.wantsNot != "" && strings.Contains(text, c.wantsNot) {
				t.Errorf("with `%s`, %s is %.600s", c.args, c.view, text)
			}
		})
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
