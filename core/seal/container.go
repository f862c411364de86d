package seal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A container is a file format that has a place for a seal.
type container struct {
	// is reports whether a file begins like a file of this format.
	is func(head []byte) bool
	// add puts a seal into a complete file of the given size, which has none. If the file does not have
	// the expected form, add returns false and leaves it unchanged.
	add func(f File, size int64, text []byte) (bool, error)
	// find returns the seal in a file. If there is none, its text is empty.
	find func(r io.ReaderAt, size int64) (found, error)
}

// found is a seal in a file: its text, and the bytes of the file that were added for it.
type found struct {
	text []byte
	own  []span
}

type span struct {
	at, end int64
	was     []byte // the bytes there before the seal was added
}

// headSize is the number of bytes at the beginning of a file that determine its format.
const headSize = 64

// containers returns the formats, those that are easiest to recognise first.
func containers() []container {
	return []container{
		{is: begins("\x89PNG\r\n\x1a\n"), add: addPNG, find: findPNG},
		{is: begins("\xff\xd8\xff"), add: addJPEG, find: findJPEG},
		{is: begins("GIF89a"), add: addGIF, find: findGIF},
		{is: isTIFF, add: addTIFF, find: findTIFF},
		{is: isTrace, add: addTrace, find: findTrace},
		{is: isVideo, find: findVideo},
	}
}

func begins(with string) func([]byte) bool {
	return func(head []byte) bool { return strings.HasPrefix(string(head), with) }
}

func containerOf(r io.ReaderAt) *container {
	head := make([]byte, headSize)
	n, _ := r.ReadAt(head, 0)
	for _, c := range containers() {
		if c.is(head[:n]) {
			return &c
		}
	}
	return nil
}

// File is the interface that Add needs to put a seal into a file.
type File interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
}

// Add puts a seal into a complete file that has none, and reports whether it did. If it did not, the
// file is unchanged. If it returns an error, the file is damaged.
func (m *Maker) Add(f File, size int64) (bool, error) {
	c := containerOf(f)
	if c == nil || c.add == nil {
		return false, nil
	}
	return c.add(f, size, m.Text())
}

// overwrite replaces the end of a file, which consists of the bytes old. If that fails, it restores the
// old bytes.
func overwrite(f File, at int64, old, end []byte) (bool, error) {
	if _, err := f.WriteAt(end, at); err == nil {
		return true, nil
	}
	if err := f.Truncate(at + int64(len(old))); err != nil {
		return false, err
	}
	_, err := f.WriteAt(old, at)
	return false, err
}

// insert puts bytes into a file at a place. If it returns an error, the file is damaged.
func insert(f File, size, at int64, b []byte) (bool, error) {
	room := int64(len(b))
	// Extend the file first: if the disk is full, this fails before any data has moved.
	if _, err := f.WriteAt(make([]byte, room), size); err != nil {
		return false, f.Truncate(size)
	}
	buf := make([]byte, min(size-at, 64<<10))
	for end := size; end > at; {
		n := min(end-at, int64(len(buf)))
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return false, err
		}
		if _, err := f.WriteAt(buf[:n], end-n+room); err != nil {
			return false, err
		}
		end -= n
	}
	_, err := f.WriteAt(b, at)
	return err == nil, err
}

// Inside reads the seal in a file.
func Inside(r io.ReaderAt, size int64) (*Seal, error) {
	c := containerOf(r)
	if c == nil {
		return nil, ErrNone
	}
	s, err := c.find(r, size)
	switch {
	case err != nil:
		return nil, err
	case s.text == nil:
		return nil, ErrNone
	}
	return Parse(s.text)
}

// Without reads a file as it was before Add put a seal into it. It reads a video, or a file without a
// seal, completely.
func Without(r io.ReaderAt, size int64) io.Reader {
	var parts []io.Reader
	at := int64(0)
	if c := containerOf(r); c != nil {
		if s, err := c.find(r, size); err == nil && s.text != nil {
			for _, own := range s.own {
				parts = append(parts, io.NewSectionReader(r, at, own.at-at), bytes.NewReader(own.was))
				at = own.end
			}
		}
	}
	return io.MultiReader(append(parts, io.NewSectionReader(r, at, size-at))...)
}

// Read reads the seal inside a file or next to it. Its error is ErrNone, a *Bad, or the error of opening
// the file. It does not look into HDF5 files.
func Read(path string) (*Seal, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNone
	}
	s, err := Inside(f, info.Size())
	if errors.Is(err, ErrNone) {
		return readBeside(path, info)
	}
	return s, err
}

// Ending is the ending of a seal file, appended to the name of the result.
const Ending = ".seal.json"

// readBeside reads the seal file next to a file.
func readBeside(path string, info fs.FileInfo) (*Seal, error) {
	f, err := os.Open(path + Ending)
	if err != nil {
		return nil, ErrNone
	}
	defer f.Close()
	if own, err := f.Stat(); err == nil && own.Size() > Max {
		return nil, tooLong(own.Size())
	}
	text, err := io.ReadAll(io.LimitReader(f, Max))
	if err != nil {
		return nil, ErrNone
	}
	s, err := Parse(text)
	if err == nil && (s.Of == nil || s.Of.Size != info.Size()) {
		return nil, changed(info.Name())
	}
	return s, err
}

func changed(name string) error {
	return &Bad{"`" + name + Ending + "` does not match this file, which has changed since"}
}

// Fits reads a file and returns an error if it does not match its seal file, because it has changed
// since it was sealed.
func (s *Seal) Fits(path string) error {
	if s.Of == nil || s.Of.Sum == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := NewSum()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if SumText(sum) != s.Of.Sum {
		return changed(filepath.Base(path))
	}
	return nil
}

// NewSum returns the hash for the checksum in Data.
func NewSum() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }

// SumText returns a checksum in the form of Data.
func SumText(sum hash.Hash32) string { return fmt.Sprintf("%08x", sum.Sum32()) }

// textOf finds a seal in a part of a file: a JSON object that begins like a seal.
func textOf(part []byte) []byte {
	i := bytes.LastIndex(part, []byte(`{"`+Name+`":`))
	if i < 0 {
		return nil
	}
	var text json.RawMessage
	if json.NewDecoder(bytes.NewReader(part[i:])).Decode(&text) != nil {
		return part[i:min(len(part), i+Max)]
	}
	return text
}

// part reads a part of a file, or less at the end of the file.
func part(r io.ReaderAt, at, size int64) []byte {
	b := make([]byte, size)
	n, _ := r.ReadAt(b, max(0, at))
	return b[:n]
}
