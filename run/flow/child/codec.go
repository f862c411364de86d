package child

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"io"
	"math"
	"strconv"

	"github.com/pentode-dev/pentode/run/flow"
)

// A recordError is a record that cannot be written or understood.
type recordError struct{ text string }

func (e *recordError) Error() string { return e.text }

func wrong(format string, args ...any) error { return &recordError{fmt.Sprintf(format, args...)} }

// maxRecord bounds what a program can make us hold.
const maxRecord = 256 << 20

func newCodec(format string, w io.Writer, r io.Reader) codec {
	s := stream{bufio.NewWriterSize(w, 1<<16), bufio.NewReaderSize(r, 1<<16)}
	if format == "binary" {
		return &binaryCodec{s}
	}
	return &jsonCodec{s}
}

type stream struct {
	w *bufio.Writer
	r *bufio.Reader
}

// jsonCodec writes and reads one JSON object on a line. Empty data are null;
// a member `_error` is the program's way to fail the step.
type jsonCodec struct{ stream }

func (c *jsonCodec) write(names []string, data []flow.Datum) error {
	record := make(map[string]any, len(names))
	for i, name := range names {
		record[name] = data[i].Value()
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

// binaryCodec writes and reads
//
//	u32 members, then for each: u32 length, name; u8 kind; u32 length, payload
//
// all little-endian. Kinds: 0 empty, 1 i64, 2 f64, 3 text, 4 bytes, 5 image
// (u32 width, u32 height, then four bytes red green blue alpha a pixel), 6 the
// program's reason to fail the step.
type binaryCodec struct{ stream }

const (
	kindEmpty = iota
	kindInt
	kindFloat
	kindText
	kindBytes
	kindImage
	kindError
)

func (c *binaryCodec) write(names []string, data []flow.Datum) error {
	buf := binary.LittleEndian.AppendUint32(nil, uint32(len(names)))
	for i, name := range names {
		buf = binary.LittleEndian.AppendUint32(buf, uint32(len(name)))
		buf = append(buf, name...)
		kind, payload, err := toBinary(data[i].Value())
		if err != nil {
			return wrong("input `%s`: %v", name, err)
		}
		buf = append(buf, kind)
		buf = binary.LittleEndian.AppendUint32(buf, uint32(len(payload)))
		buf = append(buf, payload...)
	}
	c.w.Write(buf)
	return c.w.Flush()
}

func toBinary(v any) (byte, []byte, error) {
	switch v := v.(type) {
	case nil:
		return kindEmpty, nil, nil
	case int64:
		return kindInt, binary.LittleEndian.AppendUint64(nil, uint64(v)), nil
	case float64:
		return kindFloat, binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)), nil
	case string:
		return kindText, []byte(v), nil
	case []byte:
		return kindBytes, v, nil
	case image.Image:
		b := v.Bounds()
		pix := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
		draw.Draw(pix, pix.Rect, v, b.Min, draw.Src)
		buf := binary.LittleEndian.AppendUint32(nil, uint32(b.Dx()))
		buf = binary.LittleEndian.AppendUint32(buf, uint32(b.Dy()))
		return kindImage, append(buf, pix.Pix...), nil
	}
	return 0, nil, fmt.Errorf("a value of type %T has no binary form", v)
}

func (c *binaryCodec) read() (map[string]flow.Datum, error) {
	count, err := c.u32()
	if err != nil {
		return nil, err
	}
	if count > 1<<16 {
		return nil, wrong("the program's answer says it has %d members", count)
	}
	data := make(map[string]flow.Datum, count)
	for range count {
		name, err := c.block()
		if err != nil {
			return nil, torn(err)
		}
		kind, err := c.r.ReadByte()
		if err != nil {
			return nil, torn(err)
		}
		payload, err := c.block()
		if err != nil {
			return nil, torn(err)
		}
		d, err := fromBinary(kind, payload)
		if err != nil {
			return nil, wrong("member `%.80s` of the program's answer: %v", name, err)
		}
		if kind == kindError {
			return nil, wrong("the program says: %s", payload)
		}
		data[string(name)] = d
	}
	return data, nil
}

func torn(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (c *binaryCodec) u32() (uint32, error) {
	var b [4]byte
	_, err := io.ReadFull(c.r, b[:])
	return binary.LittleEndian.Uint32(b[:]), err
}

// block reads a length and as many bytes, growing with what really comes.
func (c *binaryCodec) block() ([]byte, error) {
	n, err := c.u32()
	if err != nil {
		return nil, err
	}
	if n > maxRecord {
		return nil, wrong("a part of the program's answer says it has %d bytes", n)
	}
	var buf bytes.Buffer
	if _, err := io.CopyN(&buf, c.r, int64(n)); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func fromBinary(kind byte, p []byte) (flow.Datum, error) {
	switch kind {
	case kindEmpty:
		return flow.OfEmpty(), nil
	case kindInt, kindFloat:
		if len(p) != 8 {
			return flow.Datum{}, fmt.Errorf("a number has 8 bytes, not %d", len(p))
		}
		bits := binary.LittleEndian.Uint64(p)
		if kind == kindInt {
			return flow.OfInt(int64(bits)), nil
		}
		return flow.OfFloat(math.Float64frombits(bits)), nil
	case kindText, kindError:
		return flow.OfText(string(p)), nil
	case kindBytes:
		return flow.Of(p), nil
	case kindImage:
		if len(p) < 8 {
			return flow.Datum{}, errors.New("an image begins with its width and height")
		}
		w, h := binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[4:])
		if w > 1<<20 || h > 1<<20 || uint64(w)*uint64(h)*4 != uint64(len(p)-8) {
			return flow.Datum{}, fmt.Errorf("an image of %d by %d has %d bytes, not %d", w, h, uint64(w)*uint64(h)*4, len(p)-8)
		}
		return flow.Of(&image.NRGBA{Pix: p[8:], Stride: int(w) * 4, Rect: image.Rect(0, 0, int(w), int(h))}), nil
	}
	return flow.Datum{}, fmt.Errorf("kind %d does not exist", kind)
}
