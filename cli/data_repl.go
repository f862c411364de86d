package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
)

const replHelp = `NAME = VALUE   give a datum a value
EXPR           evaluate an expression
:names         list the names
:help  :quit`

// repl asks for expressions until there are no more. On a terminal lines can be edited, earlier ones come back
// with the arrow keys, and the tab key completes names.
func (a *app) repl(e *evaluator) error {
	in, ok := a.in.(*os.File)
	out, tty := terminal(a.out)
	if !ok || !tty || !term.IsTerminal(int(in.Fd())) {
		scanner := bufio.NewScanner(a.in)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			if !e.line(scanner.Text()) {
				break
			}
		}
		return scanner.Err()
	}
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	defer term.Restore(int(in.Fd()), state)
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "pdi> ")
	t.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		return e.complete(line, pos)
	}
	shown := visible.NewWriter(t)
	e.app = &app{in: a.in, out: shown, err: shown, files: a.files}
	for {
		line, err := t.ReadLine()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !e.line(line) {
			return nil
		}
	}
}

// line does what a line asks for, and reports whether to go on.
func (e *evaluator) line(text string) bool {
	text = strings.TrimSpace(text)
	switch text {
	case "", "#":
		return true
	case ":quit", ":q":
		return false
	case ":names":
		fmt.Fprintln(e.out, strings.Join(e.names, "  "))
		return true
	case ":help":
		fmt.Fprintln(e.out, replHelp)
		return true
	}
	name, value, ok := strings.Cut(text, "=")
	if name = strings.TrimSpace(name); ok && isName(name) {
		if err := pdi.Assign(e.store, []pdi.Assignment{{Name: name, Value: strings.TrimSpace(value)}}); err != nil {
			fmt.Fprintf(e.err, "error: %s\n", data.Message(err))
			return true
		}
		if !slices.Contains(e.names, name) {
			e.names = append(e.names, name)
		}
		return true
	}
	e.print(text)
	return true
}

// isName tells an assignment from a comparison: `n = 3` from `$n = 3`.
func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// complete writes the rest of the name before the cursor, as far as the names agree.
func (e *evaluator) complete(line string, pos int) (string, int, bool) {
	start := pos
	for start > 0 && isName("_"+line[start-1:pos]) {
		start--
	}
	prefix := line[start:pos]
	common := ""
	found := 0
	for _, name := range e.names {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		if found++; found == 1 {
			common = name
			continue
		}
		for !strings.HasPrefix(name, common) {
			common = common[:len(common)-1]
		}
	}
	if len(common) <= len(prefix) {
		return "", 0, false
	}
	return line[:start] + common + line[pos:], start + len(common), true
}
