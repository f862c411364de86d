package launch

import (
	"errors"
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
			scripts:  map[string]script{"a": {says: "beat\n", after: 500 * time.Millisecond}},
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
