package cli

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/core/graph/svg"
	"github.com/pentode-dev/pentode/run/data"
)

// The measures of a byte map.
const (
	cellWidth  = 44
	cellHeight = 24
	mapBytes   = 8  // in a row
	mapMargin  = 52 // for offsets
	mapGap     = 48
	mapColours = 8 // of the style sheet
	longRows   = 6 // rows of one member that are drawn before the rest is left out
)

// layoutSVG draws every byte of the types: a row for every eight bytes, a column of maps for every target. Colours
// and letters are those of graphs.
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
	skip int64 // bytes that were left out so far
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

// leafRows leaves out members that are drawn by their own members.
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

// piece draws the bytes of a member; of a long one whole lines in the middle are left out.
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

// shortLabel cuts a name to the cells it has.
func shortLabel(label string, cells int) string {
	most := (cells*cellWidth - 12) / 6
	if r := []rune(label); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return label
}
