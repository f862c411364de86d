package cli

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/workspace"
)

// say prints findings that are not the result of the verb, to standard error.
func (a *app) say(list diag.List) {
	if len(list) > 0 {
		_ = render.Terminal(visible.Below(a.err), list, a.colours(a.err)) // a failed write to standard error cannot be reported
	}
}

// refuse shows findings. If there are errors among them, it returns exitNo.
func (a *app) refuse(found diag.List) error {
	if !found.HasErrors() {
		return nil
	}
	a.say(found)
	return exitCode(exitNo)
}

// no ends a verb with exit code 1: it failed, or its answer is no. why is the reason.
func (a *app) no(why error) error {
	if why == nil {
		return nil
	}
	return failure{why}
}

// json writes a value as indented JSON.
func (a *app) json(v any) error {
	return jsontext.Write(a.out, v)
}

// columns prints rows with the given kinds of columns, as wide as the terminal.
func (a *app) columns(rows [][]string, kinds ...columns.Kind) { a.table(rows, columns.Of(kinds...)) }

// table prints rows with a header row, as wide as the terminal, and names the columns that did not fit.
func (a *app) table(rows [][]string, list []columns.Column) {
	t := columns.Table{Columns: list, Width: a.room()}
	_ = t.Write(a.out, rows) // a.out remembers a failed write
	if gone := leftOut(t, rows); gone != "" {
		a.line("%s", gone)
	}
}

// leftOut names the columns of a table that did not fit, or returns "" if all did.
func leftOut(t columns.Table, rows [][]string) string {
	var gone []string
	for _, c := range t.Gone(rows) {
		gone = append(gone, strings.TrimSpace(rows[0][c]))
	}
	if gone == nil {
		return ""
	}
	return "left out: " + strings.Join(gone, ", ") + "; --wide shows all columns"
}

// line prints a line, as wide as the terminal. Continuation lines are indented.
func (a *app) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fold(a.out, a.room(), len(text)-len(strings.TrimLeft(text, " "))+2, text)
}

// prose prints a text with lines as wide as the terminal.
func (a *app) prose(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		fold(a.out, a.room(), len(line)-len(strings.TrimLeft(line, " ")), line)
	}
}

// fold wraps lines at a width and indents continuation lines; width 0: no wrapping.
func fold(w io.Writer, width, indent int, text string) {
	if width == 0 {
		_, _ = io.WriteString(w, text+"\n") // a.out remembers a failed write
		return
	}
	for line := range strings.SplitSeq(visible.Text(text), "\n") {
		for _, part := range columns.Wrap(line, width, indent) {
			fmt.Fprintln(w, part)
		}
	}
}

// wideFlag adds --wide to a verb that prints tables.
func (a *app) wideFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&a.wide, "wide", false, "do not shorten names or leave out columns to fit the terminal")
	return cmd
}

// room returns the maximum width of lines; 0: no limit.
func (a *app) room() int {
	if a.wide {
		return 0
	}
	return a.width
}

// widthOf returns the width of the terminal that a writer writes to, or the value of COLUMNS; 0: not a terminal.
func widthOf(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := terminal(w); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}

func near(name string, names []string) string {
	if n, ok := problem.Nearest(name, names); ok {
		return "; " + problem.DidYouMean(n)
	}
	return ""
}

// steps prints the steps that a value comes from, numbered, in columns, with a mark
// before every line.
func (a *app) steps(mark string, e *origin.Entry) {
	rows := make([][]string, 0, len(e.Steps))
	t := columns.Table{Columns: columns.Of(columns.Text, columns.Text, columns.Name, columns.Name, columns.Prose)}
	if mark == "" {
		t.Width = a.room()
	}
	for i, s := range e.Steps {
		rows = append(rows, []string{mark + fmt.Sprintf("%2d", i+1), string(s.What), problem.Clip(s.Text, math.MaxInt), s.Span.String(), s.Note})
	}
	_ = t.Write(a.out, rows) // a.out remembers a failed write
}

func settingLine(e *origin.Entry) string {
	line := e.Key + " = " + e.Value
	if len(e.Flags) > 0 {
		line += "  [" + strings.Join(e.Flags, ", ") + "]"
	}
	return line
}

// underline prints a one-line expression again, with a part of it underlined.
func (a *app) underline(text string, start, end int) {
	if start > end || end > len(text) || strings.Contains(text, "\n") || len(text) >= 200 {
		return
	}
	width := max(1, runewidth.StringWidth(text[start:end]))
	fmt.Fprintf(a.err, "  %s\n  %s%s\n", text, strings.Repeat(" ", runewidth.StringWidth(text[:start])), strings.Repeat("^", width))
}

// deliver writes the output of a verb to the file of -o, or to standard output.
func (a *app) deliver(output string, answer []byte) error {
	if output != "" && output != stdio {
		return workspace.Replace(output, string(answer))
	}
	_, err := a.exact().Write(answer)
	return err
}

// stdio is the path of standard input and output.
const stdio = "-"

// notStdio refuses standard output for anything but a single text.
func notStdio(flag, path, what string) error {
	if path == stdio {
		return fmt.Errorf("%s names %s, which cannot be written to standard output: give a name", flag, what)
	}
	return nil
}

// writeDiff prints the changes of files as a diff.
func writeDiff(w io.Writer, changes []source.Change) error {
	for _, c := range changes {
		path := c.File.Path()
		if _, err := w.Write(diff.Diff(path, []byte(c.File.Text()), path, []byte(c.Text))); err != nil {
			return err
		}
	}
	return nil
}

// writable refuses -w for standard input, which has no file to write.
func writable(write bool, paths []string) error {
	if write && slices.Contains(paths, "-") {
		return errors.New("-w needs a file: for standard input, leave it out, and the result goes to standard output")
	}
	return nil
}

// byteSize is a flag value: a number of bytes.
type byteSize int64

// Set reads a size.
func (b *byteSize) Set(text string) error {
	n, ok := bytesize.Parse(text)
	if !ok {
		return fmt.Errorf("expected a size such as 64MB")
	}
	*b = byteSize(n)
	return nil
}

// String formats the size so that Set can read it.
func (b *byteSize) String() string { return bytesize.Format(int64(*b)) }

// Type returns the word for the value in help texts.
func (b *byteSize) Type() string { return "SIZE" }

// grace is the value of --grace: how long programs have to end before they are killed.
type grace struct {
	time  time.Duration // 0: not given, or given as 0
	given string        // as the user wrote it; empty: not given
}

// kills reports whether the time was given as 0, which means to kill at once.
func (g grace) kills() bool { return g.given != "" && g.time == 0 }

// Set reads a duration.
func (g *grace) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return errors.New("expected a duration such as 10s, or 0")
	}
	g.time, g.given = d, text
	return nil
}

// String returns the duration as the user wrote it.
func (g *grace) String() string { return g.given }

// Type returns the word for the value in help texts.
func (g *grace) Type() string { return "DURATION" }

// jsonFigures is the JSON of `run --stats=json` and `control stats`: the counters, and the figures that the table
// shows.
type jsonFigures struct {
	*flow.Stats
	Figures figures.Figures `json:"figures"`
}

// figures prints the figures of --stats.
func (a *app) figures(stats *flow.Stats, as string) error {
	f := figures.Of(stats)
	var err error
	switch as {
	case "": // no --stats
	case "json":
		err = a.json(jsonFigures{stats, f})
	default:
		_, err = io.WriteString(a.out, live.Table(&f, a.room()))
	}
	if err != nil {
		return fmt.Errorf("the figures cannot be written: %w", problem.Reason(err))
	}
	return nil
}

// totalOf summarizes a run in one line.
func totalOf(stats *flow.Stats) string {
	f := figures.Of(stats)
	return live.Total(&f)
}

// broken ends a verb with exit code 1 if the file, or the findings found, have errors.
func (a *app) broken(c *lang.Config, found diag.List) error {
	n := c.Diagnostics().Count(diag.Error)
	if n > 0 {
		fmt.Fprintf(a.err, "pentode: `%s` has %s; `pentode check` shows them\n", c.Document.File.Path(), quantity.Count(n, "error", "errors"))
	}
	if n > 0 || found.HasErrors() {
		return exitCode(exitNo)
	}
	return nil
}

// sentence returns the text of an error for users. An error text of a Go package in it is replaced by a sentence
// that names the file, address or program and the reason; the text around it stays as it is.
func sentence(err error) string {
	text := err.Error()
	if words, cause := reworded(err); cause != nil {
		return strings.Replace(text, cause.Error(), words, 1)
	}
	return text
}

// reworded finds an error of a Go package inside an error, and returns a sentence for it.
func reworded(err error) (words string, cause error) {
	var path *fs.PathError
	var link *os.LinkError
	var address *net.OpError
	var program *exec.Error
	var system *os.SyscallError
	var number *strconv.NumError
	var syntax *json.SyntaxError
	var value *json.UnmarshalTypeError
	switch {
	case errors.As(err, &path):
		return fmt.Sprintf("`%s` cannot be %s: %v", path.Path, done(path.Op), problem.Reason(path)), path
	case errors.As(err, &link):
		return fmt.Sprintf("`%s` cannot become `%s`: %v", link.Old, link.New, link.Err), link
	case errors.As(err, &address):
		return networkWords(address), address
	case errors.As(err, &program):
		return fmt.Sprintf("program `%s` cannot be started: %v", program.Name, problem.Reason(program.Err)), program
	case errors.As(err, &system):
		return system.Err.Error(), system
	case errors.As(err, &number):
		return fmt.Sprintf("`%s` is out of range, or not a number", number.Num), number
	case errors.As(err, &syntax):
		return fmt.Sprintf("invalid JSON at byte %d", syntax.Offset), syntax
	case errors.As(err, &value):
		return fmt.Sprintf("the JSON has a %s at byte %d, but another type is expected there", value.Value, value.Offset), value
	}
	return "", nil
}

// done returns the participle of a file operation, for `cannot be …`.
func done(op string) string {
	switch op {
	case "mkdir", "mkdirtemp", "symlink":
		return "made"
	case "write", "truncate", "sync", "close":
		return "written"
	case "read", "stat", "lstat", "readdirent", "fdopendir":
		return "read"
	case "remove", "unlinkat":
		return "removed"
	case "chdir":
		return "entered"
	case "fork/exec":
		return "started"
	}
	return "opened"
}

func networkWords(o *net.OpError) string {
	at := o.Net
	if o.Addr != nil {
		at = o.Addr.String()
	}
	if o.Op == "listen" {
		return fmt.Sprintf("`%s` cannot be listened on: %v", at, networkReason(o))
	}
	return fmt.Sprintf("`%s` cannot be reached: %v", at, networkReason(o))
}

// networkReason returns why an address cannot be used.
func networkReason(err error) error {
	var host *net.DNSError
	var network *net.OpError
	var system *os.SyscallError
	switch {
	case errors.As(err, &host):
		return fmt.Errorf("there is no host `%s`", host.Name)
	case errors.As(err, &system):
		return system.Err
	case errors.As(err, &network):
		return network.Err
	}
	return err
}
