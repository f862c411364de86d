package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pentode-dev/pentode/internal/played"
	"github.com/pentode-dev/pentode/run/trace/recorded"
)

// Some of these traces have independent threads. In the others, a task was created by another thread, or
// a communicator was made by another thread.
var apart = map[string]string{
	"alone": `
rank 0
1ms region_begin name=step
2ms MPI_Send_begin dest=1 bytes=7
3ms MPI_Send_end
9ms region_end name=step
rank 0 thread 1
1ms region_begin name=step
4ms region_end name=step
5ms region_begin name=cut
rank 1
2ms MPI_Recv_begin source=0 bytes=7
3ms MPI_Recv_end source=0 bytes=7
6ms region_begin name=step
8ms region_end name=step
lost 3
`,
	"tasks": `
place 0x10 relax /src/heat.c:12
rank 0
1ms task_create parallel_codeptr=0x10 task_id=7
2ms task_create parallel_codeptr=0x10 task_id=8
rank 0 thread 1
3ms task_schedule prior_task_id=1 next_task_id=7 prior_task_status=4
5ms task_schedule prior_task_id=7 next_task_id=8 prior_task_status=1
9ms task_schedule prior_task_id=8 next_task_id=1 prior_task_status=1
`,
	"communicator": `
rank 1
1ms MPI_members comm=5 size=2 rank=0 world_rank=1 count=2 stride=2
rank 1 thread 1
2ms MPI_Send_begin comm=5 dest=1 bytes=70
3ms MPI_Send_end
`,
}

// Reading threads at the same time gives the same report as reading them one after the other.
func TestApart(t *testing.T) {
	for name, text := range apart {
		dir := t.TempDir()
		if err := played.Write(dir, text); err != nil {
			t.Fatal(err)
		}
		open := func() *recorded.Trace {
			trace, err := recorded.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			return trace
		}
		for _, by := range Bys {
			got, err := Make(open(), By(by))
			if err != nil {
				t.Fatal(err)
			}
			trace, m := open(), newMaker(By(by))
			if err := trace.Survey(); err != nil {
				t.Fatal(err)
			}
			if err := trace.Walk(m.handler()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m.report(trace), got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s by %s (-one behind the other +apart):\n%s", name, by, diff)
			}
			switch {
			case name == "tasks" && by == "region" && (len(got.Rows) != 1 || got.Rows[0].Count != 2):
				t.Errorf("the tasks are %+v, want one row that counts 2", got.Rows)
			case name == "communicator" && (len(got.Messages) != 1 || got.Messages[0].To != 3 || got.Unknown != 0):
				t.Errorf("the message went to %+v, want one, to rank 3, and none unknown", got.Messages)
			}
		}
	}
}
