//go:build unix

package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// TestEditorServer: a session with initialize and shutdown succeeds; a client that disconnects
// without shutdown is an error.
func TestEditorServer(t *testing.T) {
	message := func(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }
	goodbye := message(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`) + message(`{"jsonrpc":"2.0","method":"exit"}`)
	for last, want := range map[string]int{goodbye: 0, "": 1} {
		cmd := process(t, "lsp")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		io.WriteString(in, message(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`))
		head, err := bufio.NewReader(out).ReadString('}')
		if err != nil || !strings.Contains(head, `"id":1`) {
			t.Errorf("%s, %v", head, err)
		}
		io.WriteString(in, last)
		in.Close()
		said := ""
		if want != 0 {
			said = "pentode: the client ended without `shutdown`\n"
		}
		if code := exitOf(t, cmd.Wait()); code != want || errs.String() != said {
			t.Errorf("exit %d, want %d: %s", code, want, errs.String())
		}
	}
}

// TestUnreadServer: if a client stops reading the answers, the server ends with an error message,
// not with SIGPIPE.
func TestUnreadServer(t *testing.T) {
	cmd := process(t, "lsp")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stdout, cmd.Stderr = w, &errs
	err = cmd.Start()
	w.Close()
	r.Close()
	if err != nil {
		t.Fatal(err)
	}
	const ask = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(ask), ask)
	if code := exitOf(t, cmd.Wait()); code != 1 || errs.String() != "pentode: `/dev/stdout` cannot be written: broken pipe\n" {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}
