package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/played"
)

// relaxing is the trace of two ranks, one of which has more work.
const relaxing = `
place 0x10 relax /src/heat.c:12
rank 0
0ms region_begin name=step
1ms parallel_begin parallel_codeptr=0x10
21ms parallel_end parallel_codeptr=0x10
22ms MPI_Allreduce_begin
43ms MPI_Allreduce_end
45ms region_end name=step
rank 1
0ms region_begin name=step
1ms parallel_begin parallel_codeptr=0x10
41ms parallel_end parallel_codeptr=0x10
42ms MPI_Allreduce_begin
43ms MPI_Allreduce_end
45ms region_end name=step
`

// TestGoldenFlames: the flame graph in docs equals the output of the program; -update rewrites it.
func TestGoldenFlames(t *testing.T) {
	dir := t.TempDir()
	traced, drawn := filepath.Join(dir, "traced"), filepath.Join(dir, "flames.svg")
	if err := played.Write(traced, relaxing); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := pentode(t, "trace", "export", "--to", "flamegraph", "-o", drawn, traced); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	have, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	shown := filepath.Join(golden.Root(t), "docs", "pictures", "flames.svg")
	if golden.Updating() {
		if err := os.WriteFile(shown, have, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(shown)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(have)); diff != "" {
		t.Errorf("docs/pictures/flames.svg is not up to date: go test ./cli -run TestGoldenFlames -update\n%s", diff)
	}
}
