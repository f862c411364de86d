package pipe

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pentode-dev/pentode/core/fingerprint"
)

// Fingerprint returns a fingerprint of a graph that is run by a scheduler with this number of workers.
// The order of processes and connections does not matter, with one exception: the order of connections
// to ports whose names the pipeline chooses, because a process may serve these ports in this order.
func (g *Graph) Fingerprint(r *Registry, scheduler string, workers int) fingerprint.Sum {
	return fingerprint.Of(struct {
		Graph     graphForm
		Edges     EdgeRules
		Scheduler string
		Workers   int
	}{graphOf(r, g.Processes, g.Connections, 0), g.Edges, scheduler, workers})
}

type graphForm struct {
	Processes   map[string][]processForm // by name; a name has several processes only in an invalid graph
	Connections []Connection             `fingerprint:"set"`
}

type processForm struct {
	Type    string
	Cluster *clusterForm // definition of the cluster; nil if the process is not a cluster
	Config  map[string]settingForm
	In, Out []string // connected ports whose names the pipeline chose, in the order of connection
}

type settingForm struct {
	Value             any // value after conversion to the kind of its key
	ReadOnly, Tunable bool
}

type clusterForm struct {
	Graph    graphForm
	In       map[string][]PortRef
	Out      map[string]PortRef
	Keys     map[string][]KeyRef
	Defaults map[string]string // default values by key
}

// maxNested limits the depth of clusters inside clusters. It stops at a cluster that contains itself,
// which is an error of the graph.
const maxNested = 64

func graphOf(r *Registry, processes []Node, connections []Connection, depth int) graphForm {
	form := graphForm{map[string][]processForm{}, connections}
	in, out := map[string][]string{}, map[string][]string{}
	for _, c := range connections {
		out[c.From.Process] = append(out[c.From.Process], c.From.Port)
		in[c.To.Process] = append(in[c.To.Process], c.To.Port)
	}
	for i := range processes {
		n := &processes[i]
		p := processForm{Type: n.Type, Config: make(map[string]settingForm, len(n.Config))}
		t, _ := r.Lookup(n.Type)
		if t != nil && t.Narrow != nil {
			if own := t.Narrow(n); own != nil {
				t = own
			}
		}
		if t == nil || t.Cluster == nil {
			p.In, p.Out = chosen(t, in[n.Name], false), chosen(t, out[n.Name], true)
		} else if depth < maxNested {
			c := t.Cluster
			p.Cluster = &clusterForm{graphOf(r, c.Processes, c.Connections, depth+1), c.In, c.Out, c.Keys, map[string]string{}}
			for j := range t.Keys {
				p.Cluster.Defaults[t.Keys[j].Name] = t.Keys[j].Default
			}
		}
		for key, s := range n.Config {
			p.Config[key] = settingForm{s.form(r.reader(t, key, depth)), s.ReadOnly, s.Tunable}
		}
		form.Processes[n.Name] = append(form.Processes[n.Name], p)
	}
	return form
}

// reader returns the type that reads a key, and the name of the key there. For a key of a cluster,
// this is the type of an inner process.
func (r *Registry) reader(t *Type, key string, depth int) (*Type, string) {
	if t == nil || t.Cluster == nil || depth > maxNested {
		return t, key
	}
	ref := KeyRef{}
	ref.Process, ref.Key, _ = strings.Cut(key, ":")
	if refs := t.Cluster.Keys[key]; len(refs) == 1 {
		ref = refs[0]
	}
	for i := range t.Cluster.Processes {
		if n := &t.Cluster.Processes[i]; n.Name == ref.Process {
			inner, _ := r.Lookup(n.Type)
			return r.reader(inner, ref.Key, depth+1)
		}
	}
	return t, key
}

// chosen returns the connected ports whose names were chosen by the pipeline, each once, in the order
// of connection.
func chosen(t *Type, connected []string, output bool) []string {
	var list []string
	seen := map[string]bool{}
	for _, port := range connected {
		if seen[port] || t != nil && t.names(port, output) {
			continue
		}
		seen[port] = true
		list = append(list, port)
	}
	return list
}

// names reports whether the type declares a port of exactly this name.
func (t *Type) names(port string, output bool) bool {
	ports := t.In
	if output {
		ports = t.Out
	}
	return port == HeartbeatPort || slices.ContainsFunc(ports, func(p Port) bool { return p.Name == port && !p.Pattern() })
}

// form returns the value converted to the kind of its key, so that `1` and `01` count as equal
// numbers. It converts only values for types of this program, because another program may also use the
// spelling of a number.
func (s Setting) form(t *Type, name string) any {
	if s.Symbolic != nil {
		return s.Symbolic
	}
	if t == nil || t.New == nil || t.Origin != "" || t.Version != "" || t.OpenKeys {
		return s.Value
	}
	k, ok := t.KeyFor(name)
	if !ok {
		return s.Value
	}
	text := strings.TrimSpace(s.Value)
	switch k.Kind {
	case Int, Unsigned:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	case Double, Float:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
	case Bool:
		if b, ok := parseBool(text); ok {
			return b
		}
	}
	return s.Value
}
