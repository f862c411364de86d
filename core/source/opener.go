package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

// DefaultMaxSize is the size of the largest file that is read, unless the user
// sets another limit.
const DefaultMaxSize = 64 << 20

// Opener opens files by path. An error wraps fs.ErrNotExist if the file does not
// exist, and is a *TooLarge if it is over the limit.
type Opener interface {
	Open(path string) (*File, error)
}

// OpenNamed opens a file that the user named. An Opener may have a method of this
// name that accepts more than files, such as pipes and standard input.
func OpenNamed(o Opener, path string) (*File, error) {
	if named, ok := o.(interface {
		OpenNamed(path string) (*File, error)
	}); ok {
		return named.OpenNamed(path)
	}
	return o.Open(path)
}

// bytesPerWord is the smallest average length of words that is allowed in a large
// file. It limits the number of words, since a tree needs memory for each of
// them.
const bytesPerWord = 8

// TooLarge is the error for a file that is over the size limit and was not read.
type TooLarge struct {
	Path  string
	Limit int64
	Words bool  // the limit counts words and signs, not bytes
	Read  int64 // how many bytes were read before the limit was exceeded
}

func (e *TooLarge) Error() string {
	if e.Words {
		return fmt.Sprintf("`%s` has more than %d words and signs", e.Path, e.Limit)
	}
	limit, unit := e.Limit, "bytes"
	if limit%(1<<20) == 0 {
		limit, unit = limit>>20, "MB"
	}
	return fmt.Sprintf("`%s` is larger than %d %s", e.Path, limit, unit)
}

// ErrFolder is the error for a path that is a folder.
var ErrFolder = errors.New("it is a folder")

// Disk reads files from the disk.
type Disk struct {
	MaxSize int64 // if 0, DefaultMaxSize
}

// Open reads a file of at most MaxSize bytes. It does not open devices and pipes:
// opening or reading one may block forever.
func (d Disk) Open(path string) (*File, error) { return d.open(path, false) }

// OpenNamed also reads a pipe, since the user chose it.
func (d Disk) OpenNamed(path string) (*File, error) { return d.open(path, true) }

func (d Disk) open(path string, pipes bool) (*File, error) {
	return d.read(path, path, pipes, os.Stat, os.OpenFile)
}

// OpenIn reads a file inside a root folder. name is its path there, path is its
// path in messages.
func (d Disk) OpenIn(root *os.Root, name, path string) (*File, error) {
	return d.read(path, name, false, root.Stat, root.OpenFile)
}

func (d Disk) read(path, name string, pipes bool, stat func(string) (fs.FileInfo, error),
	open func(string, int, fs.FileMode) (*os.File, error)) (*File, error) {
	info, err := stat(name)
	if err != nil {
		return nil, err
	}
	if err := readable(path, info, pipes); err != nil {
		return nil, err // do not open it: that alone may already have an effect
	}
	// Opening a pipe must not wait for a writer.
	f, err := open(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := readable(path, info, pipes); err != nil {
		return nil, err // the path now leads to another file
	}
	if info.Mode().IsRegular() && ofKernel(f) {
		return nil, refusal(path, "it is a view into the system, not a file")
	}
	file, err := Read(path, f, d.MaxSize)
	if err == nil && file.Len() == 0 && info.Mode()&fs.ModeNamedPipe != 0 {
		return nil, refusal(path, "it is a pipe, and nothing comes out of it")
	}
	return file, err
}

// readable returns an error for everything except files and, if pipes is set,
// pipes.
func readable(path string, info fs.FileInfo, pipes bool) error {
	switch mode := info.Mode(); {
	case mode.IsRegular(), path == os.DevNull: // /dev/null is often given as an empty file
		return nil
	case mode.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: ErrFolder}
	case mode&fs.ModeNamedPipe != 0 && pipes:
		return nil
	case mode&fs.ModeNamedPipe != 0:
		return refusal(path, "it is a pipe, not a file")
	case mode&fs.ModeSocket != 0:
		return refusal(path, "it is a socket, not a file")
	}
	return refusal(path, "it is a device, not a file")
}

func refusal(path, why string) error {
	return &fs.PathError{Op: "read", Path: path, Err: errors.New(why)}
}

// Read reads a file from a stream, such as standard input.
func Read(path string, r io.Reader, limit int64) (*File, error) {
	if limit <= 0 {
		limit = DefaultMaxSize
	}
	var size int64 = 512
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			if info.Size() > limit {
				return nil, &TooLarge{Path: path, Limit: limit}
			}
			size = info.Size() + 1
		}
	}
	text := make([]byte, 0, size)
	r = io.LimitReader(r, limit+1)
	for {
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
	if int64(len(text)) > limit {
		return nil, &TooLarge{Path: path, Limit: limit, Read: int64(len(text))}
	}
	if words := max(limit, DefaultMaxSize) / bytesPerWord; hasMoreWords(text, words) {
		return nil, &TooLarge{Path: path, Limit: words, Words: true, Read: int64(len(text))}
	}
	// The bytes are never written again, so the string may share them.
	return NewFile(path, unsafe.String(unsafe.SliceData(text), len(text))), nil
}

// hasMoreWords reports whether a text has more than n words and signs. It returns
// false if there is a NUL byte, since that is not a text.
func hasMoreWords(text []byte, n int64) bool {
	if int64(len(text)) <= n || bytes.IndexByte(text, 0) >= 0 {
		return false
	}
	const word, blank, sign = 1, 2, 3
	var count int64
	last := 0
	for _, b := range text {
		kind := sign
		switch {
		case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= 0x80:
			kind = word
		case b == ' ' || b == '\t':
			kind = blank
		}
		if kind == sign || kind != last {
			count++
		}
		last = kind
	}
	return count > n
}

// Map holds files in memory, for tests and embedded examples.
type Map map[string]string

// Open looks up the cleaned path.
func (m Map) Open(path string) (*File, error) {
	if text, ok := m[filepath.Clean(path)]; ok {
		return NewFile(path, text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

// Overlay replaces files of another Opener by texts, for files that are open in
// an editor.
type Overlay struct {
	Under Opener

	mu    sync.RWMutex
	files map[string]*File
}

// Set replaces the file at a path by a text.
func (o *Overlay) Set(path, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.files == nil {
		o.files = map[string]*File{}
	}
	o.files[filepath.Clean(path)] = NewFile(path, text)
}

// Remove ends the replacement of a file.
func (o *Overlay) Remove(path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.files, filepath.Clean(path))
}

// Open returns the replacement if there is one.
func (o *Overlay) Open(path string) (*File, error) {
	if f := o.text(path); f != nil {
		return f, nil
	}
	return o.Under.Open(path)
}

// OpenNamed returns the replacement if there is one.
func (o *Overlay) OpenNamed(path string) (*File, error) {
	if f := o.text(path); f != nil {
		return f, nil
	}
	return OpenNamed(o.Under, path)
}

func (o *Overlay) text(path string) *File {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.files[filepath.Clean(path)]
}

// Explain returns a sentence for a file that could not be opened. It uses plainer
// words than the operating system, if it has some.
func Explain(path string, err error) string {
	var large *TooLarge
	switch {
	case errors.As(err, &large):
		return large.Error()
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("`%s` does not exist", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("`%s` may not be read by this user", path)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Sprintf("`%s` cannot be read: %s", path, strings.ToLower(err.Error()))
}
