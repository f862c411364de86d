package state

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A logReader reads a log from its first piece on, each byte once, while a LogWriter may rotate it and drop pieces.
type logReader struct {
	path   string
	hold   *hold
	number int       // of the piece that file is or will become; without a file, of the previous piece
	file   *os.File  // nil: the next file must be opened
	from   io.Reader // the text of file
	piece  bool      // file is complete
}

// newLogReader returns a reader that begins with the oldest piece.
func newLogReader(path string) (*logReader, error) {
	h := newHold(path) // first, so that no unread piece is dropped from now on
	first, _, err := pieces(path)
	return &logReader{path: path, hold: h, number: first - 1}, err
}

// Close closes the reader.
func (r *logReader) Close() {
	r.closeFile()
	r.hold.release()
}

func (r *logReader) closeFile() {
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

// copy copies what has not been read yet.
func (r *logReader) copy(w io.Writer) error {
	for {
		if r.file == nil {
			lost, err := r.next()
			if err != nil {
				return fmt.Errorf("read the log: %w", err)
			}
			if err := reportLost(w, lost); err != nil || r.file == nil {
				return err
			}
		}
		if _, err := io.Copy(w, r.from); err != nil {
			return err
		}
		if !r.piece {
			if r.written() {
				return nil
			}
			r.piece = true // lines written before it became a piece are still read
			continue
		}
		r.closeFile()
	}
}

// written reports whether the writer still appends to the file. While it is open, no other file has its identity.
func (r *logReader) written() bool {
	own, err := r.file.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(r.path)
	return err == nil && os.SameFile(own, now)
}

// next opens the next file: a piece, or the file that is being written. If that does not exist yet, file stays nil. lost is the number of pieces that
// were dropped before it.
func (r *logReader) next() (lost int, err error) {
	for {
		first, last, err := pieces(r.path)
		if err != nil {
			return 0, err
		}
		number := max(r.number+1, first)
		complete := number <= last
		f, from, err := openLog(r.path, number, complete)
		switch {
		case errors.Is(err, fs.ErrNotExist) && complete:
			continue // just dropped
		case errors.Is(err, fs.ErrNotExist):
			return 0, nil
		case err != nil:
			return 0, err
		}
		if !complete && isPiece(r.path, number) {
			f.Close() // the file has become a piece, and f may be the file after it
			continue
		}
		lost = number - r.number - 1
		r.file, r.from, r.number, r.piece = f, from, number, complete
		r.hold.move(number + 1) // an open file stays readable after it is removed
		return lost, nil
	}
}

// reportLost writes into the output, at the place where pieces are missing, that they could not be read. A reader that follows the log gets no other
// message.
func reportLost(w io.Writer, pieces int) (err error) {
	switch {
	case pieces == 1:
		_, err = io.WriteString(w, "(a piece of this log was dropped before it could be read)\n")
	case pieces > 1:
		_, err = fmt.Fprintf(w, "(%d pieces of this log were dropped before they could be read)\n", pieces)
	}
	return err
}

// openLog opens a piece of a log, or the file that is being written.
func openLog(path string, number int, isPiece bool) (*os.File, io.Reader, error) {
	if isPiece {
		path = piece(path, number)
	}
	f, err := os.Open(path)
	if err == nil || !isPiece || !errors.Is(err, fs.ErrNotExist) {
		return f, f, err
	}
	if f, err = os.Open(compressed(path)); err != nil {
		return nil, nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
	}
	return f, z, err
}
