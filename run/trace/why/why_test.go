package why

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

const places = `
place 0x10 relax /src/heat.c:12
place 0x14 relax /src/heat.c:14
place 0x30 exchange /src/halo.c:7
place 0x34 exchange /src/halo.c:9
`

func find(t testing.TB, text string) *Findings {
	t.Helper()
	dir := t.TempDir()
	var err error
	if strings.HasPrefix(text, "[") { // the trace is of a pipeline
		err = os.WriteFile(filepath.Join(dir, recorded.TimelineFile), []byte(text), 0o600)
	} else {
		err = played.Write(dir, places+text)
	}
	if err != nil {
		t.Fatal(err)
	}
	trace, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Find(trace)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// shown returns the causes of a trace, a line for each.
func shown(f *Findings) string {
	var b strings.Builder
	for _, c := range f.Causes {
		fmt.Fprintf(&b, "%s: %v, %d times, %v at most, %s", c.Kind, time.Duration(c.Cost), c.Count, time.Duration(c.Longest), c.Where)
		if c.For != "" {
			fmt.Fprintf(&b, ", %v for %s", time.Duration(c.ForCost), c.For)
		}
		b.WriteByte('\n')
	}
	if f.Unmatched > 0 {
		fmt.Fprintf(&b, "not determinable: %d\n", f.Unmatched)
	}
	return b.String()
}

// Every kind of cause is found exactly where the test's trace has it, with its cost and its place.
func TestGoldenPlanted(t *testing.T) {
	const path, ending = "testdata/planted.txtar", ": causes"
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*txtar.File{}
	for i := range archive.Files {
		files[archive.Files[i].Name] = &archive.Files[i]
	}
	for name, f := range files {
		if strings.HasSuffix(name, ending) {
			continue
		}
		found := find(t, string(f.Data))
		got, want := shown(found), files[name+ending]
		if golden.Updating() {
			want.Data = []byte(got)
		}
		if diff := cmp.Diff(string(want.Data), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, k := range Kinds {
		f := files[string(k.Kind)+ending]
		if f == nil || !strings.Contains("\n"+string(f.Data), "\n"+string(k.Kind)+": ") {
			t.Errorf("%s is planted nowhere, or not found", k.Kind)
		}
		if k.Doc == "" {
			t.Errorf("%s is not described", k.Kind)
		}
	}
	if golden.Updating() {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFindings checks the figures for the whole trace.
func TestFindings(t *testing.T) {
	f := find(t, "rank 0\n3ms MPI_Init_begin\n5ms MPI_Init_end\nlost 7\nrank 1\n1ms mark name=x\n")
	if f.Program != "heat" || f.Elapsed != 4e6 || f.Threads != 2 || f.Lost != 7 || f.Unmatched != 0 || len(f.Causes) != 1 {
		t.Errorf("%+v, want heat, 2 threads in 4 ms, 7 lost, none unmatched, one cause", f)
	}
	if f := find(t, ""); f.Elapsed != 0 || f.Threads != 0 || f.Causes == nil {
		t.Errorf("an empty trace: %+v, want no time, no threads, and a list of causes, which is empty", f)
	}
}
