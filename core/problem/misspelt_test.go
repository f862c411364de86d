package problem_test

import (
	"testing"

	"github.com/pentode-dev/pentode/core/problem"
)

// TestMisspelt: a typing mistake is a misspelling, another name of the same
// family is not.
func TestMisspelt(t *testing.T) {
	names := []string{"omp_task_create", "omp_task_schedule", "omp_work", "omp_parallel_end", "thread", "team", "MPI_Bcast", "MPI_Send", "MPI_Waitall", "CUDA_memset", "image1", "min_frame_count", "colour", "connect", "settings"}
	for name, want := range map[string]bool{
		"omp_taks_create": true, "omp_task_shedule": true, "omp_wrk": true, "thred": true, "omp_task_schdule": true, "tread": true, "trhead": true, "tema": true, "Colour": true, "color": true, "conncet": true, "connnect": true, "omp_task_creete": true,
		"omp_task": false, "omp_parallel": false, "MPI_Ibcast": false, "MPI_Isend": false, "MPI_Ibcst": false, "connec": true, "ports": false, "port": false, "setting": false, "hread": false, "MPI_Sbend": false, "MPI_Ssend": false, "MPI_Waitany": false, "CUDA_memcpy": false,
		"image2": false, "tthread": false, "image": false, "max_frame_count": false, "threads": false, "omp_task_creates": false, "omp_tusk_create": false,
		"omp_task_create": false, "something": false, "": false,
	} {
		if problem.Misspelt(name, names) != want {
			t.Errorf("Misspelt(%q) is %v", name, !want)
		}
	}
	if problem.Misspelt("threed", []string{"thread", "threeds"}) || problem.Misspelt("baord", []string{"board", "baird"}) {
		t.Error("with two candidates one edit away neither is certain")
	}
	if !problem.Misspelt("THREAD", []string{"thread", "threads"}) {
		t.Error("the same but for case is nearer than all others")
	}
}
