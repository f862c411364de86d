package agent

import (
	"fmt"
	"slices"
	"strings"
)

// A Family is a group of records that begin with the same fields.
type Family int

const (
	Internal Family = iota // for the collector and `trace merge`
	OpenMP
	MPI
	User
	Audit
	CUDA
	Device // what a GPU did, on the clock of the GPU
	Python
)

// Provider returns the first half of the family's event names, as in PInsight's own tracepoints.
func (f Family) Provider() string {
	return [...]string{"pentode", "ompt_pinsight_lttng_ust", "pmpi_pinsight_lttng_ust", "pentode", "pentode", "cupti_pinsight_lttng_ust", "cupti_pinsight_lttng_ust", "pysysmon_pinsight_lttng_ust"}[f]
}

// Domain returns the family's domain in the catalogue; empty if it belongs to none.
func (f Family) Domain() string {
	return [...]string{"", "OpenMP", "MPI", "User", "", "CUDA", "CUDA", "Python"}[f]
}

// Type is the type of a field in a trace. In a ring every field is one word.
type Type int

const (
	U16 Type = iota
	U32
	I32
	U64
	Hex   // 64 bits, shown in base 16
	Text  // a name; the ring has only its hash
	Site  // a place that the collector finds with the stack in the previous record
	Hexes // a list of Hex; only in a trace
)

// Field is one field of a record.
type Field struct {
	Name string
	Type Type
}

// Record is one kind of record. Its number is its index in Records.
type Record struct {
	Family Family
	Name   string
	Event  string // its event in the catalogue
	Fields []Field
}

// Records are all kinds of records. The agent's enum and the trace's event declarations are generated from this table.
var Records = table()

// The numbers of the records that the collector handles specially.
var (
	NameRecord  = number("name")
	ClockRecord = number("clock")
	AuditRecord = number("audit")
	StackRecord = number("stack")
	// Reports about a thread before a gap (a short time without recording), in the gap, and in the
	// time that the gap is compared with.
	GapBeginRecord, GapEndRecord, GapBesideRecord = number("gap_begin"), number("gap_end"), number("gap_beside")
	QueueRecord                                   = number("cudaKernelEnqueue")
	// The file and line of the Python function with a hash.
	FunctionRecord = number("function")
	// In a ring, the backtrace follows the payload of its event.
	BacktraceRecord = number("backtrace")
)

func number(name string) int {
	for i, r := range Records {
		if r.Name == name {
			return i
		}
	}
	panic("the table of records has no " + name)
}

func table() []Record {
	list := []Record{
		{Name: "filler"}, // all zeros: the rest of the ring is unused
		{Name: "name"},
		{Name: "clock", Fields: fields("u64 end")},
		{Name: "stack"}, // layout.SiteFrames addresses of a stack, for the next record
		{Name: "function", Fields: fields("text filename, u32 lineno")},
		{Name: "backtrace", Fields: fields("u32 frame_codeptr_length, hexes frame_codeptr")}, // the innermost call first
		// A stretch is a short measuring interval. At its end a thread reports the number of the
		// stretch, how many executions began in it, and, if it can be compared, the processor time.
		{Name: "gap_begin", Fields: fields("u32 number, u64 executions, u64 thread_ns")},
		{Name: "gap_end", Fields: fields("u32 number, u64 executions, u64 thread_ns")},
		{Name: "gap_beside", Fields: fields("u32 number, u64 executions, u64 thread_ns")},
		{Family: Audit, Name: "audit", Fields: fields("hex what, hex execution, u64 epoch")},
		{Family: User, Name: "region_begin", Event: "user_region"},
		{Family: User, Name: "region_end", Event: "user_region"},
		{Family: User, Name: "mark", Event: "user_mark"},
		{Family: User, Name: "range_started", Event: "CUDA_nvtx_range_push", Fields: fields("u64 range")}, // it may end on another thread
		{Family: User, Name: "range_ended", Event: "CUDA_nvtx_range_pop", Fields: fields("u64 range")},
	}
	omp := func(event, declared string, names ...string) {
		for _, name := range names {
			list = append(list, Record{OpenMP, name, event, fields(declared)})
		}
	}
	omp("omp_thread_begin", "u16 thread_type", "thread_begin")
	omp("omp_thread_end", "u16 thread_type", "thread_end")
	omp("omp_parallel_begin", "u32 team_size, i32 flag, hex parent_task_frame", "parallel_begin")
	omp("omp_parallel_end", "i32 flag", "parallel_end")
	omp("omp_implicit_task", "u32 team_size, u64 task_id", "implicit_task_begin", "implicit_task_end")
	omp("omp_work", "u16 wstype, hex work_begin_codeptr, hex work_end_codeptr, u32 record_id, u32 count", "work_begin", "work_end")
	omp("omp_masked", "hex masked_begin_codeptr, hex masked_end_codeptr, u32 record_id", "masked_begin", "masked_end")
	// The agent adds 1 to the number of a begin record to get its end record.
	omp("omp_sync_region", "u16 kind, hex sync_codeptr", "barrier_explicit_sync_begin", "barrier_explicit_sync_end", "barrier_implicit_sync_begin", "barrier_implicit_sync_end", "task_sync_begin", "task_sync_end")
	omp("omp_sync_region_wait", "u16 kind, hex sync_codeptr", "barrier_explicit_sync_wait_begin", "barrier_explicit_sync_wait_end", "barrier_implicit_sync_wait_begin", "barrier_implicit_sync_wait_end", "task_sync_wait_begin", "task_sync_wait_end")
	omp("omp_sync_region", "u16 useless", "parallel_join_sync_begin", "parallel_join_sync_end")
	omp("omp_sync_region_wait", "u16 useless", "parallel_join_sync_wait_begin", "parallel_join_sync_wait_end")
	omp("omp_reduction", "u16 kind, hex sync_codeptr", "reduction_begin", "reduction_end")
	omp("omp_task_create", "i32 flag, i32 has_dependences, hex task_codeptr, u64 task_id, u64 parent_task_id", "task_create")
	omp("omp_task_schedule", "u16 prior_task_status, u64 prior_task_id, u64 next_task_id", "task_schedule")
	omp("omp_dependences", "i32 ndeps, u64 task_id", "dependences")
	omp("omp_task_dependence", "u16 useless, u64 source_task_id, u64 sink_task_id", "task_dependence")
	for _, name := range []string{"lock_init", "lock_destroy", "mutex_acquire", "mutex_acquired", "mutex_released"} {
		omp("omp_"+name, "u16 kind, hex wait_id, hex mutex_codeptr", name)
	}
	omp("omp_nest_lock", "u16 kind, hex wait_id, hex mutex_codeptr", "nest_lock_begin", "nest_lock_end")
	omp("omp_flush", "hex flush_codeptr", "flush")
	omp("omp_cancel", "i32 flag, hex cancel_codeptr", "cancel")
	omp("omp_control_tool", "u64 command, u64 modifier, hex tool_codeptr", "control_tool")
	omp("omp_dispatch", "u16 kind, hex instance", "dispatch")
	omp("omp_error", "i32 severity, hex error_codeptr", "error")
	omp("omp_target_emi", "u16 kind, i32 device, u64 task_id, u64 target_id, hex target_codeptr", "target_begin", "target_end")
	omp("omp_target_data_op_emi", "u64 target_id, u16 kind, hex source, i32 source_device, hex dest, i32 dest_device, u64 bytes, hex data_op_codeptr", "target_data_op_begin", "target_data_op_end")
	omp("omp_target_submit_emi", "u64 target_id, u32 teams", "target_submit_begin", "target_submit_end")
	omp("omp_target_map_emi", "u64 target_id, u32 items, u64 bytes, hex map_codeptr", "target_map")
	omp("omp_device_initialize", "i32 device, text type", "device_initialize")
	omp("omp_device_finalize", "i32 device", "device_finalize")
	omp("omp_device_load", "i32 device, u64 module, u64 bytes", "device_load")
	omp("omp_device_unload", "i32 device, u64 module", "device_unload")
	for _, c := range calls {
		list = append(list,
			Record{MPI, c.name + "_begin", c.event, c.fields(c.begin)},
			Record{MPI, c.name + "_end", c.event, c.fields(c.end)})
	}
	list = append(list,
		Record{MPI, otherEvent + "_begin", otherEvent, fields("text function")},
		Record{MPI, otherEvent + "_end", otherEvent, fields("text function, i32 return_value")},
		// Details of the current call: a request that it began or completed, a communicator that it made.
		Record{MPI, "MPI_request", "", fields("hex request")},
		Record{MPI, "MPI_completion", "", fields("hex request, i32 source, i32 tag, u64 bytes")},
		Record{MPI, "MPI_members", "", fields("i32 comm, u32 size, u32 rank, u32 world_rank, u32 count, i32 stride")})
	return slices.Concat(list, cudaRecords(), pythonRecords())
}

// fields reads a list such as `u32 count, hex buf`.
func fields(declared string) []Field {
	var list []Field
	for part := range strings.SplitSeq(declared, ", ") {
		kind, name, ok := strings.Cut(part, " ")
		t, known := map[string]Type{"u16": U16, "u32": U32, "i32": I32, "u64": U64, "hex": Hex, "text": Text, "site": Site, "hexes": Hexes}[kind]
		if !ok || !known {
			panic("a field is TYPE NAME, not " + part)
		}
		list = append(list, Field{name, t})
	}
	return list
}

// recordsHeader returns the table as a C header for the agent.
func recordsHeader() string {
	var b strings.Builder
	b.WriteString("enum {\n")
	for i, r := range Records {
		fmt.Fprintf(&b, "\tR_%s = %d,\n", r.Name, i)
	}
	b.WriteString("};\n")
	return b.String()
}
