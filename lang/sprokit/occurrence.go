package sprokit

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/core/token"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// wordKinds are the kinds of tokens that mean the same everywhere.
var wordKinds = map[token.Kind]lang.Kind{
	syntax.Comment: lang.Comment, syntax.Value: lang.Text, syntax.Include: lang.Keyword,
	syntax.Block: lang.Keyword, syntax.Endblock: lang.Keyword, syntax.Process: lang.Keyword, syntax.Connect: lang.Keyword,
	syntax.From: lang.Keyword, syntax.To: lang.Keyword, syntax.Cluster: lang.Keyword, syntax.Imap: lang.Keyword,
	syntax.Omap: lang.Keyword, syntax.Relativepath: lang.Keyword, syntax.Config: lang.Keyword,
	syntax.Assign: lang.Operator, syntax.LocalAssign: lang.Operator, syntax.DoubleColon: lang.Operator,
}

// The symbols of a pipeline are exported for packages that connect it to other languages. A key is identified by its whole path, so all ways to
// write `plate:rows`, in blocks or in macros, have one symbol. The public keys and ports of a cluster are identified by the cluster's name.

// ProcessSymbol returns the symbol of a process.
func ProcessSymbol(name string) string { return "process " + name }

// KeySymbol returns the symbol of a key, given its whole path.
func KeySymbol(path string) string { return "key " + path }

func typeSymbol(name string) string { return "type " + name }

// algorithmSymbol returns the symbol of an algorithm. Algorithms with the same name but different roles have different symbols.
func algorithmSymbol(role, name string) string { return "algorithm " + role + " " + name }

// PortSymbol returns the symbol of a port. owner is a process or a cluster.
func PortSymbol(owner, port string, output bool) string {
	if output {
		return "output " + owner + "." + port
	}
	return "input " + owner + "." + port
}

// occurrences yields the occurrences in the document, its includes and the heads of the clusters that it uses.
func (m *Model) occurrences() iter.Seq[lang.Occurrence] {
	return func(yield func(lang.Occurrence) bool) {
		w := &walker{Model: m, yield: yield, included: map[include]*unit{}, settings: map[*syntax.Stmt]*Setting{},
			types: map[*Process]*pipe.Type{}, declared: map[string]bool{}, choices: map[[2]string]*pipe.Nested{}}
		for _, u := range m.units {
			if u.frame.Parent != nil {
				w.included[include{u.frame.Parent, u.frame.At.Start}] = u
			}
		}
		for i := range m.settings {
			if s := &m.settings[i]; s.unit != nil {
				w.settings[s.stmt] = s
			}
		}
		w.unit(m.units[0])
		seen := map[string]bool{}
		for i := range m.Processes {
			if inside := m.Processes[i].Inside; inside != nil && !seen[inside.Cluster.Name] {
				seen[inside.Cluster.Name] = true
				w.head(inside)
			}
		}
	}
}

// walker visits the statements in the same order as the resolver, and keeps the prefix of the enclosing section and blocks.
type walker struct {
	*Model
	yield    func(lang.Occurrence) bool
	done     bool
	included map[include]*unit
	settings map[*syntax.Stmt]*Setting
	prefix   string   // the prefix of the keys, with a colon at its end
	blocks   []string // the prefix before each open block
	prefixes prefixes
	types    map[*Process]*pipe.Type
	declared map[string]bool            // blocks
	choices  map[[2]string]*pipe.Nested // what choice returns, by process type and key; nil if the key does not choose an algorithm
}

// include identifies one reading of an include statement.
type include struct {
	frame any
	start int
}

func (w *walker) add(o lang.Occurrence) {
	if !w.done && o.Span.Len() > 0 {
		w.done = !w.yield(o)
	}
}

func (w *walker) unit(u *unit) {
	for i := range u.tree.Stmts {
		if w.done {
			return
		}
		w.statement(u, &u.tree.Stmts[i])
	}
}

func (w *walker) statement(u *unit, s *syntax.Stmt) {
	t := u.tree
	switch s.Kind {
	case syntax.IncludeStmt:
		o := lang.Occurrence{Span: t.Span(s.Name), Kind: lang.Path, Fixed: true}
		child := w.included[include{u.frame, int(s.Name.Start)}]
		if child != nil {
			o.Target = child.tree.File().Span(0, 0)
		}
		w.add(o)
		if child != nil {
			w.unit(child)
		}
	case syntax.ProcessStmt:
		w.section("")
		name := t.Name(s)
		w.add(lang.Occurrence{Span: t.Span(s.Name), Kind: lang.Process, Symbol: ProcessSymbol(name), Def: true, Type: typeSymbol(t.Of(s.Value))})
		w.processType(t, s)
		w.prefix = name + ":"
	case syntax.ConfigStmt:
		w.section("")
		w.path(t, s.Name, heading)
		w.prefix, _ = prefixBelow("", t.Of(s.Name))
	case syntax.BlockStmt:
		w.blocks = append(w.blocks, w.prefix)
		w.path(t, s.Name, heading)
		w.prefix, _ = prefixBelow(w.prefix, t.Of(s.Name))
	case syntax.EndblockStmt:
		if n := len(w.blocks); n > 0 {
			w.prefix, w.blocks = w.blocks[n-1], w.blocks[:n-1]
		}
	case syntax.EntryStmt:
		w.entry(t, s)
	case syntax.ConnectStmt:
		w.section("")
		for i, ref := range t.Refs(s) {
			w.ref(t, ref, i == 0)
		}
	case syntax.ClusterStmt:
		w.section(t.Name(s) + ":")
		w.clusterName(t, s)
	case syntax.ImapStmt, syntax.OmapStmt:
		w.mapping(t, s)
		for _, ref := range t.Refs(s) {
			w.ref(t, ref, s.Kind == syntax.OmapStmt)
		}
	}
}

func (w *walker) section(prefix string) { w.prefix, w.blocks = prefix, w.blocks[:0] }

func (w *walker) clusterName(t *syntax.Tree, s *syntax.Stmt) {
	w.add(lang.Occurrence{Span: t.Span(s.Name), Kind: lang.Cluster, Symbol: typeSymbol(t.Name(s)), Def: true})
}

func (w *walker) mapping(t *syntax.Tree, s *syntax.Stmt) {
	if w.Cluster != nil {
		w.add(lang.Occurrence{Span: t.Span(s.Name), Kind: lang.Port, Symbol: PortSymbol(w.Cluster.Name, t.Name(s), s.Kind == syntax.OmapStmt), Def: true})
	}
}

// head adds the public keys and ports of a cluster.
func (w *walker) head(m *Model) {
	inside := &walker{Model: m, yield: w.yield, done: w.done}
	c := m.Cluster
	inside.clusterName(c.unit.tree, c.stmt)
	for _, list := range [][]Mapping{c.In, c.Out} {
		for i := range list {
			inside.mapping(list[i].unit.tree, list[i].stmt)
		}
	}
	for i := range c.Keys {
		if s := &m.settings[c.Keys[i].setting]; s.unit != nil {
			inside.add(lang.Occurrence{Span: s.keySpan(), Kind: lang.Key, Symbol: KeySymbol(c.Name + ":" + c.Keys[i].Name), Def: true})
		}
	}
	w.done = inside.done
}

func (w *walker) processType(t *syntax.Tree, s *syntax.Stmt) {
	name := t.Of(s.Value)
	o := lang.Occurrence{Span: t.Span(s.Value), Kind: lang.Type, Symbol: typeSymbol(name), Fixed: true}
	if p := w.process(t.Name(s)); p != nil {
		o.Fixed = p.Inside == nil
		o.Declared = w.typeSpan(p)
	}
	w.add(o)
}

// ref adds a port address.
func (w *walker) ref(t *syntax.Tree, ref syntax.Ref, output bool) {
	name, port := t.Join(ref.Process), t.Join(ref.Port)
	w.add(lang.Occurrence{Span: t.Span(ref.Process), Kind: lang.Process, Symbol: ProcessSymbol(name)})
	o := lang.Occurrence{Span: t.Span(ref.Port), Kind: lang.Port, Symbol: PortSymbol(name, port, output), Owner: ProcessSymbol(name), Fixed: true}
	if p := w.process(name); p != nil {
		o.Type = typeSymbol(p.Type)
		if t := w.typeOf(p); t != nil {
			o.Fixed = !chosen(t, port, output)
			o.Declared = portSpan(t, port, output)
		}
		if p.Inside != nil {
			o.Symbol, o.Fixed = PortSymbol(p.Type, port, output), false
		}
	}
	w.add(o)
}

// typeOf returns the type of a process, narrowed by its configuration. The result is cached, because it may have to read a class from a file.
func (w *walker) typeOf(p *Process) *pipe.Type {
	t, _ := w.Registry.Lookup(p.Type)
	if t == nil || t.Narrow == nil {
		return t
	}
	if w.types[p] == nil {
		w.types[p] = w.Model.typeOf(p, w.flowConfig(p))
	}
	return w.types[p]
}

// typeSpan returns the place of the class that declares the type of a process.
func (w *walker) typeSpan(p *Process) source.Span {
	if t := w.typeOf(p); t != nil {
		return t.Span
	}
	return source.Span{}
}

// portSpan returns the place that declares a port in the source of its type.
func portSpan(t *pipe.Type, port string, output bool) source.Span {
	find := t.FindIn
	if output {
		find = t.FindOut
	}
	if p, _ := find(port); p != nil {
		return p.Span
	}
	return source.Span{}
}

// chosen reports whether the pipeline chooses the name of a port by connecting to it.
func chosen(t *pipe.Type, port string, output bool) bool {
	ports := t.In
	if output {
		ports = t.Out
	}
	return !slices.ContainsFunc(ports, func(p pipe.Port) bool { return p.Name == port && !p.Pattern() }) && port != pipe.HeartbeatPort
}

// entry adds a key, its value, and the macros in the value.
func (w *walker) entry(t *syntax.Tree, s *syntax.Stmt) {
	w.path(t, s.Name, assignment)
	for _, a := range t.Attrs(s) {
		w.add(lang.Occurrence{Span: t.Span(a), Kind: lang.Keyword})
	}
	n := w.settings[s]
	if n == nil {
		return
	}
	value := lang.Occurrence{Span: t.Span(s.Value), Kind: valueKind(n.Raw), Key: n.Key}
	if name, class := strings.CutSuffix(n.Key, ":class"); class {
		if p := w.process(name); p != nil {
			value.Declared = w.typeSpan(p)
		}
	}
	if slot, chooses := strings.CutSuffix(n.Key, ":type"); chooses {
		if a, ok := w.algorithm(slot, strings.TrimSpace(n.Value)); ok {
			value.Symbol, value.Declared = a.Symbol, a.Declared
		}
	}
	w.add(value)
	for i := n.first; i < n.first+n.count; i++ {
		w.macro(n, &w.reads[i])
	}
}

func valueKind(text string) lang.Kind {
	for i := range len(text) {
		if !digit(text[i]) && strings.IndexByte("+-.eE", text[i]) < 0 {
			return lang.Text
		}
	}
	return lang.Number
}

// macro adds an occurrence for a whole macro, and others for the parts of the name in it.
func (w *walker) macro(n *Setting, r *read) {
	span := n.macroSpan(r)
	w.add(lang.Occurrence{Span: span, Kind: lang.Macro, Key: n.Key})
	at := span.End - 1 - len(r.name)
	name := source.Span{File: span.File, Start: at, End: span.End - 1}
	if at < span.Start || name.Text() != r.name {
		return
	}
	switch r.provider {
	case fromConfig:
		w.parts(name, "", reading)
	case fromLocal:
		if r.of >= 0 {
			w.add(lang.Occurrence{Span: name, Kind: lang.Key, Symbol: KeySymbol(w.Model.settings[r.of].Key), Key: w.Model.settings[r.of].Key})
		}
	case fromEnv:
		w.add(lang.Occurrence{Span: name, Kind: lang.Macro, Symbol: "variable " + r.name, Fixed: true})
	}
}

// A role says what a path in the text is used for.
type role uint8

const (
	heading    role = iota // the name of a section or block, declared here
	assignment             // the name of a key, declared here
	reading                // the name in a macro
)

// path adds the parts of a written path.
func (w *walker) path(t *syntax.Tree, x syntax.Text, r role) { w.parts(t.Span(x), w.prefix, r) }

// parts adds the parts of a path below a prefix. If a block has no heading of its own, the first key in it declares the block. Of an extremely long
// path, only the first parts are added.
func (w *walker) parts(at source.Span, prefix string, r role) {
	if !w.prefixes.take(prefix) {
		return
	}
	below, start := prefix, at.Start
	for part := range strings.SplitSeq(at.Text(), ":") {
		if len(below)+len(part) >= maxKey {
			return
		}
		end := start + len(part)
		if part != "" {
			below += part + ":"
			path := below[:len(below)-1]
			o := w.part(path, part)
			last := end == at.End
			if r == heading || !last {
				if a, ok := w.algorithm(strings.TrimSuffix(path, ":"+part), part); ok {
					o = a
				}
			}
			o.Span = source.Span{File: at.File, Start: start, End: end}
			if r != heading && last {
				o.Kind, o.Key = lang.Key, path
			}
			if r != reading && o.Symbol == KeySymbol(path) && (last || !w.declared[path]) {
				o.Def, w.declared[path] = true, true
			}
			w.add(o)
		}
		start = end + 1
	}
}

// algorithm returns the occurrence for an algorithm's block below the key that chooses the algorithm, or false if the key does not choose one.
func (w *walker) algorithm(slot, name string) (lang.Occurrence, bool) {
	process, key, _ := strings.Cut(slot, ":")
	p := w.process(process)
	if p == nil || p.Inside != nil || key == "" || name == "" {
		return lang.Occurrence{}, false
	}
	n, asked := w.choices[[2]string{p.Type, key}]
	if !asked {
		n = w.choice(p, key)
		w.choices[[2]string{p.Type, key}] = n
	}
	if n == nil {
		return lang.Occurrence{}, false
	}
	o := lang.Occurrence{Kind: lang.Block, Symbol: algorithmSymbol(cmp.Or(n.Role, p.Type+":"+key), name), Owner: KeySymbol(slot)}
	if i := slices.IndexFunc(n.Choices, func(a pipe.Algorithm) bool { return a.Name == name }); i >= 0 {
		o.Declared = n.Choices[i].Span
	}
	return o, true
}

// choice returns what is known about the key if a process uses it to choose an algorithm, or nil.
func (m *Model) choice(p *Process, key string) *pipe.Nested {
	if t, known := m.Registry.Lookup(p.Type); known {
		if n := m.Registry.NestedKey(t, key+":type"); n != nil && n.Choices != nil {
			return n
		}
	}
	return nil
}

// part returns the occurrence for the last part of a path.
func (w *walker) part(path, name string) lang.Occurrence {
	first, rest, below := strings.Cut(path, ":")
	if !below || path == "_pipeline:_edge_by_conn:"+name {
		if w.process(name) != nil {
			return lang.Occurrence{Kind: lang.Process, Symbol: ProcessSymbol(name)}
		}
	}
	o := lang.Occurrence{Kind: lang.Block, Symbol: KeySymbol(path)}
	if !below {
		o.Kind = lang.Section
	}
	if strings.HasPrefix(first, "_") {
		o.Fixed = true
	}
	if p := w.process(first); p != nil && below {
		if p.Inside != nil {
			o.Symbol = KeySymbol(p.Type + ":" + rest)
		} else {
			_, o.Fixed = w.declares(p, rest)
		}
	}
	return o
}

// declares reports whether the type of a process declares the key, or a key that begins with it.
func (m *Model) declares(p *Process, key string) (doc string, ok bool) {
	t, known := m.Registry.Lookup(p.Type)
	if !known {
		return "", false
	}
	for i := range t.Keys {
		if k := &t.Keys[i]; k.Name == key || strings.HasPrefix(k.Name, key+":") {
			return k.Doc, true
		}
	}
	return "", false
}
