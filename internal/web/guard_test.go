package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/workspace"
)

// newPage returns the page of a folder with the given files.
func newPage(t *testing.T, files map[string]string, change func(*Options)) (*Server, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Path: dir, Workspace: workspace.New(all.Languages(all.Options{}), load.NewEnv())}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, dir
}

// ask sends a request as the page itself would; spoil may change the request.
func ask(s *Server, method, path, text string, spoil func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(text))
	r.Host = "127.0.0.1:7310"
	cookie, change := visit(s)
	r.AddCookie(cookie)
	if method == http.MethodPost {
		r.Header.Set("Origin", "http://"+r.Host)
		r.Header.Set(changeHeader, change)
	}
	if spoil != nil {
		spoil(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// changeHeader carries the token of changes.
const changeHeader = "Pentode-Token"

// visit makes the first visit of a browser, and returns the cookie and the token for changes that
// it gets.
func visit(s *Server) (cookie *http.Cookie, change string) {
	get := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = "127.0.0.1:7310"
		if cookie != nil {
			r.AddCookie(cookie)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	set := get("/?token=" + s.Token()).Result().Cookies()[0]
	cookie = &http.Cookie{Name: set.Name, Value: set.Value}
	_, rest, _ := strings.Cut(get("/").Body.String(), `name="token" content="`)
	change, _, _ = strings.Cut(rest, `"`)
	return cookie, change
}

const numbersPipe = "process a\n  :: numbers\n  start = 1\n  end = 5\nprocess b\n  :: sink\nconnect from a.number\n        to   b.sink\n"

// TestGuard: only requests from this page, with its cookie and its token, are answered.
func TestGuard(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) { o.Hosts = []string{"desk.example"} })
	cookie, _ := visit(s)
	change := `{"path":` + fmt.Sprintf("%q", filepath.Join(dir, "a.pipe")) + `,"key":"a:end","value":"7","write":true}`
	for name, c := range map[string]struct {
		method, path string
		change       func(*http.Request)
		want         int
	}{
		"as it should be":            {"GET", "/api/run", nil, 200},
		"localhost with a port":      {"GET", "/api/run", func(r *http.Request) { r.Host = "localhost:9999" }, 200},
		"IPv6":                       {"GET", "/api/run", func(r *http.Request) { r.Host = "[::1]:9" }, 200},
		"a name that was allowed":    {"GET", "/api/run", func(r *http.Request) { r.Host = "desk.example:80" }, 200},
		"a name of another site":     {"GET", "/api/run", func(r *http.Request) { r.Host = "evil.example:7310" }, 421},
		"a name that begins alike":   {"GET", "/api/run", func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, 421},
		"a user in the host":         {"GET", "/api/run", func(r *http.Request) { r.Host = "localhost@evil.example" }, 421},
		"no cookie":                  {"GET", "/api/run", func(r *http.Request) { r.Header.Del("Cookie") }, 403},
		"a wrong cookie":             {"GET", "/api/run", func(r *http.Request) { r.Header.Set("Cookie", cookie.Name+"=x") }, 403},
		"the page without a token":   {"GET", "/", func(r *http.Request) { r.Header.Del("Cookie") }, 403},
		"a wrong token":              {"GET", "/?token=x", nil, 403},
		"a token elsewhere":          {"GET", "/api/run?token=x", nil, 200},
		"a broken host":              {"GET", "/api/run", func(r *http.Request) { r.Host = "127.0.0.1:%" }, 421},
		"a script":                   {"GET", "/static/app.js", nil, 200},
		"the colours of pictures":    {"GET", "/graph.css", nil, 200},
		"scripts without a cookie":   {"GET", "/static/app.js", func(r *http.Request) { r.Header.Del("Cookie") }, 403},
		"another origin reads":       {"GET", "/api/run", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403},
		"another port reads":         {"GET", "/api/run", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, 403},
		"another subdomain reads":    {"GET", "/api/run", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		"the page reads":             {"GET", "/api/run", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }, 200},
		"an address that is typed":   {"GET", "/", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") }, 200},
		"another site reads":         {"GET", "/api/run", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"a change":                   {"POST", "/api/set", nil, 200},
		"a change without an origin": {"POST", "/api/set", func(r *http.Request) { r.Header.Del("Origin") }, 403},
		"a change of another origin": {"POST", "/api/set", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		"a change without its token": {"POST", "/api/set", func(r *http.Request) { r.Header.Del(changeHeader) }, 403},
		"a change by GET":            {"GET", "/api/set", nil, 405},
		"another method":             {"DELETE", "/api/run", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.Host) }, 405},
		"something else":             {"GET", "/etc/passwd", nil, 404},
		"out of the static files":    {"GET", "/static/../server.go", nil, 307},
	} {
		t.Run(name, func(t *testing.T) {
			w := ask(s, c.method, c.path, change, c.change)
			if w.Code != c.want {
				t.Errorf("%d, want %d: %s", w.Code, c.want, w.Body)
			}
			if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'; script-src 'self'") || strings.Contains(got, "unsafe") {
				t.Errorf("the policy is %q, want %q in got and no %q in got", got, "default-src 'none'; script-src 'self'", "unsafe")
			}
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
				"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
			} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

// TestRefusedDoesNothing: a refused request gets only an error, and changes nothing.
func TestRefusedDoesNothing(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, nil)
	path := filepath.Join(dir, "a.pipe")
	change := fmt.Sprintf(`{"path":%q,"key":"a:end","value":"7","write":true}`, path)
	for name, spoil := range map[string]func(*http.Request){
		"another name":   func(r *http.Request) { r.Host = "evil.example" },
		"another origin": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"another site":   func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another method": func(r *http.Request) { r.Method = "PUT"; r.Header.Set("Origin", "http://"+r.Host) },
		"no cookie":      func(r *http.Request) { r.Header.Del("Cookie") },
		"no token":       func(r *http.Request) { r.Header.Del(changeHeader) },
	} {
		for _, request := range [][2]string{{"GET", "/api/run"}, {"GET", "/"}, {"POST", "/api/set"}} {
			if name == "no token" && request[0] == "GET" {
				continue // reading needs no token
			}
			w := ask(s, request[0], request[1], change, spoil)
			var answer map[string]string
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer) != 1 || answer["error"] == "" || w.Code < 400 {
				t.Errorf("%s: %v is answered with %d %.200s, want err nil, len(answer) = 1, answer[\"error\"] other than nothing and w.Code at least 400", name, request, w.Code, w.Body)
			}
		}
	}
	if text, _ := os.ReadFile(path); string(text) != numbersPipe {
		t.Errorf("the file was written:\n%s\nwant %v", text, numbersPipe)
	}
}

// TestFirstVisit: the token in the address is exchanged for a cookie that scripts cannot read and
// other sites cannot send. Each server has its own cookie name.
func TestFirstVisit(t *testing.T) {
	s, _ := newPage(t, nil, nil)
	other, _ := newPage(t, nil, nil)
	w := ask(s, "GET", "/?token="+s.Token(), "", func(r *http.Request) { r.Header.Del("Cookie") })
	set := w.Header().Get("Set-Cookie")
	if w.Code != 303 || w.Header().Get("Location") != "/" || !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") {
		t.Errorf("%d, %s; want 303 to /, and a cookie with %q and %q", w.Code, set, "HttpOnly", "SameSite=Strict")
	}
	cookie, change := visit(s)
	if others, _ := visit(other); cookie.Name == others.Name || strings.Contains(set, s.Token()) {
		t.Errorf("the cookie is %s, want no token in it, and another name than %s, that of the other server", set, cookie.Name)
	}
	text := ask(s, "GET", "/", "", nil).Body.String()
	if len(change) != 32 || !strings.Contains(text, change) || strings.Contains(text, s.Token()) || strings.Contains(text, cookie.Value) {
		t.Error("the page has the wrong secrets")
	}
}

// TestFence: nothing outside of the folder is read or written, even through `..` or links.
func TestFence(t *testing.T) {
	s, dir := newPage(t, map[string]string{"in/a.pipe": numbersPipe}, func(o *Options) { o.Path = filepath.Join(o.Path, "in") })
	secret := filepath.Join(dir, "secret.pipe")
	if err := os.WriteFile(secret, []byte("process secret\n  :: numbers\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(dir, "in")
	if err := os.Symlink(secret, filepath.Join(in, "link.pipe")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(in, "up")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(in, "includes.pipe"), []byte("include ../secret.pipe\ninclude link.pipe\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{secret, in + "/../secret.pipe", in + "/link.pipe", in + "/up/secret.pipe", "/etc/passwd", in + "/includes.pipe"} {
		for _, view := range []string{"/api/file?path=", "/api/graph?path="} {
			w := ask(s, "GET", view+url.QueryEscape(path), "", nil)
			if strings.Contains(w.Body.String(), "process secret") || strings.Contains(w.Body.String(), "root:") || strings.Contains(w.Body.String(), "\u003esecret") || w.Code == 200 && !strings.Contains(path, "includes") {
				t.Errorf("%s%s: %d %s, want nothing of the files outside, and 200 only for includes.pipe", view, path, w.Code, w.Body)
			}
		}
		text := fmt.Sprintf(`{"path":%q,"key":"secret:start","value":"7","write":true}`, path)
		ask(s, "POST", "/api/set", text, nil)
		if w := ask(s, "POST", "/api/start", fmt.Sprintf(`{"path":%q}`, path), nil); w.Code == 200 {
			t.Errorf("%s was started, want other than 200", path)
		}
	}
	dots := filepath.Join(in, "..a.pipe") // only the beginning of the name looks like a path outside
	if err := os.WriteFile(dots, []byte(numbersPipe), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{dots: 200, filepath.Join(in, "missing.pipe"): 404, in + "/..": 404} {
		if w := ask(s, "GET", "/api/file?path="+url.QueryEscape(path), "", nil); w.Code != want {
			t.Errorf("%s: %d %s; want %v", path, w.Code, w.Body, want)
		}
	}
	if w := ask(s, "POST", "/api/set", fmt.Sprintf(`{"path":%q,"key":"a:end","value":"7","write":true}`, dots), nil); w.Code != 200 {
		t.Errorf("%d %s; want 200", w.Code, w.Body)
	}
	if w := ask(s, "GET", "/api/run", "", nil); strings.Contains(w.Body.String(), `"id":"secret"`) {
		t.Error("the list has the secret")
	}
	if text, _ := os.ReadFile(secret); string(text) != "process secret\n  :: numbers\n" {
		t.Errorf("the secret was written: %s; want %q", text, "process secret\n  :: numbers\n")
	}
}

// TestIncludedElsewhere: a folder in which included files are searched for can be read, but never
// written, even through a link in the page's folder.
func TestIncludedElsewhere(t *testing.T) {
	library := t.TempDir()
	shared := filepath.Join(library, "shared.pipe")
	if err := os.WriteFile(shared, []byte(numbersPipe), 0o644); err != nil {
		t.Fatal(err)
	}
	s, dir := newPage(t, map[string]string{"a.pipe": "include shared.pipe\n"}, func(o *Options) { o.Workspace.Env.Include = []string{library} })
	for _, c := range []struct {
		path, value string
		write       bool
		want        int
	}{
		{filepath.Join(dir, "a.pipe"), "7", false, 200}, {filepath.Join(dir, "a.pipe"), "7", true, 403},
		{shared, "7", false, 200}, {shared, "7", true, 403}, {filepath.Join(library, "missing.pipe"), "7", false, 404},
	} {
		w := ask(s, "POST", "/api/set", fmt.Sprintf(`{"path":%q,"key":"a:end","value":%q,"write":%v}`, c.path, c.value, c.write), nil)
		if w.Code != c.want || c.want == 200 && !strings.Contains(w.Body.String(), `+  end = 7`) {
			t.Errorf("%+v: %d %s, want %d, and where that is 200 the new end in the diff", c, w.Code, w.Body, c.want)
		}
		if c.want == 403 && !strings.Contains(w.Body.String(), shared+"` is outside of the served folder, so the page does not write it") {
			t.Errorf("%+v: %s, want it to say that %s lies outside and is not written", c, w.Body, shared)
		}
	}
	if text, _ := os.ReadFile(shared); string(text) != numbersPipe {
		t.Errorf("the file was written:\n%s\nwant %v", text, numbersPipe)
	}
}

// TestNew: a page can be made for a file, which means its folder. It cannot be made for a missing
// folder, or with a missing folder of included files.
func TestNew(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) { o.Path = filepath.Join(o.Path, "a.pipe") })
	if s.root != dir {
		t.Errorf("the folder is %s, want %s", s.root, dir)
	}
	env := load.NewEnv()
	o := Options{Path: filepath.Join(dir, "missing"), Workspace: workspace.New(all.Languages(all.Options{}), env)}
	if _, err := New(o); !os.IsNotExist(err) {
		t.Errorf("a missing folder: %v", err)
	}
	o.Path, env.Include = dir, []string{filepath.Join(dir, "missing")}
	if _, err := New(o); !os.IsNotExist(err) {
		t.Errorf("a missing folder of included files: %v", err)
	}
}

// TestEnds: a closed listener is an error, and a page that is being closed starts no runs.
func TestEnds(t *testing.T) {
	s, _ := newPage(t, nil, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := s.Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
	s.Close()
	if _, err := s.runs.Start("a.pipe"); err == nil || err.Error() != "the page is being closed" {
		t.Errorf("a start at the end: %v", err)
	}
}

// TestReadOnly: a read-only page shows everything, but changes and starts nothing.
func TestReadOnly(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) { o.ReadOnly = true })
	path := filepath.Join(dir, "a.pipe")
	set := func(write bool) string {
		return fmt.Sprintf(`{"path":%q,"key":"a:end","value":"7","write":%v}`, path, write)
	}
	for _, c := range []struct {
		path, text string
		want       int
	}{
		{"/api/set", set(false), 200}, {"/api/set", set(true), 403}, {"/api/start", fmt.Sprintf(`{"path":%q}`, path), 403},
		{"/api/stop", `{"run":"x"}`, 403}, {"/api/pause", `{"run":"x"}`, 403}, {"/api/resume", `{"run":"x"}`, 403}, {"/api/restart", `{"run":"x"}`, 403}, {"/api/signal", `{"run":"x","signal":"KILL"}`, 403},
		{"/api/fix", fmt.Sprintf(`{"path":%q,"write":true}`, path), 403},
	} {
		if w := ask(s, "POST", c.path, c.text, nil); w.Code != c.want {
			t.Errorf("%s: %d %s; want %v", c.path, w.Code, w.Body, c.want)
		}
	}
	if text, _ := os.ReadFile(path); string(text) != numbersPipe {
		t.Error("the file was written")
	}
}

// TestLimits: a request that is too long, and a stream too many, are refused.
func TestLimits(t *testing.T) {
	s, _ := newPage(t, nil, nil)
	if w := ask(s, "POST", "/api/scratch", `{"text":"`+strings.Repeat("x", maxBody)+`"}`, nil); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a long request: %d, want %v", w.Code, http.StatusRequestEntityTooLarge)
	}
	if w := ask(s, "POST", "/api/scratch", `{"unknown":1}`, nil); w.Code != http.StatusBadRequest {
		t.Errorf("an unknown field: %d", w.Code)
	}
	s.streams.open.Store(64)
	if w := ask(s, "GET", "/api/events", "", nil); w.Code != http.StatusTooManyRequests || s.streams.open.Load() != 64 {
		t.Errorf("one stream too many: %d, and %d are open", w.Code, s.streams.open.Load())
	}
}

// TestHostileNames: names that look like HTML are plain text in every answer, in all five
// languages, and add no elements to pictures.
func TestHostileNames(t *testing.T) {
	s, dir := newPage(t, map[string]string{
		"a.pipe":     "process <script>alert(1)</script>\n  :: <img/src=x>\n",
		"a.psdl":     "process { name \"<script>alert(1)</script>\"; command \"<b>\"; host \"<i>\"; daemon \"<u>\"; }\n",
		"a.yml":      "data:\n  \"<script>alert(1)</script>\": int\nmetadata:\n  n: int\n",
		"a.pinsight": "[Lexgion(<script>)]\n    tracing_rate = <img/src=x>\n",
		"a.coilcfg":  "[Target]\nPU = <script>alert(1)</script>\n",
	}, nil)
	for _, name := range []string{"a.pipe", "a.psdl", "a.yml", "a.pinsight", "a.coilcfg"} {
		w := ask(s, "GET", "/api/graph?path="+url.QueryEscape(filepath.Join(dir, name)), "", nil)
		var answer graphAnswer
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %s; want none", name, w.Body)
		}
		for _, bad := range []string{"<script", "<img", "<b>", "<i>", "<u>", "<style", " style=", " onerror"} {
			if strings.Contains(answer.SVG, bad) {
				t.Errorf("the picture of %s has %s; want no %q in it", name, bad, bad)
			}
		}
		if got := ask(s, "GET", "/api/file?path="+url.QueryEscape(filepath.Join(dir, name)), "", nil); got.Header().Get("Content-Type") != "application/json; charset=utf-8" || strings.Contains(got.Body.String(), "<script") {
			t.Errorf("the text of %s is sent as markup, want got.Header().Get(\"Content-Type\") = %q and no %q in got.Body.String()", name, "application/json; charset=utf-8", "<script")
		}
	}
}

// TestNothingIsLeft: after 100 pages were opened and closed, no goroutine and no stream is left.
func TestNothingIsLeft(t *testing.T) {
	defer golden.NothingRuns(t, goleak.IgnoreCurrent())
	s, _ := newPage(t, map[string]string{"a.pipe": numbersPipe}, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	transport := &http.Transport{}
	client := &http.Client{Transport: transport}
	cookie, _ := visit(s)
	get := func(ctx context.Context, path string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, "GET", "http://"+l.Addr().String()+path, nil)
		if err != nil {
			return nil, err
		}
		r.AddCookie(cookie)
		return client.Do(r)
	}
	for range 100 {
		visit, leave := context.WithCancel(t.Context())
		for _, path := range []string{"/", "/static/app.js", "/api/run", "/api/events"} {
			answer, err := get(visit, path)
			if err != nil {
				t.Fatal(err)
			}
			if path != "/api/events" {
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			} else if line, err := io.ReadAll(io.LimitReader(answer.Body, 12)); err != nil || string(line) != "event: runs\n" {
				t.Fatalf("%q, %v", line, err)
			}
		}
		leave()
	}
	transport.CloseIdleConnections()
	golden.Until(t, "no stream is left", func() bool { return s.streams.open.Load() == 0 },
		golden.Known(func() string { return fmt.Sprintf("%d are open", s.streams.open.Load()) }))
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestStopWaitsForNoRequest: when the page ends, an incomplete request is cut off without an
// answer.
func TestStopWaitsForNoRequest(t *testing.T) {
	need.Slow(t)
	s, _ := newPage(t, map[string]string{"a.pipe": numbersPipe}, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	slow, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	host := l.Addr().String()
	cookie, change := visit(s)
	fmt.Fprintf(slow, "POST /api/scratch HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nCookie: %s=%s\r\n%s: %s\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n",
		host, host, cookie.Name, cookie.Value, changeHeader, change)
	const reading = "HTTP/1.1 100 Continue\r\n\r\n" // the server now waits for the body
	if got, err := io.ReadAll(io.LimitReader(slow, int64(len(reading)))); err != nil || string(got) != reading {
		t.Fatalf("%q, %v", got, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got, _ := io.ReadAll(slow); len(got) > 0 {
		t.Errorf("it is answered: %s; want at most 0", got)
	}
}

// TestPageIsSmall: the page has at most 300,000 bytes, and loads nothing from other hosts.
func TestPageIsSmall(t *testing.T) {
	files, err := page.ReadDir("page")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, f := range files {
		text, err := page.ReadFile("page/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		total += len(text)
		if lines := strings.Count(string(text), "\n"); lines > 400 {
			t.Errorf("%s has %d lines, want at most 400", f.Name(), lines)
		}
		for _, bad := range []string{"https://", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("} {
			if strings.Contains(string(text), bad) {
				t.Errorf("%s has %s; want no %q in it", f.Name(), bad, bad)
			}
		}
	}
	if total > 300_000 {
		t.Errorf("the page has %d bytes, want at most 300_000", total)
	}
}
