package cli

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/lang/pdi"
	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/expr"
)

func (a *app) dataEvalVerb() *cobra.Command {
	var spec, read, format string
	var repl bool
	cmd := &cobra.Command{
		Use:     "eval EXPR",
		Short:   "Evaluate a $-expression",
		Long:    "Evaluates an expression with the values from --set NAME=VALUE. With --spec they have the types that the tree declares.",
		Example: examples("pentode data eval --set i=5 'data_${i:05d}.h5'", "pentode data eval --spec examples/heat/heat.yml --set rows=4 --repl"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			e, err := a.evaluator(spec, read, format)
			if err != nil {
				return err
			}
			defer e.store.Close()
			switch {
			case repl && len(args) == 0:
				return a.repl(e)
			case repl || len(args) == 0:
				return errors.New("give one expression, or --repl to type them one after another")
			}
			if !e.print(args[0]) {
				return exitCode(exitNo)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&spec, "spec", "", "the specification tree, a `FILE`, that declares the data")
	cmd.Flags().StringVar(&read, "type", "", "read the value as `long|double|string|bytes` (default: its own type)")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	cmd.Flags().BoolVar(&repl, "repl", false, "prompt for expressions and assignments")
	a.takesValues(cmd)
	return a.reads(cmd, "pdi")
}

// evaluator evaluates expressions with the values of a store.
type evaluator struct {
	*app
	store        *data.Store
	names        []string
	read, format string
}

func (a *app) evaluator(spec, read, format string) (*evaluator, error) {
	e := &evaluator{app: a, read: read, format: format}
	if spec == "" {
		values, err := a.dataValues()
		if err != nil {
			return nil, err
		}
		dialect, err := a.dialect()
		if err != nil {
			return nil, err
		}
		if e.store, err = pdi.Empty(dialect, values); err != nil {
			return nil, errors.New(data.Message(err))
		}
		for _, v := range values {
			e.names = append(e.names, v.Name)
		}
		return e, nil
	}
	s, err := a.dataSpec(spec)
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(s.model.Metadata, s.model.Data) {
		e.names = append(e.names, d.Name)
	}
	if e.store, err = s.store(nil); err != nil {
		return nil, err
	}
	return e, nil
}

// result is the value of an expression.
type result struct {
	Version int    `json:"version"`
	Type    string `json:"type"`  // int, float, string, list or bytes
	Value   any    `json:"value"` // null: infinity or not a number
}

// print evaluates an expression and prints its value, or why it has none.
func (e *evaluator) print(text string) bool {
	r, err := e.evaluate(text)
	if err != nil {
		e.complain(text, err)
		return false
	}
	e.hint(text)
	if e.format == "json" {
		return e.json(r) == nil
	}
	fmt.Fprintln(e.out, listText(r.Value))
	return true
}

// listText writes a value in the syntax of a tree.
func listText(v any) string {
	list, ok := v.([]any)
	if !ok {
		if f, float := v.(float64); float {
			return floatText(f)
		}
		return fmt.Sprint(v)
	}
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = listText(x)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// floatText writes a float with the fewest digits that identify it, and infinities and NaN as the language writes them.
func floatText(f float64) string {
	return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
}

func (e *evaluator) evaluate(text string) (result, error) {
	v, err := e.store.Env().ParseValue(pdi.ParseNode(text))
	if err != nil {
		return result{}, err
	}
	switch e.read {
	case "long":
		n, err := v.Long()
		return result{1, "int", n}, err
	case "double":
		f, err := v.Double()
		return result{1, "float", f}, err
	case "string":
		s, err := v.Text()
		return result{1, "string", s}, err
	}
	d, err := v.Program.Bind(e.store).Ref()
	if err != nil {
		return result{}, err
	}
	if d.Type == nil {
		return result{}, errors.New("the datum has no value: none was set")
	}
	if e.read == "" {
		return natural(v, &d)
	}
	return bytesOf(&d), nil
}

func bytesOf(d *expr.Datum) result {
	return result{1, "bytes", hex.EncodeToString(d.Bytes[:d.Type.Size])}
}

// natural reads a value in its own type: a number, a text, or else its bytes.
func natural(v *data.Value, d *expr.Datum) (result, error) {
	if v.Program.Form() == expr.Text || d.Type.Text() || formatted(v.Program) {
		s, err := v.Text()
		return result{1, "string", s}, err
	}
	n, ok := d.Number()
	switch {
	case !ok:
		if list, ok := elements(d); ok {
			return result{1, "list", list}, nil
		}
		return bytesOf(d), nil
	case n.Kind().Float():
		return result{1, "float", n.Double()}, nil
	case n.Kind() == expr.Uint64:
		u, err := strconv.ParseUint(n.String(), 10, 64)
		return result{1, "int", u}, err
	}
	i, err := v.Long()
	return result{1, "int", i}, err
}

// elements returns the values of an array of numbers as nested lists, the slowest dimension outermost.
func elements(d *expr.Datum) (any, bool) {
	if d.Type.Kind != expr.Array {
		n, ok := d.Number()
		switch {
		case !ok:
			return nil, false
		case n.Kind().Float():
			return n.Double(), true
		}
		return json.Number(n.String()), true
	}
	list := make([]any, 0, d.Type.Count)
	for i := range d.Type.Count {
		at := (i + d.Type.Start) * d.Type.Elem.Size
		v, ok := elements(&expr.Datum{Type: d.Type.Elem, Bytes: d.Bytes[at : at+d.Type.Elem.Size], Big: d.Big})
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

// formatted reports whether a reference has a format, which makes it a text.
func formatted(p *expr.Program) bool {
	if p.Form() != expr.Reference {
		return false
	}
	for ref := range p.Refs() {
		return ref.HasSpec
	}
	return false
}

// complain prints an expression with the error marked under it.
func (e *evaluator) complain(text string, err error) {
	fmt.Fprintf(e.err, "error: %s\n", data.Message(err))
	var at *expr.Error
	if errors.As(err, &at) {
		e.underline(text, at.Offset, at.End)
		e.suggest(text, at)
	}
}

// suggest names the most similar known datum if an expression uses an unknown one.
func (e *evaluator) suggest(text string, at *expr.Error) {
	p, err := expr.Compile(text, e.store.Env().Dialect)
	if err != nil {
		return
	}
	for ref := range p.Refs() {
		if ref.Offset < at.Offset || ref.End > at.End || slices.Contains(e.names, ref.Name) {
			continue
		}
		if near, ok := problem.Nearest(ref.Name, e.names); ok {
			fmt.Fprintf(e.err, "help: did you mean `%s`?\n", near)
			return
		}
	}
}

// hint warns about a valid expression that is probably not what the user intended.
func (e *evaluator) hint(text string) {
	p, err := expr.Compile(text, e.store.Env().Dialect)
	if err != nil {
		return // a list or a mapping
	}
	for _, l := range p.Lints() {
		if l.Code == expr.NotAnOperator {
			fmt.Fprintf(e.err, "warning: %s\n", l.Msg)
			e.underline(text, l.Offset, l.End)
		}
	}
}

const replHelp = `NAME = VALUE   give a datum a value
EXPR           evaluate an expression
:names         list the names
:help  :quit`

// repl prompts for expressions until the input ends. On a terminal, lines can be edited, the arrow keys bring
// back earlier lines, and the tab key completes names.
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

// line executes one line, and reports whether to continue.
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

// isName reports whether s is a name. It distinguishes the assignment `n = 3` from the comparison `$n = 3`.
func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// complete completes the name before the cursor up to the point where the matching names differ.
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
