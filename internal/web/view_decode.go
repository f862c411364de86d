package web

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/run/data"
)

// decodeAnswer is a page of bytes of a file, decoded as values of a type.
type decodeAnswer struct {
	Machine string       `json:"machine"`
	Size    int64        `json:"size"`  // of the file
	Value   int64        `json:"value"` // bytes of one value
	Count   int64        `json:"count"` // whole values in the file
	From    int64        `json:"from"`
	Page    int64        `json:"page"` // bytes of a page
	Bytes   string       `json:"bytes"`
	Fields  []fieldBytes `json:"fields"`
}

// fieldBytes is a value with its bytes.
type fieldBytes struct {
	Path   string `json:"path"`
	Type   string `json:"type"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Value  string `json:"value"`
}

const (
	decodedBytes = 512 // of a page
	edgeBytes    = 64  // also read on both sides of the page, so that numbers at its edges are complete
)

// decodeView decodes a page of a file (of the folder, or a result of a run) as values of a type on the first machine of a request.
func (s *Server) decodeView(r *http.Request) (any, error) {
	l, err := s.laidOut(r)
	if err != nil {
		return nil, err
	}
	if l.layout.Err != nil {
		return nil, errors.New(l.layout.Why())
	}
	f, size, err := s.memory(r.FormValue("run"), r.FormValue("file"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := l.layout.Types[0]
	if t.Size() == 0 || size < t.Size() {
		return nil, fmt.Errorf("`%s` takes %d bytes, `%s` has %d", l.layout.Name, t.Size(), problem.Clip(r.FormValue("file"), problem.Short), size)
	}
	from, err := strconv.ParseInt(r.FormValue("from"), 10, 64)
	if err != nil || from < 0 || from >= size {
		return nil, guard.BadRequest("`from` takes a byte offset in the file")
	}
	first, last := max(0, from-edgeBytes), min(size, from+decodedBytes+edgeBytes)
	memory := make([]byte, last-first)
	if n, err := f.ReadAt(memory, first); n < len(memory) {
		return nil, errors.New(source.Explain(r.FormValue("file"), err))
	}
	out := decodeAnswer{Machine: l.machines[0].Name, Size: size, Value: t.Size(), Count: size / t.Size(), From: from, Page: decodedBytes, Fields: []fieldBytes{}}
	shown := memory[from-first : min(int64(len(memory)), from-first+decodedBytes)]
	out.Bytes = hex.EncodeToString(shown)
	fields, err := data.DecodeAll(t, l.machines[0], out.Count, memory, first)
	if err != nil {
		return nil, errors.New(data.Message(err))
	}
	for f := range fields {
		if f.Offset < from+int64(len(shown)) && f.Offset+f.Size > from {
			out.Fields = append(out.Fields, fieldBytes{f.Path, f.Type.String(), f.Offset, f.Size, data.ValueText(f.Value)})
		}
	}
	return out, nil
}

// memory opens a binary file: a result of a run, else a file of the folder.
func (s *Server) memory(run, path string) (*os.File, int64, error) {
	if run != "" {
		rec, err := s.record(run)
		if err != nil {
			return nil, 0, err
		}
		f, result, err := results.Open(rec, path)
		return f, result.Size, err
	}
	return s.fence.Bytes(path)
}
