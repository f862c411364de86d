package recorded_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// heard returns what a handler receives from a trace, line by line.
func heard(t *testing.T, text string, sparse bool) string {
	t.Helper()
	dir := t.TempDir()
	if err := played.Write(dir, text); err != nil {
		t.Fatal(err)
	}
	trace, err := recorded.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err = trace.Walk(recorded.Handler{
		Sparse: sparse,
		Enter: func(e *recorded.Event, f *recorded.Frame) error {
			fmt.Fprintln(&b, e.Time, e.Thread.Name(), e.Thread.Process.Name(), "enter", f.Name, f.Region.Where(), f.ID)
			return nil
		},
		Leave: func(th *recorded.Thread, f *recorded.Frame, end int64, whole bool, _ *recorded.Event) error {
			fmt.Fprintln(&b, end, th.Name(), "leave", f.Name, f.ID, f.Inside, whole)
			return nil
		},
		Instant: func(e *recorded.Event) error {
			fmt.Fprintln(&b, e.Time, e.Thread.Name(), e.Title())
			return nil
		},
		Message: func(e *recorded.Event, m recorded.Message) error {
			fmt.Fprintln(&b, e.Time, m)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Frames and messages are the same if the other members are not read.
func TestSparse(t *testing.T) {
	text := `place 0x10 relax /src/heat.c:12
rank 0
1ms region_begin name=step
2ms MPI_Send_begin dest=1 bytes=7 tag=3
3ms MPI_Send_end
4ms parallel_begin parallel_codeptr=0x10
5ms task_create parallel_codeptr=0x10 task_id=7
6ms task_schedule prior_task_id=1 next_task_id=7 prior_task_status=4
7ms task_schedule prior_task_id=7 next_task_id=1 prior_task_status=1
8ms parallel_end parallel_codeptr=0x10
9ms mark name=here
10ms region_end name=step
rank 1 thread 2
1ms MPI_Irecv_begin source=0 comm=0
2ms MPI_Irecv_end request=9
3ms MPI_Wait_begin request=9
4ms MPI_Wait_end source=0 tag=3 bytes=7
`
	all, sparse := heard(t, text, false), heard(t, text, true)
	for _, want := range []string{"enter step", "relax", "task relax", "here", "{true 0 1 3 7", "{false 0 1 3 7", "thread 2"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	if all != sparse {
		t.Errorf("all:\n%s\nsparse:\n%s\nwant %v", all, sparse, sparse)
	}
}

// A frame keeps its name and number however many there are, while the table of sites grows and is cleared.
func TestManySites(t *testing.T) {
	const names = 9000
	var text strings.Builder
	text.WriteString("rank 0\n")
	for i := range names + 10 { // some of them again
		fmt.Fprintf(&text, "%dns region_begin name=r%d\n%dns region_end name=r%d\n", 2*i, i%names, 2*i+1, i%names)
	}
	ids := map[string]string{}
	for _, line := range strings.Split(heard(t, text.String(), true), "\n") {
		if words := strings.Fields(line); len(words) > 3 && words[3] == "leave" {
			name, id := words[4], words[5]
			if was, known := ids[name]; known && was != id || !known && id != fmt.Sprint(len(ids)) {
				t.Fatalf("%q has the number %s, was %q, behind %d others; want was = %v and id = %v", name, id, was, len(ids), id, fmt.Sprint(len(ids)))
			}
			ids[name] = id
		}
	}
	if len(ids) != names {
		t.Errorf("%d frames, want %v", len(ids), names)
	}
}
