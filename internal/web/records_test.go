package web

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/runs"
	"github.com/pentode-dev/pentode/runs/record"
)

// begun is when the runs of these tests were started.
var begun = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// history is the page of a folder whose runs have records.
type history struct {
	*testing.T
	page *Server
	dir  string // the folder that the page shows
	out  string // the results folder, outside of dir
}

func newHistory(t *testing.T) *history {
	t.Helper()
	states := filepath.Join(t.TempDir(), "states")
	s, dir := newPage(t, map[string]string{"a.pipe": numbersPipe}, func(o *Options) { o.StateDir = states })
	return &history{t, s, dir, t.TempDir()}
}

// leave writes a file as a result of a run.
func (t *history) leave(name, text string) record.Result {
	t.Helper()
	path := filepath.Join(t.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return record.Result{Path: name, Size: info.Size(), Time: info.ModTime(), Process: "a.pipe/b", Edge: "a.number"}
}

// keep records a run of the folder with some results; change may modify the record.
func (t *history) keep(id string, list []record.Result, change func(*record.Record)) {
	t.Helper()
	const long = 1500 * time.Millisecond
	r := &record.Record{
		ID: id, Kind: record.Pipeline, Started: begun, Ended: begun.Add(long), Command: []string{"run", "a.pipe"},
		Folder: t.dir, Paths: []string{filepath.Join(t.dir, "a.pipe")}, Out: t.out, Results: list,
	}
	if change != nil {
		change(r)
	}
	if r.Ended.Equal(begun.Add(long)) {
		r.Ended = r.Started.Add(long)
	}
	if err := (record.Store{Dir: t.page.opt.StateDir}).Write(r, nil); err != nil {
		t.Fatal(err)
	}
}

// get requests JSON from the page, and checks the status.
func get[T any](t *history, want int, what string, query ...string) T {
	t.Helper()
	w := ask(t.page, "GET", address(what, query...), "", nil)
	var v T
	if w.Code != want || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
		t.Fatalf("%s %q: %d %s; want w.Code = %v and w.Header().Get(\"Content-Type\") = %q", what, query, w.Code, w.Body, want, "application/json; charset=utf-8")
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// address returns the address of an answer, with keys and values in turn.
func address(what string, query ...string) string {
	q := url.Values{}
	for i := 0; i < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	return "/api/" + what + "?" + q.Encode()
}

// pngOf returns a picture of 4 × 4 points whose header claims the given width and height.
func pngOf(t *testing.T, width uint32) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	text := b.Bytes()
	head := text[12:29] // the type and the fields of the header chunk
	binary.BigEndian.PutUint32(head[4:], width)
	binary.BigEndian.PutUint32(head[8:], width)
	binary.BigEndian.PutUint32(text[29:], crc32.ChecksumIEEE(head))
	return b.String()
}

// TestRecords: the page lists the recorded runs of its folder, the newest first, and no others.
func TestRecords(t *testing.T) {
	h := newHistory(t)
	h.keep("r1", nil, nil)
	h.keep("r2", []record.Result{{Path: "x"}}, func(r *record.Record) {
		r.Started, r.Ended, r.Exit, r.End, r.Tags = begun.Add(time.Hour), begun.Add(time.Hour+time.Second), 3, "a program failed", []string{"paper"}
		r.Findings = []record.Finding{{Severity: "error"}, {Severity: "warning"}, {Severity: "warning"}, {Severity: "info"}}
	})
	h.keep("r3", nil, func(r *record.Record) { r.Started, r.Exit = begun.Add(2*time.Hour), runs.StoppedCode })
	h.keep("traced", nil, func(r *record.Record) {
		r.Started, r.Paths, r.Command = begun.Add(-time.Hour), nil, []string{"trace", "record"}
	})
	h.keep("cut", nil, func(r *record.Record) { // a run on another machine, whose state is not known here
		r.Started, r.Ended, r.Host.Name = begun.Add(-2*time.Hour), time.Time{}, "another"
	})
	h.keep("elsewhere", nil, func(r *record.Record) { r.Paths = []string{filepath.Join(h.out, "a.pipe")} })
	h.keep("above", nil, func(r *record.Record) { r.Paths, r.Folder = nil, filepath.Dir(h.dir) })
	list := get[[]recordEntry](h, 200, "records")
	var got []string
	for _, r := range list {
		got = append(got, fmt.Sprintf("%s %s %s %.1f %d %d/%d/%d %d %v", r.Run, r.What, r.State, r.Took, r.Exit, r.Errors, r.Warnings, r.Infos, r.Results, r.Tags))
	}
	want := []string{
		"r3 a.pipe stopped 1.5 130 0/0/0 0 []", "r2 a.pipe failed 1.0 3 1/2/1 1 [paper]", "r1 a.pipe finished 1.5 0 0/0/0 0 []",
		"traced trace record finished 1.5 0 0/0/0 0 []", "cut a.pipe unfinished 0.0 0 0/0/0 0 []",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the runs are\n%s\nwant %v", strings.Join(got, "\n"), want)
	}
	for _, name := range []string{"elsewhere", "above", "paper", "", "..", "../r1", "r1/", "r1/record.json", "/etc", "r\x001", "<b>"} {
		if no := get[map[string]string](h, 404, "record", "run", name); !strings.Contains(no["error"], "is recorded in this folder") {
			t.Errorf("%q: %v, want %q in it", name, no, "is recorded in this folder")
		}
	}
	s, _ := newPage(t, nil, nil) // without a state folder
	if w := ask(s, "GET", "/api/records", "", nil); w.Code != 200 || w.Body.String() != "[]\n" {
		t.Errorf("without states: %d %s", w.Code, w.Body)
	}
	if w := ask(s, "GET", "/api/record?run=r1", "", nil); w.Code != 404 {
		t.Errorf("without states: %d %s", w.Code, w.Body)
	}
}

// TestRecordsByLink: a run is listed if the run was started, or the page opened, through a link to the folder.
func TestRecordsByLink(t *testing.T) {
	h := newHistory(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(h.dir, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ page, run string }{{h.dir, link}, {link, h.dir}, {link, link}} {
		h.page.root = c.page
		h.keep("r1", nil, func(r *record.Record) {
			r.Folder, r.Paths = c.run, []string{filepath.Join(c.run, "a.pipe")}
			r.Settings = []record.Setting{{Key: "a:end", At: "a.pipe:4:3"}}
		})
		if list := get[[]recordEntry](h, 200, "records"); len(list) != 1 {
			t.Fatalf("%+v: %d runs, want 1", c, len(list))
		}
		if at := get[recordAnswer](h, 200, "record", "run", "r1").Settings[0].placeEntry; at != (placeEntry{filepath.Join(c.page, "a.pipe"), 4}) {
			t.Errorf("%+v: the line is %v, want %v", c, at, (placeEntry{filepath.Join(c.page, "a.pipe"), 4}))
		}
	}
}

// TestRecord: a run is shown with its settings, which link to lines of the page, its figures, its findings, and its results with
// the process that wrote each.
func TestRecord(t *testing.T) {
	h := newHistory(t)
	h.keep("r1", []record.Result{h.leave("p_1.png", pngOf(t, 4)), h.leave("p_02.png", "x"), h.leave("n.csv", "1\n"), h.leave("f.h5", "x"), {Path: "lost.txt"}}, func(r *record.Record) {
		r.End, r.Host, r.Stats = "why", record.Host{Name: "desk", CPUs: 2}, []record.Figure{{Name: "time", Value: 1.5, Unit: "s"}}
		r.Settings = []record.Setting{
			{Key: "a:end", Value: "5", At: "a.pipe:4:3", Of: []string{"a.pipe/a"}}, {Key: "far", At: filepath.Join(h.out, "x.pipe") + ":1:1"},
			{Key: "up", At: "../x.pipe:1:1"}, {Key: "odd", At: "a.pipe"}, {Key: "none", At: "a.pipe:x:1"}, {Key: "full", At: filepath.Join(h.dir, "a.pipe") + ":2:1"},
		}
		r.Findings = []record.Finding{{Code: "x/y", Severity: "warning", At: "a.pipe:2:1", Message: "<b>"}}
	})
	if err := os.WriteFile(filepath.Join(h.out, "p_02.png"), []byte("longer"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := get[recordAnswer](h, 200, "record", "run", "r1")
	here := filepath.Join(h.dir, "a.pipe")
	var places []placeEntry
	for _, s := range r.Settings {
		places = append(places, s.placeEntry)
	}
	if want := []placeEntry{{here, 4}, {}, {}, {}, {}, {here, 2}}; !slices.Equal(places, want) {
		t.Errorf("the lines are %v, want %v", places, want)
	}
	if len(r.Findings) != 1 || r.Findings[0].placeEntry != (placeEntry{here, 2}) || r.Findings[0].Message != "<b>" {
		t.Errorf("the findings are %v, want one at %v that says %q", r.Findings, (placeEntry{here, 2}), "<b>")
	}
	if r.End != "why" || r.Host.Name != "desk" || !slices.Equal(r.Command, []string{"run", "a.pipe"}) || r.Out != h.out || len(r.Figures) != 1 || r.Figures[0].Value != 1.5 {
		t.Errorf("the run is %+v, want `run a.pipe` on desk into %s, its end %q and one figure of 1.5", r, h.out, "why")
	}
	var files []string
	for _, f := range r.Files {
		files = append(files, fmt.Sprintf("%s %d %s %s %q %s %s", f.Path, f.Size, f.Shows, f.Series, f.Gone, f.Process, f.Edge))
	}
	want := []string{
		fmt.Sprintf(`p_1.png %d picture p_.png "" a.pipe/b a.number`, len(pngOf(t, 4))), `p_02.png 1 picture p_.png "was written again after the run" a.pipe/b a.number`,
		`n.csv 2 table n.csv "" a.pipe/b a.number`, `f.h5 1 datasets f.h "" a.pipe/b a.number`, `lost.txt 0 text lost.txt "is gone"  `,
	}
	if !slices.Equal(files, want) {
		t.Errorf("the results are\n%s\nwant %v", strings.Join(files, "\n"), want)
	}
	h.keep("r2", slices.Repeat([]record.Result{{Path: "x"}}, results.MaxListed+1), func(r *record.Record) { r.Out = filepath.Join(h.out, "never made") })
	if r := get[recordAnswer](h, 200, "record", "run", "r2"); len(r.Files) != results.MaxListed || r.Results != results.MaxListed+1 || r.Files[0].Gone != "is gone" {
		t.Errorf("%d of %d results, the first %q; want %d of %d, the first %q", len(r.Files), r.Results, r.Files[0].Gone, results.MaxListed, results.MaxListed+1, "is gone")
	}
}

// TestResultPicture: a picture is sent only if its content has the format that its name says.
func TestResultPicture(t *testing.T) {
	h := newHistory(t)
	good := pngOf(t, 4)
	large := h.leave("large.png", good)
	if err := os.Truncate(filepath.Join(h.out, "large.png"), 32<<20+1); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(h.out, "large.png"))
	if err != nil {
		t.Fatal(err)
	}
	large.Size, large.Time = info.Size(), info.ModTime()
	h.keep("r1", []record.Result{
		h.leave("good.png", good), h.leave("in/GOOD.PNG", good), h.leave("<b>&\" é.png", good), h.leave("page.png", "<html><script>alert(1)</script>"),
		h.leave("wide.png", pngOf(t, 1<<20)), h.leave("a.svg", "<svg/>"), h.leave("a.html", "<script>"), h.leave("a.txt", "x"), large,
	}, nil)
	for name, want := range map[string]string{
		"good.png": "", "in/GOOD.PNG": "", "<b>&\" é.png": "",
		"page.png": "does not match the picture format of its name", "wide.png": "has 1048576 × 1048576 pixels", "large.png": "has 33554433 bytes",
		"a.svg": "as a picture", "a.html": "as a picture", "a.txt": "as a picture",
	} {
		w := ask(h.page, "GET", address("result-picture", "run", "r1", "path", name), "", nil)
		head := w.Header()
		switch {
		case head.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(head.Get("Content-Security-Policy"), "default-src 'none'"):
			t.Errorf("%s: the headers are %v, want nosniff, and a policy with %q", name, head, "default-src 'none'")
		case want == "" && (w.Code != 200 || head.Get("Content-Type") != "image/png" || w.Body.String() != good):
			t.Errorf("%s: %d %v %q, want 200 and the picture in image/png", name, w.Code, head, w.Body)
		case want != "" && (w.Code != 422 || head.Get("Content-Type") != "application/json; charset=utf-8" || !strings.Contains(w.Body.String(), want)):
			t.Errorf("%s: %d %v %s, want 422 and in JSON %q", name, w.Code, head, w.Body, want)
		}
	}
	for name, spoil := range map[string]func(*http.Request){
		"another name": func(r *http.Request) { r.Host = "evil.example" },
		"another site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"no cookie":    func(r *http.Request) { r.Header.Del("Cookie") },
	} {
		for _, what := range []string{"result-picture", "result", "result-chart", "result-tree", "result-attributes", "result-values", "record", "records"} {
			if w := ask(h.page, "GET", address(what, "run", "r1", "path", "good.png", "from", "0"), "", spoil); w.Code < 400 || len(w.Body.String()) > 200 {
				t.Errorf("%s: %s is answered with %d, want an error of at most 200 bytes", name, what, w.Code)
			}
		}
	}
}

// TestResultFence: only results named in the record of a run are read, never through a link, and only if they are unchanged
// since the run.
func TestResultFence(t *testing.T) {
	h := newHistory(t)
	good := pngOf(t, 4)
	secret := filepath.Join(t.TempDir(), "secret.png")
	if err := os.WriteFile(secret, []byte(good), 0o644); err != nil {
		t.Fatal(err)
	}
	list := []record.Result{h.leave("good.png", good), h.leave("link.png", good), h.leave("to/x.png", good), h.leave("changed.png", good), h.leave("folder.png", good), h.leave("touched.png", good)}
	h.leave("unnamed.png", good)
	h.leave("inside/x.png", good)
	stat, err := os.Stat(secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, forged := range []string{secret, "../" + filepath.Base(filepath.Dir(secret)) + "/secret.png", "to/../../secret.png"} { // a damaged record must not lead outside either
		list = append(list, record.Result{Path: forged, Size: stat.Size(), Time: stat.ModTime()})
	}
	for _, step := range []error{
		os.Remove(filepath.Join(h.out, "link.png")), os.Symlink("good.png", filepath.Join(h.out, "link.png")),
		os.RemoveAll(filepath.Join(h.out, "to")), os.Symlink("inside", filepath.Join(h.out, "to")),
		os.WriteFile(filepath.Join(h.out, "changed.png"), []byte(good+"more"), 0o644),
		os.Remove(filepath.Join(h.out, "folder.png")), os.Mkdir(filepath.Join(h.out, "folder.png"), 0o755),
		os.Chtimes(filepath.Join(h.out, "touched.png"), begun, begun),
	} {
		if step != nil {
			t.Fatalf("%v; want none", step)
		}
	}
	h.keep("r1", list, nil)
	h.keep("r2", list[:1], func(r *record.Record) { r.Paths = []string{secret} }) // a run of another folder
	results := []string{"result-picture", "result", "result-chart", "result-tree", "result-attributes", "result-values"}
	for _, c := range []struct{ run, path, want string }{
		{"r1", "link.png", "is a link"}, {"r1", "to/x.png", "is a link"}, {"r1", "changed.png", "written again"}, {"r1", "folder.png", "written again"}, {"r1", "touched.png", "written again"},
		{"r1", "unnamed.png", "has no result"}, {"r1", "./good.png", "has no result"}, {"r1", "/good.png", "has no result"}, {"r1", "good.png\x00", "has no result"},
		{"r1", "", "has no result"}, {"r1", "..", "has no result"}, {"r1", "../../etc/passwd", "has no result"}, {"r1", `..\good.png`, "has no result"},
		{"r1", filepath.Join(h.out, "good.png"), "has no result"}, {"r1", list[6].Path, "is gone"}, {"r1", list[7].Path, "is gone"}, {"r1", list[8].Path, "is gone"},
		{"r2", "good.png", "no run"}, {"../states/r1", "good.png", "no run"}, {"", "good.png", "no run"},
	} {
		for _, what := range results {
			w := ask(h.page, "GET", address(what, "run", c.run, "path", c.path, "from", "0"), "", nil)
			var no map[string]string
			if err := json.Unmarshal(w.Body.Bytes(), &no); w.Code != 404 || err != nil || !strings.Contains(no["error"], c.want) {
				t.Errorf("%s %+v: %d %.200s, want w.Code = 404, err nil and %q in no[\"error\"]", what, c, w.Code, w.Body, c.want)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"..", "/", `\`, ".", "good.png", "unnamed.png", "inside", "to", "x.png", "%2e%2e", "%00", "\x00", "C:", "~", "r1", "states", "record.json", filepath.Dir(secret), "secret.png", "\u202e", "<img>"}
	for range 1000 {
		run, path := []string{"r1", "r2", ""}[random.IntN(3)], ""
		for range 1 + random.IntN(6) {
			path += pieces[random.IntN(len(pieces))]
		}
		if run == "" {
			run = path
		}
		what := results[random.IntN(len(results))]
		if w := ask(h.page, "GET", address(what, "run", run, "path", path), "", nil); path != "good.png" && w.Code != 404 {
			t.Errorf("%s, run %q, path %q: %d %.200q; want 404", what, run, path, w.Code, w.Body)
		}
	}
	if w := ask(h.page, "GET", address("result-picture", "run", "r1", "path", "good.png"), "", nil); w.Code != 200 {
		t.Errorf("the result itself: %d %s; want 200", w.Code, w.Body)
	}
}

// Limits of the parts of a text or table that the page shows.
const (
	shownBytes   = 64 << 10
	shownRows    = 200
	shownColumns = 50
)

// TestResultSlice: a text or table is sent in parts, which together are the whole file, however long its lines are.
func TestResultSlice(t *testing.T) {
	h := newHistory(t)
	var text, cells strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "line %d %s\n", i, strings.Repeat("é", i%100))
		fmt.Fprintf(&cells, "%d,\"a, \"\"b\"\"\nc %s\"\n", i, strings.Repeat("x", i%100))
	}
	long := strings.Repeat("x", 3*shownBytes) + "\nend"
	h.keep("r1", []record.Result{
		h.leave("a.txt", text.String()), h.leave("long.json", long), h.leave("empty.log", ""), h.leave("bad.txt", "a\xff\xfeb"), h.leave("a.csv", cells.String()), h.leave("long.csv", long),
		h.leave("open.csv", "1,2\n\"never closed,3\n"+strings.Repeat("4,5\n", shownBytes)), h.leave("wide.csv", strings.Repeat(",", 1000)+"\n"), h.leave("a.tsv", "1,5\t2\n\n\n"), h.leave("a.h5", "x"),
	}, nil)
	whole := func(path string) (text string, rows [][]string, parts int, wide bool) {
		t.Helper()
		for from := int64(0); ; parts++ {
			a := get[results.Part](h, 200, "result", "run", "r1", "path", path, "from", fmt.Sprint(from))
			if len(a.Rows) > shownRows || strings.Count(a.Text, "\n") > shownRows || len(a.Text) > shownBytes {
				t.Fatalf("%s: a part has %d rows and %d bytes, want at most %d rows or lines and %d bytes", path, len(a.Rows), len(a.Text), shownRows, shownBytes)
			}
			text, rows, wide = text+a.Text, append(rows, a.Rows...), wide || a.Wide
			if a.Next == 0 {
				return text, rows, parts + 1, wide
			}
			if a.Next <= from {
				t.Fatalf("%s: after %d comes %d", path, from, a.Next)
			}
			from = a.Next
		}
	}
	for path, want := range map[string]string{"a.txt": text.String(), "long.json": long, "empty.log": "", "bad.txt": "a\ufffd\ufffdb"} {
		if got, _, _, _ := whole(path); got != want {
			t.Errorf("%s has %d bytes, want %d", path, len(got), len(want))
		}
	}
	if _, rows, parts, wide := whole("a.csv"); len(rows) != 3000 || parts < 15 || wide || rows[2999][0] != "2999" || rows[2999][1] != "a, \"b\"\nc "+strings.Repeat("x", 99) {
		t.Errorf("%d rows in %d parts, the last %q; want 3000 rows in at least 15 parts, no columns left out, and in the last row 2999 and the text with its quotes, its line break and 99 times x", len(rows), parts, rows[len(rows)-1])
	}
	if _, rows, _, _ := whole("long.csv"); len(rows) != 4 || rows[3][0] != "\nend" && rows[3][0] != "end" {
		t.Errorf("%d rows of a long line, want 4, the last %q", len(rows), "end")
	}
	if _, rows, _, _ := whole("open.csv"); !slices.Equal(rows[0], []string{"1", "2"}) {
		t.Errorf("the rows before a quote that is never closed are %q", rows[0])
	}
	if _, rows, _, wide := whole("wide.csv"); len(rows) != 1 || len(rows[0]) != shownColumns || !wide {
		t.Errorf("a wide row has %d columns, want one row of %d, the rest left out", len(rows[0]), shownColumns)
	}
	if _, rows, _, _ := whole("a.tsv"); len(rows) != 1 || !slices.Equal(rows[0], []string{"1,5", "2"}) {
		t.Errorf("a table with tabs has %q, want the one row %q", rows, []string{"1,5", "2"})
	}
	for _, from := range []string{"", "-1", "x", "1e3", "99999999999999999999", fmt.Sprint(text.Len() + 1)} {
		if no := get[map[string]string](h, 400, "result", "run", "r1", "path", "a.txt", "from", from); no["error"] == "" {
			t.Errorf("from %q: %v, want other than nothing", from, no)
		}
	}
	if no := get[map[string]string](h, 422, "result", "run", "r1", "path", "a.h5", "from", "0"); !strings.Contains(no["error"], "neither as a text nor as a table") {
		t.Errorf("%v, want %q in it", no, "neither as a text nor as a table")
	}
}
