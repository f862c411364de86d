package launch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/core/source"
)

// maxCopies limits the copies of one program.
const maxCopies = 10_000

// Copies says how many copies of a program are started, and where. The zero value means one copy on the declared host.
type Copies struct {
	Copies  int
	Hosts   []string // used in turn, or PerHost copies on each
	PerHost int
	Cores   Share // processor cores
	GPUs    Share // devices of CUDA
}

// Share is the part of its host's resources that each copy gets: either Count items, dealt out from the first one on, or one of the sets in turn.
type Share struct {
	Count int
	Sets  []string
}

// of returns the share of the copy with this index on its host; empty: all of them.
func (s Share) of(index int) string {
	switch {
	case len(s.Sets) > 0:
		return s.Sets[index%len(s.Sets)]
	case s.Count > 0:
		var list []string
		for i := range s.Count {
			list = append(list, strconv.Itoa(index*s.Count+i))
		}
		return strings.Join(list, ",")
	}
	return ""
}

// copyKeys returns the settings for copies.
func copyKeys() []Key {
	share := func(name string, to func(*Settings) *Share, check func(string) error) func(*Settings, string, Value) error {
		return func(s *Settings, _ string, v Value) error {
			if !v.IsList {
				n, err := number(v.Text, name, maxCopies)
				to(s).Count = n
				return err
			}
			for _, set := range v.List {
				if err := check(set); err != nil {
					return err
				}
			}
			to(s).Sets = v.List
			return nil
		}
	}
	count := func(name string, to func(*Settings) *int) func(*Settings, string, Value) error {
		return text(func(s *Settings, text string) (err error) { *to(s), err = number(text, name, maxCopies); return err })
	}
	return []Key{
		{
			Name: "copies", Takes: "a number up to 10000", Doc: "how many copies of it are started: `NAME.0`, `NAME.1` and so on, with the variables `PENTODE_COPY` and `PENTODE_COPIES`; `NAME` means all of them",
			set: count("number of copies", func(s *Settings) *int { return &s.Copies.Copies }),
		},
		{
			Name: "cores", Takes: "a number, or a list such as `[\"0-3\", \"4-7\"]` or `[\"numa:0\", \"numa:1\"]`", Doc: "the processor cores of each copy, dealt out on each host; `numa:N` also binds the memory",
			set: share("number of cores", func(s *Settings) *Share { return &s.Copies.Cores }, checkCores),
		},
		{
			Name: "gpus", Takes: "a number, or a list such as `[\"0,1\", \"2,3\"]`", Doc: "the devices of each copy, dealt out on each host in `CUDA_VISIBLE_DEVICES`",
			set: share("number of devices", func(s *Settings) *Share { return &s.GPUs }, checkDevices),
		},
		{
			Name: "hosts", Takes: "a list of hosts", Doc: "where the copies run, in turn, instead of the declared host; without `copies`, one on each",
			set: func(s *Settings, _ string, v Value) error {
				s.Hosts = v.List
				if !v.IsList {
					s.Hosts = []string{v.Text}
				}
				if len(s.Hosts) == 0 || slices.ContainsFunc(s.Hosts, func(h string) bool { return h == "" || h[0] == '-' || strings.ContainsRune(h, 0) }) {
					return fmt.Errorf("this is not a list of hosts: expected something like [\"node1\", \"node2\"]")
				}
				return nil
			},
		},
		{
			Name: "per-host", Takes: "a number", Doc: "how many copies run on each of `hosts`, one host after the other",
			set: count("number of copies", func(s *Settings) *int { return &s.PerHost }),
		},
	}
}

func number(text, what string, largest int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > largest {
		return 0, fmt.Errorf("`%s` is not a %s: expected a number from 1 to %d", text, what, largest)
	}
	return n, nil
}

// checkCores returns an error if set is not a valid set of cores.
func checkCores(set string) error {
	list, numa := strings.CutPrefix(set, "numa:")
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		a, err := strconv.ParseUint(first, 10, 16)
		b, err2 := a, error(nil)
		if isRange {
			b, err2 = strconv.ParseUint(last, 10, 16)
		}
		if err != nil || err2 != nil || b < a {
			return fmt.Errorf("`%s` is not a set of cores: expected something like `0-3,8`, or `numa:0`", set)
		}
		if numa && isRange {
			return fmt.Errorf("`%s` is not a NUMA node: expected something like `numa:0`", set)
		}
	}
	return nil
}

// checkDevices returns an error if set is not a valid set of devices. Devices may have names.
func checkDevices(set string) error {
	if set == "" || strings.ContainsRune(set, 0) {
		return fmt.Errorf("an empty text is not a set of devices: expected something like `0,1`")
	}
	return nil
}

// pinned returns the words that go before a program to keep it on its cores.
func pinned(cores string) []string {
	if node, ok := strings.CutPrefix(cores, "numa:"); ok {
		return []string{"numactl", "--cpunodebind=" + node, "--membind=" + node, "--"}
	}
	return []string{"taskset", "-c", cores}
}

// copyAll replaces each node that has copies by its copies.
func (b *planner) copyAll(all []Settings) {
	wanted := map[*Node]*Settings{}
	var called map[string][]*Node
	for i := range all {
		if s := &all[i]; s.Copies.Copies > 0 || len(s.Hosts) > 0 || s.PerHost > 0 {
			if called == nil {
				called = b.called()
			}
			for _, n := range called[s.Program] {
				wanted[n] = s
			}
		}
	}
	if len(wanted) == 0 {
		return
	}
	before, copies := b.plan.Nodes, map[string][]Edge{}
	b.plan.Nodes = []*Node{}
	for _, n := range before {
		s := wanted[n]
		if s == nil {
			b.plan.Nodes = append(b.plan.Nodes, n)
		} else if count, ok := b.count(s); ok {
			copies[n.ID] = b.copies(n, s, count)
		}
	}
	edges := 0
	for _, n := range b.plan.Nodes {
		var after []Edge
		for _, e := range n.After {
			if same, ok := copies[e.ID]; ok {
				after = append(after, same...)
			} else {
				after = append(after, e)
			}
		}
		if edges += len(after); edges > maxEdges {
			b.report(problem.Error, TooManyEdges, source.Span{}, n.ID, "so many copies wait for each other that the plan would have more than %d pairs", maxEdges)
			return
		}
		n.After = append([]Edge{}, after...)
	}
}

// count returns the number of copies; false if they do not fit on their hosts.
func (b *planner) count(s *Settings) (int, bool) {
	c := &s.Copies
	room := len(c.Hosts) * c.PerHost
	switch {
	case c.PerHost > 0 && len(c.Hosts) == 0:
		b.report(problem.Error, CopiesPlace, s.span("per-host"), s.Program, "`%s` has `per-host`, but no hosts", s.Program).Expected = "name them with `hosts`"
		return 0, false
	case room > 0 && c.Copies > room:
		b.report(problem.Error, CopiesPlace, s.span("copies"), s.Program, "%d copies of `%s` do not fit on %d hosts with %d on each", c.Copies, s.Program, len(c.Hosts), c.PerHost).
			Expected = fmt.Sprintf("there is room for %d", room)
		return 0, false
	}
	count := cmp.Or(c.Copies, room, len(c.Hosts))
	if count > maxCopies || len(b.tunables) > 0 && len(b.plan.Nodes)+count > maxVariables/len(b.tunables) {
		b.report(problem.Error, CopiesPlace, s.Given[0].Span, s.Program, "a plan cannot have %d copies of `%s`", count, s.Program)
		return 0, false
	}
	return count, true
}

// copies adds the copies of a node and returns the edges to them.
func (b *planner) copies(n *Node, s *Settings, count int) []Edge {
	onHost := map[string]int{}
	edges := make([]Edge, count)
	delete(b.ids, n.ID)
	for i := range count {
		host := n.Host
		switch hosts := s.Hosts; {
		case s.PerHost > 0:
			host = b.hostName(hosts[i/s.PerHost])
		case len(hosts) > 0:
			host = b.hostName(hosts[i%len(hosts)])
		}
		id := fmt.Sprintf("%s.%d", n.ID, i)
		if b.ids[id] {
			b.report(problem.Error, CopyClash, s.Given[0].Span, n.ID, "a copy of `%s` and another program are both called `%s`", n.ID, id).Expected = "give the other one another name"
		}
		c := b.node(n.Kind, id, n.Name, host, n.flavor, n.declared, n.Span)
		c.Base, c.After, c.Ready, c.Restart, c.OnRequest = n.ID, n.After, n.Ready, n.Restart, n.OnRequest
		c.Env = append(c.Env, n.Env[n.common:]...)
		c.Env = append(c.Env, Var{"PENTODE_COPY", strconv.Itoa(i)}, Var{"PENTODE_COPIES", strconv.Itoa(count)})
		c.share = onHost[c.Address]
		onHost[c.Address]++
		edges[i] = Edge{ID: c.ID}
	}
	return edges
}

// rank numbers the processes in the order of the plan.
func (b *planner) rank() {
	var processes []*Node
	for _, n := range b.plan.Nodes {
		if n.Kind == KindProcess {
			processes = append(processes, n)
		}
	}
	size := strconv.Itoa(len(processes))
	for i, n := range processes {
		n.Env = append(n.Env, Var{"PENTODE_RANK", strconv.Itoa(i)}, Var{"PENTODE_SIZE", size})
	}
}
