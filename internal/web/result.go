package web

import (
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/record"
)

// resultEntry is a result of a run that is over.
type resultEntry struct {
	record.Result
	Shows  string `json:"shows,omitempty"` // picture, table, datasets or text; empty: it is only listed
	Series string `json:"series"`          // files that differ in a number only have the same one
	Gone   string `json:"gone,omitempty"`  // why it is not shown; empty: it is as the run has left it
}

// Limits of results that are shown.
const (
	maxResults = 2000
	maxPicture = 32 << 20 // bytes
	maxPixels  = 64 << 20 // of a picture, whatever its few bytes say
	maxSlice   = 64 << 10 // bytes of a text or table at a time
	maxRows    = 200
	maxColumns = 50
)

// picture is a format that every browser shows.
type picture struct {
	mime  string
	shape func(io.Reader) (image.Config, error)
}

// pictureOf is the format of a picture by its name.
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

// showsAs is how the page shows a file of a name.
func showsAs(path string) string {
	ending := strings.ToLower(filepath.Ext(path))
	if _, ok := pictureOf(path); ok {
		return "picture"
	}
	if separatorOf(path) != 0 {
		return "table"
	}
	switch ending {
	case ".h5", ".hdf5", ".he5", ".nc", ".nc4":
		return "datasets"
	case ".txt", ".json", ".jsonl", ".dat", ".log", ".kw18":
		return "text"
	}
	return ""
}

// Why a result is not shown.
var (
	errMissing = errors.New("is gone")
	errChanged = errors.New("was written again since")
	errLink    = errors.New("is a link, which is not followed")
)

// resultsOf lists the first results of a run.
func resultsOf(r *record.Record) []resultEntry {
	list := []resultEntry{}
	root, err := os.OpenRoot(r.Out)
	if err == nil {
		defer root.Close()
	}
	for _, f := range r.Results[:min(len(r.Results), maxResults)] {
		e := resultEntry{Result: f, Shows: showsAs(f.Path), Series: runs.Numberless(f.Path)}
		why := errMissing
		if root != nil {
			_, why = asLeft(root, f)
		}
		if why != nil {
			e.Gone = why.Error()
		}
		list = append(list, e)
	}
	return list
}

// asLeft finds a result below the folder of the results: a file without a link on its way, as the run has left it.
func asLeft(root *os.Root, r record.Result) (fs.FileInfo, error) {
	name := filepath.FromSlash(r.Path)
	if !filepath.IsLocal(name) {
		return nil, errMissing // the record is damaged
	}
	if record.Linked(root, name) {
		return nil, errLink
	}
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, errMissing
	case !info.Mode().IsRegular() || info.Size() != r.Size || !info.ModTime().Equal(r.Time):
		return nil, errChanged
	}
	return info, nil
}

// openResult opens the result that a request names.
func (s *Server) openResult(req *http.Request) (*os.File, record.Result, error) {
	return s.openResultOf(req.URL.Query().Get("run"), req.URL.Query().Get("path"))
}

// openResultOf opens a file that the record of a run names as a result, and no other.
func (s *Server) openResultOf(run, path string) (*os.File, record.Result, error) {
	rec, err := s.record(run)
	if err != nil {
		return nil, record.Result{}, err
	}
	r, ok := rec.Result(path)
	if !ok {
		return nil, r, guard.NotFound("run `" + rec.ID + "` has left no result `" + path + "`")
	}
	f, err := openAsLeft(rec.Out, r)
	if err != nil {
		return nil, r, guard.NotFound("the result `" + path + "` " + err.Error())
	}
	return f, r, nil
}

func openAsLeft(out string, r record.Result) (*os.File, error) {
	root, err := os.OpenRoot(out)
	if err != nil {
		return nil, errMissing
	}
	defer root.Close()
	info, err := asLeft(root, r)
	if err != nil {
		return nil, err
	}
	// What has become a pipe meanwhile must not wait for a writer.
	f, err := root.OpenFile(filepath.FromSlash(r.Path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		f.Close()
		return nil, errChanged // or a link was put there
	}
	return f, nil
}

// resultPicture is a picture that a run has left.
func (s *Server) resultPicture(w http.ResponseWriter, req *http.Request) {
	f, r, err := s.openResult(req)
	if err == nil {
		defer f.Close()
		var p picture
		if p, err = judge(f, r); err == nil {
			w.Header().Set("Content-Type", p.mime)
			w.Header().Set("Content-Length", strconv.FormatInt(r.Size, 10))
			io.CopyN(w, f, r.Size) // a client that is gone needs no answer
			return
		}
	}
	guard.Refuse(w, err)
}

// judge refuses what is no picture, or too large for a browser, and leaves the file at its beginning.
func judge(f *os.File, r record.Result) (picture, error) {
	p, ok := pictureOf(r.Path)
	if !ok {
		return p, fmt.Errorf("the page shows `%s` as no picture", r.Path)
	}
	if r.Size > maxPicture {
		return p, fmt.Errorf("the picture `%s` has %d bytes, and the page shows at most %d", r.Path, r.Size, maxPicture)
	}
	shape, err := p.shape(io.LimitReader(f, r.Size))
	if err != nil {
		return p, fmt.Errorf("`%s` is not the picture that its name says", r.Path)
	}
	if int64(shape.Width)*int64(shape.Height) > maxPixels {
		return p, fmt.Errorf("the picture `%s` has %d × %d points, and the page shows at most %d", r.Path, shape.Width, shape.Height, maxPixels)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return p, fmt.Errorf("`%s` cannot be read", r.Path)
	}
	return p, nil
}

// sliceAnswer is a part of a text or of a table.
type sliceAnswer struct {
	Text  string     `json:"text,omitempty"`
	Heads []string   `json:"heads,omitempty"` // the names of the columns, where the file begins with them
	Rows  [][]string `json:"rows,omitempty"`
	Wide  bool       `json:"wide,omitempty"` // rows have more columns
	Next  int64      `json:"next"`           // where the next part begins; 0: there is none
}

// resultSlice is some lines of a text or rows of a table that a run has left, from a number of bytes on. With `lines=all` it is as
// many lines as fit.
func (s *Server) resultSlice(req *http.Request) (any, error) {
	f, r, err := s.openResult(req)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from, err := strconv.ParseInt(req.URL.Query().Get("from"), 10, 64)
	if err != nil || from < 0 || from > r.Size {
		return nil, guard.BadRequest("`from` takes a number of bytes in the file")
	}
	part := make([]byte, min(maxSlice, r.Size-from))
	if _, err := f.ReadAt(part, from); err != nil {
		return nil, fmt.Errorf("`%s` cannot be read", r.Path)
	}
	rest := r.Size - from - int64(len(part))
	var out sliceAnswer
	var taken int
	switch showsAs(r.Path) {
	case "table":
		taken = out.table(part, separatorOf(r.Path), rest > 0)
		if from == 0 && len(out.Rows) > 1 && isHead(out.Rows[0]) && !isHead(out.Rows[1]) {
			out.Heads, out.Rows = out.Rows[0], out.Rows[1:]
		}
	case "text":
		most := maxRows
		if req.URL.Query().Get("lines") == "all" {
			most = len(part)
		}
		taken = out.lines(part, most, rest > 0)
	default:
		return nil, fmt.Errorf("the page shows `%s` neither as a text nor as a table", r.Path)
	}
	if end := from + int64(taken); end < r.Size {
		out.Next = end
	}
	return out, nil
}

// lines takes whole lines of a part, at least one, and returns how many bytes they have. A line that is longer
// than the part is cut.
func (a *sliceAnswer) lines(part []byte, most int, more bool) int {
	end, n := 0, 0
	for i, c := range part {
		if c != '\n' {
			continue
		}
		end, n = i+1, n+1
		if n == most {
			break
		}
	}
	if n < most && !more || end == 0 {
		end = len(part)
	}
	a.Text = string(part[:end])
	return end
}

// table takes whole rows of a part, at least one, and returns how many bytes they have.
func (a *sliceAnswer) table(part []byte, separator rune, more bool) int {
	return rowsOf(part, separator, maxRows, more, func(row []string) {
		a.Wide = a.Wide || len(row) > maxColumns
		a.Rows = append(a.Rows, slices.Clone(row[:min(len(row), maxColumns)]))
	})
}
