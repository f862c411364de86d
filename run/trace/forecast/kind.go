package forecast

import (
	"strings"

	"github.com/pentode-dev/pentode/run/trace"
	"github.com/pentode-dev/pentode/run/trace/agent"
	"github.com/pentode-dev/pentode/run/trace/ctf"
)

// The simulated domains.
const (
	openMP = "OpenMP"
	mpi    = "MPI"
	user   = "User"
	cuda   = "CUDA"
)

// role is the significance of an event for decisions about it and about other events.
type role int

const (
	ignored     role = iota
	foreign          // in a domain whose regions have different names in a record and in a configuration
	always           // recorded under every configuration: when MPI begins and ends
	aside            // the calls that led to the next event
	scopeBegin       // the begin of a parallel region
	scopeEnd         //
	scoped           // an event in a parallel region
	innerBegin       // the begin of worksharing that has an address of its own
	innerEnd         //
	callBegin        // the begin of an MPI call
	callEnd          //
	ofCall           // a detail of the current MPI call
	regionBegin      // the begin of a region that the program marks itself
	regionEnd        //
	mark             //
)

// kind is a kind of event, with the indexes of its members.
type kind struct {
	role   role
	domain trace.DomainID
	event  trace.EventID
	older  []trace.EventID // other names of the event

	region int // the member with the region: an address or a name
	number int // the member with the number of the execution; -1: none
	inner  int // the member with the address of worksharing
	team   int // in the context
	thread int
	rank   int
}

// records maps the names of events to the agents' records.
var records = func() map[string]*agent.Record {
	m := map[string]*agent.Record{}
	for i := range agent.Records {
		r := &agent.Records[i]
		m[r.Family.Provider()+":"+r.Name] = r
	}
	return m
}()

// newKind determines what an event of a trace is.
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
		k.role = ignored // from a tracer with other members
	}
	return k
}

// roleOf returns the role of an agent's record.
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
