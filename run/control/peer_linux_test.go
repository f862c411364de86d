package control

import (
	"net"
	"path/filepath"
	"testing"
)

func TestAdmits(t *testing.T) {
	for caller, ok := range map[uint32]bool{1000: true, 0: true, 1001: false} {
		if err := admits(caller, 1000); (err == nil) != ok {
			t.Errorf("user %d: %v", caller, err)
		}
	}
}

// A caller that the kernel does not name is not admitted.
func TestUnknownPeer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	serve(t, path, methods)
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	if err := SameUser(c); err != nil {
		t.Errorf("our own connection: %v", err)
	}
	c.Close()
	if SameUser(c) == nil {
		t.Error("a closed connection is admitted")
	}
	if SameUser(new(net.UnixConn)) == nil {
		t.Error("a connection without a socket is admitted")
	}
}
