package compare

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/seal"
	"github.com/pentode-dev/pentode/run/data/hdf5"
	pictures "github.com/pentode-dev/pentode/run/flow/image"
)

// Difference is a difference between two results, or between the same parts of them.
type Difference struct {
	Part    string  `json:"part,omitempty"` // a dataset; empty: the file
	What    string  `json:"what"`
	Largest float64 `json:"largest"` // largest difference between two numbers; 0: they are not numbers, or not compared
}

// Files compares the contents of two results: datasets of HDF5, points of pictures, rows of tables, or else bytes. It ignores seals. An empty list
// means that the contents are equal.
func Files(a, b string) ([]Difference, error) {
	f, err := os.Open(a)
	if err != nil {
		return nil, err
	}
	isHDF5 := hdf5.Is(f)
	f.Close()
	switch ending := strings.ToLower(filepath.Ext(a)); {
	case isHDF5:
		return hdf5Files(a, b)
	case pictures.Writable(a):
		left, err := pictures.Read(a)
		if err != nil {
			return bytesOf(a, b)
		}
		right, err := pictures.Read(b)
		if err != nil {
			return bytesOf(a, b)
		}
		return points(left, right), nil
	case slices.Contains([]string{".csv", ".txt", ".dat", ".json", ".jsonl", ".kw18", ".log", ".tsv"}, ending):
		return rows(a, b)
	}
	return bytesOf(a, b)
}

// points compares two pictures.
func points(a, b image.Image) []Difference {
	if a.Bounds() != b.Bounds() {
		return []Difference{{What: fmt.Sprintf("%d × %d points, and %d × %d", a.Bounds().Dx(), a.Bounds().Dy(), b.Bounds().Dx(), b.Bounds().Dy())}}
	}
	count, level := pointsApart(a, b)
	if count == 0 {
		return nil
	}
	all := a.Bounds().Dx() * a.Bounds().Dy()
	return []Difference{{What: fmt.Sprintf("%d of %d points differ, by at most %.2g of the range", count, all, level), Largest: level}}
}

// pointsApart counts the points in which two pictures of the same size differ, and returns the largest difference as a part of the range.
func pointsApart(a, b image.Image) (count int, level float64) {
	one, width := pointBytes(a)
	other, otherWidth := pointBytes(b)
	if one != nil && width == otherWidth {
		largest := byte(0)
		for i := 0; i < len(one); i += width {
			if x, y := one[i:i+width], other[i:i+width]; !bytes.Equal(x, y) {
				count++
				for c := range x {
					largest = max(largest, max(x[c], y[c])-min(x[c], y[c]))
				}
			}
		}
		return count, float64(largest) / math.MaxUint8
	}
	largest := uint32(0)
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r, g, bl, al := a.At(x, y).RGBA()
			r2, g2, bl2, al2 := b.At(x, y).RGBA()
			if d := max(apart(r, r2), apart(g, g2), apart(bl, bl2), apart(al, al2)); d > 0 {
				count, largest = count+1, max(largest, d)
			}
		}
	}
	return count, float64(largest) / math.MaxUint16
}

// pointBytes returns the points of a picture as bytes, if they are in one piece of memory; a width of one byte means grey.
func pointBytes(img image.Image) (pix []byte, width int) {
	switch img := img.(type) {
	case *image.NRGBA:
		pix, width = img.Pix, 4
	case *image.RGBA:
		pix, width = img.Pix, 4
		if !img.Opaque() {
			return nil, 0 // its colours are already multiplied by alpha
		}
	case *image.Gray:
		pix, width = img.Pix, 1
	}
	if len(pix) != img.Bounds().Dx()*img.Bounds().Dy()*width {
		return nil, 0
	}
	return pix, width
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }

// maxRow is the largest length of a line in a table.
const maxRow = 1 << 20

// rows compares two tables line by line.
func rows(a, b string) ([]Difference, error) {
	left, err := os.Open(a)
	if err != nil {
		return nil, err
	}
	defer left.Close()
	right, err := os.Open(b)
	if err != nil {
		return nil, err
	}
	defer right.Close()
	lines, others := bufio.NewScanner(left), bufio.NewScanner(right)
	lines.Buffer(nil, maxRow)
	others.Buffer(nil, maxRow)
	n, different, first := [2]int{}, 0, ""
	for {
		l, r := lines.Scan(), others.Scan()
		if !l && !r {
			break
		}
		if l {
			n[0]++
		}
		if r {
			n[1]++
		}
		if l && r && bytes.Equal(lines.Bytes(), others.Bytes()) {
			continue
		}
		if different++; l && r && first == "" {
			first = fmt.Sprintf(", first row %d: `%s` and `%s`", n[0], problem.Clip(lines.Text(), problem.Short), problem.Clip(others.Text(), problem.Short))
		}
	}
	if lines.Err() != nil || others.Err() != nil { // not a table
		return bytesOf(a, b)
	}
	switch {
	case different == 0:
		return bytesOf(a, b) // line endings may differ
	case n[0] != n[1]:
		return []Difference{{What: fmt.Sprintf("%d and %d rows; %d differ%s", n[0], n[1], different, first)}}, nil
	}
	return []Difference{{What: fmt.Sprintf("%d of %d rows%s", different, n[0], first)}}, nil
}

// bytesOf compares two files byte by byte, without their seals.
func bytesOf(a, b string) ([]Difference, error) {
	left, end, err := unsealed(a)
	if err != nil {
		return nil, err
	}
	defer end()
	right, end, err := unsealed(b)
	if err != nil {
		return nil, err
	}
	defer end()
	one, other := make([]byte, 1<<16), make([]byte, 1<<16)
	at, first, different := int64(0), int64(-1), int64(0)
	for {
		n, _ := io.ReadFull(left, one)
		m, _ := io.ReadFull(right, other)
		for i := range max(n, m) {
			if i < n && i < m && one[i] == other[i] {
				continue
			}
			if different++; first < 0 {
				first = at + int64(i)
			}
		}
		if at += int64(max(n, m)); n == 0 && m == 0 {
			break
		}
	}
	if different == 0 {
		return nil, nil
	}
	return []Difference{{What: fmt.Sprintf("%d of %d bytes differ; the first is byte %d", different, at, first)}}, nil
}

// unsealed opens a file for reading without its seal.
func unsealed(path string) (r io.Reader, end func() error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return seal.Without(f, info.Size()), f.Close, nil
}
