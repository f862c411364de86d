package cli

import (
	"fmt"
	"github.com/mattn/go-runewidth"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/run/data"
)

func (a *app) dataLayoutVerb() *cobra.Command {
	var targets []string
	var format string
	cmd := &cobra.Command{
		Use:     "layout FILE [NAME]",
		Short:   "Show where every member of a type lies in memory",
		Long:    "Shows size and alignment of the types and data of a tree, the offset of every member, the holes between them, and how to\navoid them. Sizes that depend on data take their values from --set NAME=VALUE.",
		Example: examples("pentode data layout examples/heat/heat.yml step", "pentode data layout --target x86-64 --target arm32 --set rows=4 --set cols=3 examples/heat/heat.yml"),
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			name := ""
			if len(args) == 2 {
				name = args[1]
			}
			return a.dataLayout(args[0], name, targets, format)
		},
	}
	cmd.Flags().StringArrayVar(&targets, "target", nil, "the machine: a COIL `FILE|PRESET`, host, or a name such as x86-64, i386, arm32, llp64, big-endian (repeatable)")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json|svg`")
	a.takesValues(cmd)
	return a.reads(cmd, "pdi", "coil")
}

func (a *app) dataLayout(path, name string, targets []string, format string) error {
	spec, err := a.readSpec(path)
	if err != nil {
		return err
	}
	if err := a.refuse(onlyErrors(spec.config.Document.Problems())); err != nil {
		return err
	}
	if len(targets) == 0 {
		targets = []string{data.X86_64().Name}
	}
	names := spec.model.Names()
	if name != "" {
		names = []string{name}
	}
	var machines []*data.Machine
	for _, target := range targets {
		m, err := a.machine(target)
		if err != nil {
			return err
		}
		machines = append(machines, m)
	}
	all, err := a.typesFor(spec, machines, names)
	if err != nil {
		return err
	}
	failed := len(all[0].types) < len(names)
	if failed { // perhaps for what is wrong with the tree
		a.say(onlyErrors(spec.config.Diagnostics()))
	}
	if err := a.printLayout(all, format); err != nil {
		return err
	}
	if failed {
		return exitCode(exitNo)
	}
	return nil
}

func (a *app) printLayout(all []targetTypes, format string) error {
	switch {
	case len(all[0].types) == 0 && format != "json":
		return nil
	case format == "text":
		return layoutText(a.out, all)
	case format == "json":
		return a.json(layoutJSON(all))
	}
	return layoutSVG(a.exact(), all)
}

// layoutText draws the types, with the targets side by side, below what each
// target is.
func layoutText(w io.Writer, all []targetTypes) error {
	var heads []string
	for _, t := range all {
		heads = append(heads, t.machine.Name+": "+t.machine.String())
	}
	fmt.Fprintln(w, strings.Join(heads, "    "))
	for i := range all[0].types {
		fmt.Fprintln(w)
		var same []namedType
		for _, t := range all {
			same = append(same, t.types[i])
		}
		p := newPicture(all, same)
		if _, err := io.WriteString(w, p.text()); err != nil {
			return err
		}
	}
	return nil
}

// picture is the layout of one type on several machines, row by row.
type picture struct {
	all   []targetTypes
	types []namedType
	rows  []data.Line
}

func newPicture(all []targetTypes, same []namedType) *picture {
	types := make([]data.Type, len(same))
	for i, t := range same {
		types[i] = t.Type
	}
	return &picture{all, same, data.Beside(types)}
}

// rowName is that of a member; a hole has none.
func rowName(l *data.Line) string {
	if l.Type == nil {
		return "····"
	}
	return l.Name
}

func (p *picture) text() string {
	nameWidth, kindWidth := runewidth.StringWidth(p.types[0].name), runewidth.StringWidth(data.HeadWord(p.types[0].Type))
	for _, r := range p.rows {
		nameWidth = max(nameWidth, 2+2*r.Depth+runewidth.StringWidth(rowName(&r)))
		kindWidth = max(kindWidth, runewidth.StringWidth(r.Word()))
	}
	offset, size := p.widths()
	column := offset + 1 + size
	for _, t := range p.all {
		column = max(column, runewidth.StringWidth(t.machine.Name))
	}
	var b strings.Builder
	line := func(name, kind string, cells []string) {
		s := runewidth.FillRight(name, nameWidth) + "  " + runewidth.FillRight(kind, kindWidth)
		for _, c := range cells {
			s += "    " + runewidth.FillLeft(c, column)
		}
		b.WriteString(strings.TrimRight(s, " ") + "\n")
	}
	var heads []string
	for _, t := range p.all {
		heads = append(heads, t.machine.Name)
	}
	line(p.types[0].name, data.HeadWord(p.types[0].Type), heads)
	if len(p.rows) > 0 {
		titles := make([]string, len(p.all))
		for i := range titles {
			titles[i] = fmt.Sprintf("%*s %*s", offset, "offset", size, "size")
		}
		line("", "", titles)
	}
	for _, r := range p.rows {
		cells := make([]string, len(r.Rows))
		for i, c := range r.Rows {
			if c != nil {
				cells[i] = fmt.Sprintf("%*d %*d", offset, c.Offset, size, c.Size)
			}
		}
		line(strings.Repeat("  ", r.Depth+1)+rowName(&r), r.Word(), cells)
	}
	b.WriteString(p.totals())
	b.WriteString(p.advice())
	return b.String()
}

// widths are those of the widest offset and size.
func (p *picture) widths() (offset, size int) {
	offset, size = len("offset"), len("size")
	for _, t := range p.types {
		offset = max(offset, len(fmt.Sprint(t.Size())))
	}
	for _, r := range p.rows {
		for _, c := range r.Rows {
			if c != nil {
				size = max(size, len(fmt.Sprint(c.Size)))
			}
		}
	}
	return offset, size
}

func (p *picture) totals() string {
	var parts []string
	for i, t := range p.types {
		s := fmt.Sprintf("size %d, align %d", t.Size(), t.Align())
		if i > 0 {
			s = p.all[i].machine.Name + ": " + s
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "    ") + "\n"
}

// advice says where another order of members saves bytes.
func (p *picture) advice() string {
	var b strings.Builder
	for i, t := range p.types {
		r, ok := t.Type.(*data.Record)
		if !ok {
			continue
		}
		advice, ok := data.Advise(r)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "advice: %s saves %s on %s\n", advice, countedBytes(advice.Saves), p.all[i].machine.Name)
	}
	return b.String()
}
