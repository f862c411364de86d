package recorded

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// processors is the text of a trace with a stream per processor, as LTTng writes it: the
// thread is in the context of each event.
const processors = `/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = true; } := int;
typealias integer { size = 64; align = 8; map = clock.c.value; } := stamp;
trace { byte_order = le; };
env { hostname = "far"; };
clock { name = c; freq = 1000000000; };
stream {
	event.header := struct { int id; stamp timestamp; };
	event.context := struct { int _vpid; int _vtid; int _mpirank; };
};
`

// foreign writes a trace. Each event has its stream, its name, its time, its thread, the
// rank, and the members, which are all numbers of 32 bits.
func foreign(t *testing.T, declared map[string]string, order []string, events ...[]any) *Trace {
	t.Helper()
	dir := t.TempDir()
	text := processors
	for i, name := range order {
		text += fmt.Sprintf("event { id = %d; name = %q; fields := struct { %s }; };\n", i, name, declared[name])
	}
	streams := map[string][]byte{}
	for _, e := range events {
		stream, name := e[0].(string), e[1].(string)
		b := streams[stream]
		id := -1
		for i, n := range order {
			if n == name {
				id = i
			}
		}
		if id < 0 {
			t.Fatalf("%s is not declared", name)
		}
		put := func(n int) { b = binary.LittleEndian.AppendUint32(b, uint32(n)) }
		put(id)
		b = binary.LittleEndian.AppendUint64(b, uint64(e[2].(int)))
		put(50 + e[4].(int)) // a process for each rank
		for _, v := range e[3:] {
			put(v.(int))
		}
		streams[stream] = b
	}
	streams["metadata"] = []byte(text)
	for name, b := range streams {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	trace, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// log returns a handler that records everything.
func log(got *[]string) Handler {
	add := func(format string, args ...any) error {
		*got = append(*got, fmt.Sprintf(format, args...))
		return nil
	}
	return Handler{
		Enter: func(e *Event, f *Frame) error { return add("%d enters %s at %d", e.Thread.TID, f.Name, f.Begin) },
		Leave: func(th *Thread, f *Frame, end int64, whole bool, _ *Event) error {
			return add("%d leaves %s at %d, %d inside, %v", th.TID, f.Name, end, f.Inside, whole)
		},
		Instant: func(e *Event) error { return add("%d meets %s", e.Thread.TID, e.Kind.Call) },
		Message: func(_ *Event, m Message) error {
			return add("%v %d to %d, tag %d, %d bytes", map[bool]string{true: "sent", false: "came"}[m.Sent], m.From, m.To, m.Tag, m.Bytes)
		},
	}
}

// A thread that moves between processors is one thread, with its events in order.
func TestProcessorStreams(t *testing.T) {
	declared := map[string]string{"p:work_begin": "int n;", "p:work_end": "int n;", "p:in_entry": "", "p:in_exit": "", "syscall_entry_read": "", "syscall_exit_read": "", "p:note": ""}
	order := []string{"p:work_begin", "p:work_end", "p:in_entry", "p:in_exit", "syscall_entry_read", "syscall_exit_read", "p:note"}
	for _, unordered := range []bool{false, true} {
		trace := foreign(t, declared, order,
			[]any{"cpu0", "p:work_begin", 10, 7, 0, 1},
			[]any{"cpu1", "p:in_entry", 12, 7, 0},
			[]any{"cpu0", "p:work_begin", 13, 8, 0, 1},
			[]any{"cpu1", "syscall_entry_read", 14, 7, 0},
			[]any{"cpu1", "syscall_exit_read", 15, 7, 0},
			[]any{"cpu0", "p:in_exit", 16, 7, 0},
			[]any{"cpu0", "p:note", 17, 7, 0},
			[]any{"cpu1", "p:work_end", 20, 7, 0, 1},
			[]any{"cpu1", "p:work_end", 21, 7, 0, 1},
		)
		var got []string
		h := log(&got)
		h.Unordered = unordered
		if err := trace.Walk(h); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"7 enters work at 10", "7 enters in at 12", "8 enters work at 13", "7 enters read at 14", "7 leaves read at 15, 0 inside, true", "7 leaves in at 16, 1 inside, true",
			"7 meets note", "7 leaves work at 20, 4 inside, true", "7 meets work", "8 leaves work at 21, 0 inside, false",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("unordered %v (-want +got):\n%s", unordered, diff)
		}
		if th := trace.Threads[0]; trace.Start != 10 || th.Host != "far" || th.PID != 50 || th.Rank != -1 || th.Name() != "thread 7" || th.Process.Name() != "process 50" {
			t.Errorf("the trace began at %d; %+v, %s of %s; want it from 10 on, thread 7 of process 50 on far, without a rank", trace.Start, th, th.Name(), th.Process.Name())
		}
	}
}

// Messages have ranks of MPI_COMM_WORLD, whatever communicator they were sent on; if that
// is unknown, they have no receiver.
func TestMessages(t *testing.T) {
	declared := map[string]string{
		"MPI_members":    "int comm; int size; int rank; int world_rank; int count; int stride;",
		"MPI_Send_begin": "int dest; int tag; int bytes; int comm;", "MPI_Send_end": "",
		"MPI_Recv_begin": "int source; int tag; int comm;", "MPI_Recv_end": "int source; int tag; int bytes;",
		"MPI_Irecv_begin": "int source; int comm;", "MPI_Irecv_end": "int request;",
		"MPI_Test_begin": "int request;", "MPI_Test_end": "int flag; int source; int tag; int bytes;",
		"MPI_Sendrecv_begin": "int dest; int sendtag; int source; int bytes; int comm;", "MPI_Sendrecv_end": "int source; int tag; int bytes;",
		"MPI_completion": "int request; int source; int tag; int bytes;",
	}
	order := []string{"MPI_members", "MPI_Send_begin", "MPI_Send_end", "MPI_Recv_begin", "MPI_Recv_end", "MPI_Irecv_begin", "MPI_Irecv_end", "MPI_Test_begin", "MPI_Test_end", "MPI_Sendrecv_begin", "MPI_Sendrecv_end", "MPI_completion"}
	now := 0
	event := func(name string, members ...any) []any {
		now++
		return append([]any{"cpu0", name, now, 7, 2}, members...)
	}
	trace := foreign(t, declared, order,
		event("MPI_Send_begin", 3, 40, 8, 0), event("MPI_Send_end"), // MPI_COMM_WORLD of Open MPI
		event("MPI_Send_begin", 3, 41, 8, 0x44000000), event("MPI_Send_end"), // MPI_COMM_WORLD of MPICH
		event("MPI_Send_begin", 0, 42, 8, 1), event("MPI_Send_end"), // MPI_COMM_SELF
		event("MPI_Send_begin", 0, 43, 8, 77), event("MPI_Send_end"), // a communicator whose creation is not in the trace
		event("MPI_Send_begin", -1, 44, 8, 0), event("MPI_Send_end"), // to no rank
		event("MPI_members", 5, 3, 0, 6, 2, -2), event("MPI_members", 5, 3, 2, 9, 1, 1),
		event("MPI_Send_begin", 1, 45, 8, 5), event("MPI_Send_end"),
		event("MPI_Recv_begin", -2, 46, 5), event("MPI_Recv_end", 2, 46, 12),
		event("MPI_Sendrecv_begin", 0, 47, 2, 5, 5), event("MPI_Sendrecv_end", 2, 48, 6),
		event("MPI_Irecv_begin", -2, 5), event("MPI_Irecv_end", 900),
		event("MPI_Irecv_begin", -2, 0), event("MPI_Irecv_end", 901),
		event("MPI_Test_begin", 900), event("MPI_Test_end", 0, -1, -1, 0),
		event("MPI_Test_begin", 900), event("MPI_Test_end", 1, 0, 49, 7),
		event("MPI_completion", 901, 4, 50, 3),
		event("MPI_completion", 901, 4, 50, 3),                                             // was not begun
		event("MPI_members", 6, 1<<30, 0, 0, 1, 1), event("MPI_members", 6, 2, 1, 0, 2, 1), // nonsense
		event("MPI_Send_begin", 0, 51, 8, 6), event("MPI_Send_end"),
	)
	var got []string
	if err := trace.Walk(log(&got)); err != nil {
		t.Fatal(err)
	}
	var messages []string
	for _, line := range got {
		if strings.HasPrefix(line, "sent") || strings.HasPrefix(line, "came") {
			messages = append(messages, line)
		}
	}
	want := []string{
		"sent 2 to 3, tag 40, 8 bytes", "sent 2 to 3, tag 41, 8 bytes", "sent 2 to 2, tag 42, 8 bytes", "sent 2 to -1, tag 43, 8 bytes",
		"sent 2 to 4, tag 45, 8 bytes", "came 9 to 2, tag 46, 12 bytes", "sent 2 to 6, tag 47, 5 bytes", "came 9 to 2, tag 48, 6 bytes",
		"came 6 to 2, tag 49, 7 bytes", "came 4 to 2, tag 50, 3 bytes", "sent 2 to -1, tag 51, 8 bytes",
	}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A path without a trace gives an error with its name, and so does a damaged stream.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "there is no file `metadata` in it or below") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "there is no such folder") {
		t.Error(err)
	}
	for name, text := range map[string]string{"metadata": processors + "event { };", "cpu0": "short"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "the stream `cpu0` is damaged: at byte 0 an event goes beyond the end of its packet") {
		t.Error(err)
	}
}

// A trace can be among other files, which are not read.
func TestOpenIn(t *testing.T) {
	from := foreign(t, map[string]string{"p:work_begin": "int n; integer { size = 64; align = 8; base = 16; } _codeptr;", "p:work_end": "int n;"}, []string{"p:work_begin", "p:work_end"})
	files := fstest.MapFS{"results/regions.json": {Data: []byte(`{"version":1,"program":"bin/heat","regions":[]}`)}, "results/ctf/cpu0": {}, "other/metadata": {Data: []byte("no")}}
	text, err := os.ReadFile(filepath.Join(from.parts[0].Dir, "metadata"))
	if err != nil {
		t.Fatal(err)
	}
	files["results/ctf/metadata"] = &fstest.MapFile{Data: text}
	for _, name := range []string{"results", "results/ctf"} {
		trace, err := OpenIn(files, name)
		if err != nil || len(trace.parts) != 1 || trace.Program() != "heat" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{".": "`other/metadata`", "none": "`none` contains no trace: there is no such folder"} {
		if _, err := OpenIn(files, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
