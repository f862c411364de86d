//go:build unix

package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestEditorServer: an editor speaks first and says goodbye; one that is gone
// without it is an error.
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
		if code := exitOf(t, cmd.Wait()); code != want || errs.Len() > 0 {
			t.Errorf("exit %d, want %d: %s", code, want, errs.String())
		}
	}
}
