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

	"github.com/pentode-dev/pentode/run/flow"
)

// A recordError is a record that cannot be written or understood.
type recordError struct{ text string }

func (e *recordError) Error() string { return e.text }

func wrong(format string, args ...any) error { return &recordError{fmt.Sprintf(format, args...)} }

// maxRecord bounds what a program can make us hold.
const maxRecord = 256 << 20

func newCodec(w io.Writer, r io.Reader) *jsonCodec {
	return &jsonCodec{bufio.NewWriterSize(w, 1<<16), bufio.NewReaderSize(r, 1<<16)}
}

// jsonCodec writes and reads one JSON object on a line. Empty data are null;
// a member `_error` is the program's way to fail the step. JSON has no form for
// numbers that are not finite, so neither side may send one.
type jsonCodec struct {
	w *bufio.Writer
	r *bufio.Reader
}

func (c *jsonCodec) write(names []string, data []flow.Datum) error {
	record := make(map[string]any, len(names))
	for i, name := range names {
		record[name] = data[i].Value()
		if f, ok := record[name].(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return wrong("input `%s` is %v, for which JSON has no form; `format = binary` has one, and so has a Python class", name, f)
		}
	}
	line, err := json.Marshal(record)
	if err != nil {
		return wrong("the inputs have no JSON form: %v", err)
	}
	c.w.Write(line)
	c.w.WriteByte('\n')
	return c.w.Flush()
}

func (c *jsonCodec) read() (map[string]flow.Datum, error) {
	var line []byte
	for {
		part, err := c.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxRecord {
			return nil, wrong("the program's answer is longer than %d bytes", maxRecord)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && len(bytes.TrimSpace(line)) == 0 {
			return nil, err
		}
		break
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var record map[string]any
	err := dec.Decode(&record)
	if err != nil && notFinite.Match(line) {
		return nil, wrong("the program's answer has a number that is not finite, for which JSON has no form; send null, or use `format = binary`: `%.80s`", bytes.TrimSpace(line))
	}
	if _, more := dec.Token(); err != nil || record == nil || more != io.EOF {
		return nil, wrong("the program's answer is no JSON object: `%.80s`", bytes.TrimSpace(line))
	}
	if why, ok := record["_error"]; ok && why != nil {
		return nil, wrong("the program says: %v", why)
	}
	data := make(map[string]flow.Datum, len(record))
	for name, v := range record {
		d, err := fromJSON(v)
		if err != nil {
			return nil, wrong("member `%.80s` of the program's answer: %v", name, err)
		}
		data[name] = d
	}
	return data, nil
}

// notFinite finds what other languages write for numbers that JSON lacks.
var notFinite = regexp.MustCompile(`[:\[,]\s*-?(NaN|Infinity|nan|inf)\b`)

func fromJSON(v any) (flow.Datum, error) {
	switch v := v.(type) {
	case nil:
		return flow.OfEmpty(), nil
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return flow.OfInt(i), nil
		}
		f, err := v.Float64()
		if err != nil {
			return flow.Datum{}, fmt.Errorf("`%.80s` is too large for a number", v)
		}
		return flow.OfFloat(f), nil
	}
	return flow.Of(v), nil
}
