package control

import "testing"

func TestAdmits(t *testing.T) {
	for caller, ok := range map[uint32]bool{1000: true, 0: true, 1001: false} {
		if err := admits(caller, 1000); (err == nil) != ok {
			t.Errorf("user %d: %v", caller, err)
		}
	}
}
