package golden

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// SSH starts the system's sshd on a loopback port, with a new key. It returns an ssh command that connects to
// this sshd, whatever host is named. The remote side looks for programs in path.
func SSH(t testing.TB, path string) []string {
	t.Helper()
	sshd, ssh, keygen := need.Program(t, "/usr/sbin/sshd"), need.Program(t, "ssh"), need.Program(t, "ssh-keygen")
	dir := t.TempDir()
	key, host := filepath.Join(dir, "client"), filepath.Join(dir, "host")
	for _, file := range []string{key, host} {
		if out, err := exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, out)
		}
	}
	port := freePort(t)
	config := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s.pub\nPidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nMaxStartups 100\nMaxSessions 100\nSetEnv PATH=%s\n", port, host, key, path)
	file := filepath.Join(dir, "sshd_config")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		// When started as root, sshd needs this empty folder for its unprivileged child process.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var log Buffer
	cmd := exec.Command(sshd, "-D", "-e", "-f", file)
	cmd.Stderr = &log
	start(t, cmd)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("sshd wrote:\n%s", log.String())
		}
	})
	Until(t, "sshd is ready", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return []string{
		ssh, "-F", "none", "-p", strconv.Itoa(port), "-i", key, "-o", "IdentitiesOnly=yes", "-o", "LogLevel=ERROR", "-o", "HostName=127.0.0.1",
		"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "GlobalKnownHostsFile=/dev/null",
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	// Choose a port below the range from which the system assigns ports: the system could give away a port of
	// that range before sshd uses it.
	for range 1000 {
		port := 20000 + rand.IntN(12000)
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// start starts a program that is killed at the end of the test.
func start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails if the program has already ended
		_ = cmd.Wait()
	})
}
