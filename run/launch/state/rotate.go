package state

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Rotation says when a log file becomes a piece, and how many pieces are kept.
type Rotation struct {
	Size int64         // size limit of the file in bytes; 0: no limit
	Age  time.Duration // age limit of the first line, checked when the next line comes; 0: no limit
	Keep int           // pieces in addition to the current file; 0: DefaultKept
}

// DefaultKept is how many pieces of a log are kept by default.
const DefaultKept = 5

func (r Rotation) keep() int { return cmp.Or(r.Keep, DefaultKept) }

// LogWriter appends to a log file. When the file reaches a size or an age, it becomes a
// piece and a new file begins. Pieces are numbered from 1 and soon compressed. If there
// are too many, the oldest are dropped, unless a reader needs them:
//
//	NAME ──rename──▶ NAME.7 ──compress──▶ NAME.7.gz
//
// A piece comes into being by the rename alone, and has one of its two names at every
// moment, so a reader knows which piece it has open.
//
// All starts of a node share one LogWriter, because processes that an earlier start left
// behind may still write.
type LogWriter struct {
	path string
	when Rotation
	now  func() time.Time

	mu             sync.Mutex
	file           *os.File // nil: not open
	size           int64
	began          time.Time // when the file got its first line, as far as that is known
	oldest, newest int       // numbers of the pieces; 0: none, or not known yet
}

// NewLog returns a log that is opened on the first write.
func NewLog(path string, when Rotation) *LogWriter {
	return &LogWriter{path: path, when: when, now: time.Now}
}

// OpenLog opens a log for writing.
func OpenLog(path string, when Rotation) (*LogWriter, error) {
	w := NewLog(path, when)
	return w, w.open()
}

func (w *LogWriter) open() error {
	f, err := os.OpenFile(w.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w.file, w.size = f, 0
	if info, err := f.Stat(); err == nil {
		if w.size = info.Size(); w.began.IsZero() {
			w.began = info.ModTime() // if another program began the file: the time of its last write
		}
	}
	return nil
}

// Write appends the lines of p. A file gets as many whole lines as its limit allows, even if they come in one call; a line that is longer than the
// limit gets its own file.
func (w *LogWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	written := 0
	for {
		if w.file == nil {
			if err := w.open(); err != nil {
				return written, err
			}
		}
		if w.size == 0 {
			w.began = w.now()
		}
		next := p[written:]
		switch {
		case w.when.Age > 0 && w.size > 0 && w.now().Sub(w.began) >= w.when.Age:
			next = nil
		case w.when.Size > 0 && w.size+int64(len(next)) > w.when.Size:
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

// fitting returns the lines at the beginning of p that fit into the file. If not even the first line fits, it returns none, unless the file is empty.
func (w *LogWriter) fitting(p []byte) []byte {
	end := bytes.LastIndexByte(p[:max(0, w.when.Size-w.size)], '\n') + 1
	if end > 0 || w.size > 0 {
		return p[:end]
	}
	if end = bytes.IndexByte(p, '\n') + 1; end > 0 {
		return p[:end]
	}
	return p
}

// Close closes the file; a later Write opens it again.
func (w *LogWriter) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.close()
}

func (w *LogWriter) close() error {
	if w.file == nil {
		return nil
	}
	f := w.file
	w.file = nil
	return f.Close()
}

// rotate turns the file into a piece.
func (w *LogWriter) rotate() error {
	if w.newest == 0 {
		var err error
		if w.oldest, w.newest, err = pieces(w.path); err != nil {
			return err
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	full := piece(w.path, w.newest+1)
	if err := os.Rename(w.path, full); err != nil {
		return err
	}
	w.newest++
	if err := compress(full); err != nil {
		return err
	}
	for held := w.held(); w.oldest <= w.newest-w.when.keep() && w.oldest < held; w.oldest++ {
		if err := os.Remove(compressed(piece(w.path, w.oldest))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// piece returns the name of a piece before it is compressed.
func piece(path string, number int) string { return path + "." + strconv.Itoa(number) }

func compressed(piece string) string { return piece + ".gz" }

// pieces returns the numbers of the first and the last piece of a log. All pieces between them exist too. If there are none, first is 1 and last is
// 0.
func pieces(path string) (first, last int, err error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, err
	}
	first = 1
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+".")
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSuffix(number, ".gz")); err == nil && n > 0 {
			if last == 0 || n < first {
				first = n
			}
			last = max(last, n)
		}
	}
	// A piece may have been missed while its name changed during compression.
	for isPiece(path, last+1) {
		last++
	}
	return first, last, nil
}

// isPiece reports whether a piece exists. The order of the checks matters: the first name is removed only after the second exists.
func isPiece(path string, number int) bool {
	name := piece(path, number)
	if _, err := os.Lstat(name); err == nil {
		return true
	}
	_, err := os.Lstat(compressed(name))
	return err == nil
}

func compress(piece string) error {
	in, err := os.Open(piece)
	if err != nil {
		return err
	}
	defer in.Close()
	partial := piece + ".partial"
	out, err := os.OpenFile(partial, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err == nil {
		_, err = io.Copy(z, in)
		err = errors.Join(err, z.Close())
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if err := os.Rename(partial, compressed(piece)); err != nil {
		return err
	}
	return os.Remove(piece)
}
