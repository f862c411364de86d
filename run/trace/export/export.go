// Package export writes recorded traces in the formats of other programs. Each format has a file in this package.
//
//	recorded.Trace ──Format.Write──▶ JSON, text or CSV, and a list of what was left out
package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Format is a format in which traces can be written.
type Format struct {
	Name string
	Doc  string // the programs it is for
	// Write writes the trace. It returns descriptions of the parts of the trace that the format
	// cannot represent.
	Write func(w io.Writer, t *recorded.Trace) (left []string, err error)
}

// Formats are all formats.
var Formats = []Format{
	{"perfetto", "Perfetto and chrome://tracing", func(w io.Writer, t *recorded.Trace) ([]string, error) { return nil, Perfetto(w, t, t.Start) }},
	{"speedscope", "speedscope.app", speedscope},
	{"folded", "flamegraph.pl, inferno and other flame graphs", folded},
	{"otlp", "OpenTelemetry collectors: one request of OTLP in JSON on each line", otlp},
	{"csv", "spreadsheets and data frames: a row for each event", table},
	{"flamegraph", "browsers: a picture of where the time went, in SVG", flamegraph},
}

// Names returns the names of the formats.
func Names() (list []string) {
	for _, f := range Formats {
		list = append(list, f.Name)
	}
	return list
}

// Find returns a format by its name.
func Find(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// addLeftOut adds to list the number of things that a format leaves out, if it is not 0.
func addLeftOut(list []string, n int, one, many string) []string {
	switch n {
	case 0:
		return list
	case 1:
		return append(list, "1 "+one)
	}
	return append(list, fmt.Sprintf("%d %s", n, many))
}

// writer buffers everything that is appended to it and writes it.
type writer struct {
	*bufio.Writer
	line []byte
}

func newWriter(w io.Writer) *writer { return &writer{Writer: bufio.NewWriterSize(w, 256<<10)} }

// quote appends a text as JSON.
func quote(b []byte, s string) []byte {
	text, _ := json.Marshal(s) // any text can be encoded
	return append(b, text...)
}

// value appends the value of a member as JSON.
func value(b []byte, m *ctf.Member, v *ctf.Value) []byte {
	if m.Enum != nil {
		if label := m.Enum.Label(v.Number); label != "" {
			return quote(b, label)
		}
	}
	switch m.Form {
	case ctf.String, ctf.Bytes:
		return quote(b, v.Text)
	case ctf.Address:
		return append(strconv.AppendUint(append(b, `"0x`...), v.Number, 16), '"')
	case ctf.Signed:
		return strconv.AppendInt(b, int64(v.Number), 10)
	case ctf.Real:
		f := math.Float64frombits(v.Number)
		if math.IsNaN(f) || math.IsInf(f, 0) { // JSON has neither
			return quote(b, strconv.FormatFloat(f, 'g', -1, 64))
		}
		return strconv.AppendFloat(b, f, 'g', -1, 64)
	case ctf.List:
		return append(list(append(b, '['), m.Elem, v.List), ']')
	}
	return strconv.AppendUint(b, v.Number, 10)
}

// list appends the elements of a list. Elements with several members become objects.
func list(b []byte, members []ctf.Member, values []ctf.Value) []byte {
	for i := 0; len(members) > 0 && i < len(values); i += len(members) {
		if i > 0 {
			b = append(b, ',')
		}
		if len(members) == 1 {
			b = value(b, &members[0], &values[i])
			continue
		}
		b = append(object(append(b, '{'), members, values[i:i+len(members)]), '}')
	}
	return b
}

// object appends members with their names.
func object(b []byte, members []ctf.Member, values []ctf.Value) []byte {
	first := true
	for i := range members {
		if values[i].Absent {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = value(append(quote(b, members[i].Name), ':'), &members[i], &values[i])
	}
	return b
}

// oneLine returns a name without line breaks and without the separator of names.
func oneLine(s, separator string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ReplaceAll(s, separator, ","))
}
