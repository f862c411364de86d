package forecast

import (
	"strings"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// The domains that are simulated.
const (
	openMP = "OpenMP"
	mpi    = "MPI"
	user   = "User"
	cuda   = "CUDA"
)

// role is what an event means for the decision about it and others.
type role int

const (
	ignored     role = iota
	foreign          // of a domain whose regions a record does not name as a configuration does
	always           // recorded whatever the configuration says: when MPI begins and ends
	aside            // the calls that led to the next event
	scopeBegin       // of a parallel region
	scopeEnd         //
	scoped           // an event in a parallel region
	innerBegin       // of worksharing, which has an address of its own
	innerEnd         //
	callBegin        // of MPI
	callEnd          //
	ofCall           // more about the call that goes on
	regionBegin      // that the program marks itself
	regionEnd        //
	mark             //
)

// kind is a kind of event and where its members are.
type kind struct {
	role   role
	domain trace.DomainID
	event  trace.EventID
	older  []trace.EventID // other names of it

	region int // the member with the region: an address or a name
	number int // with the execution of the region; -1: none
	inner  int // with the address of worksharing
	team   int // in the context
	thread int
	rank   int
}

// records are the records of agents by the names that events have.
var records = func() map[string]*agent.Record {
	m := map[string]*agent.Record{}
	for i := range agent.Records {
		r := &agent.Records[i]
		m[r.Family.Provider()+":"+r.Name] = r
	}
	return m
}()

// newKind finds out what an event of a trace is.
func newKind(c *trace.Catalog, of *ctf.Kind) *kind {
	k := &kind{region: -1, number: -1, inner: -1, team: -1, thread: -1, rank: -1}
	r := records[of.Name]
	if r == nil {
		return k
	}
	for i, m := range of.Context {
		switch m.Name {
		case "omp_team_num":
			k.team = i
		case "omp_thread_num":
			k.thread = i
		case "mpirank":
			k.rank = i
		}
	}
	switch r.Name {
	case "clock":
		k.role, k.number = always, of.Member("end")
		return k
	case "backtrace":
		k.role, k.number = aside, of.Member("frame_codeptr")
		return k
	}
	k.role = roleOf(r)
	domain := r.Family.Domain()
	if strings.HasPrefix(r.Event, "CUDA_") {
		domain = "CUDA"
	}
	d, known := c.Domain(domain)
	event, has := c.Event(d, r.Event)
	if domain == "" || !known || !has && k.role != ofCall {
		k.role = ignored
		return k
	}
	k.domain, k.event = d, event
	switch domain {
	case openMP:
		k.region, k.number = of.Member("parallel_codeptr"), of.Member("parallel_record_id")
		k.inner = max(of.Member("work_begin_codeptr"), of.Member("masked_begin_codeptr"))
		if older, ok := strings.CutSuffix(r.Event, "_emi"); ok {
			if e, has := c.Event(d, older); has {
				k.older = append(k.older, e)
			}
		}
	case mpi:
		k.region = of.Member("mpi_codeptr")
	case user:
		k.region, k.number = of.Member("name"), of.Member("execution")
	default:
		k.role = foreign
	}
	if k.region < 0 && k.role != foreign || (domain == openMP || domain == user) && k.number < 0 {
		k.role = ignored // of a tracer that has other members
	}
	return k
}

// roleOf is the role of an agent's record.
func roleOf(r *agent.Record) role {
	switch r.Family {
	case agent.OpenMP:
		switch r.Name {
		case "parallel_begin":
			return scopeBegin
		case "parallel_end":
			return scopeEnd
		case "work_begin", "masked_begin":
			return innerBegin
		case "work_end", "masked_end":
			return innerEnd
		}
		return scoped
	case agent.MPI:
		switch {
		case r.Event == "":
			return ofCall
		case strings.HasSuffix(r.Name, "_begin"):
			return callBegin
		}
		return callEnd
	case agent.User:
		switch r.Name {
		case "region_begin":
			return regionBegin
		case "region_end":
			return regionEnd
		case "mark":
			return mark
		}
	case agent.CUDA, agent.Device, agent.Python:
		return foreign
	}
	return ignored
}
