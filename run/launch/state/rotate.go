package state

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// keptLogs is how many full pieces of a log are kept beside the one that is
// written.
const keptLogs = 5

// LogWriter appends to a log file. When the file has reached a size, it
// becomes a compressed piece (`NAME.1.gz`, the newest first) and a new one
// begins; of the pieces the oldest is dropped.
type LogWriter struct {
	path  string
	limit int64 // 0: without limit
	file  *os.File
	size  int64
}

// OpenLog opens a log for writing. A limit of 0 lets it grow.
func OpenLog(path string, limit int64) (*LogWriter, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	w := &LogWriter{path: path, limit: limit, file: f}
	if info, err := f.Stat(); err == nil {
		w.size = info.Size()
	}
	return w, nil
}

// Write appends the lines of p. A file gets as many whole lines as its limit
// allows, however many come in one call; a line that is longer than the limit
// has a file of its own.
func (w *LogWriter) Write(p []byte) (int, error) {
	written := 0
	for {
		next := p[written:]
		if w.limit > 0 && w.size+int64(len(next)) > w.limit {
			next = w.fitting(next)
		}
		n, err := w.file.Write(next)
		w.size += int64(n)
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
		if err := w.rotate(); err != nil {
			return written, err
		}
	}
}

// fitting returns the lines at the beginning of p that fit into the file: none
// where even the first does not, unless the file is empty.
func (w *LogWriter) fitting(p []byte) []byte {
	end := bytes.LastIndexByte(p[:max(0, w.limit-w.size)], '\n') + 1
	if end > 0 || w.size > 0 {
		return p[:end]
	}
	if end = bytes.IndexByte(p, '\n') + 1; end > 0 {
		return p[:end]
	}
	return p
}

// Close ends writing.
func (w *LogWriter) Close() error { return w.file.Close() }

// rotate makes a piece of the file. Who reads the file meanwhile finds it
// empty, and what it had in the newest piece.
func (w *LogWriter) rotate() error {
	for i := keptLogs - 1; i > 0; i-- {
		if err := os.Rename(piece(w.path, i), piece(w.path, i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := compress(w.path, piece(w.path, 1)); err != nil {
		return err
	}
	w.size = 0
	return w.file.Truncate(0)
}

// piece is the name of the i-th piece of a log, from 1.
func piece(path string, i int) string { return path + "." + strconv.Itoa(i) + ".gz" }

func compress(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err == nil {
		_, err = io.Copy(z, in)
		err = errors.Join(err, z.Close())
	}
	return errors.Join(err, out.Close())
}

// copyPiece copies a piece of a log from an offset on; one that is not there is empty.
func copyPiece(w io.Writer, path string, offset int64) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, z, offset); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	_, err = io.Copy(w, z)
	return err
}
