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

// A line of the log of all begins with a stamp, when it was read and from which
// output, and the label of its node:
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

// Unstamped is a line of the log of all without its stamp.
func Unstamped(line []byte) []byte {
	if _, _, ok := cutStamp(line); ok {
		return line[stampLen:]
	}
	return line
}

// cutStamp reads the stamp of a line. Only what must be looked at is: lines are many.
func cutStamp(line []byte) (at, stream []byte, ok bool) {
	if len(line) < stampLen || line[10] != 'T' || line[len(stampTime)-1] != 'Z' || line[stampLen-1] != ' ' {
		return nil, nil, false
	}
	return line[:len(stampTime)], line[len(stampTime)+1 : stampLen-1], true
}

// Labels are what stands before the lines of nodes where several write.
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

// Form is how the lines of a log are written.
type Form string

const (
	Plain   Form = ""     // as the programs wrote them, behind the names of those where there are several
	Stamped Form = "time" // the same, behind the time
	JSON    Form = "json" // an object on each line
)

// Query is what is wanted of the logs of a run.
type Query struct {
	Node   string         // empty: all
	Follow bool           // go on until the run is over
	Since  time.Time      // only lines from then on; zero: all
	Grep   *regexp.Regexp // only lines whose text matches; nil: all
	Form   Form
}

// exact reports whether the log of a node can be copied as it is, byte for byte.
func (q Query) exact() bool {
	return q.Node != "" && q.Since.IsZero() && q.Grep == nil && q.Form == Plain
}

// JSONLine is a line in the form JSON. A line that is not valid text is in Bytes, and Text is empty.
type JSONLine struct {
	Time   string `json:"time,omitempty"` // empty: it is not from a program
	Node   string `json:"node,omitempty"`
	Stream string `json:"stream,omitempty"`
	Text   string `json:"text"`
	Bytes  []byte `json:"bytes,omitempty"`
}

// lineWriter passes on the lines of the log of all that a query wants.
type lineWriter struct {
	Query
	w      io.Writer
	since  string // a stamp; they are ordered as times are
	labels map[string]string
	widest int    // of a label
	rest   []byte // the beginning of a line
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

// end writes a line that was left unfinished, as on a full disk.
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

// line adds a line to what is written. One without a stamp is not from a program, and is always wanted.
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

// cutLabel finds the node of a line.
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
		end -= len(labelEnd) - 1 // a name may have one of its own
	}
}
