package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// made returns the report of the trace that a text describes.
func made(t *testing.T, by By, text string) *Report {
	t.Helper()
	dir := t.TempDir()
	if err := played.Write(dir, text); err != nil {
		t.Fatal(err)
	}
	trace, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Make(trace, by)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// calls has two ranks, one of which waits for the other.
const calls = `
rank 0
0us MPI_Init_begin
1us MPI_Init_end
10us region_begin name=step
20us MPI_Recv_begin source=1 bytes=4096
70us MPI_Recv_end source=1 bytes=1500
80us region_begin name=step
82us mutex_acquire
84us barrier_explicit_sync_wait_begin
86us barrier_explicit_sync_wait_end
90us mutex_acquired
91us region_end name=step
100us MPI_Barrier_begin
110us region_end name=step
110us MPI_Barrier_end
rank 1
10us region_begin name=step
30us MPI_Send_begin bytes=1500
31us MPI_Send_end
40us MPI_Send_begin bytes=0
42us MPI_Send_end
50us MPI_Send_begin bytes=2047
54us MPI_Send_end
60us region_end name=step
`

// Nested waits count once, and the total of a recursive frame counts its time once.
func TestWait(t *testing.T) {
	got := map[string]string{}
	for _, row := range made(t, Region, calls).Rows {
		got[row.Name] = fmt.Sprintf("%d of %d, %s", row.Wait, row.Total, row.Slowest)
	}
	if diff := cmp.Diff(map[string]string{
		"step":                       "68000 of 150000, MPI rank 0, thread 0",
		"MPI_Init":                   "0 of 1000, ",
		"MPI_Recv":                   "50000 of 50000, ",
		"MPI_Send":                   "0 of 7000, ",
		"MPI_Barrier":                "0 of 0, ", // its end comes after the end of the enclosing region
		"mutex_wait":                 "8000 of 8000, ",
		"barrier_explicit_sync_wait": "2000 of 2000, ",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The time in MPI by call and size: the size of a receive is what it received, not what it had room for.
func TestSizes(t *testing.T) {
	want := []Size{
		{Call: "MPI_Recv", From: 1024, Count: 1, Bytes: 1500, Total: 50000},
		{Call: "MPI_Send", From: 0, Count: 1, Bytes: 0, Total: 2000},
		{Call: "MPI_Send", From: 1024, Count: 2, Bytes: 3547, Total: 5000},
	}
	if diff := cmp.Diff(want, made(t, Call, calls).Sizes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r := made(t, Region, calls); r.Sizes != nil {
		t.Errorf("a report by regions has sizes: %v, want none", r.Sizes)
	}
}

// A report by kernels has only kernels that a device ran, not queued or launched ones.
func TestKernels(t *testing.T) {
	r := made(t, Kernel, `
rank 0
1us cudaKernelLaunch_begin kernel_func=axpy
2us cudaKernelLaunch_end kernel_func=axpy
rank 0 thread 7
3us cudaKernelEnqueue kernelName=axpy start_gpu=1 end_gpu=5
5us cudaKernelActivity kernelName=axpy start_gpu=10 end_gpu=110
6us cudaKernelActivity kernelName=axpy start_gpu=1010 end_gpu=1310
7us cudaMemcpyActivity start_gpu=2000 end_gpu=2100
`)
	if len(r.Rows) != 1 || r.Rows[0].Name != "axpy" || r.Rows[0].Count != 2 || r.Rows[0].Total != 400 || r.Rows[0].Spread != 141 {
		t.Errorf("%+v, want axpy alone, 2 times, 400 ns in all, a spread of 141", r.Rows)
	}
}

// repeated returns a trace of a region with these durations.
func repeated(name string, durations ...int) string {
	var b strings.Builder
	at := 0
	for _, d := range durations {
		fmt.Fprintf(&b, "%dns region_begin name=%s\n%dns region_end name=%s\n", at, name, at+d, name)
		at += d + 10
	}
	return b.String()
}

// A row is slower or faster only if the difference is larger than chance explains.
func TestCompare(t *testing.T) {
	before := "rank 0\n" + repeated("steady", 100, 110, 90, 100) + "rank 0 thread 1\n" + repeated("noisy", 100, 900, 100, 900) +
		"rank 0 thread 2\n" + repeated("quick", 500, 510, 490) + "rank 0 thread 3\n" + repeated("single", 5) + "rank 0 thread 4\n" + repeated("old", 7, 7)
	after := "rank 0\n" + repeated("steady", 200, 210, 190, 200) + "rank 0 thread 1\n" + repeated("noisy", 100, 900, 900, 900) +
		"rank 0 thread 2\n" + repeated("quick", 400, 410, 390) + "rank 0 thread 3\n" + repeated("single", 50) + "rank 0 thread 4\n" + repeated("young", 3, 3)
	show := func(c *Comparison) (got []string) {
		for _, d := range c.Rows {
			got = append(got, fmt.Sprintf("%s: %s, %d", d.Name, d.Change, d.Cost))
		}
		return got
	}
	want := []string{"steady: slower, 400", "quick: faster, -300", "old: gone, -14", "young: new, 6", "noisy: within its noise, 800", "single: executed once, 45"}
	if diff := cmp.Diff(want, show(Compare(made(t, Region, before), made(t, Region, after)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want = []string{"pentode:region_begin: more often, 0", "pentode:region_end: more often, 0"}
	more := strings.Replace(after, "rank 0 thread 3\n", "rank 0 thread 5\n"+repeated("more", 1)+"rank 0 thread 3\n", 1)
	if diff := cmp.Diff(want, show(Compare(made(t, Event, before), made(t, Event, more)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := show(Compare(made(t, Event, more), made(t, Event, before))); !strings.Contains(got[0], "less often") {
		t.Errorf("%q, want %q in it", got, "less often")
	}
	if got := show(Compare(made(t, Event, before), made(t, Event, before))); !strings.Contains(got[0], "as often") {
		t.Errorf("%q, want %q in it", got, "as often")
	}
}
