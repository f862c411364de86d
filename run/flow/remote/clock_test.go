package remote

import (
	"testing"
	"time"
)

// TestSetClock: of all reports, the one that took the least time tells when
// the site began.
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
