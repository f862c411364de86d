package web_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/runs/record"
)

// tracedRanks is a trace of two ranks that exchange messages, with a source position in the folder.
const tracedRanks = `
place 0x10 relax /src/heat.c:12
place 0x20 exchange /src/heat.c:30
rank 0
0ms region_begin name=<b>step
1ms parallel_begin parallel_codeptr=0x10
21ms parallel_end parallel_codeptr=0x10
22ms MPI_Send_begin dest=1 count=8 bytes=4096
23ms MPI_Send_end
24ms MPI_Allreduce_begin mpi_codeptr=0x20
43ms MPI_Allreduce_end
45ms region_end name=<b>step
rank 1
0ms region_begin name=<b>step
1ms parallel_begin parallel_codeptr=0x10
41ms parallel_end parallel_codeptr=0x10
41ms MPI_Send_begin dest=0 count=8 bytes=512
42ms MPI_Send_end
42ms MPI_Allreduce_begin mpi_codeptr=0x20
43ms MPI_Allreduce_end
45ms region_end name=<b>step
`

// keepTraced writes the record of a run of a folder, with a trace among its results.
func (t desk) keepTraced(dir, id string, started time.Time) {
	t.Helper()
	out := t.TempDir()
	if err := played.Write(out, tracedRanks); err != nil {
		t.Fatal(err)
	}
	r := &record.Record{ID: id, Kind: record.Trace, Started: started, Ended: started.Add(time.Second), Command: []string{"trace", "record", "heat"}, Folder: dir, Out: out, Host: record.Host{Name: "desk", System: "linux/amd64", CPUs: 2}}
	err := filepath.WalkDir(out, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		name, _ := filepath.Rel(out, path)
		r.Results = append(r.Results, record.Result{Path: filepath.ToSlash(name), Size: info.Size(), Time: info.ModTime()})
		return err
	})
	if err == nil {
		err = record.Store{Dir: filepath.Join(t.state, "pentode")}.Write(r, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestReportView reads the report of a traced run with the keyboard, and compares the regions of two
// runs.
func TestReportView(t *testing.T) {
	need.Slow(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "heat.c"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	here := desk{t, t.TempDir(), t.TempDir()}
	here.keepTraced(dir, "20260101-120000-aaaaaa", time.Now().Add(-time.Hour))
	here.keepTraced(dir, "20260101-130000-bbbbbb", time.Now().Add(-time.Minute))
	b := browser(t, here.serve(dir))
	b.open("runs", "?run=20260101-120000-aaaaaa")
	row := func(label, first string) {
		t.Helper()
		b.until(label, `new RegExp(`+quote(first)+`).test([...(document.querySelector('[aria-label="`+label+`"] tbody tr')?.cells ?? [])].map(c => c.textContent).join('\t'))`)
	}
	row("Report by region", `^<b>step\t2\t90 ms\t8 ms\t`)
	row("Why it is not faster", "^wait at n to n\t18 ms\t20 %\tMPI_Allreduce heat.c:30 in exchange\t1\t18 ms\tMPI rank 1$")
	b.until("the line", "document.querySelector('[aria-label=\"Why it is not faster\"] a').href.endsWith('/heat.c:30')")
	b.until("the flame graph", "(i => i && i.complete && i.naturalWidth > 700)(document.querySelector('.flames img'))")
	b.until("messages", `[...document.querySelectorAll('.matrix tbody tr')].map(r => r.innerText).join('|') === '0\t\t4.0 KB|1\t512 B\t'`)
	b.until("more is darker", "(l => l.length === 2 && new Set(l.map(e => getComputedStyle(e).backgroundColor)).size === 2)([...document.querySelectorAll('.heat')])")
	b.looks("report")
	b.narrow("report")
	by := `document.querySelector('[aria-label="Report by"]')`
	for range 4 { // past function, rank and thread
		b.press(by, kb.ArrowDown)
	}
	row("Report by call", "^MPI_Allreduce\t2\t20 ms")
	row("MPI by message size", "^MPI_Allreduce\t–\t2\t–\t20 ms$")
	for range 3 { // past self and longest
		b.press(`document.querySelector('[aria-label="Sort by"]')`, kb.ArrowDown)
	}
	b.until("by imbalance", `/90 %/.test(document.querySelector('[aria-label="Report by call"] .meter').parentElement.textContent)`)
	b.press(by, kb.ArrowDown)
	row("Report by event", "^[^\t]+\t2$")
	b.press("[...document.querySelectorAll('summary')].find(e => e.textContent === 'The causes explained')", kb.Enter)
	b.has("such as MPI_Allreduce, for the last rank")
	b.open("runs", "?run=20260101-120000-aaaaaa&with=20260101-130000-bbbbbb")
	b.until("regions", `/relax.*within its noise|relax[^]*executed once/.test(document.querySelector('[aria-label="Regions"]')?.innerText)`)
	b.looks("report-compared")
}
