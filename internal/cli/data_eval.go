package cli

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

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
		Long:    "Evaluates an expression over the values given with --set NAME=VALUE, in the types that --spec declares.",
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
				return errors.New("give one expression, or --repl to be asked for them")
			}
			if !e.print(args[0]) {
				return exitCode(exitNo)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&spec, "spec", "", "the specification tree that declares the data, a `FILE`")
	cmd.Flags().StringVar(&read, "read", "", "read the value as `long|double|string|bytes`; as what it is where this is missing")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	cmd.Flags().BoolVar(&repl, "repl", false, "ask for expressions and assignments")
	return a.reads(cmd)
}

// evaluator evaluates expressions over a store.
type evaluator struct {
	*app
	store        *data.Store
	names        []string
	read, format string
}

func (a *app) evaluator(spec, read, format string) (*evaluator, error) {
	switch read {
	case "", "long", "double", "string", "bytes":
	default:
		return nil, fmt.Errorf("--read takes long, double, string or bytes, not `%s`", read)
	}
	if format != "text" && format != "json" {
		return nil, fmt.Errorf("--format takes text or json, not `%s`", format)
	}
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
			return nil, errors.New(what(err))
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
	e.names = s.model.Names()
	if e.store, err = s.store(nil); err != nil {
		return nil, err
	}
	return e, nil
}

// result is a value that an expression has.
type result struct {
	Version int    `json:"version"`
	Type    string `json:"type"` // int, float, string or bytes
	Value   any    `json:"value"`
}

// print evaluates an expression and says its value, or why it has none.
func (e *evaluator) print(text string) bool {
	r, err := e.evaluate(text)
	if err != nil {
		e.complain(text, err)
		return false
	}
	if e.format == "json" {
		return e.json(r) == nil
	}
	switch v := r.Value.(type) {
	case float64:
		fmt.Fprintln(e.out, strconv.FormatFloat(v, 'g', -1, 64))
	default:
		fmt.Fprintln(e.out, v)
	}
	return true
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
		return result{}, errors.New("there is no value: it was never given one")
	}
	if e.read == "" {
		if r, ok := e.natural(v, &d); ok {
			return r, nil
		}
	}
	return result{1, "bytes", hex.EncodeToString(d.Bytes[:d.Type.Size])}, nil
}

// natural reads a value as what it is, where that is a number or a text.
func (e *evaluator) natural(v *data.Value, d *expr.Datum) (result, bool) {
	if v.Program.Form() == expr.Text || d.Type.Text() || formatted(v.Program) {
		s, err := v.Text()
		return result{1, "string", s}, err == nil
	}
	n, ok := d.Number()
	switch {
	case !ok:
		return result{}, false
	case n.Kind().Float():
		return result{1, "float", n.Double()}, true
	}
	if n.Kind() == expr.Uint64 {
		u, err := strconv.ParseUint(n.String(), 10, 64)
		return result{1, "int", u}, err == nil
	}
	i, err := v.Long()
	return result{1, "int", i}, err == nil
}

// formatted tells whether a reference has a format, so that it is a text.
func formatted(p *expr.Program) bool {
	if p.Form() != expr.Reference {
		return false
	}
	for ref := range p.Refs() {
		return ref.HasSpec
	}
	return false
}

// complain says what is wrong with an expression, under it.
func (e *evaluator) complain(text string, err error) {
	fmt.Fprintf(e.err, "error: %s\n", what(err))
	var at *expr.Error
	if errors.As(err, &at) && at.Offset <= at.End && at.End <= len(text) && !strings.Contains(text, "\n") && len(text) < 200 {
		width := max(1, runewidth.StringWidth(text[at.Offset:at.End]))
		fmt.Fprintf(e.err, "  %s\n  %s%s\n", text, strings.Repeat(" ", runewidth.StringWidth(text[:at.Offset])), strings.Repeat("^", width))
	}
}
