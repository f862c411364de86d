package child

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/adapter"
	"github.com/pentode-dev/pentode/run/flow/example"
	"github.com/pentode-dev/pentode/run/flow/pipe"
	"github.com/pentode-dev/pentode/run/flow/route"
)

// TestProgramIsWork checks that a process is busy while its program works, and that the log keeps
// the indentation of printed lines.
func TestProgramIsWork(t *testing.T) {
	p := flow.New(pipe.NewRegistry(append(append(example.Types(), route.Types()...), Types()...)...))
	p.AddProcess("a", "numbers", pipe.Set("end", "2"))
	p.AddProcess("e", "exec", pipe.Set("command", `sh -c 'while read l; do echo "  two blanks" >&2; sleep 0.1; echo "$l"; done'`))
	p.AddProcess("s", "sink", nil)
	p.Connect("a.number", "e.x")
	p.Connect("e.x", "s.sink")
	var log bytes.Buffer
	r, err := p.Start(context.Background(), flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(); err != nil {
		t.Fatal(err)
	}
	s := r.Stats().Processes
	if s[1].Program < 200*time.Millisecond || s[1].Busy < s[1].Program || s[1].Blocked > s[1].Program {
		t.Errorf("have %+v, want s[1].Program at least %v, s[1].Busy at least %v and s[1].Blocked at most %v", s[1], 200*time.Millisecond, s[1].Program, s[1].Program)
	}
	if s[2].Busy > s[2].Blocked {
		t.Errorf("who waits for the program's answer is busy: %+v, want at most %v", s[2], s[2].Blocked)
	}
	if !strings.Contains(log.String(), `msg="  two blanks"`) {
		t.Errorf("the log is\n%s\nwant %q in it", log.String(), `msg="  two blanks"`)
	}
}

// TestPrinterIsReadToItsEnd checks that all output of a program without inputs arrives, even if it
// ended long before, did not read its requests, or printed more records than were requested.
func TestPrinterIsReadToItsEnd(t *testing.T) {
	need.Slow(t)
	for _, records := range []int{3, 40_000} {
		p := flow.New(pipe.NewRegistry(append(route.Types(), Types()...)...))
		p.AddProcess("e", "exec", pipe.Set("command", fmt.Sprintf(`sh -c 'yes "{\"x\": 7}" | head -n %d'`, records)))
		p.AddProcess("s", "sink", nil)
		p.Connect("e.x", "s.sink")
		r, err := p.Start(context.Background(), flow.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := r.Stats().Processes[1].Steps; got != uint64(records) {
			t.Errorf("%d of %d records arrived, want %v", got, records, uint64(records))
		}
	}
}

// TestPrintedText checks that lines of numbers become arrays and other lines texts, and that lines
// go to the log if their port is not connected.
func TestPrintedText(t *testing.T) {
	const prints = `printf 'begin\n1 2.5 -3e2\n4,5;6\n\n1 nan\nend'`
	for _, c := range []struct {
		ports        []string
		command      string
		numbers      string
		texts, lines string // what arrives as text, and what is in the log
		fails        string
	}{
		{ports: []string{"numbers", "text"}, command: prints, numbers: "[1,2.5,-300] [4,5,6]", texts: "begin||1 nan|end"},
		{ports: []string{"numbers"}, command: prints, numbers: "[1,2.5,-300] [4,5,6]", lines: "begin|1 nan|end"},
		{ports: []string{"text"}, command: prints, texts: "begin|1 2.5 -3e2|4,5;6||1 nan|end"},
		{ports: []string{"text"}, command: "echo why >&2; exit 3", fails: "ended with exit status 3; its last output was `why`"},
		{ports: []string{"field"}, command: prints, fails: "has the outputs `numbers` and `text`, but no `field`"},
	} {
		arrived := adapter.NewOutput(16)
		p := flow.New(pipe.NewRegistry(append(Types(), arrived.Type())...))
		p.AddProcess("e", "exec", pipe.Set("command", `sh -c "`+strings.ReplaceAll(c.command, `"`, `'`)+`"`, "format", "text"))
		p.AddProcess("o", "output_adapter", nil)
		for _, port := range c.ports {
			p.Connect("e."+port, "o."+port)
		}
		var log bytes.Buffer
		err := p.Run(context.Background(), flow.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		numbers, texts := arrivals(arrived)
		if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
			t.Errorf("%v of %q ends with %v, want %q", c.ports, c.command, err, c.fails)
		}
		if numbers != c.numbers || texts != c.texts {
			t.Errorf("%v of %q gives %q and %q, want numbers = %v and texts = %v", c.ports, c.command, numbers, texts, c.numbers, c.texts)
		}
		for line := range strings.SplitSeq(c.lines, "|") {
			if !strings.Contains(log.String(), line) {
				t.Errorf("the log lacks %q:\n%s", line, log.String())
			}
		}
	}
}

// arrivals returns the arrays and the texts that arrived.
func arrivals(o *adapter.Output) (arrays, texts string) {
	var rows, lines []string
	for {
		set, ok := o.Receive(context.Background())
		if !ok {
			return strings.Join(rows, " "), strings.Join(lines, "|")
		}
		if d := set["numbers"]; d.Kind() == flow.DataKind {
			row, err := json.Marshal(d.Value())
			if err != nil {
				return err.Error(), ""
			}
			rows = append(rows, string(row))
		}
		if d := set["text"]; d.Kind() == flow.DataKind {
			lines = append(lines, d.Text())
		}
	}
}

// TestOwnProgramInACommand checks that the command `pentode` runs the same program that runs the
// pipeline.
func TestOwnProgramInACommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "somewhere")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	arrived := adapter.NewOutput(16)
	p := flow.New(pipe.NewRegistry(append(Types(), arrived.Type())...))
	p.AddProcess("e", "exec", pipe.Set("command", "pentode asked", "format", "text"))
	p.AddProcess("o", "output_adapter", nil)
	p.Connect("e.text", "o.text")
	if err := p.Run(context.Background(), flow.Options{Program: path}); err != nil {
		t.Fatal(err)
	}
	if _, texts := arrivals(arrived); texts != "asked" {
		t.Errorf("the program printed %q, want %q", texts, "asked")
	}
}
