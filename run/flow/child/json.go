package child

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"sync"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/wire"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// A recordError is the error of a record that does not follow the protocol.
type recordError struct{ text string }

func (e *recordError) Error() string { return e.text }

func wrong(format string, args ...any) error { return &recordError{fmt.Sprintf(format, args...)} }

// maxRecord limits the size of one record or frame from a program.
const maxRecord = 256 << 20

func newCodec(w io.Writer, r io.Reader) *jsonCodec {
	return &jsonCodec{bufio.NewWriterSize(w, 1<<16), bufio.NewReaderSize(r, 1<<16)}
}

// jsonCodec writes and reads JSON objects, one per line. An empty datum is null. A member `_error`
// in an answer makes the step fail. JSON cannot represent infinities and NaN, so neither side may
// send them.
type jsonCodec struct {
	w *bufio.Writer
	r *bufio.Reader
}

func (c *jsonCodec) write(names []string, data []flow.Datum) error {
	record := make(map[string]any, len(names))
	for i, name := range names {
		record[name] = data[i].Value()
		if f, ok := record[name].(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return wrong("input `%s` is %v, which JSON cannot represent; use `format = binary` or a Python class", name, f)
		}
	}
	line, err := json.Marshal(record)
	if notFinite := new(tensor.NotFinite); errors.As(err, &notFinite) {
		return wrong("an array among the inputs has %v, which JSON cannot represent; use `format = binary` or a Python class", notFinite.Value)
	}
	if err != nil {
		return wrong("JSON cannot represent the inputs; `format = binary` or a Python class may be able to")
	}
	c.w.Write(line)
	c.w.WriteByte('\n')
	return c.w.Flush()
}

func (c *jsonCodec) read() (map[string]flow.Datum, error) {
	line, err := readLine(c.r, "answer")
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	var record map[string]json.RawMessage
	err = dec.Decode(&record)
	if err != nil && notFinite().Match(line) {
		return nil, wrong("the program's answer has a number that is not finite, which JSON cannot represent; send null, or use `format = binary`: `%.80s`", bytes.TrimSpace(line))
	}
	if _, more := dec.Token(); err != nil || record == nil || more != io.EOF {
		return nil, wrong("the program's answer is not a JSON object: `%.80s`", bytes.TrimSpace(line))
	}
	if why, ok := record["_error"]; ok {
		var text any
		if json.Unmarshal(why, &text); text != nil {
			return nil, wrong("the program reports: %v", text)
		}
	}
	data := make(map[string]flow.Datum, len(record))
	for name, text := range record {
		v, err := fromJSON(text, 0)
		switch {
		case err != nil:
			return nil, wrong("member `%.80s` of the program's answer: %v", name, err)
		case v == nil:
			data[name] = flow.OfEmpty()
		default:
			data[name] = flow.Of(v)
		}
	}
	return data, nil
}

// readLine reads a line that a program prints. what describes the line in messages.
func readLine(r *bufio.Reader, what string) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxRecord:
			return nil, wrong("the program's %s is longer than %d bytes", what, maxRecord)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(bytes.TrimSpace(line)) == 0:
			return nil, err
		}
		return line, nil
	}
}

// notFinite matches the ways in which programs write infinities and NaN, which are not valid JSON.
var notFinite = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[:\[,]\s*-?(NaN|Infinity|nan|inf)\b`) })

// fromJSON returns the value of a valid JSON text. A list of numbers, or of lists of equal length,
// becomes an array.
func fromJSON(text []byte, depth int) (any, error) {
	if depth > wire.MaxDepth { // limit the depth: each level is parsed again
		return nil, fmt.Errorf("it has more than %d levels", wire.MaxDepth)
	}
	text = bytes.TrimLeft(text, blanks)
	switch text[0] {
	case '[':
		if t := arrayOf(text); t != nil {
			return t, nil
		}
		var parts []json.RawMessage
		if err := json.Unmarshal(text, &parts); err != nil {
			return nil, errNotJSON
		}
		list := make([]any, len(parts))
		for i, part := range parts {
			var err error
			if list[i], err = fromJSON(part, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case '{':
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(text, &parts); err != nil {
			return nil, errNotJSON
		}
		record := make(map[string]any, len(parts))
		for name, part := range parts {
			var err error
			if record[name], err = fromJSON(part, depth+1); err != nil {
				return nil, err
			}
		}
		return record, nil
	case '"', 't', 'f', 'n':
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			return nil, errNotJSON
		}
		return v, nil
	}
	text = bytes.TrimRight(text, blanks)
	if i, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return i, nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return nil, fmt.Errorf("`%.80s` is too large for a number", text)
	}
	return f, nil
}

const blanks = " \t\r\n"

var errNotJSON = errors.New("it is not JSON")

// arrayOf returns the array that a JSON list represents, or nil if it represents none.
func arrayOf(text []byte) *tensor.Tensor {
	var b tensor.Builder
	depth := 0
	for i := 0; i < len(text); {
		var err error
		switch c := text[i]; c {
		case '[':
			err = b.Open(depth)
			depth++
			i++
		case ']':
			depth--
			err = b.Close(depth)
			i++
		case ',', ' ', '\t', '\r', '\n':
			i++
		default:
			end := i
			for end < len(text) && (text[end] >= '0' && text[end] <= '9' || bytes.IndexByte([]byte("+-.eE"), text[end]) >= 0) {
				end++
			}
			err = appendNumber(&b, text[i:end], depth)
			i = end
		}
		if err != nil {
			return nil
		}
	}
	return b.Done()
}

func appendNumber(b *tensor.Builder, digits []byte, depth int) error {
	if n, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
		return b.Int(n, depth)
	}
	f, err := strconv.ParseFloat(string(digits), 64)
	if err != nil {
		return err // too large, or not a number at all
	}
	return b.Float(f, depth)
}
