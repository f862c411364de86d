package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/graph/svg"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/columns"
	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/run/data"
)

func (a *app) dataLayoutVerb() *cobra.Command {
	var targets []string
	var format string
	cmd := &cobra.Command{
		Use:     "layout FILE [NAME]",
		Short:   "Show the memory layout of types: offsets, sizes, holes",
		Long:    "Shows size and alignment of the types and data of a tree, the offset of every member, the holes between members, and how to\navoid the holes. --set NAME=VALUE gives values to data on which a size depends.",
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
	return a.wideFlag(a.reads(cmd, "pdi", "coil"))
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
	wrong := onlyErrors(spec.config.Diagnostics())
	failed := len(all[0].types) < len(names) || len(names) == 0 && len(wrong) > 0
	switch {
	case failed: // errors of the tree may be the reason for the failure
		a.say(wrong)
	case len(names) == 0:
		fmt.Fprintf(a.err, "`%s` declares no types and no data\n", path)
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
		return layoutText(a.out, a.room(), all)
	case format == "json":
		return a.json(layoutJSON(all))
	}
	return layoutSVG(a.exact(), all)
}

// layoutText describes each target, and then draws the types, with the targets
// side by side.
func layoutText(w io.Writer, width int, all []targetTypes) error {
	var heads []string
	for _, t := range all {
		heads = append(heads, t.machine.Name+": "+t.machine.String())
	}
	fold(w, width, 2, strings.Join(heads, "    "))
	for i := range all[0].types {
		fmt.Fprintln(w)
		var same []namedType
		for _, t := range all {
			same = append(same, t.types[i])
		}
		if err := newPicture(all, same).write(w, width); err != nil {
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

// rowName returns the name of a member, or "" for a hole.
func rowName(l *data.Line) string {
	if l.Type == nil {
		return "····"
	}
	return l.Name
}

// write draws the type, at most width columns wide; 0: no limit.
func (p *picture) write(w io.Writer, width int) error {
	offset, size := p.widths()
	list := columns.Of(columns.Name, columns.Name)
	rows := [][]string{{p.types[0].name, data.HeadWord(p.types[0].Type)}, {"", ""}}
	for i, t := range p.all {
		list = append(list, columns.Column{Kind: columns.Figure, Keep: len(p.all) - 1 - i}) // on a narrow terminal the first machine is kept longest
		rows[0] = append(rows[0], "  "+t.machine.Name)
		rows[1] = append(rows[1], fmt.Sprintf("  %*s %*s", offset, "offset", size, "size"))
	}
	if len(p.rows) == 0 {
		rows = rows[:1]
	}
	for _, r := range p.rows {
		row := []string{strings.Repeat("  ", r.Depth+1) + rowName(&r), r.Word()}
		for _, c := range r.Rows {
			cell := ""
			if c != nil {
				cell = fmt.Sprintf("  %*d %*d", offset, c.Offset, size, c.Size)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	t := columns.Table{Columns: list, Width: width}
	if err := t.Write(w, rows); err != nil {
		return err
	}
	if gone := leftOut(t, rows); gone != "" {
		fold(w, width, 2, gone)
	}
	fold(w, width, 2, p.totals())
	for _, advice := range p.advice() {
		fold(w, width, 2, advice)
	}
	return nil
}

// widths returns the widths of the widest offset and size.
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
	return strings.Join(parts, "    ")
}

// advice lists the machines on which a different order of members saves bytes.
func (p *picture) advice() []string {
	var list []string
	for i, t := range p.types {
		r, ok := t.Type.(*data.Record)
		if !ok {
			continue
		}
		advice, ok := data.Advise(r)
		if !ok {
			continue
		}
		list = append(list, fmt.Sprintf("advice: %s saves %s on %s", advice, quantity.Count(advice.Saves, "byte", "bytes"), p.all[i].machine.Name))
	}
	return list
}

type jsonLayout struct {
	Version int          `json:"version"`
	Targets []jsonTarget `json:"targets"`
}

type jsonTarget struct {
	Target    string     `json:"target"`
	Bits      int64      `json:"bits"`
	ByteOrder string     `json:"byte_order"`
	Types     []jsonType `json:"types"`
}

type jsonType struct {
	Name    string       `json:"name"`
	Type    string       `json:"type"`
	Size    int64        `json:"size"`
	Align   int64        `json:"align"`
	Members []jsonMember `json:"members"`
	Holes   []jsonHole   `json:"holes"`
	Advice  *jsonAdvice  `json:"advice,omitempty"`
}

type jsonMember struct {
	Name    string       `json:"name"`
	Type    string       `json:"type"`
	Offset  int64        `json:"offset"`
	Size    int64        `json:"size"`
	Align   int64        `json:"align"`
	Members []jsonMember `json:"members,omitempty"`
	Holes   []jsonHole   `json:"holes,omitempty"`
}

type jsonHole struct {
	Offset int64 `json:"offset"`
	Size   int64 `json:"size"`
}

type jsonAdvice struct {
	Saves int64    `json:"saves"`
	Move  string   `json:"move,omitempty"`
	After string   `json:"after,omitempty"`
	Order []string `json:"order"`
}

func layoutJSON(all []targetTypes) jsonLayout {
	out := jsonLayout{Version: 1}
	for _, t := range all {
		target := jsonTarget{Target: t.machine.Name, Bits: 8 * t.machine.Pointer, ByteOrder: "little", Types: []jsonType{}}
		if t.machine.BigEndian {
			target.ByteOrder = "big"
		}
		for _, named := range t.types {
			j := jsonType{Name: named.name, Type: data.HeadWord(named.Type), Size: named.Size(), Align: named.Align(), Members: []jsonMember{}, Holes: []jsonHole{}}
			if rows := data.Layout(named.Type); len(rows) != 1 || rows[0].Name != "" || rows[0].Type == nil {
				members, holes, _ := jsonRows(rows, 0)
				j.Members, j.Holes = append(j.Members, members...), append(j.Holes, holes...)
			}
			if r, ok := named.Type.(*data.Record); ok {
				if a, ok := data.Advise(r); ok {
					j.Advice = &jsonAdvice{Saves: a.Saves, Move: a.Move, After: a.After, Order: a.Order}
				}
			}
			target.Types = append(target.Types, j)
		}
		out.Targets = append(out.Targets, target)
	}
	return out
}

// jsonRows converts the rows of one depth, each with the rows inside it, and returns the number of rows converted.
func jsonRows(rows []data.Row, depth int) (members []jsonMember, holes []jsonHole, taken int) {
	for i := 0; i < len(rows); {
		r := rows[i]
		switch {
		case r.Depth < depth:
			return members, holes, i
		case r.Type == nil:
			holes = append(holes, jsonHole{r.Offset, r.Size})
			i++
		default:
			m := jsonMember{Name: r.Name, Type: r.Type.String(), Offset: r.Offset, Size: r.Size, Align: r.Type.Align()}
			var n int
			m.Members, m.Holes, n = jsonRows(rows[i+1:], depth+1)
			members = append(members, m)
			i += n + 1
		}
	}
	return members, holes, len(rows)
}

// The dimensions of a byte map.
const (
	cellWidth  = 44
	cellHeight = 24
	mapBytes   = 8  // bytes in a row
	mapMargin  = 52 // space for offsets
	mapGap     = 48
	mapColours = 8 // colours in the style sheet
	longRows   = 6 // a member with more rows is not drawn in full
)

// layoutSVG draws every byte of the types: a row for every eight bytes, a column of maps for every target. It uses the
// colours and fonts of graphs.
func layoutSVG(w io.Writer, all []targetTypes) error {
	var body strings.Builder
	columnWidth := mapMargin + mapBytes*cellWidth + mapGap
	bottom := 0
	for column, target := range all {
		y := 34
		for _, t := range target.types {
			m := &byteMap{out: &body, x: column * columnWidth, y: y}
			y = m.draw(t, target.machine) + mapGap
		}
		bottom = max(bottom, y)
	}
	legend := fmt.Sprintf(`<g><rect x="%d" y="%d" width="28" height="16" rx="3" class="dot" stroke-dasharray="4 3"/><text x="%d" y="%[4]d" class="key">padding</text></g>`,
		mapMargin, bottom-20, mapMargin+36, bottom-8)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="pentode-graph" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">
<style>
%[3]s</style>
<rect width="100%%" height="100%%" class="page"/>
%[4]s%[5]s
</svg>
`, len(all)*columnWidth, bottom+16, svg.StyleSheet, body.String(), legend)
	return err
}

// byteMap is the picture of one type.
type byteMap struct {
	out  *strings.Builder
	x, y int
	skip int64 // bytes left out so far
}

func (m *byteMap) draw(t namedType, machine *data.Machine) int {
	fmt.Fprintf(m.out, "<text x=\"%d\" y=\"%d\" class=\"title\">%s</text>\n", m.x+mapMargin, m.y, html.EscapeString(t.name))
	fmt.Fprintf(m.out, "<text x=\"%d\" y=\"%d\" class=\"key\">%s</text>\n", m.x+mapMargin, m.y+18,
		html.EscapeString(fmt.Sprintf("%s on %s (%s): size %d, align %d", data.HeadWord(t.Type), machine.Name, machine, t.Size(), t.Align())))
	m.y += 28
	colour := 0
	last := int64(0)
	for _, r := range leafRows(data.Layout(t.Type)) {
		class := "dot"
		if r.Type != nil {
			class = "whole"
			colour++
		}
		fmt.Fprintf(m.out, "<g class=\"k%d\">\n", (colour-1)%mapColours+1)
		m.piece(r, class)
		m.out.WriteString("</g>\n")
		last = max(last, r.Offset+r.Size-m.skip)
	}
	return m.y + int((last+mapBytes-1)/mapBytes)*cellHeight
}

// leafRows returns the rows that contain no other rows: only these are drawn.
func leafRows(rows []data.Row) []data.Row {
	var leaves []data.Row
	for i, r := range rows {
		if i+1 < len(rows) && rows[i+1].Depth > r.Depth {
			continue
		}
		if r.Size > 0 {
			leaves = append(leaves, r)
		}
	}
	return leaves
}

// piece draws the bytes of a member; it skips lines in the middle of a long member.
func (m *byteMap) piece(r data.Row, class string) {
	at, end := r.Offset-m.skip, r.Offset+r.Size-m.skip
	label, first := r.Name, true
	switch {
	case r.Type == nil:
	case r.Name == "":
		label = r.Type.String()
	default:
		label += ": " + r.Type.String()
	}
	omit := int64(0)
	if lines := (end - at) / mapBytes; lines > longRows {
		omit = (lines - longRows) * mapBytes
	}
	cut := at + (longRows/2)*mapBytes
	cut -= cut % mapBytes
	end -= omit
	for at < end {
		line := at / mapBytes
		stop := min(end, (line+1)*mapBytes)
		x, y := m.x+mapMargin+int(at%mapBytes)*cellWidth, m.y+int(line)*cellHeight
		fmt.Fprintf(m.out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"%s/>\n",
			x, y, int(stop-at)*cellWidth, cellHeight, class, dash(r))
		if first && label != "" {
			fmt.Fprintf(m.out, "<text x=\"%d\" y=\"%d\" class=\"port\">%s</text>\n", x+6, y+16, html.EscapeString(shortLabel(label, int(stop-at))))
			first = false
		}
		if at%mapBytes == 0 {
			offset := at + m.skip
			if omit > 0 && at >= cut {
				offset += omit
			}
			fmt.Fprintf(m.out, "<text x=\"%d\" y=\"%d\" class=\"key end\">%d</text>\n", m.x+mapMargin-8, y+16, offset)
		}
		if omit > 0 && stop == cut {
			fmt.Fprintf(m.out, "<text x=\"%d\" y=\"%d\" class=\"key\">⋮ %d bytes</text>\n", x+6, y+16, omit)
		}
		at = stop
	}
	m.skip += omit
}

func dash(r data.Row) string {
	if r.Type == nil {
		return ` stroke-dasharray="4 3"`
	}
	return ""
}

// shortLabel cuts a name so that it fits its cells.
func shortLabel(label string, cells int) string {
	most := (cells*cellWidth - 12) / 6
	if r := []rune(label); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return label
}

func (a *app) dataDecodeVerb() *cobra.Command {
	var spec, typ, format, target string
	cmd := &cobra.Command{
		Use:     "decode --spec FILE --type T BINARY",
		Short:   "Decode raw memory: bytes beside the members of a type",
		Long:    "Reads a file of raw memory as a sequence of values of a type. Bytes after the last complete value are only counted.",
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
	cmd.Flags().StringVar(&typ, "type", "", "the `NAME` of a type or datum of the tree")
	cmd.Flags().StringVar(&target, "target", "x86-64", "the machine that wrote the memory, a COIL `FILE|PRESET`")
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`")
	a.takesValues(cmd)
	return a.wideFlag(a.reads(cmd, "pdi", "coil"))
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
		fmt.Fprintf(a.err, "pentode: `%s` takes %s, `%s` has %d\n", typ, quantity.Count(size, "byte", "bytes"), binary, len(memory))
		return exitCode(exitNo)
	}
	if format == "json" {
		return d.json()
	}
	return d.text()
}

// binary reads a file of raw memory, up to --max-size.
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
	memory, err := io.ReadAll(io.LimitReader(f, int64(a.files.maxSize)+1))
	if err != nil {
		return nil, errors.New(source.Explain(path, err))
	}
	if int64(len(memory)) > int64(a.files.maxSize) {
		return nil, fmt.Errorf("`%s` is larger than %s; --max-size raises the limit", path, a.files.maxSize.String())
	}
	return memory, nil
}

// dump is raw memory with values of one type.
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

// text prints the hex view: bytes on the left, their meaning on the right.
func (d *dump) text() error {
	w := bufio.NewWriter(d.out)
	pathWidth, typeWidth := 4, 4
	if err := d.each(func(f data.Field) {
		pathWidth = max(pathWidth, min(40, runewidth.StringWidth(f.Path)))
		typeWidth = max(typeWidth, min(24, len(f.Type.String())))
	}); err != nil {
		return err
	}
	value := data.ValueText
	if room := d.room() - memoryWidth; d.room() > 0 {
		pathWidth, typeWidth = min(pathWidth, max(room/3, 1)), min(typeWidth, max(room/4, 1))
		valueWidth := max(room-pathWidth-typeWidth-4, 1)
		value = func(v any) string { return columns.Middle(visible.Line(data.ValueText(v)), valueWidth) }
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
		fmt.Fprintf(w, "%08x  %-23s  %s  %s  %s\n", start, hexBytes(d.memory[start:start+n]), d.cell(f.Path, pathWidth), d.cell(f.Type.String(), typeWidth), value(f.Value))
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
		fmt.Fprintf(w, "%08x  %s left, too few for another `%s`\n", size, quantity.Count(rest, "byte", "bytes"), d.name)
	}
	return w.Flush()
}

// memoryWidth is the width of addresses and bytes in the hex view.
const memoryWidth = 8 + 2 + 23 + 2

// cell pads a text to a width, and on a terminal also cuts it to that width.
func (d *dump) cell(text string, width int) string {
	if d.room() > 0 {
		text = columns.Middle(visible.Line(text), width)
	}
	return runewidth.FillRight(text, width)
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

// jsonNumber returns a float, or nil for infinities and NaN, which JSON cannot write.
func jsonNumber(x float64) any {
	if x-x != 0 {
		return nil
	}
	return x
}
