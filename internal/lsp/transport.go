package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
)

// stream reads and writes messages with a header that gives their length.
// It answers a message that is not JSON itself, and reads the next one.
type stream struct {
	in    *bufio.Reader
	out   io.Writer
	c     io.Closer
	ended func(reading bool, why error) // called when nothing more can be read, or written

	mu sync.Mutex // of out
}

// maxMessage limits one message: documents may have 64 MB, and escaping makes them longer.
const maxMessage = 512 << 20

// maxHeader limits the header of a message.
const maxHeader = 64 << 10

func newStream(in io.ReadCloser, out io.Writer, ended func(reading bool, why error)) *stream {
	return &stream{in: bufio.NewReaderSize(in, 64<<10), out: out, c: in, ended: ended}
}

func (s *stream) Close() error { return s.c.Close() }

// WriteObject writes one message.
func (s *stream) WriteObject(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err = fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		s.ended(false, err)
	}
	return err
}

// ReadObject reads the next valid message.
func (s *stream) ReadObject(v any) error {
	for {
		text, err := s.frame()
		if err != nil {
			s.ended(true, err)
			return err
		}
		var problem *jsonrpc2.Error
		switch err := json.Unmarshal(text, v); {
		case err == nil:
			return nil
		case !json.Valid(text):
			problem = &jsonrpc2.Error{Code: jsonrpc2.CodeParseError, Message: "the message is not JSON"}
		default:
			problem = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the message is neither a request nor an answer"}
		}
		if err := s.WriteObject(map[string]any{"jsonrpc": "2.0", "id": nil, "error": problem}); err != nil {
			return err
		}
	}
}

// frame reads a header and the message after it. After an error other than io.EOF, the
// beginning of the next message is unknown.
func (s *stream) frame() ([]byte, error) {
	length, read := -1, 0
	for {
		line, err := s.in.ReadSlice('\n')
		if err != nil {
			if errors.Is(err, bufio.ErrBufferFull) || read > 0 || len(line) > 0 {
				return nil, errors.New("the header of a message does not end")
			}
			return nil, err
		}
		if read += len(line); read > maxHeader {
			return nil, errors.New("the header of a message does not end")
		}
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), ":")
		if name == "" {
			break
		}
		if strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
				return nil, fmt.Errorf("`%.40s` is not the length of a message: expected a number up to %d", strings.TrimSpace(value), maxMessage)
			}
		}
	}
	if length < 0 {
		return nil, errors.New("a message has no Content-Length")
	}
	text := make([]byte, min(length, 1<<20))
	for read := 0; ; {
		n, err := io.ReadFull(s.in, text[read:])
		if read += n; err != nil {
			return nil, fmt.Errorf("a message of %d bytes ended after %d", length, read)
		}
		if read == length {
			return text, nil
		}
		text = append(text, make([]byte, min(length-read, len(text)))...)
	}
}
