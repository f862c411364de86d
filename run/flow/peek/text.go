package peek

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/wire"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// Limits for the length of a text.
const (
	maxText  = 8 << 10 // bytes of the whole text
	maxWord  = 200     // bytes of each text inside a record
	maxParts = 50      // number of parts of a list or a record that are written
	maxDepth = 5
)

// text sets the view's text to s, cut to its maximum length.
func (v *View) text(s string) { v.Text, v.Cut = cut(s, maxText) }

func cut(s string, most int) (string, bool) {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\ufffd"), false
	}
	return strings.ToValidUTF8(s[:most], ""), true
}

// describe returns a text for a value of any type: the members of a record by name, one
// per line.
func describe(value any) string {
	p := &printer{}
	p.value(value, 0)
	return p.b.String()
}

type printer struct{ b strings.Builder }

func (p *printer) value(value any, depth int) {
	if _, members, ok := wire.Record(value); ok {
		value = members
	}
	switch v := value.(type) {
	case nil:
		p.b.WriteString("nothing")
	case string:
		text, more := cut(v, maxWord)
		p.b.WriteString(strconv.Quote(text))
		if more {
			p.b.WriteString("…")
		}
	case bool, int64, uint64, int, float64:
		fmt.Fprint(&p.b, v)
	case []byte:
		fmt.Fprintf(&p.b, "%d bytes", len(v))
	case *tensor.Tensor:
		p.b.WriteString(v.String())
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		p.parts(len(keys), depth, func(i int) {
			p.b.WriteString(keys[i] + ": ")
			p.value(v[keys[i]], depth+1)
		})
	case map[string]string:
		keys := slices.Sorted(maps.Keys(v))
		p.parts(len(keys), depth, func(i int) {
			p.b.WriteString(keys[i] + ": ")
			p.value(v[keys[i]], depth+1)
		})
	case []any:
		p.parts(len(v), depth, func(i int) { p.value(v[i], depth+1) })
	case []float64:
		p.parts(len(v), depth, func(i int) { p.value(v[i], depth+1) })
	case []string:
		p.parts(len(v), depth, func(i int) { p.value(v[i], depth+1) })
	case fmt.Stringer:
		text, _ := cut(v.String(), maxWord)
		p.b.WriteString(text)
	default:
		p.b.WriteString(flow.Of(v).Noun())
	}
}

// parts writes the first parts of a list or a record, one per line.
func (p *printer) parts(n, depth int, write func(int)) {
	if n == 0 {
		p.b.WriteString("none")
		return
	}
	if depth >= maxDepth {
		fmt.Fprintf(&p.b, "%d inside", n)
		return
	}
	for i := range n {
		if depth > 0 || i > 0 {
			p.b.WriteString("\n" + strings.Repeat("  ", depth))
		}
		if i == maxParts || p.b.Len() > maxText {
			fmt.Fprintf(&p.b, "… and %d more", n-i)
			return
		}
		write(i)
	}
}
