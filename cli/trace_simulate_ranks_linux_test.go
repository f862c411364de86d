package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace/ctf"
	"github.com/pentode-dev/pentode/run/trace/forecast"
)

// onRank is an event on a rank: an MPI call at its place, or a region by name.
type onRank struct {
	event, region string
	rank          uint32
}

// recordedRanks counts the events of a trace by rank, and the bytes of its streams.
func recordedRanks(t *testing.T, dir string) (map[onRank]uint64, int64, int) {
	t.Helper()
	reader, err := ctf.Open(filepath.Join(dir, "ctf"))
	if err != nil {
		t.Fatal(err)
	}
	got, size := map[onRank]uint64{}, int64(0)
	for _, stream := range reader.Streams {
		rank := uint32(0) // the rank of the process; 0 until MPI has begun
		for o, err := range reader.Events(stream) {
			if err != nil {
				t.Fatal(err)
			}
			rank = max(rank, uint32(o.Context[2].Number))
		}
		info, err := os.Stat(filepath.Join(dir, "ctf", stream))
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
		for o, err := range reader.Events(stream) {
			if err != nil {
				t.Fatal(err)
			}
			k := reader.Kinds[o.Event]
			provider, name, _ := strings.Cut(k.Name, ":")
			e := onRank{rank: rank}
			switch code := k.Member("mpi_codeptr"); {
			case code >= 0:
				e.event, e.region = strings.TrimSuffix(strings.TrimSuffix(name, "_begin"), "_end"), fmt.Sprintf("%#x", o.Fields[code].Number)
			case provider == "pentode" && strings.HasPrefix(name, "region_"):
				e.event, e.region = "user_region", o.Fields[k.Member("name")].Text
			default:
				continue
			}
			got[e]++
		}
	}
	return got, size, len(reader.Streams)
}

// TestTraceSimulateRanks is TestTraceSimulate for four ranks: each rank must record each MPI call at its place as often as
// forecast, and bytes must be within 2 %.
func TestTraceSimulateRanks(t *testing.T) {
	need.Slow(t) // it builds the tracer with wrappers for hundreds of MPI calls
	need.Program(t, "clang", "--version")
	needMPI(t)
	t.Setenv("OMPI_CC", "clang")
	t.Setenv("MPICH_CC", "clang")
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	buildTraced(t, "mpicc", "program.c", program, "-fopenmp", "-DWITH_MPI")
	t.Setenv("OMP_NUM_THREADS", "1")
	const quiet = "[OpenMP.default]\n    trace_mode = OFF\n"
	run := func(name, config string) (traced, file string) {
		t.Helper()
		file, traced = filepath.Join(dir, name+".txt"), filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(quiet+config), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := pentode(t, "trace", "record", "--flush", "0", "--config", "trace.full=wait", "-o", traced, "--policy", file, "--", "mpirun", "-n", "4", program, "60"); code != 0 {
			t.Fatalf("exit %d: %s", code, errs)
		}
		return traced, file
	}
	whole, _ := run("whole", "")
	for name, config := range map[string]string{
		"rates": "[Lexgion.default]\n    trace_starts_at = 5\n    tracing_rate = 4\n[Lexgion(User:round)]\n    max_num_traces = 7\n",
		"ranks": "[MPI.default]\n    MPI_Bcast = off\n[MPI.rank(1-2)]\n    MPI_Send = off\n    MPI_Allreduce = off\n[Lexgion(User:round)]\n    tracing_rate = 2\n",
	} {
		real, file := run(name, config)
		want, size, streams := recordedRanks(t, real)
		code, out, errs := pentode(t, "trace", "forecast", "--record", whole, "--flush", "0", "--format", "json", "--config", "pinsight.program="+program, file)
		var f forecast.Forecast
		if err := json.Unmarshal([]byte(out), &f); code != 0 || err != nil {
			t.Fatalf("simulate ended with %d: %v, %s", code, err, errs)
		}
		got := map[onRank]uint64{}
		for _, row := range f.Rows {
			if row.Traced > 0 {
				got[onRank{row.Event, row.Region, row.Rank}] += row.Traced
			}
		}
		if d := cmp.Diff(want, got); d != "" || len(want) < 4*4 {
			t.Errorf("%s (-run +simulated):\n%s\nwant d = nothing and len(want) at least %v", name, d, 4*4)
		}
		if diff := f.Bytes - size; max(diff, -diff) > size/50 {
			t.Errorf("%s: %d bytes, and the run wrote %d in %d streams; want at most %v", name, f.Bytes, size, streams, size/50)
		}
	}
}
