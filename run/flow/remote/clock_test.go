package remote

import (
	"testing"
	"time"
)

// TestSetClock: the report that took the least time determines when the site began.
func TestSetClock(t *testing.T) {
	began := time.Now()
	var m member
	for i, late := range []time.Duration{5, 1, 9} {
		m.Age = time.Duration(i+1) * time.Second
		m.heard = began.Add(m.Age + late*time.Millisecond)
		m.setClock()
	}
	if got := m.began.Sub(began); got != time.Millisecond {
		t.Errorf("%v after it began", got)
	}
}

// TestSetClockHere: a report from this machine gives the exact time, however late it is.
func TestSetClockHere(t *testing.T) {
	if boot() == "" {
		t.Skip("this system does not name its machine")
	}
	began := time.Now()
	var m member
	m.Boot, m.Age = boot(), time.Second
	m.Sent, m.heard = began.Add(time.Second), began.Add(time.Minute)
	m.setClock()
	if got := m.began.Sub(began); got != 0 {
		t.Errorf("%v after it began", got)
	}
	m.Boot = "another"
	m.heard = began.Add(time.Second - time.Millisecond)
	m.setClock()
	if got := m.began.Sub(began); got != -time.Millisecond {
		t.Errorf("%v after it began", got)
	}
}
