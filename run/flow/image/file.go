package image

import (
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"github.com/pentode-dev/pentode/core/outfile"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/image/internal/fastpng"
	"github.com/pentode-dev/pentode/run/handoff/tensor"
)

// maxPixels limits the size of an image, so that a damaged header cannot ask for too much
// memory.
const maxPixels = 1 << 28

// Lists of the formats that are read and written, for messages.
const (
	readFormats  = "PNG, JPEG, GIF, TIFF, BMP or WebP"
	WriteEndings = ".png, .jpg, .jpeg, .gif, .tif, .tiff or .bmp"
)

// Writable reports whether WriteFile can write the format that the suffix of a name
// stands for.
func Writable(name string) bool {
	_, ok := encoder(name)
	return ok
}

// A picture is an open image file. A TIFF file may have several images.
type picture struct {
	name  string
	file  *os.File
	size  int64
	pages []uint32 // offsets of the pages of a TIFF; nil if the file has only one image
}

func openPicture(name string) (*picture, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("the image `%s` cannot be read: %w", name, problem.Reason(err))
	}
	p := &picture{name: name, file: f}
	head := make([]byte, 4)
	n, _ := f.ReadAt(head, 0)
	if isTIFF(string(head[:n])) {
		if info, err := f.Stat(); err == nil {
			p.size = info.Size()
		}
		if p.pages, err = tiffPages(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("the image `%s` cannot be read: %w", name, err)
		}
	}
	return p, nil
}

// count returns the number of images.
func (p *picture) count() int { return max(1, len(p.pages)) }

// decode reads the i-th image.
func (p *picture) decode(i int) (image.Image, error) {
	var f io.ReadSeeker = p.file
	if p.pages != nil {
		f = io.NewSectionReader(&tiffPage{p.file, p.pages[i]}, 0, p.size)
	}
	img, err := decode(f)
	if err != nil {
		return nil, fmt.Errorf("the image `%s` cannot be read: %w", p.name, err)
	}
	return img, nil
}

func (p *picture) close() error { return p.file.Close() }

func isTIFF(head string) bool {
	return strings.HasPrefix(head, "II*\x00") || strings.HasPrefix(head, "MM\x00*")
}

func decode(f io.ReadSeeker) (image.Image, error) {
	head := make([]byte, 16)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	var size func(io.Reader) (image.Config, error)
	var full func(io.Reader) (image.Image, error)
	switch {
	case strings.HasPrefix(string(head), "\x89PNG"):
		size, full = png.DecodeConfig, png.Decode
	case strings.HasPrefix(string(head), "\xff\xd8"):
		size, full = jpeg.DecodeConfig, jpeg.Decode
	case strings.HasPrefix(string(head), "GIF8"):
		size, full = gif.DecodeConfig, gif.Decode
	case isTIFF(string(head)):
		size, full = tiff.DecodeConfig, tiff.Decode
	case strings.HasPrefix(string(head), "BM"):
		size, full = bmp.DecodeConfig, bmp.Decode
	case strings.HasPrefix(string(head), "RIFF") && strings.HasSuffix(string(head[:min(n, 12)]), "WEBP"):
		size, full = webp.DecodeConfig, webp.Decode
	default:
		return nil, errors.New("its format is not " + readFormats)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, problem.Reason(err)
	}
	if strings.HasPrefix(string(head), "\x89PNG") {
		if img := decodePNG(f); img != nil {
			return img, nil
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, problem.Reason(err)
		}
	}
	c, err := size(f)
	if err != nil {
		return nil, errDamaged
	}
	if int64(c.Width)*int64(c.Height) > maxPixels {
		return nil, fmt.Errorf("%d by %d pixels are too many", c.Width, c.Height)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, problem.Reason(err)
	}
	img, err := full(f)
	if err != nil {
		return nil, errDamaged
	}
	return img, nil
}

// decodePNG decodes the common kinds of PNG files faster than image/png. It returns nil
// for all other files.
func decodePNG(f io.ReadSeeker) image.Image {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size > maxPixels {
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil
	}
	file := make([]byte, size)
	if _, err := io.ReadFull(f, file); err != nil {
		return nil
	}
	m := fastpng.Decode(file, maxPixels)
	if m == nil {
		return nil
	}
	r := &Raster{Kind: tensor.Uint8, Width: m.Width, Height: m.Height, Channels: m.Channels, Pix: m.Pix}
	if m.Deep {
		r.Kind = tensor.Uint16
	}
	return r.standard()
}

// WriteFile encodes an image in the format of the name's suffix.
func WriteFile(out outfile.Folder, name string, img image.Image) error {
	enc, ok := encoder(name)
	if !ok {
		return fmt.Errorf("the image `%s` cannot be written: its name must end in %s", name, WriteEndings)
	}
	f, err := out.Create(name)
	if err != nil {
		return fmt.Errorf("the image `%s` cannot be written: %w", name, problem.Reason(err))
	}
	if r, ok := img.(*Raster); ok {
		img = r.encodable()
	}
	if err = enc(f, img); err == nil {
		err = f.Close()
	} else {
		_ = f.Discard() // the error from encoding matters more than an error here
	}
	if err != nil {
		return fmt.Errorf("the image `%s` cannot be written: %w", name, problem.Reason(err))
	}
	return nil
}

func encoder(name string) (func(io.Writer, image.Image) error, bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png":
		return png.Encode, true
	case ".jpg", ".jpeg":
		return func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: 92}) }, true
	case ".gif":
		return func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }, true
	case ".tif", ".tiff":
		return func(w io.Writer, m image.Image) error {
			return tiff.Encode(w, m, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
		}, true
	case ".bmp":
		return bmp.Encode, true
	}
	return nil, false
}

// locate searches for a file in several folders and returns its path.
func locate(name string, dirs []string) string {
	if filepath.IsAbs(name) {
		return name
	}
	for _, dir := range dirs {
		if full := filepath.Join(dir, name); exists(full) {
			return full
		}
	}
	if len(dirs) > 0 {
		return filepath.Join(dirs[0], name)
	}
	return name
}

func exists(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// pathDirs returns the folders in the key path, which are separated by colons.
func pathDirs(s *flow.Setup) []string {
	var dirs []string
	for dir := range strings.SplitSeq(s.Value("path"), string(os.PathListSeparator)) {
		if dir != "" {
			dirs = append(dirs, s.Path(dir))
		}
	}
	return dirs
}
