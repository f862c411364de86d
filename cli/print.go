package cli

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/rogpeppe/go-internal/diff"

	"github.com/pentode-dev/pentode/core/bytesize"
	"github.com/pentode-dev/pentode/core/columns"
	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/diag/render"
	"github.com/pentode-dev/pentode/core/jsontext"
	"github.com/pentode-dev/pentode/core/origin"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/visible"
	"github.com/pentode-dev/pentode/internal/live"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/figures"
	"github.com/pentode-dev/pentode/workspace"
)

// say shows findings that were not asked for.
func (a *app) say(list diag.List) {
	if len(list) > 0 {
		_ = render.Terminal(visible.Below(a.err), list, a.colours(a.err)) // nowhere is left to complain
	}
}

// refuse shows findings and ends a verb with "no" where they have errors.
func (a *app) refuse(found diag.List) error {
	if !found.HasErrors() {
		return nil
	}
	a.say(found)
	return exitCode(exitNo)
}

// no ends a verb with "no", or because it failed, and says why.
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

// columns prints rows with their cells under each other.
func (a *app) columns(rows [][]string) { columns.Write(a.out, rows, "  ") }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return live.Grouped(uint64(n)) + " " + many
}

func near(name string, names []string) string {
	if n, ok := problem.Nearest(name, names); ok {
		return "; " + problem.DidYouMean(n)
	}
	return ""
}

// steps prints where a value comes from, numbered, in columns, with a mark
// before every line.
func (a *app) steps(mark string, e *origin.Entry) {
	rows := make([][]string, 0, len(e.Steps))
	for i, s := range e.Steps {
		rows = append(rows, []string{mark + fmt.Sprintf("%2d", i+1), string(s.What), problem.Clip(s.Text, 47), s.Span.String(), s.Note})
	}
	a.columns(rows)
}

func settingLine(e *origin.Entry) string {
	line := e.Key + " = " + e.Value
	if len(e.Flags) > 0 {
		line += "  [" + strings.Join(e.Flags, ", ") + "]"
	}
	return line
}

// underline repeats an expression of one line with marks under a part of it.
func (a *app) underline(text string, start, end int) {
	if start > end || end > len(text) || strings.Contains(text, "\n") || len(text) >= 200 {
		return
	}
	width := max(1, runewidth.StringWidth(text[start:end]))
	fmt.Fprintf(a.err, "  %s\n  %s%s\n", text, strings.Repeat(" ", runewidth.StringWidth(text[:start])), strings.Repeat("^", width))
}

// percentOf is a part of a whole in percent.
func percentOf(part, whole int64) string {
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(max(whole, 1)))
}

// deliver writes an answer where -o says: to a file, or to standard output.
func (a *app) deliver(output string, answer []byte) error {
	if output != "" && output != stdio {
		return workspace.Replace(output, string(answer))
	}
	_, err := a.exact().Write(answer)
	return err
}

// stdio is the path of standard input and output.
const stdio = "-"

// notStdio refuses standard output where something else is written than one text.
func notStdio(flag, path, what string) error {
	if path == stdio {
		return fmt.Errorf("%s names %s, which cannot go to standard output: give it a name", flag, what)
	}
	return nil
}

// writeDiff prints what changes in files.
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
		return errors.New("-w needs a file; what is made of standard input goes to standard output without it")
	}
	return nil
}

// byteSize is the value of a flag: a number of bytes.
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

// String writes the size as it can be read again.
func (b *byteSize) String() string { return bytesize.Format(int64(*b)) }

// Type is the word for the value in help texts.
func (b *byteSize) Type() string { return "SIZE" }

// grace is the value of --grace: how long programs have to end before they are killed.
type grace struct {
	time  time.Duration // 0: no time was given; no time at all is the shortest time
	given string
}

// Set reads a duration.
func (g *grace) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return errors.New("expected a duration such as 10s, or 0")
	}
	g.time, g.given = max(d, time.Millisecond), text
	return nil
}

// String is the duration as it was given.
func (g *grace) String() string { return g.given }

// Type is the word for the value in help texts.
func (g *grace) Type() string { return "DURATION" }

// jsonFigures is a run in `--stats=json` and `control stats`: its counts, and the figures that the table shows.
type jsonFigures struct {
	*flow.Stats
	Figures figures.Figures `json:"figures"`
}

// figures prints what --stats asks for.
func (a *app) figures(stats *flow.Stats, as string) error {
	f := figures.Of(stats)
	var err error
	switch as {
	case "": // nothing is asked for
	case "json":
		err = a.json(jsonFigures{stats, f})
	default:
		_, err = io.WriteString(a.out, live.Table(&f))
	}
	if err != nil {
		return fmt.Errorf("the figures cannot be written: %w", problem.Reason(err))
	}
	return nil
}

// totalOf is a run in one line.
func totalOf(stats *flow.Stats) string {
	f := figures.Of(stats)
	return live.Total(&f)
}

// short is a time with three digits.
func short(d time.Duration) string {
	for unit := time.Duration(1); unit < d; unit *= 10 {
		if d/unit < 1000 {
			return d.Round(unit).String()
		}
	}
	return d.String()
}

// broken ends a verb with "no" where a file has errors, or these findings have.
func (a *app) broken(c *lang.Config, found diag.List) error {
	n := c.Diagnostics().Count(diag.Error)
	if n > 0 {
		fmt.Fprintf(a.err, "pentode: `%s` has %s, which `check` shows\n", c.Document.File.Path(), count(n, "error", "errors"))
	}
	if n > 0 || found.HasErrors() {
		return exitCode(exitNo)
	}
	return nil
}

// sentence is the text of an error, in which a text of Go's packages is replaced by one for users: which
// file, address or program it is about, and why. Messages around that text stay.
func sentence(err error) string {
	text := err.Error()
	if cause, words := reworded(err); cause != nil {
		return strings.Replace(text, cause.Error(), words, 1)
	}
	return text
}

// reworded finds an error of Go's packages, and says the same in a sentence.
func reworded(err error) (cause error, words string) {
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
		return path, fmt.Sprintf("`%s` cannot be %s: %v", path.Path, done(path.Op), problem.Reason(path))
	case errors.As(err, &link):
		return link, fmt.Sprintf("`%s` cannot become `%s`: %v", link.Old, link.New, link.Err)
	case errors.As(err, &address):
		return address, networkWords(address)
	case errors.As(err, &program):
		return program, fmt.Sprintf("program `%s` cannot be started: %v", program.Name, problem.Reason(program.Err))
	case errors.As(err, &system):
		return system, system.Err.Error()
	case errors.As(err, &number):
		return number, fmt.Sprintf("`%s` is not a number that fits here", number.Num)
	case errors.As(err, &syntax):
		return syntax, fmt.Sprintf("it is not JSON at byte %d", syntax.Offset)
	case errors.As(err, &value):
		return value, fmt.Sprintf("the JSON has a %s at byte %d, where another kind of value is expected", value.Value, value.Offset)
	}
	return nil, ""
}

// done is what was to be done with a file, for `cannot be …`.
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

// networkReason is why an address cannot be used.
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
