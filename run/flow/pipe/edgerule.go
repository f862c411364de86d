package pipe

import (
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// EdgeOptions configure one edge. Options that are nil are decided by the rules of the graph.
type EdgeOptions struct {
	Capacity *int  // number of data that the edge may hold before its producer waits; 0: unlimited
	Blocking *bool // if false, data that do not fit into the edge are dropped
	Compress *bool // whether data sent to another site are compressed
}

func (o EdgeOptions) over(base EdgeOptions) EdgeOptions {
	if o.Capacity == nil {
		o.Capacity = base.Capacity
	}
	if o.Blocking == nil {
		o.Blocking = base.Blocking
	}
	if o.Compress == nil {
		o.Compress = base.Compress
	}
	return o
}

// Capacity returns EdgeOptions that set only the capacity.
func Capacity(n int) EdgeOptions { return EdgeOptions{Capacity: &n} }

// EdgeRules configure many edges. For each edge, the rules apply in this order, and later ones
// win: the default, the rule for the type of the consumer's port, the rule for the producer's
// port, the rule for the consumer's port.
type EdgeRules struct {
	Default EdgeOptions
	ByType  map[string]EdgeRule
	Up      map[PortRef]EdgeRule // by output port
	Down    map[PortRef]EdgeRule // by input port
}

// An EdgeRule is a set of options and the place in the file where they are written.
type EdgeRule struct {
	EdgeOptions
	Span source.Span
}

// Set adds a rule from a pipeline file. key has one of these forms, without the prefix
// `_pipeline:` of the file:
//
//	_edge:capacity
//	_edge_by_type:<type>:capacity
//	_edge_by_conn:<process>:up:<port>:capacity
//	_edge_by_conn:<process>:down:<port>:capacity
//
// The word `capacity` may also be `blocking` or `compress`. Set returns a problem if the key or
// the value is wrong, or nil.
func (r *EdgeRules) Set(key, value string, at source.Span) *problem.Problem {
	bad := func(kind problem.Kind, severity problem.Severity, message, expected string) *problem.Problem {
		return &problem.Problem{
			Kind: kind, Severity: severity, Span: at, Message: message, Expected: expected,
			Subject: problem.Subject{Key: "_pipeline:" + key},
		}
	}
	part := strings.Split(key, ":")
	last := part[len(part)-1]
	var opt EdgeOptions
	switch last {
	case "capacity":
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 0 || n > MaxCapacity {
			return bad(BadValue, problem.Error, "edge capacity `"+value+"` is not a number of data", "write a whole number; 0 means unlimited")
		}
		opt.Capacity = &n
	case "blocking", "compress":
		b, ok := parseBool(value)
		if !ok {
			return bad(BadValue, problem.Error, "`"+value+"` is neither true nor false", "write true or false")
		}
		if last == "blocking" {
			opt.Blocking = &b
		} else {
			opt.Compress = &b
		}
	default:
		if part[0] == "_edge_by_conn" && len(part) == 4 {
			return bad(UnknownKey, problem.Warning, "`_pipeline:"+key+"` names an edge, but not the setting", "write _pipeline:"+key+":capacity")
		}
		return bad(UnknownKey, problem.Warning, "`"+last+"` is not a setting of an edge", "edges have capacity, blocking and compress")
	}
	path := part[1 : len(part)-1]
	switch {
	case part[0] == "_edge" && len(path) == 0:
		r.Default = opt.over(r.Default)
	case part[0] == "_edge_by_type" && len(path) > 0:
		put(&r.ByType, strings.Join(path, ":"), opt, at)
	case part[0] == "_edge_by_conn" && len(path) == 3 && path[1] == "up":
		put(&r.Up, PortRef{path[0], path[2]}, opt, at)
	case part[0] == "_edge_by_conn" && len(path) == 3 && path[1] == "down":
		put(&r.Down, PortRef{path[0], path[2]}, opt, at)
	default:
		return bad(NoSuchEdge, problem.Warning, "`_pipeline:"+key+"` names no edge",
			"write _edge:…, _edge_by_type:<type>:… or _edge_by_conn:<process>:up|down:<port>:…")
	}
	return nil
}

const MaxCapacity = 1 << 30

func put[K comparable](m *map[K]EdgeRule, k K, opt EdgeOptions, at source.Span) {
	if *m == nil {
		*m = map[K]EdgeRule{}
	}
	(*m)[k] = EdgeRule{opt.over((*m)[k].EdgeOptions), at}
}
