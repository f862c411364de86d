package pipe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// A Change is a new value for a key of one process. One requested setting may cause several
// changes.
type Change struct {
	Setting string `json:"setting"` // the setting as requested, `process:key`
	Process string `json:"process"` // the process that changes: the named one, or one inside a cluster
	Key     string `json:"key"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Refused string `json:"refused,omitempty"` // why the process refuses the value; empty if it does not
	Pending bool   `json:"pending,omitempty"` // the process has the value, but its program has not taken it yet
}

// A RefusedError is the reason why settings were not changed.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return e.Err.Error() }
func (e *RefusedError) Unwrap() error { return e.Err }

// Address finds the keys of processes that the settings `process:key` change, and checks the new
// values. config returns the current configuration of a process. Settings that cannot change are
// included, with the reason in Refused. The error is the first refusal.
func (p *Plan) Address(settings map[string]string, config func(process string) Config) ([]Change, error) {
	a := addressing{p, config}
	var changes []Change
	var first error
	for _, setting := range slices.Sorted(maps.Keys(settings)) {
		value := settings[setting]
		targets, err := a.setting(setting, value)
		if err != nil {
			first = cmp.Or(first, err)
			changes = append(changes, Change{Setting: setting, New: value, Refused: err.Error()})
			continue
		}
		for _, t := range targets {
			old := Values{config(t.node.Name), t.node.Type}.Value(t.key)
			changes = append(changes, Change{Setting: setting, Process: t.node.Name, Key: t.key, Old: old, New: value})
		}
	}
	if first != nil {
		return changes, &RefusedError{first}
	}
	return changes, nil
}

// addressing finds keys in a plan. config returns the current configuration of a process.
type addressing struct {
	plan   *Plan
	config func(process string) Config
}

// A target is a key of a process that a setting changes.
type target struct {
	node *PlanNode
	key  string
}

// clusterAround returns the outermost cluster that contains a process, or "".
func (p *Plan) clusterAround(process string) string {
	for i := range len(process) {
		if process[i] == '/' && p.clusters[process[:i]] != nil {
			return process[:i]
		}
	}
	return ""
}

// setting finds the keys that a setting `process:key` changes, and checks its value.
func (a addressing) setting(setting, value string) ([]target, error) {
	process, key, ok := strings.Cut(setting, ":")
	if !ok || key == "" {
		return nil, fmt.Errorf("`%s` names no setting: expected PROCESS:KEY", setting)
	}
	if cluster := a.plan.clusterAround(process); cluster != "" {
		return nil, fmt.Errorf("process `%s` is inside cluster `%s`: set the keys of the cluster", process, cluster)
	}
	return a.key(process, key, value)
}

// key finds the keys that change if a key of a process or cluster gets a new value.
func (a addressing) key(name, key, value string) ([]target, error) {
	if open := a.plan.clusters[name]; open != nil {
		return a.inside(open, key, value)
	}
	i := slices.IndexFunc(a.plan.Nodes, func(n PlanNode) bool { return n.Name == name })
	if i < 0 {
		return nil, a.plan.UnknownProcess(name)
	}
	n := &a.plan.Nodes[i]
	if err := tunes(&n.Node, n.Type, a.config(name)[key], key, value); err != nil {
		return nil, err
	}
	return []target{{n, key}}, nil
}

// UnknownProcess returns the error that there is no process with this name.
func (p *Plan) UnknownProcess(name string) error {
	var names []string
	for n := range p.clusters {
		names = append(names, n)
	}
	for i := range p.Nodes {
		names = append(names, p.Nodes[i].Name)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return p.clusterAround(n) != "" })
	slices.Sort(names)
	unknown := &problem.Problem{Kind: UnknownProcess, Subject: problem.Subject{Name: name}, Message: fmt.Sprintf("there is no process `%s`", name)}
	Suggest(unknown, name, names, "there are")
	return unknown
}

// inside finds the keys of inner processes that get their values from a key of a cluster.
func (a addressing) inside(open *openCluster, key, value string) ([]target, error) {
	cluster := open.typ.Cluster
	refs := cluster.Keys[key]
	if inner, rest, _ := strings.Cut(key, ":"); open.typ.innerKey(key) {
		if by := cluster.follows(KeyRef{inner, rest}); by != "" {
			return nil, fmt.Errorf("key `%s` of cluster `%s` follows its key `%s` and cannot be set", key, open.Name, by)
		}
		refs = []KeyRef{{inner, rest}}
	} else if err := tunes(&open.Node, open.typ, open.Config[key], key, value); err != nil {
		return nil, err
	}
	if len(refs) == 0 {
		return nil, fmt.Errorf("nothing inside cluster `%s` follows its key `%s`", open.Name, key)
	}
	var all []target
	for _, ref := range refs {
		found, err := a.key(open.Name+"/"+ref.Process, ref.Key, value)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// follows returns the cluster's key from which the key of an inner process gets its value, or "".
func (c *Cluster) follows(inner KeyRef) string {
	for _, key := range slices.Sorted(maps.Keys(c.Keys)) {
		if slices.Contains(c.Keys[key], inner) {
			return key
		}
	}
	return ""
}

// tunes returns an error if a key cannot change to the new value.
func tunes(n *Node, t *Type, old Setting, key, value string) error {
	what := "process"
	if t.Cluster != nil {
		what = "cluster"
	}
	decl, known := t.KeyFor(key)
	switch {
	case old.ReadOnly:
		return fmt.Errorf("key `%s` of %s `%s` is read-only", key, what, n.Name)
	case !known:
		p := &problem.Problem{
			Kind: UnknownKey, Subject: problem.Subject{Name: n.Name, Key: key},
			Message: fmt.Sprintf("%s type `%s` has no key `%s`", what, t.Name, key),
		}
		Suggest(p, key, keyNames(t), "it has")
		return p
	case !decl.Tunable:
		return fmt.Errorf("key `%s` of %s `%s` cannot change while it runs: it is not tunable", key, what, n.Name)
	}
	if expected := decl.reject(key, value); expected != "" {
		return fmt.Errorf("`%s` does not fit key `%s` of %s `%s`: expected %s", value, key, what, n.Name, expected)
	}
	return nil
}

// A Tunable is a key that Set can change, and its current value.
type Tunable struct {
	Setting string `json:"setting"` // name of the setting for Set: `process:key`
	Value   string `json:"value"`
	Kind    Kind   `json:"kind,omitempty"`
	Pending bool   `json:"pending,omitempty"` // the program of the process has not taken the current value yet
}

// Tunable lists the keys of a process that can change during a run. config returns the current
// configuration of a process.
func (p *Plan) Tunable(process string, config func(process string) Config) (list []Tunable) {
	i := slices.IndexFunc(p.Nodes, func(n PlanNode) bool { return n.Name == process })
	if i < 0 || p.clusterAround(process) != "" {
		return nil
	}
	typ, now := p.Nodes[i].Type, config(process)
	var names []string
	for _, k := range typ.Keys {
		if k.Name != "" && k.Kind != Any && k.Kind != Algo {
			names = append(names, k.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if decl, known := typ.KeyFor(name); known && decl.Tunable && !now[name].ReadOnly {
			list = append(list, Tunable{Setting: process + ":" + name, Value: Values{now, typ}.Value(name), Kind: decl.Kind})
		}
	}
	return list
}
