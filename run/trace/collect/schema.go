package collect

import (
	"slices"

	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// Schema returns the declarations of the traces that this package writes.
func Schema() *ctf.Trace { return &ctf.Trace{Context: contextFields, Events: events()} }

// contextFields are at the start of every event and say where it happened.
var contextFields = []ctf.Field{
	{Name: "hostname", Type: ctf.Text}, {Name: "pid", Type: ctf.U32}, {Name: "mpirank", Type: ctf.U32},
	{Name: "global_thread_num", Type: ctf.U32}, {Name: "omp_team_num", Type: ctf.U32}, {Name: "omp_thread_num", Type: ctf.U32},
}

var auditFields = []ctf.Field{
	{Name: "step", Type: ctf.U16}, {Name: "domain", Type: ctf.U16}, {Name: "event", Type: ctf.U16}, {Name: "decision", Type: ctf.U16},
	{Name: "chosen", Type: ctf.U16}, {Name: "mode", Type: ctf.U16}, {Name: "region", Type: ctf.Hex}, {Name: "count", Type: ctf.U32},
	{Name: "execution", Type: ctf.Hex}, {Name: "policy", Type: ctf.U64},
}

// functionFields identify the function at the start of every Python event.
var functionFields = []ctf.Field{
	{Name: "qualname", Type: ctf.Text}, {Name: "filename", Type: ctf.Text}, {Name: "lineno", Type: ctf.U32}, {Name: "code_id", Type: ctf.Hex}, {Name: "execution", Type: ctf.U32},
}

// eventName returns the name of a record in traces.
func eventName(r *agent.Record) string { return r.Family.Provider() + ":" + r.Name }

// events declares the agent's records as events of a trace.
func events() []ctf.Event {
	list := make([]ctf.Event, len(agent.Records))
	for i, r := range agent.Records {
		e := ctf.Event{Name: eventName(&r), Aside: i == agent.BacktraceRecord}
		switch r.Family {
		case agent.OpenMP:
			e.Fields = []ctf.Field{{Name: "parallel_codeptr", Type: ctf.Hex}, {Name: "parallel_record_id", Type: ctf.U32}}
		case agent.MPI:
			e.Fields = []ctf.Field{{Name: "mpi_codeptr", Type: ctf.Hex}}
		case agent.CUDA:
			e.Fields = []ctf.Field{{Name: "kernel_func", Type: ctf.Text}, {Name: "execution", Type: ctf.U32}}
		case agent.Python:
			e.Fields = slices.Clone(functionFields)
		case agent.User:
			e.Fields = []ctf.Field{{Name: "name", Type: ctf.Text}, {Name: "execution", Type: ctf.U32}}
		case agent.Audit:
			e.Fields = auditFields
			list[i] = e
			continue
		}
		for _, f := range r.Fields {
			e.Fields = append(e.Fields, ctf.Field{Name: f.Name, Type: fieldType[f.Type]})
		}
		list[i] = e
	}
	return list
}

var fieldType = map[agent.Type]ctf.Type{
	agent.U16: ctf.U16, agent.U32: ctf.U32, agent.I32: ctf.I32, agent.U64: ctf.U64, agent.Hex: ctf.Hex, agent.Text: ctf.Text, agent.Site: ctf.Hex, agent.Hexes: ctf.Hexes,
}
