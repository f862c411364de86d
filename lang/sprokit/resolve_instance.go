package sprokit

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Limits for expanding clusters.
const (
	maxInstances  = 10_000
	maxStatements = 2_000_000
	maxNested     = 90 // the limit of the engine is 100
)

// instances expands every process whose type is a cluster file. It resolves the cluster once for each such process, with the settings that its
// user made. chain has the enclosing clusters.
func (r *resolver) instances(chain []string) {
	if r.set == nil {
		r.set = newClusterSet(r)
	}
	for i := range r.m.Processes {
		p := &r.m.Processes[i]
		if _, known := r.o.registry.Lookup(p.Type); known || r.set.unbounded {
			continue
		}
		if def := r.set.find(p); def != nil {
			r.warnTwice(p, def)
			r.instance(p, def, chain)
		}
	}
	if r.set.registry != nil {
		r.m.Registry = r.set.registry
	}
	r.m.clusters = r.set
	r.m.unbounded = r.set.unbounded
}

func newClusterSet(r *resolver) *clusterSet {
	return &clusterSet{o: r.o, env: r.env, once: r.once, define: r.define, files: map[string]string{}, scanned: map[string]bool{}, defs: map[string]*definition{}, misses: map[string]*miss{}}
}

func (r *resolver) define(f *source.File) *definition {
	tree := syntax.Parse(f)
	sub := newResolver(r.o, r.env)
	sub.run(tree)
	if sub.m.Cluster == nil {
		return nil
	}
	sub.m.mapKeys()
	return &definition{tree: tree, model: sub.m}
}

func (r *resolver) instance(p *Process, def *definition, chain []string) {
	if slices.Contains(chain, p.Type) || r.m.Cluster != nil && r.m.Cluster.Name == p.Type {
		r.set.unbounded = true
		r.report(clusterCycle, p.unit, p.Span(), "cluster `%s` contains itself", p.Type)
		return
	}
	r.set.instances++
	r.set.statements += len(def.tree.Stmts)
	if len(chain) >= maxNested {
		r.set.unbounded = true
		r.report(clusterLimit, p.unit, p.Span(), "clusters are nested deeper than %d", maxNested)
		return
	}
	if r.set.instances > maxInstances || r.set.statements > maxStatements {
		r.set.unbounded = true
		r.report(clusterLimit, p.unit, p.Span(), "the clusters expand to more than %d instances or %d statements", maxInstances, maxStatements)
		return
	}
	sub := newResolver(r.o, r.env)
	sub.set = r.set
	inner := map[string]bool{}
	for i := range def.model.Processes {
		inner[def.model.Processes[i].Name] = true
	}
	for key, s := range r.m.of(p.Name) {
		root, _, nested := strings.Cut(key, ":")
		if !nested || !inner[root] {
			key = p.Type + ":" + key
		}
		sub.overrides = append(sub.overrides, override{key: key, raw: s.Value, from: s, flags: s.flags & (readOnly | tunable)})
	}
	sub.run(def.tree)
	sub.m.mapKeys()
	sub.instances(append(chain[:len(chain):len(chain)], p.Type))
	p.Inside = sub.m
	for _, d := range append(slices.Clone(def.tree.Problems()), sub.m.problems...) {
		if d.Severity == diag.Error || d.Code == undefinedMacro {
			r.once(d)
		}
	}
}

// warnTwice warns if a second file declares the cluster that a process uses.
func (r *resolver) warnTwice(p *Process, def *definition) {
	first := def.tree.File().Path()
	for _, dir := range r.set.folders(p) {
		r.set.scan(dir)
		for _, other := range append(slices.Clip(r.set.order), r.set.open(filepath.Join(dir, p.Type+".cluster"), "")) {
			if other == nil || other.model.Cluster.Name != p.Type {
				continue
			}
			path := other.tree.File().Path()
			if r.real(path) != r.real(first) && filepath.Dir(path) == filepath.Clean(dir) {
				d := diag.New(clusterAmbiguous, p.unit.tree.Span(p.stmt.Value), "both `%s` and `%s` declare the cluster `%s`; this is the first", first, path, p.Type)
				r.once(d.Helped("remove one of them, or give one another name"))
				return
			}
		}
	}
}

// Library returns all process types that a pipeline in the working directory can use: the types in the options, and the clusters in the searched
// folders.
func Library(env *load.Env, o Options) *pipe.Registry {
	r := resolver{o: newOptions(o), env: env}
	set := newClusterSet(&r)
	dirs := append(pathList(env, "SPROKIT_CLUSTER_PATH"), o.ClusterPath...)
	for _, dir := range append(dirs, ".") {
		set.scan(dir)
	}
	all := r.o.registry.Clone()
	for _, def := range set.order {
		if _, known := all.Lookup(def.model.Cluster.Name); !known {
			_ = all.Add(def.model.clusterType()) // cannot fail, because its ports have no flags
		}
	}
	return all
}
