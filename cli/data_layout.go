package cli

import (
	"fmt"
	"github.com/mattn/go-runewidth"
	"io"
	"slices"
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
	var all []targetTypes
	failed := false
	for i, target := range targets {
		m, err := a.machine(target)
		if err != nil {
			return err
		}
		types, err := a.typesFor(spec, m, names, i == 0)
		if err != nil {
			return err
		}
		failed = failed || len(types) < len(names)
		all = append(all, targetTypes{m, types})
	}
	inAll(all)
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

// inAll leaves out types that some machine does not have.
func inAll(all []targetTypes) {
	count := map[string]int{}
	for _, t := range all {
		for _, named := range t.types {
			count[named.name]++
		}
	}
	for i := range all {
		all[i].types = slices.DeleteFunc(all[i].types, func(t namedType) bool { return count[t.name] < len(all) })
	}
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
	rows  []pictureRow
}

type pictureRow struct {
	depth      int
	name, kind string
	cells      []*data.Row // for each target, nil where it has no such row
}

// newPicture puts the rows of all targets beside each other: members in their order, and before each the holes
// that some target has there.
func newPicture(all []targetTypes, types []namedType) *picture {
	p := &picture{all: all, types: types}
	lists := make([][]data.Row, len(types))
	for i, t := range types {
		lists[i] = data.Layout(t.Type)
	}
	at := make([]int, len(lists))
	for {
		if p.holes(lists, at) {
			continue
		}
		row := pictureRow{cells: make([]*data.Row, len(lists))}
		any := false
		for i, list := range lists {
			if at[i] >= len(list) {
				continue
			}
			r := &list[at[i]]
			at[i]++
			row.cells[i] = r
			if !any {
				row.depth, row.name, row.kind = r.Depth, r.Name, typeWord(r.Type)
			}
			any = true
		}
		if !any {
			return p
		}
		if row.name != "" {
			p.rows = append(p.rows, row)
		}
	}
}

// holes takes the holes that come next, and reports whether there were any.
func (p *picture) holes(lists [][]data.Row, at []int) bool {
	row := pictureRow{name: "····", kind: "hole", cells: make([]*data.Row, len(lists))}
	any := false
	for i, list := range lists {
		if at[i] < len(list) && list[at[i]].Type == nil {
			row.cells[i] = &list[at[i]]
			row.depth = row.cells[i].Depth
			if row.cells[i].Tail {
				row.kind = "padding"
			}
			at[i]++
			any = true
		}
	}
	if any {
		p.rows = append(p.rows, row)
	}
	return any
}

func (p *picture) text() string {
	nameWidth, kindWidth := runewidth.StringWidth(p.types[0].name), runewidth.StringWidth(headWord(p.types[0].Type))
	for _, r := range p.rows {
		nameWidth = max(nameWidth, 2+2*r.depth+runewidth.StringWidth(r.name))
		kindWidth = max(kindWidth, runewidth.StringWidth(r.kind))
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
	line(p.types[0].name, headWord(p.types[0].Type), heads)
	if len(p.rows) > 0 {
		titles := make([]string, len(p.all))
		for i := range titles {
			titles[i] = fmt.Sprintf("%*s %*s", offset, "offset", size, "size")
		}
		line("", "", titles)
	}
	for _, r := range p.rows {
		cells := make([]string, len(r.cells))
		for i, c := range r.cells {
			if c != nil {
				cells[i] = fmt.Sprintf("%*d %*d", offset, c.Offset, size, c.Size)
			}
		}
		line(strings.Repeat("  ", r.depth+1)+r.name, r.kind, cells)
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
		for _, c := range r.cells {
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
		fmt.Fprintf(&b, "advice: %s saves %s on %s\n", moveText(advice), countedBytes(advice.Saves), p.all[i].machine.Name)
	}
	return b.String()
}

func moveText(a data.Advice) string {
	switch {
	case a.Move != "" && a.After != "":
		return fmt.Sprintf("`%s` after `%s`", a.Move, a.After)
	case a.Move != "":
		return fmt.Sprintf("`%s` first", a.Move)
	}
	return "the order " + strings.Join(a.Order, ", ")
}
