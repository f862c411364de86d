package state

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// A line of the common log begins with a stamp and the label of its node. The stamp
// says when the line was read, and from which output:
//
//	2026-03-04T05:06:07.000008Z out solver | text
const (
	stampTime = "2006-01-02T15:04:05.000000Z"
	stampLen  = len(stampTime) + len(" out ")
)

// AppendStamp appends the stamp of lines; stream is `out` or `err`.
func AppendStamp(buf []byte, t time.Time, stream string) []byte {
	buf = t.UTC().AppendFormat(buf, stampTime)
	return append(append(append(buf, ' '), stream...), ' ')
}

// Unstamped returns a line of the common log without its stamp.
func Unstamped(line []byte) []byte {
	if _, _, ok := cutStamp(line); ok {
		return line[stampLen:]
	}
	return line
}

// cutStamp splits the stamp from a line. It checks only what it must, because there are many lines.
func cutStamp(line []byte) (at, stream []byte, ok bool) {
	if len(line) < stampLen || line[10] != 'T' || line[len(stampTime)-1] != 'Z' || line[stampLen-1] != ' ' {
		return nil, nil, false
	}
	return line[:len(stampTime)], line[len(stampTime)+1 : stampLen-1], true
}

// Labels returns the prefixes for the lines of nodes when several nodes write.
func Labels(ids []string) []string {
	const widest = 24
	width := 0
	for _, id := range ids {
		width = max(width, min(len(id), widest))
	}
	labels := make([]string, len(ids))
	for i, id := range ids {
		labels[i] = id + strings.Repeat(" ", max(0, width-len(id))) + labelEnd
	}
	return labels
}

const labelEnd = " | "

// Form is the form in which lines of a log are written.
type Form string

const (
	Plain   Form = ""     // as the programs wrote them, with the names of the programs in front if there are several
	Stamped Form = "time" // the same, with the time in front
	JSON    Form = "json" // one object per line
)

// Query says which lines of the logs of a run to return.
type Query struct {
	Node   string         // empty: all
	Follow bool           // continue until the run is over
	Since  time.Time      // only lines since then; zero: all
	Grep   *regexp.Regexp // only lines whose text matches; nil: all
	Form   Form
}

// exact reports whether the log of a node can be copied unchanged, byte for byte.
func (q Query) exact() bool {
	return q.Node != "" && q.Since.IsZero() && q.Grep == nil && q.Form == Plain
}

// JSONLine is a line in the form JSON. If a line is not valid text, Bytes has it and Text is empty.
type JSONLine struct {
	Time   string `json:"time,omitempty"` // empty: the line is not from a program
	Node   string `json:"node,omitempty"`
	Stream string `json:"stream,omitempty"`
	Text   string `json:"text"`
	Bytes  []byte `json:"bytes,omitempty"`
}

// lineWriter writes the lines of the common log that a query selects.
type lineWriter struct {
	Query
	w      io.Writer
	since  string // a stamp; stamps sort by time
	labels map[string]string
	widest int    // of a label
	rest   []byte // the beginning of an incomplete line
	buf    []byte
}

func newLineWriter(w io.Writer, ids []string, q Query) *lineWriter {
	l := &lineWriter{Query: q, w: w, labels: make(map[string]string, len(ids))}
	if !q.Since.IsZero() {
		l.since = q.Since.UTC().Format(stampTime)
	}
	for i, label := range Labels(ids) {
		l.labels[label] = ids[i]
		l.widest = max(l.widest, len(label))
	}
	return l
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.buf = l.buf[:0]
	for line := range bytes.Lines(p) {
		if len(l.rest) > 0 || line[len(line)-1] != '\n' {
			l.rest = append(l.rest, line...)
			if line = l.rest; line[len(line)-1] != '\n' {
				break
			}
			l.rest = l.rest[:0]
		}
		l.line(line)
	}
	return len(p), l.flush()
}

// end writes a line that was left incomplete, for example on a full disk.
func (l *lineWriter) end() error {
	l.buf = l.buf[:0]
	if len(l.rest) > 0 {
		l.line(append(l.rest, '\n'))
	}
	return l.flush()
}

func (l *lineWriter) flush() error {
	if len(l.buf) == 0 {
		return nil
	}
	_, err := l.w.Write(l.buf)
	return err
}

// line appends a line to the output. A line without a stamp is not from a program, and always selected.
func (l *lineWriter) line(line []byte) {
	at, stream, ok := cutStamp(line)
	if !ok {
		if l.Form == JSON {
			l.json(JSONLine{Text: strings.TrimSuffix(string(line), "\n")})
			return
		}
		l.buf = append(l.buf, line...)
		return
	}
	node, text := l.cutLabel(line[stampLen:])
	if string(at) < l.since || l.Node != "" && node != l.Node || l.Grep != nil && !l.Grep.Match(bytes.TrimRight(text, "\r\n")) {
		return
	}
	if l.Form == JSON {
		l.json(JSONLine{string(at), node, string(stream), string(bytes.TrimSuffix(text, []byte("\n"))), nil})
		return
	}
	if l.Form == Stamped {
		l.buf = append(append(l.buf, at...), ' ')
	}
	if l.Node != "" {
		line = text
	} else {
		line = line[stampLen:]
	}
	l.buf = append(l.buf, line...)
}

func (l *lineWriter) json(line JSONLine) {
	if !utf8.ValidString(line.Text) {
		line.Text, line.Bytes = "", []byte(line.Text)
	}
	out := bytes.NewBuffer(l.buf)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(line) // texts can always be written
	l.buf = out.Bytes()
}

// cutLabel splits the node from a line.
func (l *lineWriter) cutLabel(line []byte) (node string, text []byte) {
	for end := 0; ; {
		i := bytes.Index(line[end:min(len(line), l.widest)], []byte(labelEnd))
		if i < 0 {
			return "", line
		}
		end += i + len(labelEnd)
		if node, ok := l.labels[string(line[:end])]; ok {
			return node, line[end:]
		}
		end -= len(labelEnd) - 1 // a name may contain the text that ends a label
	}
}
