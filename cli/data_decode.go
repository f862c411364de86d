package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/data"
)

func (a *app) dataDecodeVerb() *cobra.Command {
	var spec, typ, format, target string
	cmd := &cobra.Command{
		Use:     "decode --spec FILE --type T BINARY",
		Short:   "Show memory with the members of a type beside its bytes",
		Long:    "Reads a file of raw memory as values of a type, one after the other as long as whole ones are there.",
		Example: examples("head -c 16 /dev/urandom | pentode data decode --spec examples/heat/heat.yml --type step -", "head -c 16 /dev/urandom | pentode data decode --spec examples/heat/heat.yml --type mean --format json -"),
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if spec == "" || typ == "" {
				return errors.New("give the tree with --spec and the type with --type")
			}
			return a.decode(spec, typ, args[0], target, format)
		},
	}
	cmd.Flags().StringVar(&spec, "spec", "", "the specification tree, a `FILE`")
	cmd.Flags().StringVar(&typ, "type", "", "the `NAME` of a type or datum of it")
	cmd.Flags().StringVar(&target, "target", "x86-64", "the machine that wrote the memory, a COIL `FILE|PRESET`")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	a.takesValues(cmd)
	return a.reads(cmd, "pdi", "coil")
}

func (a *app) decode(path, typ, binary, target, format string) error {
	m, err := a.machine(target)
	if err != nil {
		return err
	}
	spec, err := a.dataSpec(path)
	if err != nil {
		return err
	}
	all, err := a.typesFor(spec, []*data.Machine{m}, []string{typ})
	if err != nil {
		return err
	}
	types := all[0].types
	if len(types) == 0 {
		return exitCode(exitNo)
	}
	memory, err := a.binary(binary)
	if err != nil {
		return err
	}
	d := &dump{app: a, machine: m, typ: types[0].Type, name: typ, memory: memory}
	if size := d.typ.Size(); size == 0 || int64(len(memory)) < size {
		fmt.Fprintf(a.err, "pentode: `%s` takes %s, `%s` has %d\n", typ, countedBytes(size), binary, len(memory))
		return exitCode(exitNo)
	}
	if format == "json" {
		return d.json()
	}
	return d.text()
}

// binary reads a file of memory, of at most the size that files may have.
func (a *app) binary(path string) ([]byte, error) {
	f := a.in
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, errors.New(source.Explain(path, err))
		}
		defer file.Close()
		f = file
	}
	memory, err := io.ReadAll(io.LimitReader(f, a.files.maxSize+1))
	if err != nil {
		return nil, errors.New(source.Explain(path, err))
	}
	if int64(len(memory)) > a.files.maxSize {
		return nil, fmt.Errorf("`%s` is larger than %d bytes; a larger limit is given with --max-size", path, a.files.maxSize)
	}
	return memory, nil
}

// dump is memory that holds values of one type.
type dump struct {
	*app
	machine *data.Machine
	typ     data.Type
	name    string
	memory  []byte
}

func (d *dump) count() int64 { return int64(len(d.memory)) / d.typ.Size() }

// each visits the fields of every value.
func (d *dump) each(visit func(f data.Field)) error {
	fields, err := data.DecodeAll(d.typ, d.machine, d.count(), d.memory, 0)
	if err != nil {
		return errors.New(data.Message(err))
	}
	for f := range fields {
		visit(f)
	}
	return nil
}

// text is the hex view: bytes at the left, what they mean at the right.
func (d *dump) text() error {
	w := bufio.NewWriter(d.out)
	pathWidth, typeWidth := 4, 4
	if err := d.each(func(f data.Field) {
		pathWidth = max(pathWidth, min(40, runewidth.StringWidth(f.Path)))
		typeWidth = max(typeWidth, min(24, len(f.Type.String())))
	}); err != nil {
		return err
	}
	at := int64(0)
	hole := func(to int64) {
		for at < to {
			n := min(8, to-at)
			fmt.Fprintf(w, "%08x  %-23s  ····\n", at, hexBytes(d.memory[at:at+n]))
			at += n
		}
	}
	err := d.each(func(f data.Field) {
		start, end := f.Offset, f.Offset+f.Size
		hole(start)
		n := min(8, f.Size)
		fmt.Fprintf(w, "%08x  %-23s  %s  %-*s  %s\n", start, hexBytes(d.memory[start:start+n]), runewidth.FillRight(f.Path, pathWidth), typeWidth, f.Type, data.ValueText(f.Value))
		for at := start + n; at < end; at += 8 {
			fmt.Fprintf(w, "%08x  %s\n", at, hexBytes(d.memory[at:min(at+8, end)]))
		}
		at = max(at, end)
	})
	if err != nil {
		return err
	}
	size := d.typ.Size() * d.count()
	hole(size)
	if rest := int64(len(d.memory)) - size; rest > 0 {
		fmt.Fprintf(w, "%08x  %s more, less than another `%s`\n", size, countedBytes(rest), d.name)
	}
	return w.Flush()
}

func hexBytes(b []byte) string {
	parts := make([]string, len(b))
	for i, x := range b {
		parts[i] = fmt.Sprintf("%02x", x)
	}
	return strings.Join(parts, " ")
}

type jsonDecoded struct {
	Version int             `json:"version"`
	Type    string          `json:"type"`
	Size    int64           `json:"size"`
	Value   json.RawMessage `json:"value"`
	Fields  []jsonField     `json:"fields"`
}

type jsonField struct {
	Path   string `json:"path"`
	Type   string `json:"type"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Value  any    `json:"value"`
}

func (d *dump) json() error {
	out := jsonDecoded{Version: 1, Type: d.name, Size: d.typ.Size(), Fields: []jsonField{}}
	writer := &data.JSON{Machine: d.machine}
	var value []byte
	for i := range d.count() {
		if i > 0 {
			value = append(value, ',')
		}
		value = writer.Append(value, d.typ, d.memory[i*d.typ.Size():(i+1)*d.typ.Size()])
	}
	if d.count() > 1 {
		value = append(append([]byte{'['}, value...), ']')
	}
	out.Value = value
	err := d.each(func(f data.Field) {
		v := f.Value
		if x, ok := v.(float64); ok {
			v = jsonNumber(x)
		}
		out.Fields = append(out.Fields, jsonField{f.Path, f.Type.String(), f.Offset, f.Size, v})
	})
	if err != nil {
		return err
	}
	return d.app.json(out)
}

// jsonNumber is a float where JSON has one: not for what is no number or infinite.
func jsonNumber(x float64) any {
	if x-x != 0 {
		return nil
	}
	return x
}
