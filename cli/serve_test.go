//go:build unix

package cli_test

import (
	"bufio"
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
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/internal/golden"
)

// visitor is a browser that opened the printed address of a page.
type visitor struct {
	client *http.Client
	page   string
	token  string // the token that requests for changes must carry
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
	v := &visitor{client: &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}, page: page}
	text, err := v.get("?" + token)
	if err != nil {
		return nil, err
	}
	m := regexp.MustCompile(`content="([0-9a-f]{32})"`).FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("the page is %.200s", text)
	}
	v.token = m[1]
	return v, nil
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

// post requests a change, and returns the status and the answer.
func (v *visitor) post(t *testing.T, path string, change any) (int, string) {
	t.Helper()
	text, err := json.Marshal(change)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, v.page+path, strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Pentode-Token", v.token)
	r.Header.Set("Origin", strings.TrimSuffix(v.page, "/"))
	answer, err := v.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// served runs `serve`, calls look with a visitor of its page, and ends it with Ctrl-C.
func served(t *testing.T, cmd *exec.Cmd, look func(*visitor)) {
	t.Helper()
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
	if code := exitOf(t, cmd.Wait()); code != 130 {
		t.Errorf("exit %d, want 130", code)
	}
}

// TestServe: the printed address opens the page of the folder, and Ctrl-C ends it.
func TestServe(t *testing.T) {
	inFolder(t, counts)
	for _, args := range [][]string{{}, {"a.pipe"}} {
		served(t, process(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...), func(page *visitor) {
			if text, err := page.get("api/run"); err != nil || !strings.Contains(text, `"path":"a.pipe"`) {
				t.Errorf("%v; the folder is %.500s", err, text)
			}
		})
	}
}

// TestServeOpens: --open starts a browser with the printed address.
func TestServeOpens(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the program that opens a page has another name here")
	}
	inFolder(t, counts)
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	script := "#!/bin/sh\nprintf '%s' \"$1\" >'" + asked + ".new' && mv '" + asked + ".new' '" + asked + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	served(t, process(t, "serve", "--listen", "127.0.0.1:0", "--open"), func(page *visitor) {
		var address []byte
		golden.Until(t, "the browser is started", func() (ok bool) {
			address, _ = os.ReadFile(asked)
			return len(address) > 0
		})
		if !strings.HasPrefix(string(address), page.page) {
			t.Errorf("the browser gets %s, want the page %s", address, page.page)
		}
	})
}

// TestServeReads: flags for reading files have the same effect on the page as on other verbs.
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
		{"", "api/file?path=a.txt", "the language of", "other"},
		{"--lang pdi", "api/file?path=a.txt", "PDI specification tree", "not known"},
		{"", "api/file?path=env.pipe", "12345", ""},
		{"--inside .", "api/file?path=env.pipe", "SECRET", "12345"},
		{"--max-size 10", "api/file?path=a.pipe", "larger than", "numbers"},
		{"", "api/file?path=pipe.yml", "it is a pipe, not a file", ""},
	} {
		served(t, process(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, strings.Fields(c.args)...)...), func(page *visitor) {
			text, err := page.get(c.view)
			if err != nil {
				text = err.Error()
			}
			if !strings.Contains(text, c.want) || c.wantsNot != "" && strings.Contains(text, c.wantsNot) {
				t.Errorf("with `%s`, %s is %.600s; want %q in text and no %q in text", c.args, c.view, text, c.want, c.wantsNot)
			}
		})
	}
}

// TestServedPipeline: a pipeline started from the page writes into its own folder, is listed by
// `ps` and stopped by `stop`, and can be started again after it has ended.
func TestServedPipeline(t *testing.T) {
	b := newBench(t)
	if err := os.Mkdir(filepath.Join(b.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.file("sub/a.pipe", "process count :: numbers\n  end = 3\nprocess w :: text_write\n  file_name = counted.txt\nconnect from count.number to w.text\n")
	b.file("sub/out.pipe", "process count :: numbers\n  end = 3\nprocess w :: text_write\n  file_name = ../counted.txt\nconnect from count.number to w.text\n")
	b.file("endless.pipe", endless)
	b.file("reads.pipe", "process r :: text_read\n  file_name = in.txt\nprocess w :: sink\nconnect from r.text to w.sink\n")
	b.file("stores.pipe", "process count :: numbers\n  end = 3\nprocess w :: expose\n  spec = tree.yml\nconnect from count.number to w.n\n")
	b.file("wrong.pipe", "process count :: nombers\n")
	served(t, b.command("serve", "--listen", "127.0.0.1:0"), func(page *visitor) {
		start := func(name string) (int, string) {
			return page.post(t, "api/start", map[string]string{"path": filepath.Join(b.dir, name)})
		}
		counted := filepath.Join(b.dir, "sub", "counted.txt") // relative paths refer to the folder of the pipeline, as with `pentode run` there
		for range 2 {
			status, text := start("sub/a.pipe")
			golden.Until(t, "a pipeline that has written ends", func() bool {
				if status == http.StatusConflict {
					status, text = start("sub/a.pipe")
				}
				return status != http.StatusConflict
			})
			if status != http.StatusOK {
				t.Fatalf("%d: %s; want %v", status, text, http.StatusOK)
			}
			golden.Until(t, "three lines are written", func() bool {
				text, err := os.ReadFile(counted)
				return err == nil && strings.Count(string(text), "\n") == 3
			})
			if err := os.Remove(counted); err != nil {
				t.Fatal(err)
			}
		}
		if status, text := start("sub/out.pipe"); status == http.StatusOK {
			t.Errorf("results outside of the folder: %s; want other than %v", text, http.StatusOK)
		}
		if status, text := start("wrong.pipe"); status == http.StatusOK || !strings.Contains(text, "has errors, and is not started") {
			t.Errorf("a pipeline with errors: %d, %s; want status other than %v and %q in text", status, text, http.StatusOK, "has errors, and is not started")
		}
		// A pipeline that failed to start holds no resources, so it can be started again.
		for _, c := range []struct{ pipe, lacks, text string }{{"reads.pipe", "in.txt", "one\n"}, {"stores.pipe", "tree.yml", "logging: off\ndata:\n  n: int64\n"}} {
			if status, text := start(c.pipe); status == http.StatusOK || !strings.Contains(text, c.lacks) {
				t.Errorf("%s without %s: %d, %s", c.pipe, c.lacks, status, text)
			}
			b.file(c.lacks, c.text)
			if status, text := start(c.pipe); status != http.StatusOK {
				t.Errorf("%s with %s: %d, %s; want %v", c.pipe, c.lacks, status, text, http.StatusOK)
			}
		}
		if status, text := start("endless.pipe"); status != http.StatusOK {
			t.Fatalf("%d: %s; want %v", status, text, http.StatusOK)
		}
		if list := b.ask("ps", "--format", "json"); !strings.Contains(list, `"name": "count"`) {
			t.Errorf("the list lacks the pipeline:\n%s", list)
		}
		b.ask("stop")
		golden.Until(t, "a pipeline that was stopped is not listed", func() bool { return !strings.Contains(b.ask("ps", "--format", "json"), `"name": "count"`) })
		if status, text := start("endless.pipe"); status != http.StatusOK {
			t.Errorf("a second time: %d, %s; want %v", status, text, http.StatusOK)
		}
	}) // the end of the page also ends the pipeline
	for _, name := range []string{"*.socket", "*/run.json"} {
		if left, _ := filepath.Glob(filepath.Join(b.dir, "*", "pentode", name)); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
	if kept, _ := filepath.Glob(filepath.Join(b.dir, "*", "pentode", "*", "record.json")); len(kept) < 2 {
		t.Errorf("of its runs only these are kept: %v", kept)
	}
}

// TestServedLanguage: a file that --lang reads as another language cannot be started as a pipeline.
func TestServedLanguage(t *testing.T) {
	b := newBench(t)
	b.file("a.pipe", "logging: off\n")
	served(t, b.command("serve", "--listen", "127.0.0.1:0", "--lang", "pdi"), func(page *visitor) {
		if status, text := page.post(t, "api/start", map[string]string{"path": filepath.Join(b.dir, "a.pipe")}); status != http.StatusUnprocessableEntity || !strings.Contains(text, "this is not a pipeline") {
			t.Errorf("%d: %s; want status = %v and %q in text", status, text, http.StatusUnprocessableEntity, "this is not a pipeline")
		}
	})
}

// TestServeReadOnly: a read-only page refuses to start a run.
func TestServeReadOnly(t *testing.T) {
	b := newBench(t)
	b.file("a.pipe", endless)
	served(t, b.command("serve", "--listen", "127.0.0.1:0", "--read-only"), func(page *visitor) {
		if status, text := page.post(t, "api/start", map[string]string{"path": filepath.Join(b.dir, "a.pipe")}); status == http.StatusOK {
			t.Errorf("started: %s; want other than %v", text, http.StatusOK)
		}
	})
}

// TestServeUsualPort: if another program uses the default port, the page uses another port.
func TestServeUsualPort(t *testing.T) {
	b := newBench(t)
	taken, err := net.Listen("tcp", "127.0.0.1:7310")
	if err == nil {
		defer taken.Close()
	}
	served(t, b.command("serve"), func(page *visitor) {
		if !strings.HasPrefix(page.page, "http://127.0.0.1:") || page.page == "http://127.0.0.1:7310/" {
			t.Errorf("the page is at %s; want page.page = %q at the start and page.page other than %q", page.page, "http://127.0.0.1:", "http://127.0.0.1:7310/")
		}
	})
}

// TestServeRefuses: wrong arguments of `serve` are reported at once.
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
