//go:build linux

package collect

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// A Fortran call is recorded exactly once, whatever the compiler calls the function and however many MPI functions it
// passes through.
func TestFortran(t *testing.T) {
	need.Slow(t)
	for _, mpi := range []string{"openmpi", "mpich"} {
		t.Run(mpi, func(t *testing.T) {
			b := newTestBed(t, mpi)
			compiler := need.Program(t, "mpif90."+mpi, "--version")
			for _, binding := range []string{"mpi", "mpi_f08"} {
				b.program = filepath.Join(t.TempDir(), "messages")
				request := map[string]string{"mpi": "integer", "mpi_f08": "type(MPI_Request)"}[binding]
				args := []string{"-cpp", "-DBINDING=" + binding, "-DREQUEST=" + request, filepath.Join("testdata", "messages.f90"), "-o", b.program}
				if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				p, err := trace.Compile(b.catalog, &trace.Config{})
				if err != nil {
					t.Fatal(err)
				}
				o := b.options(p)
				o.Audit = false
				dir, _ := b.run(o)
				begun := map[uint64]int{}
				got := map[string]int{}
				for _, stream := range b.read(dir) {
					for _, o := range stream {
						got[agent.Records[o.Event].Name]++
						switch f := fieldsOf(&o); agent.Records[o.Event].Name {
						case "MPI_other_end":
							got[f["function"].Text]++
						case "MPI_Recv_end":
							if f["source"].Number != 0 || f["tag"].Number != 5 || f["bytes"].Number != 4 {
								t.Errorf("%s: a message of %v with the tag %v and %v bytes was received, want f[\"source\"].Number = 0, f[\"tag\"].Number = 5 and f[\"bytes\"].Number = 4", binding, f["source"], f["tag"], f["bytes"])
							}
						case "MPI_request":
							begun[f["request"].Number]++
						case "MPI_Wait_begin":
							begun[f["request"].Number]--
						}
						if address := fieldsOf(&o)["mpi_codeptr"].Number; agent.Records[o.Event].Family == agent.MPI && address>>32 > 0xffff {
							t.Errorf("%s: %s comes from %#x, which is not in the program", binding, agent.Records[o.Event].Name, address)
						}
					}
				}
				for request, n := range begun {
					if n != 0 {
						t.Errorf("%s: the request %#x was begun %d times more than it was waited for", binding, request, n)
					}
				}
				for name, want := range map[string]int{"MPI_Init": 4, "MPI_Send": 1, "MPI_Recv": 1, "MPI_Barrier": 4, "MPI_Finalize": 4} {
					if got[name+"_begin"] != want || got[name+"_end"] != want {
						t.Errorf("%s: %s began %d times and ended %d times, want %d", binding, name, got[name+"_begin"], got[name+"_end"], want)
					}
				}
				if got["MPI_Ibcast"] != 4 || got["MPI_Comm_get_name"] != 4 || len(begun) == 0 {
					t.Errorf("%s: MPI_Ibcast ended %d times with %d requests, MPI_Comm_get_name %d times, want 4", binding, got["MPI_Ibcast"], len(begun), got["MPI_Comm_get_name"])
				}
				if got["clock"] != 8 {
					t.Errorf("%s: %d marks for the clocks, want one at the start and one at the end of each rank", binding, got["clock"])
				}
			}
		})
	}
}

// For an installed PInsight, the name of an MPI region is the name of the call.
func TestCallNames(t *testing.T) {
	b := newTestBed(t, "mpich")
	p, err := trace.Compile(b.catalog, &trace.Config{Regions: []trace.RegionEntry{{
		Match: trace.Match{Name: "MPI_Barrier"}, RegionLayer: trace.RegionLayer{Rate: trace.RateLayer{Every: trace.Number{Value: 3, Set: true}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for upstream, want := range map[bool]int{false: 4 * 6, true: 4 * 2} {
		o := b.options(p)
		o.Audit, o.Upstream = false, upstream
		dir, _ := b.run(o, "6")
		if got := count(b.read(dir))["MPI_Barrier_begin"]; got != want {
			t.Errorf("as an installed PInsight %v: %d barriers, want %d", upstream, got, want)
		}
	}
}

// The time in MPI adds up. Each call has one begin and one end, none is nested, and the time between them matches what the
// program measured around the call. The rest of a run is the time outside of MPI.
func TestTimeInMPI(t *testing.T) {
	need.Slow(t)
	for _, mpi := range []string{"openmpi", "mpich"} {
		t.Run(mpi, func(t *testing.T) {
			b := newTestBed(t, mpi)
			b.compile("sums.c", need.Program(t, "mpicc."+mpi, "--version"))
			events := trace.Events{}
			for name := range b.mpiEvents() {
				events[name] = trace.Toggle{On: true}
			}
			p, err := trace.Compile(b.catalog, &trace.Config{Domains: map[string]trace.DomainLayer{"MPI": {Events: events}}})
			if err != nil {
				t.Fatal(err)
			}
			o := b.options(p)
			o.Audit = false
			folder := t.TempDir()
			dir, _ := b.run(o, folder)
			r, err := ctf.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			ranks := 0
			for _, stream := range b.read(dir) {
				took, rank := callTimes(t, stream, float64(r.Clock.Frequency))
				if len(took) == 0 {
					continue // the stream of a launcher
				}
				ranks++
				text, err := os.ReadFile(filepath.Join(folder, strconv.FormatUint(rank, 10)))
				if err != nil {
					t.Fatal(err)
				}
				measured := strings.Fields(string(text))
				if len(took) != len(measured) {
					t.Fatalf("rank %d has %d calls in the trace, and made %d; want %v", rank, len(took), len(measured), len(measured))
				}
				inside, around := 0.0, 0.0
				for i, text := range measured {
					seconds, err := strconv.ParseFloat(text, 64)
					if err != nil {
						t.Fatal(err)
					}
					inside, around = inside+took[i], around+seconds
					// The clocks differ, and one may only have a resolution of microseconds.
					if took[i] > 1.01*seconds+3e-6 {
						t.Errorf("call %d of rank %d took %.9f s in the trace, and %s s around it; want at most %v", i, rank, took[i], text, 1.01*seconds+3e-6)
					}
				}
				if inside < around/10 { // on a busy machine a rank may be paused between the two clocks
					t.Errorf("rank %d was in MPI for %.6f s of the %.6f s that it measured around the calls, want at least %v", rank, inside, around, around/10)
				}
			}
			if ranks != 4 {
				t.Errorf("%d ranks are in the trace, want 4", ranks)
			}
		})
	}
}

// callTimes returns the seconds of each call of MPI between the first and the last one.
func callTimes(t *testing.T, stream []ctf.Occurrence, frequency float64) (took []float64, rank uint64) {
	t.Helper()
	open, begun, last := "", uint64(0), uint64(0)
	for _, o := range stream {
		name := agent.Records[o.Event].Name
		call, begins := strings.CutSuffix(name, "_begin")
		if !begins {
			var ends bool
			if call, ends = strings.CutSuffix(name, "_end"); !ends {
				continue
			}
		}
		if agent.Records[o.Event].Family != agent.MPI {
			continue
		}
		switch {
		case o.Time < last:
			t.Errorf("%s is before what came earlier", name)
		case begins && open != "":
			t.Errorf("%s is within %s; want nothing", name, open)
		case !begins && open != call:
			t.Errorf("%s without its begin", name)
		}
		last = o.Time
		if begins {
			open, begun = call, o.Time
			continue
		}
		if open = ""; call != "MPI_Init" && call != "MPI_Finalize" {
			took, rank = append(took, float64(o.Time-begun)/frequency), o.Context[2].Number
		}
	}
	return took, rank
}

// ownSchema is the schema of all traces, made once.
var ownSchema = sync.OnceValue(Schema)

// fieldsOf returns the fields of an event by name.
func fieldsOf(o *ctf.Occurrence) map[string]ctf.Value {
	fields := map[string]ctf.Value{}
	for i, f := range ownSchema().Events[o.Event].Fields {
		fields[f.Name] = o.Fields[i]
	}
	return fields
}

// The trace has every MPI function by name, received messages with their details, requests
// from begin to end, and the members of new communicators.
func TestOtherCalls(t *testing.T) {
	for _, mpi := range []string{"openmpi", "mpich"} {
		t.Run(mpi, func(t *testing.T) {
			b := newTestBed(t, mpi)
			compiler := need.Program(t, "mpicc."+mpi, "--version")
			b.compile("other.c", compiler)
			p, err := trace.Compile(b.catalog, &trace.Config{Domains: map[string]trace.DomainLayer{"MPI": {Events: trace.Events{"MPI_Comm_split": {On: true}}}}})
			if err != nil {
				t.Fatal(err)
			}
			o := b.options(p)
			o.Audit = false
			dir, _ := b.run(o)
			others, received := map[string]int{}, map[string]int{}
			members := map[string]bool{}
			for _, stream := range b.read(dir) {
				open, waiting := map[uint64]int{}, uint64(0)
				for _, o := range stream {
					f := fieldsOf(&o)
					said := fmt.Sprintf("%d of %d, %d bytes", int64(f["tag"].Number), int64(f["source"].Number), f["bytes"].Number)
					switch name := agent.Records[o.Event].Name; name {
					case "MPI_other_end":
						others[f["function"].Text]++
					case "MPI_Recv_end", "MPI_Probe_end":
						received[name+" "+said]++
					case "MPI_Irecv_end", "MPI_request":
						open[f["request"].Number]++
					case "MPI_Wait_begin":
						waiting = f["request"].Number
					case "MPI_Wait_end":
						open[waiting]--
						received[name+" "+said]++
					case "MPI_completion":
						open[f["request"].Number]--
						received[name+" "+said]++
					case "MPI_members":
						members[fmt.Sprintf("%d of %d from %d on: world rank %d, %d of them, by %d", o.Context[2].Number, f["size"].Number,
							f["rank"].Number, f["world_rank"].Number, f["count"].Number, int64(f["stride"].Number))] = true
					}
				}
				for request, n := range open {
					if n != 0 {
						t.Errorf("the request %#x was begun %d times more than completed", request, n)
					}
				}
			}
			for name, want := range map[string]int{
				"MPI_Initialized": 4, "MPI_Pcontrol": 4, "MPI_Comm_get_name": 4, "MPI_Cart_create": 4, "MPI_Ibarrier": 4, "MPI_Get_count": 1, "MPI_Comm_free": 8, "MPI_Finalized": 4,
			} {
				if others[name] != want {
					t.Errorf("%s is in the trace %d times, want %d", name, others[name], want)
				}
			}
			for _, want := range []string{
				"MPI_Recv_end 40 of 0, 12 bytes", "MPI_Probe_end 41 of 0, 11 bytes", "MPI_Recv_end 41 of 0, 11 bytes", "MPI_Wait_end 42 of 0, 10 bytes",
				"MPI_completion 43 of 0, 9 bytes", "MPI_completion 44 of 0, 8 bytes", "MPI_completion 45 of 0, 7 bytes",
			} {
				if received[want] != 1 {
					t.Errorf("%s: %d times in %v", want, received[want], received)
				}
			}
			for _, want := range []string{
				"3 of 2 from 0 on: world rank 3, 2 of them, by -2", "0 of 2 from 0 on: world rank 2, 2 of them, by -2", "2 of 4 from 0 on: world rank 0, 4 of them, by 1",
			} {
				if !members[want] {
					t.Errorf("%s: is not in %v", want, members)
				}
			}
		})
	}
}
