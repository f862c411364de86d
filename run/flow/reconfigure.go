package flow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
)

// A change is new values for the keys of one process.
type change struct {
	config Config
	result chan error
}

// A mailbox holds changes until the process is between two steps.
type mailbox struct {
	mu     sync.Mutex
	list   []change
	closed bool
}

func (m *mailbox) put(c change) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.list = append(m.list, c)
	return true
}

func (m *mailbox) take() []change {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.list
	m.list = nil
	return list
}

func (m *mailbox) close() {
	m.mu.Lock()
	m.closed = true
	list := m.list
	m.list = nil
	m.mu.Unlock()
	for _, c := range list {
		c.result <- ErrEnded
	}
}

// Reconfigure gives tunable keys of a process new values while it runs. They
// take effect together, between two steps. It returns the error
// of the process, if any; a process that is paused in the middle of a step gets them
// after Resume. A process that refuses keeps its old values and runs on.
//
// A cluster hands what its tunable keys get to the keys inside that follow
// them, and `inner:key` to the process inside; each of its processes takes its
// part by itself.
func (r *Run) Reconfigure(process string, values map[string]string) error {
	if cluster := r.plan.clusterAround(process); cluster != "" {
		return fmt.Errorf("process `%s` is inside cluster `%s`: reconfigure the cluster", process, cluster)
	}
	var list []letter
	if err := r.address(process, values, &list); err != nil {
		return err
	}
	for i := range list {
		if !list[i].to.mail.put(list[i].change) {
			return ErrEnded
		}
		list[i].to.ctl.Or(askReconfigure)
		r.poke(list[i].to)
	}
	var err error
	for i := range list {
		err = cmp.Or(err, r.answer(&list[i]))
	}
	return err
}

// A letter is a change on its way to a process.
type letter struct {
	to *proc
	change
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

// address finds the processes that new values are for, and checks the values.
func (r *Run) address(name string, values map[string]string, list *[]letter) error {
	if open := r.plan.clusters[name]; open != nil {
		return r.addressInside(open, values, list)
	}
	i := slices.IndexFunc(r.procs, func(p *proc) bool { return p.node.Name == name })
	if i < 0 {
		var names []string
		for _, n := range append(slices.Collect(maps.Keys(r.plan.clusters)), r.names()...) {
			if r.plan.clusterAround(n) == "" {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		p := &problem.Problem{Kind: UnknownProcess, Subject: problem.Subject{Name: name}, Message: fmt.Sprintf("there is no process `%s`", name)}
		suggest(p, name, names, "there are")
		return p
	}
	p := r.procs[i]
	config := Config{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		p.mail.mu.Lock()
		old := p.node.Config[key]
		p.mail.mu.Unlock()
		if err := tunes(&p.node.Node, p.node.Type, old, key, values[key]); err != nil {
			return err
		}
		old.Value = values[key]
		config[key] = old
	}
	if at := slices.IndexFunc(*list, func(l letter) bool { return l.to == p }); at >= 0 {
		maps.Copy((*list)[at].config, config)
		return nil
	}
	*list = append(*list, letter{p, change{config, make(chan error, 1)}})
	return nil
}

// addressInside leads the values of a cluster's keys to the processes inside.
func (r *Run) addressInside(open *openCluster, values map[string]string, list *[]letter) error {
	cluster := open.typ.Cluster
	for _, key := range slices.Sorted(maps.Keys(values)) {
		targets := cluster.Keys[key]
		if inner, rest, _ := strings.Cut(key, ":"); open.typ.innerKey(key) {
			if by := cluster.follows(KeyRef{inner, rest}); by != "" {
				return fmt.Errorf("key `%s` of cluster `%s` follows its key `%s` and cannot be set", key, open.Name, by)
			}
			targets = []KeyRef{{inner, rest}}
		} else if err := tunes(&open.Node, open.typ, open.Config[key], key, values[key]); err != nil {
			return err
		}
		if len(targets) == 0 {
			return fmt.Errorf("nothing inside cluster `%s` follows its key `%s`", open.Name, key)
		}
		for _, target := range targets {
			if err := r.address(open.Name+"/"+target.Process, map[string]string{target.Key: values[key]}, list); err != nil {
				return err
			}
		}
	}
	return nil
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

func (r *Run) names() []string {
	names := make([]string, len(r.procs))
	for i, p := range r.procs {
		names[i] = p.node.Name
	}
	return names
}

// answer waits for the result of a change, but not for one that a
// pause keeps in the middle of a step.
func (r *Run) answer(l *letter) error {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-l.result:
			return err
		case <-look.C:
			r.mu.Lock()
			paused := r.paused
			r.mu.Unlock()
			if paused && l.to.parkedIn.Load() {
				return nil
			}
		}
	}
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

// reconfigure applies the changes in the mailbox; it runs in the process itself.
func (p *proc) reconfigure() {
	for _, c := range p.mail.take() {
		before := p.node.Config
		after := maps.Clone(before)
		if after == nil {
			after = Config{}
		}
		maps.Copy(after, c.config)
		p.configure(after)
		var err error
		if rc, ok := p.impl.(Reconfigurer); ok {
			err = guarded(func() error { return rc.Reconfigure(&Setup{p}) })
		}
		if err != nil {
			p.configure(before)
		}
		c.result <- err
	}
}

// configure changes the configuration. Only the process itself does that, so
// it may read without the lock.
func (p *proc) configure(c Config) {
	p.mail.mu.Lock()
	p.node.Config = c
	p.mail.mu.Unlock()
}

func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it panicked: %v", v)
		}
	}()
	return f()
}
