package cli

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/pentode-dev/pentode/run/data"
)

// The measures of a byte map.
const (
	cellWidth  = 36
	cellHeight = 22
	mapBytes   = 8  // in a row
	mapMargin  = 56 // for offsets
	mapGap     = 40
	longRows   = 6 // rows of one member that are drawn before the rest is left out
)

var mapColours = []string{"#cfe3f7", "#d9efd3", "#fbe3c4", "#e8d9f3", "#f7d4d4", "#d3efec", "#f3efc9", "#e3e3e3"}

// layoutSVG draws every byte of the types: a row for every eight bytes, a column of maps for every target.
func layoutSVG(w io.Writer, all []targetTypes) error {
	var body strings.Builder
	columnWidth := mapMargin + mapBytes*cellWidth + mapGap
	bottom := 0
	for column, target := range all {
		y := 20
		for _, t := range target.types {
			m := &byteMap{out: &body, x: column * columnWidth, y: y}
			y = m.draw(t, target.machine.Name) + mapGap
		}
		bottom = max(bottom, y)
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="monospace" font-size="12">
<rect width="100%%" height="100%%" fill="white"/>
%s</svg>
`, len(all)*columnWidth+20, bottom, body.String())
	return err
}

// byteMap is the picture of one type.
type byteMap struct {
	out  *strings.Builder
	x, y int
	skip int64 // bytes that were left out so far
}

func (m *byteMap) draw(t namedType, target string) int {
	fmt.Fprintf(m.out, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", m.x+mapMargin, m.y,
		html.EscapeString(fmt.Sprintf("%s on %s: size %d, align %d", t.name, target, t.Size(), t.Align())))
	m.y += 10
	colour := 0
	last := int64(0)
	for _, r := range leafRows(data.Layout(t.Type)) {
		fill := "white"
		if r.Type != nil {
			fill = mapColours[colour%len(mapColours)]
			colour++
		}
		m.piece(r, fill)
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
func (m *byteMap) piece(r data.Row, fill string) {
	at, end := r.Offset-m.skip, r.Offset+r.Size-m.skip
	label, first := r.Name, true
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
		fmt.Fprintf(m.out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#666\"%s/>\n",
			x, y, int(stop-at)*cellWidth, cellHeight, fill, dash(r))
		if first && label != "" {
			fmt.Fprintf(m.out, "<text x=\"%d\" y=\"%d\">%s</text>\n", x+4, y+15, html.EscapeString(shortLabel(label, int(stop-at))))
			first = false
		}
		if at%mapBytes == 0 {
			offset := at + m.skip
			if omit > 0 && at >= cut {
				offset += omit
			}
			fmt.Fprintf(m.out, "<text x=\"%d\" y=\"%d\" fill=\"#888\" text-anchor=\"end\">%d</text>\n", m.x+mapMargin-6, y+15, offset)
		}
		if omit > 0 && stop == cut {
			fmt.Fprintf(m.out, "<text x=\"%d\" y=\"%d\" fill=\"#888\">⋮ %d bytes</text>\n", x+4, y+15, omit)
		}
		at = stop
	}
	m.skip += omit
}

func dash(r data.Row) string {
	if r.Type == nil {
		return ` stroke-dasharray="3 3"`
	}
	return ""
}

// shortLabel cuts a name to the cells it has.
func shortLabel(label string, cells int) string {
	most := cells*cellWidth/8 + 1
	if r := []rune(label); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return label
}
