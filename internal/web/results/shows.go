package results

import (
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/runs/record"
)

// Limits of pictures.
const (
	maxPicture = 32 << 20 // bytes
	maxPixels  = 64 << 20 // a small file can claim a huge size
)

// picture is an image format that every browser can show.
type picture struct {
	mime  string
	shape func(io.Reader) (image.Config, error)
}

// pictureOf returns the format of a picture by its name.
func pictureOf(path string) (picture, bool) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		return picture{"image/png", png.DecodeConfig}, true
	case ".jpg", ".jpeg":
		return picture{"image/jpeg", jpeg.DecodeConfig}, true
	case ".gif":
		return picture{"image/gif", gif.DecodeConfig}, true
	}
	return picture{}, false
}

// separatorOf returns the separator of the cells of a table; 0: the file is not a table.
func separatorOf(path string) rune {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return ','
	case ".tsv":
		return '\t'
	}
	return 0
}

// ShowsAs returns how the page shows a file: picture, table, datasets or text; empty: not at all.
func ShowsAs(path string) string {
	if _, ok := pictureOf(path); ok {
		return "picture"
	}
	if separatorOf(path) != 0 {
		return "table"
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".h5", ".hdf5", ".he5", ".nc", ".nc4":
		return "datasets"
	case ".txt", ".json", ".jsonl", ".dat", ".log", ".kw18":
		return "text"
	}
	return ""
}

// Picture returns the media type of a picture. It refuses files that are not pictures, or are too large for a browser, and leaves the file at its beginning.
func Picture(f *os.File, r record.Result) (mime string, err error) {
	p, ok := pictureOf(r.Path)
	if !ok {
		return "", fmt.Errorf("the page does not show `%s` as a picture", r.Path)
	}
	if r.Size > maxPicture {
		return "", fmt.Errorf("the picture `%s` has %d bytes, and the page shows at most %d", r.Path, r.Size, maxPicture)
	}
	shape, err := p.shape(io.LimitReader(f, r.Size))
	if err != nil {
		return "", fmt.Errorf("the content of `%s` does not match the picture format of its name", r.Path)
	}
	if int64(shape.Width)*int64(shape.Height) > maxPixels {
		return "", fmt.Errorf("the picture `%s` has %d × %d pixels, and the page shows at most %d", r.Path, shape.Width, shape.Height, maxPixels)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("`%s` cannot be read", r.Path)
	}
	return p.mime, nil
}
