package sprokit

import (
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// names are those of all types, with their ports and keys.
func names(r *pipe.Registry) []string {
	var list []string
	for t := range r.All() {
		list = append(list, t.Name)
		list = append(list, pipe.PortNames(t.In)...)
		list = append(list, pipe.PortNames(t.Out)...)
		for _, k := range t.Keys {
			list = append(list, k.Name)
		}
	}
	return list
}

// Library is all process types that a pipeline in the working directory can
// use: those of the options, and the clusters that are found.
func Library(env *load.Env, o Options) *pipe.Registry {
	r := resolver{o: newOptions(o), env: env}
	set := newClusterSet(&r)
	dirs := append(r.pathList("SPROKIT_CLUSTER_PATH"), o.ClusterPath...)
	for _, dir := range append(dirs, ".") {
		set.scan(dir)
	}
	all := r.o.registry.Clone()
	for _, def := range set.order {
		if _, known := all.Lookup(def.model.Cluster.Name); !known {
			_ = all.Add(def.model.clusterType()) // its ports have no flags, so it cannot fail
		}
	}
	return all
}
