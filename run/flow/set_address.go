package flow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
)

// A target is a key of a process that gets a new value.
type target struct {
	proc *proc
	key  string
}

// clusterAround is the outermost cluster that a process is in, or "".
func (p *Plan) clusterAround(process string) string {
	for i := range len(process) {
		if process[i] == '/' && p.clusters[process[:i]] != nil {
			return process[:i]
		}
	}
	return ""
}

// address finds the keys that a setting is for, and checks its value.
func (r *Run) address(setting, value string) ([]target, error) {
	process, key, ok := strings.Cut(setting, ":")
	if !ok || key == "" {
		return nil, fmt.Errorf("`%s` names no setting: expected PROCESS:KEY", setting)
	}
	if cluster := r.plan.clusterAround(process); cluster != "" {
		return nil, fmt.Errorf("process `%s` is inside cluster `%s`: set the keys of the cluster", process, cluster)
	}
	return r.addressKey(process, key, value)
}

// addressKey finds the keys behind a key of a process or of a cluster.
func (r *Run) addressKey(name, key, value string) ([]target, error) {
	if open := r.plan.clusters[name]; open != nil {
		return r.addressInside(open, key, value)
	}
	i := slices.IndexFunc(r.procs, func(p *proc) bool { return p.node.Name == name })
	if i < 0 {
		return nil, r.noProcess(name)
	}
	p := r.procs[i]
	if err := tunes(&p.node.Node, p.node.Type, r.config(p)[key], key, value); err != nil {
		return nil, err
	}
	return []target{{p, key}}, nil
}

// noProcess says that there is no process of a name.
func (r *Run) noProcess(name string) error {
	var names []string
	for n := range r.plan.clusters {
		names = append(names, n)
	}
	for _, p := range r.procs {
		names = append(names, p.node.Name)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return r.plan.clusterAround(n) != "" })
	slices.Sort(names)
	p := &problem.Problem{Kind: UnknownProcess, Subject: problem.Subject{Name: name}, Message: fmt.Sprintf("there is no process `%s`", name)}
	suggest(p, name, names, "there are")
	return p
}

// addressInside leads the value of a cluster's key to the processes inside.
func (r *Run) addressInside(open *openCluster, key, value string) ([]target, error) {
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
		found, err := r.addressKey(open.Name+"/"+ref.Process, ref.Key, value)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// follows is the key of the cluster that a key inside takes its value from.
func (c *Cluster) follows(inner KeyRef) string {
	for _, key := range slices.Sorted(maps.Keys(c.Keys)) {
		if slices.Contains(c.Keys[key], inner) {
			return key
		}
	}
	return ""
}

// tunes checks one new value against the old one and the type.
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
		suggest(p, key, keyNames(t), "it has")
		return p
	case !decl.Tunable:
		return fmt.Errorf("key `%s` of %s `%s` cannot change while it runs: it is not tunable", key, what, n.Name)
	}
	if expected := decl.reject(key, value); expected != "" {
		return fmt.Errorf("`%s` does not fit key `%s` of %s `%s`: expected %s", value, key, what, n.Name, expected)
	}
	return nil
}

// A Tunable is a key that Set can change, with its value now.
type Tunable struct {
	Setting string // as Set takes it
	Value   string
	Kind    Kind
}

// Tunable lists the keys of a node of the plan that can change while it runs.
// A process inside a cluster has none: they change through the cluster.
func (r *Run) Tunable(node int) (list []Tunable) {
	p := r.procs[node]
	if r.plan.clusterAround(p.node.Name) != "" {
		return nil
	}
	config := r.config(p)
	var names []string
	for _, k := range p.node.Type.Keys {
		if k.Name != "" && k.Kind != Any && k.Kind != Algo {
			names = append(names, k.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(config)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if decl, known := p.node.Type.KeyFor(name); known && decl.Tunable && !config[name].ReadOnly {
			list = append(list, Tunable{p.node.Name + ":" + name, Values{config, p.node.Type}.Value(name), decl.Kind})
		}
	}
	return list
}
