package web

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/workspace"
)

// put sends a new text of a file, and checks the status.
func put(t *testing.T, s *Server, want int, change map[string]any) (a struct {
	saveAnswer
	Error string `json:"error"`
	Check struct {
		Summary struct{ Errors int }
	} `json:"check"`
}) {
	t.Helper()
	text, err := json.Marshal(change)
	if err != nil {
		t.Fatal(err)
	}
	return answered(t, &a, ask(s, "POST", "/api/text", string(text), nil), want)
}

func answered[T any](t *testing.T, a *T, w *httptest.ResponseRecorder, want int) T {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), a); err != nil || w.Code != want {
		t.Fatalf("%d: %s; want err nil and w.Code = %v", w.Code, w.Body, want)
	}
	return *a
}

func textAt(t *testing.T, s *Server, path string) textAnswer {
	t.Helper()
	return answered(t, &textAnswer{}, ask(s, "GET", address("text", "path", path), "", nil), 200)
}

// TestSave: a new text is written if it adds no errors or the user insists. It never overwrites a change made elsewhere, and keeps the line
// endings of the file.
func TestSave(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe, "windows.pipe": strings.ReplaceAll(numbersPipe, "\n", "\r\n")}, nil)
	path := filepath.Join(dir, "a.pipe")
	is := func(name, want string) {
		t.Helper()
		if have, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(have) != want {
			t.Fatalf("%s is %q, %v", name, have, err)
		}
	}
	was := textAt(t, s, path)
	if was.Text != numbersPipe || was.Hash == "" {
		t.Fatalf("the text is %+v, want %q with a hash", was, numbersPipe)
	}
	good := strings.Replace(numbersPipe, "end = 5", "end = 7", 1)
	if a := put(t, s, 200, map[string]any{"path": path, "text": good, "hash": was.Hash}); a.Written || len(a.Added) > 0 || a.Check.Summary.Errors > 0 {
		t.Errorf("without write: %+v", a)
	}
	is("a.pipe", numbersPipe)
	if a := put(t, s, 200, map[string]any{"path": path, "text": good, "hash": was.Hash, "write": true}); !a.Written || a.Hash == was.Hash || a.Hash != textAt(t, s, path).Hash {
		t.Errorf("written: %+v, want it written, with the new hash of the file", a)
	}
	is("a.pipe", good)
	now := textAt(t, s, path)

	bad := strings.Replace(good, "connect from a.number", "connect from a.nothing", 1)
	if a := put(t, s, 200, map[string]any{"path": path, "text": bad, "hash": now.Hash, "write": true}); a.Written || len(a.Added) == 0 || a.Added[0].Severity != "error" || a.Check.Summary.Errors == 0 {
		t.Errorf("with an error: %+v, want it not written, and the error that it adds", a)
	}
	is("a.pipe", good)
	if a := put(t, s, 200, map[string]any{"path": path, "text": bad, "hash": now.Hash, "write": true, "insist": true}); !a.Written {
		t.Errorf("on insistence: %+v, want it written", a)
	}
	is("a.pipe", bad)
	// An error that the file already had does not prevent saving.
	if a := put(t, s, 200, map[string]any{"path": path, "text": bad + "# more\n", "hash": textAt(t, s, path).Hash, "write": true}); !a.Written || a.Check.Summary.Errors == 0 {
		t.Errorf("with an old error: %+v, want it written, and the error in its findings", a)
	}

	for _, insist := range []bool{false, true} { // the file was changed twice since this version
		if a := put(t, s, 200, map[string]any{"path": path, "text": good, "hash": now.Hash, "write": true, "insist": insist}); a.Written || a.Theirs == nil || a.Theirs.Text != bad+"# more\n" || a.Theirs.Hash == now.Hash {
			t.Errorf("over a change made elsewhere: %+v, want it not written, and the text of the others with its hash", a)
		}
	}
	is("a.pipe", bad+"# more\n")

	windows := textAt(t, s, filepath.Join(dir, "windows.pipe"))
	if windows.Text != numbersPipe {
		t.Errorf("the text area gets %q, want %v", windows.Text, numbersPipe)
	}
	if a := put(t, s, 200, map[string]any{"path": windows.Path, "text": good, "hash": windows.Hash, "write": true}); !a.Written || a.Hash != textAt(t, s, windows.Path).Hash {
		t.Errorf("with line ends of Windows: %+v, want it written, with the hash of the file", a)
	}
	is("windows.pipe", strings.ReplaceAll(good, "\n", "\r\n"))
}

// TestSaveRefused: nothing is written if a text area would change the file by itself, if the file is outside of the folder, or if the page is
// read-only.
func TestSaveRefused(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe, "mixed.pipe": "# a\r\n" + numbersPipe, "latin.pipe": "# \xe9\n" + numbersPipe, "old.pipe": "# a\r" + numbersPipe}, nil)
	outside := filepath.Join(t.TempDir(), "x.pipe")
	if err := os.WriteFile(outside, []byte(numbersPipe), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.pipe")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		status int
		text   string
	}{
		"mixed.pipe": {422, "mixes different line endings"}, "old.pipe": {422, "mixes different line endings"}, "latin.pipe": {422, "not a text in UTF-8"}, "link.pipe": {404, "outside"},
		"none.pipe": {404, ""}, "../" + filepath.Base(filepath.Dir(outside)) + "/x.pipe": {404, "outside"},
	} {
		path := filepath.Join(dir, name)
		for _, w := range []*httptest.ResponseRecorder{
			ask(s, "GET", address("text", "path", path), "", nil), ask(s, "POST", "/api/text", `{"path":`+quoted(path)+`,"text":"x","hash":"","write":true,"insist":true}`, nil),
			ask(s, "POST", "/api/complete", `{"path":`+quoted(path)+`,"text":"x","line":0,"unit":0}`, nil),
		} {
			if w.Code != want.status || !strings.Contains(w.Body.String(), want.text) {
				t.Errorf("%s: %d %s; want w.Code = %v and %q in w.Body.String()", name, w.Code, w.Body, want.status, want.text)
			}
		}
	}
	if have, _ := os.ReadFile(outside); string(have) != numbersPipe {
		t.Errorf("the file outside is %q, want %v", have, numbersPipe)
	}
	closed, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) { o.ReadOnly = true })
	path := filepath.Join(dir, "a.pipe")
	now := textAt(t, closed, path)
	if a := put(t, closed, 403, map[string]any{"path": path, "text": "", "hash": now.Hash, "write": true, "insist": true}); !strings.Contains(a.Error, "read-only") {
		t.Errorf("a read-only page: %+v", a)
	}
	put(t, closed, 200, map[string]any{"path": path, "text": numbersPipe, "hash": now.Hash})
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // a text can always be converted
	return string(text)
}

// TestSaveInRun: an error that the new text would cause in another file of the run also counts.
func TestSaveInRun(t *testing.T) {
	s, dir := newPage(t, nil, func(o *Options) {
		o.Workspace = workspace.New(all.Languages(all.Options{Sprokit: sprokit.Options{Types: runs.Types()}}), load.NewEnv())
	})
	if err := os.CopyFS(dir, os.DirFS("../../examples/heat")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "heat.yml")
	now := textAt(t, s, path)
	text := strings.ReplaceAll(now.Text, "mean:", "meen:")
	if text == now.Text {
		t.Fatal("the file has no such datum")
	}
	if a := put(t, s, 200, map[string]any{"path": path, "text": text, "hash": now.Hash, "write": true}); a.Written || len(a.Added) == 0 || filepath.Base(a.Added[0].Path) != "heat.pipe" {
		t.Errorf("%+v, want it not written, and an error added in heat.pipe", a)
	}
}

// TestComplete: completions in an unsaved text are returned with the range that each replaces, in UTF-16 units as in the browser.
func TestComplete(t *testing.T) {
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, nil)
	text := "# é𝄞\nprocess a\n  :: numb\n"
	w := ask(s, "POST", "/api/complete", `{"path":`+quoted(filepath.Join(dir, "a.pipe"))+`,"text":`+quoted(text)+`,"line":2,"unit":9}`, nil)
	list := answered(t, &[]completionEntry{}, w, 200)
	found := false
	for _, e := range list {
		found = found || e.Label == "numbers" && e.Insert == "numbers" && e.Start == [2]int{2, 5} && e.End == [2]int{2, 9}
	}
	if !found || len(list) > maxCompletions {
		t.Errorf("the list is %+v, want `numbers` in place of 2:5 to 2:9, and at most %d in all", list, maxCompletions)
	}
	for _, e := range list {
		if e.Label == "sink" {
			t.Error("`sink` begins with other letters")
		}
	}
}
