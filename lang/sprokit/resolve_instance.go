package sprokit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// Limits of what clusters may be unfolded to.
const (
	maxInstances  = 10_000
	maxStatements = 2_000_000
	maxNested     = 90 // the engine ends at 100
)

// clusterSet finds cluster files and keeps what was found.
type clusterSet struct {
	r        *resolver
	files    map[string]string      // type to path, of a folder: `folder\x00type`
	scanned  map[string]bool        // folders
	defs     map[string]*definition // by path; nil where the file is no cluster
	order    []*definition          // as they were scanned
	registry *pipe.Registry         // nil until a cluster is used

	misses map[string]*miss // types without a cluster, though a file has their name

	instances, statements int
	unbounded             bool // a limit was hit, or a cluster contains itself
}

func newClusterSet(r *resolver) *clusterSet {
	return &clusterSet{r: r, files: map[string]string{}, scanned: map[string]bool{}, defs: map[string]*definition{}, misses: map[string]*miss{}}
}

// miss is why the file that has a type's name does not declare it.
type miss struct {
	note     string // what the file has instead
	reported bool   // the file has a finding of its own
}

// names are the clusters that lie where one was looked for.
func (c *clusterSet) names() []string {
	var list []string
	for _, def := range c.order {
		list = append(list, def.model.Cluster.Name)
	}
	return list
}

// definition is a cluster file.
type definition struct {
	tree  *syntax.Tree
	model *Model // with the defaults of its keys
}

// instances opens every process whose type is a cluster file. Each is
// resolved by itself, with what its user gave it. chain are the clusters around.
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
			r.twin(p, def)
			r.instance(p, def, chain)
		}
	}
	if r.set.registry != nil {
		r.m.Registry = r.set.registry
	}
	r.m.clusters = r.set
	r.m.unbounded = r.set.unbounded
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
		r.report(clusterLimit, p.unit, p.Span(), "the clusters unfold to more than %d instances or %d statements", maxInstances, maxStatements)
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

// mapKeys marks the read-only settings that stand for a key of the cluster,
// written `$CONFIG{cluster:key}` or just `cluster:key`.
func (m *Model) mapKeys() {
	name := m.Cluster.Name + ":"
	for i := range m.Processes {
		for _, s := range m.of(m.Processes[i].Name) {
			if !s.is(readOnly) || s.is(overridden) {
				continue
			}
			if s.count == 1 && m.reads[s.first].provider == fromConfig && int(m.reads[s.first].len) == len(s.Raw) &&
				strings.HasPrefix(m.reads[s.first].name, name) && m.dialect == 0 {
				s.flags |= mapped
			} else if from, ok := m.Lookup(s.Value); ok && strings.HasPrefix(s.Value, name) {
				s.flags |= mapped
				s.Value = from.Value
			}
		}
	}
}

// source is the key of the cluster that a mapped setting stands for.
func (m *Model) source(s *Setting) string {
	key := s.Raw
	if s.count == 1 {
		key = m.reads[s.first].name
	}
	return strings.TrimPrefix(key, m.Cluster.Name+":")
}

// twin warns of a second file that declares the cluster which a process uses.
func (r *resolver) twin(p *Process, def *definition) {
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

// folders are where the cluster of a process may lie, in order.
func (c *clusterSet) folders(p *Process) []string {
	dirs := append(c.r.pathList("SPROKIT_CLUSTER_PATH"), c.r.o.ClusterPath...)
	return append(dirs, filepath.Dir(p.unit.frame.File.Path()))
}

// find looks for the cluster file of a process's type.
func (c *clusterSet) find(p *Process) *definition {
	for _, dir := range c.folders(p) {
		own := filepath.Join(dir, p.Type+".cluster")
		if def := c.open(own, p.Type); def != nil {
			return def
		}
		c.scan(dir)
		if path, ok := c.files[dir+"\x00"+p.Type]; ok {
			return c.open(path, p.Type)
		}
		c.missed(own, p.Type)
	}
	return nil
}

// missed notes why a file with the name of a type does not declare it.
func (c *clusterSet) missed(path, name string) {
	if c.misses[name] != nil || c.r.env.Opener == nil {
		return
	}
	f, err := c.r.env.Opener.Open(path)
	if err != nil {
		return
	}
	m := &miss{note: "`" + path + "` declares no cluster"}
	if d := lang.Marked(f); d != nil {
		c.r.once(d)
		m.reported = true
	} else if def := c.defs[path]; def != nil {
		m.note = "`" + path + "` declares the cluster `" + def.model.Cluster.Name + "`"
	}
	c.misses[name] = m
}

// scan notes the clusters of a folder by the names they declare.
func (c *clusterSet) scan(dir string) {
	if c.scanned[dir] {
		return
	}
	c.scanned[dir] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".cluster") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if def := c.open(path, ""); def != nil {
			key := dir + "\x00" + def.model.Cluster.Name
			if _, twice := c.files[key]; !twice {
				c.files[key] = path
			}
			c.order = append(c.order, def)
		}
	}
}

// open reads a cluster file; want is its name, or "" for any.
func (c *clusterSet) open(path, want string) *definition {
	def, known := c.defs[path]
	if !known {
		if c.r.env.Opener != nil {
			if f, err := c.r.env.Opener.Open(path); err == nil && lang.Marked(f) == nil {
				def = c.define(f)
			}
		}
		c.defs[path] = def
	}
	if def == nil || want != "" && def.model.Cluster.Name != want {
		return nil
	}
	if want != "" {
		c.register(def)
	}
	return def
}

func (c *clusterSet) define(f *source.File) *definition {
	tree := syntax.Parse(f)
	sub := newResolver(c.r.o, c.r.env)
	sub.run(tree)
	if sub.m.Cluster == nil {
		return nil
	}
	sub.m.mapKeys()
	return &definition{tree: tree, model: sub.m}
}

// register makes the cluster a process type.
func (c *clusterSet) register(def *definition) {
	if c.registry == nil {
		c.registry = c.r.o.registry.Clone()
	}
	if _, known := c.registry.Lookup(def.model.Cluster.Name); !known {
		_ = c.registry.Add(def.model.clusterType()) // its ports have no flags, so it cannot fail
	}
}

// clusterType is the process type that a cluster file declares.
func (m *Model) clusterType() *pipe.Type {
	c := m.Cluster
	in := &pipe.Cluster{In: map[string][]pipe.PortRef{}, Out: map[string]pipe.PortRef{}, Keys: map[string][]pipe.KeyRef{}}
	t := &pipe.Type{Name: c.Name, Doc: c.Doc, Properties: []string{"_cluster"}, Cluster: in}
	for _, k := range c.Keys {
		key := pipe.Key{Name: k.Name, Kind: pipe.String, Doc: k.Doc, Tunable: k.Tunable}
		if k.setting >= 0 {
			key.Default = m.settings[k.setting].Value
		}
		t.Keys = append(t.Keys, key)
	}
	for _, p := range c.In {
		t.In = append(t.In, pipe.Port{Name: p.Port, Type: pipe.AnyType, Doc: p.Doc})
		for _, ref := range p.Inner {
			in.In[p.Port] = append(in.In[p.Port], pipe.PortRef(ref))
		}
	}
	for _, p := range c.Out {
		t.Out = append(t.Out, pipe.Port{Name: p.Port, Type: pipe.AnyType, Doc: p.Doc})
		in.Out[p.Port] = pipe.PortRef(p.Inner[0])
	}
	for i := range m.Processes {
		p := &m.Processes[i]
		in.Processes = append(in.Processes, pipe.Node{Name: p.Name, Type: p.Type})
		for key, s := range m.of(p.Name) {
			if s.is(mapped) {
				from := m.source(s)
				in.Keys[from] = append(in.Keys[from], pipe.KeyRef{Process: p.Name, Key: key})
			}
		}
	}
	for _, conn := range m.Connections {
		in.Connections = append(in.Connections, pipe.Connection{From: pipe.PortRef(conn.From), To: pipe.PortRef(conn.To)})
	}
	return t
}
