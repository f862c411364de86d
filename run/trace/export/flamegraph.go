package export

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pentode-dev/pentode/internal/leaf/quantity"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// flame is a frame of the picture: the time of all frames with the same stack.
type flame struct {
	name   string
	total  int64 // including the frames within it
	within map[string]*flame
}

// Sizes of the picture in pixels.
const (
	flameWidth  = 1200
	flameHeight = 18
	flameMargin = 10
	flameHead   = 40
	letterWidth = 6.6 // approximate width of a letter
	tooNarrow   = 0.2 // narrower frames are not drawn
	flameHues   = 8
)

// flamegraph draws the stacks of all threads. The width of a frame is the time in it, and a frame
// is drawn on top of its caller.
func flamegraph(w io.Writer, t *recorded.Trace) ([]string, error) {
	total, leftOut, err := stacks(t)
	if err != nil {
		return nil, err
	}
	root := &flame{name: "all"}
	if program := t.Program(); program != "" {
		root.name = program
	}
	for path, ns := range total {
		f, ns := root, max(ns, 0) // times of two clocks may have a negative difference
		f.total += ns
		for name := range strings.SplitSeq(path, ";") {
			f = f.child(name)
			f.total += ns
		}
	}
	out := newWriter(w)
	p := &flamePicture{out: out, whole: root.total, height: flameHead + flameHeight*root.levels() + flameMargin}
	p.head(root.name)
	p.draw(root, flameMargin, 0)
	fmt.Fprintln(out, "</svg>")
	return leftOut, out.Flush()
}

func (f *flame) child(name string) *flame {
	c := f.within[name]
	if c == nil {
		if f.within == nil {
			f.within = map[string]*flame{}
		}
		c = &flame{name: name}
		f.within[name] = c
	}
	return c
}

// levels returns the height of the picture in frames.
func (f *flame) levels() int {
	most := 0
	for _, c := range f.within {
		most = max(most, c.levels())
	}
	return most + 1
}

type flamePicture struct {
	out    *writer
	whole  int64
	height int
}

func (p *flamePicture) head(name string) {
	fmt.Fprintf(p.out, `<svg xmlns="http://www.w3.org/2000/svg" class="flames" width="%d" height="%d" viewBox="0 0 %d %d">
<style>
.flames { background: #fff; font: 11px ui-monospace, "DejaVu Sans Mono", monospace; }
.flames text { fill: #1c2430; } .flames .title { font: 600 15px system-ui, sans-serif; }
.flames rect { stroke: #fff; stroke-width: .5; }
`, flameWidth+2*flameMargin, p.height, flameWidth+2*flameMargin, p.height)
	for i := range flameHues {
		fmt.Fprintf(p.out, ".flames .c%d { fill: hsl(%d 75%% 76%%); }\n", i, 8+i*50/flameHues)
	}
	fmt.Fprint(p.out, "@media (prefers-color-scheme: dark) {\n.flames { background: #14181f; } .flames text { fill: #f1f3f7; } .flames rect { stroke: #14181f; }\n")
	for i := range flameHues {
		fmt.Fprintf(p.out, ".flames .c%d { fill: hsl(%d 60%% 28%%); }\n", i, 8+i*50/flameHues)
	}
	fmt.Fprint(p.out, "}\n</style>\n")
	fmt.Fprintf(p.out, `<text class="title" x="%d" y="24">%s: %s in all threads</text>`+"\n", flameMargin, escaped(name), quantity.Duration(time.Duration(p.whole)))
}

// draw draws a frame at x and the frames on top of it, sorted by name.
func (p *flamePicture) draw(f *flame, x float64, level int) {
	width := flameWidth * float64(f.total) / float64(max(p.whole, 1))
	if width < tooNarrow {
		return
	}
	y := p.height - flameMargin - flameHeight*(level+1)
	hash := fnv.New32a()
	hash.Write([]byte(f.name))
	fmt.Fprintf(p.out, `<g><title>%s: %s, %s</title><rect class="c%d" x="%.1f" y="%d" width="%.1f" height="%d" rx="2"/>`,
		escaped(f.name), quantity.Duration(time.Duration(f.total)), quantity.ShareOf(f.total, p.whole), hash.Sum32()%flameHues, x, y, width, flameHeight-1)
	if label := fitting(f.name, width-6); label != "" {
		fmt.Fprintf(p.out, `<text x="%.1f" y="%d">%s</text>`, x+3, y+13, escaped(label))
	}
	fmt.Fprintln(p.out, "</g>")
	var list []*flame
	for _, c := range f.within {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *flame) int { return cmp.Compare(a.name, b.name) })
	for _, c := range list {
		p.draw(c, x, level+1)
		x += flameWidth * float64(c.total) / float64(max(p.whole, 1))
	}
}

// fitting returns as much of a name as fits, or "" if too little fits.
func fitting(name string, width float64) string {
	room := int(width / letterWidth)
	switch {
	case utf8.RuneCountInString(name) <= room:
		return name
	case room < 3:
		return ""
	}
	return string([]rune(name)[:room-1]) + "…"
}

// escaped returns a text in XML.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a builder does not fail
	return b.String()
}
