//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/cli"
	"github.com/pentode-dev/pentode/internal/golden"
	"github.com/pentode-dev/pentode/internal/played"
)

// Long names, which tables must shorten.
const (
	longFolder  = "results_of_the_third_campaign_on_the_new_machine"
	longProcess = "the_process_that_counts_all_of_the_particles_of_the_detector"
	longRegion  = "assembly_of_the_stiffness_matrix_with_all_boundary_conditions_of_the_whole_domain_on_each_level"
	longKernel  = "at::native::vectorized_elementwise_kernel<4,at::native::CUDAFunctor_add<float>,std::array<char*,3ul>>(int,at::native::CUDAFunctor_add<float>)"
	longMember  = "temperature_of_the_outer_wall_of_the_second_stage_averaged_over_time"
)

// longNames writes files, runs and traces with long names into an empty folder.
func longNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), longFolder)
	if err := os.MkdirAll(filepath.Join(dir, "traced"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range []string{"XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	pipeline := "process " + longProcess + "\n  :: numbers\n  end = %d\nprocess print_" + longProcess + "\n  :: print_number\n  output = " + longFolder + ".txt\n" +
		"connect from " + longProcess + ".number\n  to print_" + longProcess + ".number\n"
	write(t, longFolder+".pipe", fmt.Sprintf(pipeline, 5))
	write(t, "other.pipe", fmt.Sprintf(pipeline, 7))
	write(t, "endless.pipe", fmt.Sprintf(pipeline, 1_000_000_000_000))
	write(t, "tree.yml", "data:\n  step:\n    type: struct\n    members:\n      - "+longMember+": double\n      - id: char\n      - next_"+longMember+": {type: array, subtype: double, size: 3}\n")
	write(t, "memory", strings.Repeat("memory..", 5))
	trace := "rank 0\n0s clock end=0\n"
	for i := range 3 {
		trace += fmt.Sprintf("%dms region_begin name=%s execution=%d\n%dms region_end name=%[2]s execution=%[3]d\n", 10*i+1, longRegion, i, 10*i+5)
	}
	trace += "41ms MPI_Send_begin dest=1 bytes=1500\n45ms MPI_Send_end\n" +
		"46ms cudaKernelActivity kernelName=" + longKernel + " start_gpu=10 end_gpu=110\n47ms cudaKernelActivity kernelName=" + strings.ReplaceAll(longKernel, "_add", "_mul") + " start_gpu=10 end_gpu=110\n" +
		"rank 1\n0s clock end=0\n1ms MPI_Recv_begin mpi_codeptr=0x30 source=0 bytes=1500\n45ms MPI_Recv_end mpi_codeptr=0x30 source=0 bytes=1500\n"
	if err := played.Write("traced", "place 0x30 "+longRegion+" /src/"+longFolder+".c:7\n"+trace); err != nil {
		t.Fatal(err)
	}
	policy := "[OpenMP.default]\n    omp_work = on\n[Lexgion(User:" + longRegion + ")]\n    tracing_rate = 10\n"
	write(t, "traced/trace_config.txt", "[OpenMP.default]\n    omp_work = on\n")
	write(t, "trace_config.txt", policy)
	for _, path := range []string{longFolder + ".pipe", "other.pipe"} {
		if code, _, errs := pentode(t, "run", "-o", path+"_"+longFolder, path); code != 0 {
			t.Fatalf("%s ends with %d: %s", path, code, errs)
		}
	}
}

// TestWidth: no verb prints text wider than the terminal, however long the names are, and --wide prints names in
// full.
func TestWidth(t *testing.T) {
	longNames(t)
	live := process(t, "run", "-o", "endless_"+longFolder, "endless.pipe")
	if err := live.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = live.Process.Signal(os.Interrupt)
		_ = live.Wait() // it was interrupted
	})
	golden.Until(t, "the pipeline answers", func() bool { code, _, _ := pentode(t, "control", "stats"); return code == 0 })

	cases := []struct{ verb, args, name string }{
		{"show", longFolder + ".pipe", longProcess}, {"show", "--all --origin " + longFolder + ".pipe", longFolder + ".pipe"},
		{"explain", longFolder + ".pipe " + longProcess + ":end", longFolder + ".pipe"},
		{"explain", "pinsight/unknown-event", ""}, {"explain", "sprokit/unknown-port", ""},
		{"diff", longFolder + ".pipe other.pipe", longProcess}, {"origin", longFolder + ".pipe_" + longFolder + "/" + longFolder + ".txt", longProcess},
		{"ps", "--all", longProcess}, {"control", "stats", longProcess},
		{"runs list", "", longFolder + ".pipe"}, {"runs show", "", longFolder}, {"runs show", "--all newest", longProcess}, {"runs diff", "", longProcess},
		{"types list", "", "image_object_detector"}, {"types show", "numbers", ""}, {"types show", "image_object_detector", ""}, {"types show", "heat", ""}, {"types show", "vxl_threshold", ""},
		{"types show", "compute_track_descriptors", ""},
		{"target list", "pu", ""}, {"target list", "arch", ""}, {"target list", "features x86", ""}, {"target list", "abi", ""}, {"target list", "presets", ""},
		{"target compat", "sapphirerapids x86-64-v2", ""}, {"target flags", "--format table gcc sapphirerapids", ""},
		{"data layout", "tree.yml", longMember}, {"data layout", "--target x86-64 --target arm32 --target i386 --target llp64 --target big-endian tree.yml step", longMember},
		{"data decode", "--spec tree.yml --type step memory", longMember},
		{"trace report", "--all traced", longKernel}, {"trace report", "--by function traced", ""}, {"trace report", "--by rank traced", ""}, {"trace report", "--by thread traced", ""},
		{"trace report", "--by call traced", "MPI_Send"}, {"trace report", "--by event traced", ""}, {"trace report", "--by kernel traced", longKernel},
		{"trace report", "--compare traced traced", longKernel}, {"trace why", "traced", longRegion},
		{"trace forecast", "--record traced --by unit trace_config.txt", longRegion}, {"trace forecast", "--record traced trace_config.txt", longRegion},
		{"trace decide", "--all trace_config.txt", longRegion}, {"trace decide", "--explain --region " + longRegion + " --event user_region trace_config.txt", longRegion},
		{"trace decide", "--region 0x20 --event omp_work,omp_task_create,omp_task_schedule,omp_implicit_task,omp_sync_region_wait --unit MPI.rank=0-2 trace_config.txt", "omp_task_schedule"},
	}
	for _, c := range cases {
		args := append(strings.Fields(c.verb), strings.Fields(c.args)...)
		for _, width := range []int{100, 80} {
			t.Setenv("COLUMNS", strconv.Itoa(width))
			code, out, errs := pentode(t, args...)
			if code > 1 || out == "" {
				t.Errorf("pentode %q ends with %d and %q", args, code, errs)
				break
			}
			for line := range strings.Lines(out) {
				if cells := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); cells > width {
					t.Errorf("pentode %q: a line of %d cells in a terminal of %d:\n%s", args, cells, width, line)
				}
			}
		}
		_, out, errs := pentode(t, append(args, "--wide")...)
		if !strings.Contains(out, c.name) {
			t.Errorf("pentode %q --wide does not name %s: %s\n%s", args, c.name, errs, out)
		}
		t.Setenv("COLUMNS", "")
		if _, whole, _ := pentode(t, args...); c.verb != "control" && c.verb != "ps" && whole != out { // control and ps show live figures, which change
			t.Errorf("pentode %q into a pipe is not as with --wide: have\n%s\nwant\n%s", args, whole, out)
		}
	}
	t.Setenv("COLUMNS", "80")
	for _, args := range [][]string{{"show", strings.Repeat("no_such_folder/", 9) + "a.pipe"}, {"trace", "report", "no_such_" + longFolder + "_" + longFolder}, {"ps", "no_such_" + longProcess}} {
		_, _, errs := pentode(t, args...)
		for line := range strings.Lines(errs) {
			if cells := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); cells > 80 || !strings.HasPrefix(line, "pentode: ") && !strings.HasPrefix(line, "  ") {
				t.Errorf("pentode %q: a message of %d cells in a terminal of 80, or one that is not indented:\n%s", args, cells, errs)
			}
		}
	}
	visitWide(cli.Command(), func(verb string) {
		if verb == "runs rerun" { // it starts this program again, and prints the same as `runs diff`
			return
		}
		if !slices.ContainsFunc(cases, func(c struct{ verb, args, name string }) bool { return c.verb == verb }) {
			t.Errorf("`%s` has --wide, and no case here", verb)
		}
	})
}

// visitWide calls visit for each verb that has --wide.
func visitWide(cmd *cobra.Command, visit func(verb string)) {
	for _, verb := range cmd.Commands() {
		if verb.Flags().Lookup("wide") != nil {
			visit(strings.TrimPrefix(verb.CommandPath(), "pentode "))
		}
		visitWide(verb, visit)
	}
}
