package sprokit

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// clusterSet finds cluster files and caches them.
type clusterSet struct {
	o        *options
	env      *load.Env
	once     func(*diag.Diagnostic)         // reports a finding, unless it was reported before
	define   func(*source.File) *definition // nil if the file is not a cluster
	files    map[string]string              // paths by folder and type: `folder\x00type`
	scanned  map[string]bool                // folders that were searched
	defs     map[string]*definition         // by path; nil if the file is not a cluster
	order    []*definition                  // in the order in which they were found
	registry *pipe.Registry                 // nil until a cluster is used

	misses map[string]*miss // types without a cluster, although a file has their name

	instances, statements int
	unbounded             bool // a limit was reached, or a cluster contains itself
}

// miss explains why the file with the name of a type does not declare the type.
type miss struct {
	note     string // what the file contains instead
	reported bool   // the file is already reported
}

// names returns the clusters in the folders that were searched.
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
	model *Model // resolved with the defaults of its keys
}

// folders returns the folders in which the cluster of a process is searched, in order.
func (c *clusterSet) folders(p *Process) []string {
	dirs := append(pathList(c.env, "SPROKIT_CLUSTER_PATH"), c.o.ClusterPath...)
	return append(dirs, filepath.Dir(p.unit.frame.File.Path()))
}

// find returns the cluster with the type of a process, or nil.
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

// missed records why a file with the name of a type does not declare it.
func (c *clusterSet) missed(path, name string) {
	if c.misses[name] != nil || c.env.Opener == nil {
		return
	}
	f, err := c.env.Opener.Open(path)
	if err != nil {
		return
	}
	m := &miss{note: "`" + path + "` declares no cluster"}
	if d := lang.Marked(f); d != nil {
		c.once(d)
		m.reported = true
	} else if def := c.defs[path]; def != nil {
		m.note = "`" + path + "` declares the cluster `" + def.model.Cluster.Name + "`"
	}
	c.misses[name] = m
}

// scan searches a folder and records its clusters by the names they declare.
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

// open reads a cluster file. want is the name of the wanted cluster, or "" if any name is allowed.
func (c *clusterSet) open(path, want string) *definition {
	def, known := c.defs[path]
	if !known {
		if c.env.Opener != nil {
			if f, err := c.env.Opener.Open(path); err == nil && lang.Marked(f) == nil {
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

// register makes the cluster a process type.
func (c *clusterSet) register(def *definition) {
	if c.registry == nil {
		c.registry = c.o.registry.Clone()
	}
	if _, known := c.registry.Lookup(def.model.Cluster.Name); !known {
		_ = c.registry.Add(def.model.clusterType()) // cannot fail, because its ports have no flags
	}
}

// mapKeys marks the read-only settings that take their value from a key of the cluster, written `$CONFIG{cluster:key}` or just `cluster:key`.
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

// source returns the key of the cluster from which a mapped setting takes its value.
func (m *Model) source(s *Setting) string {
	key := s.Raw
	if s.count == 1 {
		key = m.reads[s.first].name
	}
	return strings.TrimPrefix(key, m.Cluster.Name+":")
}

// clusterType returns the process type that a cluster file declares.
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

// pathList returns the folders in an environment variable.
func pathList(env *load.Env, variable string) []string {
	text, _ := env.Getenv(variable)
	var list []string
	for _, dir := range filepath.SplitList(text) {
		if dir != "" {
			list = append(list, dir)
		}
	}
	return list
}
