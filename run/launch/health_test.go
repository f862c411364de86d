package launch

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pentode-dev/pentode/run/launch/state"
)

func TestHealthOnStage(t *testing.T) {
	for _, c := range []struct {
		name     string
		scripts  map[string]script
		settings []string
		dial     func(at time.Duration) error
		code     int
		want     []string
		unwell   int
	}{
		{
			name:     "a port that answers",
			scripts:  map[string]script{"a": {lives: 35 * time.Second}},
			settings: []string{"a alive = tcp:1"},
			dial:     func(time.Duration) error { return nil },
			want:     []string{"0s start a"},
		},
		{
			name:     "one that does not answer three times is ended, and has failed",
			settings: []string{"a alive = tcp:1"},
			dial:     func(time.Duration) error { return errors.New("no") },
			code:     1,
			want:     []string{"0s start a", "30s TERM to a"},
			unwell:   3,
		},
		{
			name:     "failures count in a row only",
			scripts:  map[string]script{"a": {lives: 9500 * time.Millisecond}},
			settings: []string{"a alive = tcp:1", "a alive-every = 1s", "a alive-failures = 2"},
			dial: func(at time.Duration) error {
				if at.Round(time.Second)%(2*time.Second) == 0 {
					return errors.New("no")
				}
				return nil
			},
			want:   []string{"0s start a"},
			unwell: 4,
		},
		{
			name:     "it is started again, in a new life",
			settings: []string{"a alive = tcp:1", "a alive-every = 1s", "a alive-failures = 1", "a restart = on-failure:1"},
			dial:     func(time.Duration) error { return errors.New("no") },
			code:     1,
			want:     []string{"0s start a", "1s TERM to a", "2s start a", "3s TERM to a"},
			unwell:   2,
		},
		{
			name:     "a command",
			scripts:  map[string]script{"ask": {lives: time.Millisecond, code: 1}},
			settings: []string{"a alive = exec:ask", "a alive-every = 1s", "a alive-failures = 2"},
			code:     1,
			want:     []string{"0s start a", "1s start ask", "2.001s start ask", "2.002s TERM to a"},
			unwell:   2,
		},
		{
			name:     "a command that does not answer in time is killed",
			settings: []string{"a alive = exec:ask", "a alive-every = 1s", "a alive-within = 2s", "a alive-failures = 1"},
			code:     1,
			want:     []string{"0s start a", "1s start ask", "3s KILL to ask", "3s TERM to a"},
			unwell:   1,
		},
		{
			name:     "a line that is missing",
			scripts:  map[string]script{"a": {says: "beat\n"}},
			settings: []string{"a alive = log:^beat", "a alive-every = 1s", "a alive-failures = 2"},
			code:     1,
			want:     []string{"0s start a", "3s TERM to a"},
			unwell:   2,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(c.scripts)
				s.dial = func(string) error { return c.dial(time.Since(s.began)) }
				d := crewOf("a")
				d.Settings = settingsOf(t, c.settings...)
				unwell := 0
				result := play(t, s, d, Options{}, RunOptions{Report: func(e state.Event) {
					if e.What == state.Unwell {
						unwell++
					}
				}}, nil)
				if diff := cmp.Diff(c.want, s.log); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				if result.Code != c.code || unwell != c.unwell {
					t.Errorf("code %d, want %d; not well %d times, want %d", result.Code, c.code, unwell, c.unwell)
				}
			})
		})
	}
}

// A real program is ready and well as long as its page says so; then it is started again, as often as it may be.
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
		t.Errorf("%q", s.note())
	}
	ill.Store(0)
	r.until("it is well again", func() bool { return r.Status()[0].State == Running })
	ill.Store(1)
	got := r.wait()
	if got.Code != 1 || got.Nodes[0].Note != "it was not well 2 times in a row: expected http:"+address+"/health" {
		t.Errorf("%+v", got)
	}
}
