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

// A container is a format of files that has a place for a seal.
type container struct {
	// is reports whether a file begins like one of this format.
	is func(head []byte) bool
	// add puts a seal into a complete file of a size, which holds none; false: it is not as
	// it must be, and stays as it was.
	add func(f File, size int64, text []byte) (bool, error)
	// find gives the seal; one without a text is none.
	find func(r io.ReaderAt, size int64) (found, error)
}

// found is a seal in a file: its text, and the bytes of the file that are there for its sake.
type found struct {
	text []byte
	own  []span
}

type span struct {
	at, end int64
	was     []byte // what stood there before
}

// headSize is how much of a file decides its format.
const headSize = 64

// containers are the formats, the surest first.
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

// File is what a seal needs of a file to be put into it.
type File interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
}

// Add puts a seal into a file that is complete and holds none, and reports whether it is there. Where it
// is not, the file is as it was. The error is that of a file which is damaged now.
func (m *Maker) Add(f File, size int64) (bool, error) {
	c := containerOf(f)
	if c == nil || c.add == nil {
		return false, nil
	}
	return c.add(f, size, m.Text())
}

// overwrite writes the end of a file anew, from a place where old stands. What cannot be written leaves
// the file as it was.
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

// insert puts bytes into a file, before those at a place. The error is that of a file which is damaged now.
func insert(f File, size, at int64, b []byte) (bool, error) {
	room := int64(len(b))
	// A full disk says so before anything has moved.
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

// Inside reads the seal that a file holds.
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

// Without reads a file as it was before Add has put a seal into it. Of a video and a file without a seal it is all.
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

// Read reads the seal that a file holds, or that stands beside it. Its error is ErrNone, a *Bad, or
// that of a file which cannot be opened. Files of HDF5 are not looked into.
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

// Ending is what the file of a seal has behind the name of the result that it stands beside.
const Ending = ".seal.json"

// readBeside reads the seal beside a file.
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
	return &Bad{"`" + name + Ending + "` is about another file: this one was changed since"}
}

// Fits reads a file whose seal stands beside it, and returns an error where it was changed since.
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

// NewSum begins the sum of the bytes of a file, for Data.
func NewSum() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }

// SumText is a sum as Data has it.
func SumText(sum hash.Hash32) string { return fmt.Sprintf("%08x", sum.Sum32()) }

// textOf finds a seal as a text in a part of a file: the JSON object that begins as every seal does.
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

// part reads a part of a file, as far as there is one.
func part(r io.ReaderAt, at, size int64) []byte {
	b := make([]byte, size)
	n, _ := r.ReadAt(b, max(0, at))
	return b[:n]
}
