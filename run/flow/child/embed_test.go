//go:build unix

package child

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/adapter"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestEmbed checks the errors if the environment variable is wrong or the embedding program has ended. The command's
// tests check programs that embed pipelines.
func TestEmbed(t *testing.T) {
	for _, value := range []string{"x", "2:app", "7", "7:"} {
		err := Embed(pipe.NewRegistry(adapter.Types()...), value)
		if err == nil || !strings.Contains(err.Error(), "the variable PENTODE_EMBED is `"+value+"`, but must be") {
			t.Errorf("%s: %v", value, err)
		}
	}
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fds[0])
	reg := pipe.NewRegistry(adapter.Types()...)
	if err := Embed(reg, fmt.Sprintf("%d:app.py", fds[0])); err != nil {
		t.Fatal(err)
	}
	run := func() error {
		p := flow.New(reg)
		p.AddProcess("in", "input_adapter", nil)
		p.AddProcess("own", "embedded", nil)
		p.Connect("in.a", "own.a")
		return p.Run(t.Context(), flow.Options{})
	}
	done := make(chan error)
	go func() { done <- run() }()
	rights := make([]byte, syscall.CmsgSpace(3*4))
	n, _, _, _, err := syscall.Recvmsg(fds[1], make([]byte, 1), rights, 0)
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil || len(messages) != 1 {
		t.Fatal(messages, err)
	}
	files, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range files { // takes the descriptors and closes them, as a program that ends
		syscall.Close(fd)
	}
	syscall.Close(fds[1])
	if err := <-done; err == nil || !strings.Contains(err.Error(), "the program `app.py` closed its socket without an answer") {
		t.Errorf("have %v", err)
	}
	if err := run(); err == nil || !strings.Contains(err.Error(), errGone.Error()) {
		t.Errorf("have %v", err)
	}
}
