package declhdf5

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// TestSystem checks the warning about a file on a network file system, here with a simulated one.
func TestSystem(t *testing.T) {
	dir := t.TempDir()
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	team := &together{path: "a.h5", file: &file{settings: &settings{Context: &data.Context{Log: &logging.Logger{Level: logging.Warn, Sinks: []logging.Sink{{Writer: &log}}}}}}}
	kind := uint32(s.Type)
	name, network := systems[kind]
	if team.warnOfSystem(dir); network != (log.Len() > 0) {
		t.Errorf("%#x is on a network: %v, and the log says %q; want a warning exactly where it is", kind, network, log.String())
	}
	systems[kind] = "NFS"
	team.warnOfSystem(dir)
	if systems[kind] = name; !network {
		delete(systems, kind)
	}
	if !bytes.Contains(log.Bytes(), []byte("`a.h5` is on a network file system (NFS), which may lose data that processes on several machines write at the same time")) {
		t.Errorf("%v; want %q in it", log.String(), "`a.h5` is on a network file system (NFS), which may lose data that processes on several machines write at the same time")
	}
}
