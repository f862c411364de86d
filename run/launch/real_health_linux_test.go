package launch

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A real program is ready and healthy while its page can be read; then it is started again, up to its limit.
func TestHealthHTTP(t *testing.T) {
	var ill, asked atomic.Int32
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if ill.Load() > 0 || r.URL.Path != "/health" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer page.Close()
	address := strings.TrimPrefix(page.URL, "http://")
	w := newWorkshop(t)
	d := lone(w.script("p", "exec sleep 600"))
	d.Settings = settingsOf(t, "p ready = http:"+address+"/health", "p alive = http:"+address+"/health", "p alive-every = 20ms", "p alive-failures = 2", "p restart = always:1")
	d.Settings[0].Restart.Pause = time.Millisecond
	r := w.start(d, Options{}, RunOptions{})
	r.until("it is ready and was looked at", func() bool { return r.Status()[0].State == Running && asked.Load() > 3 })
	ill.Store(1)
	r.until("it is not ready in its second life", func() bool { s := r.Status()[0]; return s.Restarts == 1 && s.State == Starting })
	if s := r.Status()[0]; s.note() != "started again 1 of at most 1 times" {
		t.Errorf("%q, want %q", s.note(), "started again 1 of at most 1 times")
	}
	ill.Store(0)
	r.until("it is well again", func() bool { return r.Status()[0].State == Running })
	ill.Store(1)
	got := r.wait()
	if got.Code != 1 || got.Nodes[0].Note != "it was not well 2 times in a row: expected http:"+address+"/health" {
		t.Errorf("%+v, want got.Code = 1 and got.Nodes[0].Note = %v", got, "it was not well 2 times in a row: expected http:"+address+"/health")
	}
}
