package web

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/trace/report"
	"github.com/pentode-dev/pentode/runs/record"
)

// relaxing is a trace of two ranks. The second works longer, so the first waits for it; they exchange messages.
const relaxing = `
place 0x10 relax /src/relax.c:12
place 0x20 exchange /src/relax.c:30
rank 0
0ms region_begin name=step
1ms parallel_begin parallel_codeptr=0x10
%dms parallel_end parallel_codeptr=0x10
22ms MPI_Send_begin dest=1 count=8 bytes=64
23ms MPI_Send_end
24ms MPI_Allreduce_begin mpi_codeptr=0x20
43ms MPI_Allreduce_end
45ms region_end name=step
rank 1
0ms region_begin name=step
1ms parallel_begin parallel_codeptr=0x10
41ms parallel_end parallel_codeptr=0x10
42ms MPI_Allreduce_begin mpi_codeptr=0x20
43ms MPI_Allreduce_end
45ms region_end name=step
`

// trace writes a trace in which the first rank works for the given number of milliseconds.
func (t *history) trace(folder string, work int) (list []record.Result) {
	t.Helper()
	dir := filepath.Join(t.out, folder)
	if err := played.Write(dir, fmt.Sprintf(relaxing, 1+work)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		name, _ := filepath.Rel(t.out, path)
		list = append(list, record.Result{Path: filepath.ToSlash(name), Size: info.Size(), Time: info.ModTime()})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestReport: a trace among the results of a run is summarized as by `trace report` and `trace why`, and its flame graph is drawn.
func TestReport(t *testing.T) {
	h := newHistory(t)
	if err := os.WriteFile(filepath.Join(h.dir, "relax.c"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	h.keep("r1", append(h.trace("west", 20), h.leave("trace.json", "{}"), h.leave("west/trace.json", "{}")), nil)
	first := h.out
	h.out = t.TempDir()
	h.keep("r2", h.trace("west", 15), nil)
	if got, want := get[recordAnswer](h, 200, "record", "run", "r1").Traces, []string{"west/ctf/metadata", "trace.json"}; !slices.Equal(got, want) {
		t.Errorf("the traces are %q, want %v", got, want)
	}
	r := get[report.Report](h, 200, "report", "run", "r1", "trace", "west/ctf/metadata")
	if i := slices.IndexFunc(r.Rows, func(row report.Row) bool { return strings.HasPrefix(row.Name, "parallel relax") }); i < 0 || r.Rows[i].Total != 60e6 || r.Rows[i].Waste != 20e6 || r.Processes != 2 {
		t.Errorf("the report is %+v, want 2 processes, and `parallel relax` with 60 ms, 20 ms of these wasted", r)
	}
	if len(r.Messages) != 1 || r.Messages[0].From != 0 || r.Messages[0].To != 1 {
		t.Errorf("the messages are %+v, want one pair, from 0 to 1", r.Messages)
	}
	if r := get[report.Report](h, 200, "report", "run", "r1", "trace", "west/ctf/metadata", "by", "rank"); len(r.Rows) != 2 || r.Rows[0].Total != 45e6 {
		t.Errorf("by ranks it is %+v, want 2 rows, the first with 45 ms", r.Rows)
	}
	both := get[report.Comparison](h, 200, "report", "run", "r1", "with", "r2", "trace", "west/ctf/metadata")
	if i := slices.IndexFunc(both.Rows, func(row report.Difference) bool { return strings.HasPrefix(row.Name, "parallel relax") }); i < 0 || both.Rows[i].Cost != -5e6 {
		t.Errorf("compared they are %+v, want `parallel relax` at a cost of -5 ms", both)
	}
	if d := get[compareAnswer](h, 200, "compare", "run", "r1", "with", "r2"); !slices.Equal(d.Traces, []string{"west/ctf/metadata"}) {
		t.Errorf("both have the traces %q, want %v", d.Traces, []string{"west/ctf/metadata"})
	}
	why := get[whyAnswer](h, 200, "why", "run", "r1", "trace", "west/ctf/metadata")
	if len(why.Causes) == 0 || string(why.Causes[0].Kind) != "wait at n to n" || why.Causes[0].Cost != 18e6 || why.Kinds["wait at n to n"] == "" || why.Kinds["late sender"] != "" ||
		why.Causes[0].placeEntry != (placeEntry{filepath.Join(h.dir, "relax.c"), 30}) {
		t.Errorf("the causes are %+v, want first a wait at n to n of 18 ms at line 30 of relax.c, that kind explained, and not that of late senders", why)
	}
	picture := ask(h.page, "GET", address("flames", "run", "r1", "trace", "west/ctf/metadata"), "", nil)
	if head := picture.Header(); picture.Code != 200 || head.Get("Content-Type") != "image/svg+xml" || !strings.Contains(picture.Body.String(), "parallel relax") ||
		head.Get("Content-Security-Policy") != "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" || head.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the picture is %d %v %.100s, want 200 and an SVG with `parallel relax`, under a policy that allows nothing but styles", picture.Code, head, picture.Body)
	}
	if no := get[map[string]string](h, 400, "report", "run", "r1", "trace", "west/ctf/metadata", "by", "x"); !strings.Contains(no["error"], "`by` takes region, ") {
		t.Errorf("%v; want %q in it", no, "`by` takes region, ")
	}
	if no := get[map[string]string](h, 422, "report", "run", "r1", "trace", "trace.json"); !strings.Contains(no["error"], "cannot be read to its end") {
		t.Errorf("%v; want %q in it", no, "cannot be read to its end")
	}
	for _, no := range []string{"", "west", "west/ctf", "../ctf/metadata", "west/trace.json", "west/regions.json", filepath.Join(first, "west/ctf/metadata"), "west/ctf/metadata\x00"} {
		refused(h, no, "has no trace")
	}
}

// refused checks that a trace of the run r1 is refused with the given reason.
func refused(t *history, name, why string) {
	t.Helper()
	for _, what := range []string{"report", "why", "flames"} {
		if no := get[map[string]string](t, http.StatusNotFound, what, "run", "r1", "trace", name); !strings.Contains(no["error"], why) {
			t.Errorf("%s of %q: %v, want %q in it", what, name, no, why)
		}
	}
}

// TestReportFence: a trace is read only if all of its files are unchanged results of the run, without links or other files.
func TestReportFence(t *testing.T) {
	for what, c := range map[string]struct {
		spoil func(ctf string) error
		want  string
	}{
		"another file": {func(ctf string) error { return os.WriteFile(filepath.Join(ctf, "stream_9"), nil, 0o644) }, "is not a result of the run"},
		"a link": {func(ctf string) error {
			return os.Symlink(filepath.Join(ctf, "metadata"), filepath.Join(ctf, "more"))
		}, "is not a result of the run"},
		"the folder is a link": {func(ctf string) error {
			if err := os.Rename(ctf, ctf+"2"); err != nil {
				return err
			}
			return os.Symlink(ctf+"2", ctf)
		}, "is a link"},
		"a changed file": {func(ctf string) error { return os.Chtimes(filepath.Join(ctf, "metadata"), begun, begun) }, "was written again after the run"},
		"other places": {func(ctf string) error {
			return os.WriteFile(filepath.Join(ctf, "..", "regions.json"), []byte("{}"), 0o644)
		}, "was written again after the run"},
		"it is gone": {os.RemoveAll, "is gone"},
	} {
		t.Run(what, func(t *testing.T) {
			h := newHistory(t)
			h.keep("r1", h.trace("west", 20), nil)
			get[report.Report](h, 200, "report", "run", "r1", "trace", "west/ctf/metadata")
			if err := c.spoil(filepath.Join(h.out, "west", "ctf")); err != nil {
				t.Fatal(err)
			}
			refused(h, "west/ctf/metadata", c.want)
		})
	}
}
