package image

import (
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

func frameListType() *pipe.Type {
	return &pipe.Type{
		Name:    "frame_list_input",
		Version: kwiver,
		New:     func() pipe.Process { return &frameList{} },
		Doc:     "Reads the images in a list with one name per line; empty lines and lines that begin with # are skipped. Each page of a TIFF is a frame.",
		Out: []pipe.Port{
			{Name: "timestamp", Type: timestampType, Doc: "Number and time of the frame, counted from 1."},
			{Name: "image", Type: imageType, Flags: pipe.Shared, Doc: "The image."},
			{Name: "image_file_name", Type: fileNameType, Doc: "Name of its file."},
		},
		Keys: []pipe.Key{
			{Name: "image_list_file", Kind: pipe.String, Reads: true, Required: true, Doc: "The list."},
			{Name: "frame_time", Kind: pipe.Double, Default: "0.03333333", Doc: "Seconds between two frames."},
			{Name: "image_reader", Kind: pipe.Algo, Role: "image_io", Doc: "Accepted but not used: PNG, JPEG, GIF, TIFF, BMP and WebP are read."},
			{Name: "path", Kind: pipe.String, Doc: "Further folders to search after the folder of the list, separated by colons."},
		},
	}
}

func fileReaderType() *pipe.Type {
	return &pipe.Type{
		Name:    "image_file_reader",
		Version: kwiver,
		New:     func() pipe.Process { return &fileReader{} },
		Doc:     "Reads the image whose name arrives.",
		In:      []pipe.Port{{Name: "image_file_name", Type: fileNameType, Flags: pipe.Required, Doc: "Name of the file."}},
		Out: []pipe.Port{
			{Name: "timestamp", Type: timestampType, Doc: "Number and time of the frame, counted from 1."},
			{Name: "image", Type: imageType, Flags: pipe.Shared, Doc: "The image."},
			{Name: "image_file_name", Type: fileNameType, Doc: "Name of its file."},
		},
		Keys: []pipe.Key{
			{Name: "error_mode", Kind: pipe.String, Default: "abort", Choices: []string{"abort", "pass", "skip"}, Doc: "Reaction to a file that cannot be read: abort fails the process, pass sends an empty datum, skip ignores the file."},
			{Name: "path", Kind: pipe.String, Doc: "Folders to search, separated by colons."},
			{Name: "image_reader", Kind: pipe.Algo, Role: "image_io", Doc: "Accepted but not used: PNG, JPEG, GIF, TIFF, BMP and WebP are read; from a TIFF, the first page."},
			{Name: "frame_time", Kind: pipe.Double, Default: "0.3333333", Doc: "Seconds between two frames."},
			{Name: "no_path_in_name", Kind: pipe.Bool, Only: viame, Default: "false", Doc: "Whether names are output without their folder."},
		},
	}
}

// frames numbers the frames and computes their times.
type frames struct {
	every float64
	count int64
}

func (f *frames) next() Timestamp {
	f.count++
	return Timestamp{Frame: f.count, Time: float64(f.count-1) * f.every}
}

// frameList is a process that sends the images of a list. It reads the list at setup, and each
// image when it is needed.
type frameList struct {
	frames
	names             []string // names of the files not read completely yet
	open              *picture // the first file of names, if it has been opened and has more pages
	page              int
	stamp, img, named *flow.Out
}

func (l *frameList) Setup(s *flow.Setup) error {
	l.every = s.Float("frame_time")
	l.stamp, l.img, l.named = s.Out("timestamp"), s.Out("image"), s.Out("image_file_name")
	name := s.Path(s.Value("image_list_file"))
	list, err := ReadList(name, append([]string{filepath.Dir(name), s.Path(".")}, pathDirs(s)...), false)
	if err != nil {
		return s.Errorf("image_list_file", "%w", err)
	}
	l.names = list.Files
	s.Expect(int64(len(l.names)))
	return nil
}

func (l *frameList) Step(s pipe.Step) error {
	if l.open == nil {
		open, err := openPicture(l.names[0])
		if err != nil {
			return err
		}
		l.open, l.page = open, 0
		s.Reads(open.name)
	}
	img, err := l.open.decode(l.page)
	if err != nil {
		return err
	}
	l.stamp.Push(flow.Of(l.next()))
	l.img.Push(Of(img))
	l.named.Push(flow.OfText(l.open.name))
	if l.page++; l.page < l.open.count() {
		return nil
	}
	if l.names = l.names[1:]; len(l.names) == 0 {
		s.Complete()
	}
	return l.Close()
}

// Close closes the image file that is open.
func (l *frameList) Close() error {
	open := l.open
	if l.open = nil; open == nil {
		return nil
	}
	return open.close()
}

type fileReader struct {
	frames
	mode              string
	bare              bool // send the names of files without their folders
	dirs              []string
	in                *flow.In
	stamp, img, named *flow.Out
}

func (r *fileReader) Setup(s *flow.Setup) error {
	r.every, r.mode, r.in = s.Float("frame_time"), s.Value("error_mode"), s.In("image_file_name")
	r.stamp, r.img, r.named = s.Out("timestamp"), s.Out("image"), s.Out("image_file_name")
	r.dirs, r.bare = append([]string{s.Path(".")}, pathDirs(s)...), s.Bool("no_path_in_name")
	return nil
}

func (r *fileReader) Step(s pipe.Step) error {
	name := locate(r.in.Take().Text(), r.dirs)
	img, err := readFirst(name, s)
	switch {
	case err == nil:
		r.stamp.Push(flow.Of(r.next()))
		r.img.Push(Of(img))
		if r.bare {
			name = filepath.Base(name)
		}
		r.named.Push(flow.OfText(name))
	case r.mode == "abort":
		return err
	default:
		s.Log().Warn(err.Error())
		if r.mode == "pass" {
			r.stamp.Push(flow.OfEmpty())
			r.img.Push(flow.OfEmpty())
			r.named.Push(flow.OfEmpty())
		}
	}
	return nil
}

// readFirst reads the first image of a file. It logs a warning if the file has more.
func readFirst(name string, s pipe.Step) (image.Image, error) {
	p, err := openPicture(name)
	if err != nil {
		return nil, err
	}
	defer p.close()
	s.Reads(name)
	if n := p.count(); n > 1 {
		s.Log().Warn(fmt.Sprintf("`%s` has %d pages, but only the first is read; use `frame_list_input` to read all", name, n))
	}
	return p.decode(0)
}

// A List has the names of image files. They were listed in a text file, one per line, or found in a
// folder.
type List struct {
	Files []string // paths of the files
}

// ReadList reads a list from a text file, or the files of a folder sorted by name. Names in a text
// file are searched in its folder and in dirs; empty lines and lines that begin with # are skipped.
// If anyName is true, the files need not exist.
func ReadList(name string, dirs []string, anyName bool) (*List, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return readFolder(name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the list `%s` cannot be read: %w", name, problem.Reason(err))
	}
	l := &List{}
	var missing []string
	dirs = append(slices.Clone(dirs), filepath.Dir(name))
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		file := locate(line, dirs)
		switch {
		case exists(file):
			l.Files = append(l.Files, file)
		case anyName:
			l.Files = append(l.Files, line)
		default:
			missing = append(missing, line)
		}
	}
	if len(missing) > 0 {
		return nil, missingFiles(name, missing)
	}
	if len(l.Files) == 0 {
		return nil, fmt.Errorf("the list `%s` names no image", name)
	}
	return l, nil
}

// missingFiles returns an error that names the first few missing files of a list.
func missingFiles(list string, names []string) error {
	text := strings.Join(names[:min(len(names), 5)], "`, `")
	if len(names) > 5 {
		return fmt.Errorf("the list `%s` names %d files that do not exist: `%s` and others", list, len(names), text)
	}
	return fmt.Errorf("the list `%s` names files that do not exist: `%s`", list, text)
}

// readFolder lists the files of a folder, except hidden ones.
func readFolder(name string) (*List, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fmt.Errorf("the folder `%s` cannot be read: %w", name, problem.Reason(err))
	}
	l := &List{}
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !strings.HasSuffix(e.Name(), seal.Ending) {
			l.Files = append(l.Files, filepath.Join(name, e.Name()))
		}
	}
	if len(l.Files) == 0 {
		return nil, fmt.Errorf("the folder `%s` holds no image", name)
	}
	return l, nil
}

// Read reads an image file. If the file has several pages, it reads the first one.
func Read(name string) (image.Image, error) {
	p, err := openPicture(name)
	if err != nil {
		return nil, err
	}
	img, err := p.decode(0)
	return img, errors.Join(err, p.close())
}
