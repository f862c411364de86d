package sprokit

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// complete lists what may be written at an offset.
//
//	line up to the cursor ──▶ statement ──▶ names that fit there
func (m *Model) complete(f *source.File, offset int) []lang.Completion {
	line := lang.LineBefore(f, offset)
	text := strings.TrimLeft(line, " \t")
	first, rest, more := strings.Cut(text, " ")
	c := completer{Model: m, file: f, offset: offset}
	c.context()
	switch {
	case strings.Contains(text, "#"):
		return nil
	case more && first == "include":
		return lang.CompleteFiles(f, offset, strings.TrimLeft(rest, " "), c.includeDirs(), isIncludable)
	case strings.HasPrefix(text, "::") || first == "process" && strings.Contains(rest, "::"):
		_, typed, _ := strings.Cut(text, "::")
		return c.types(strings.TrimLeft(typed, " \t"))
	case more && (first == "connect" || first == "from" || first == "to" || first == "imap" || first == "omap"):
		return c.address(text)
	case more && first == "config":
		return c.names(rest, lang.Section, append([]string{"_pipeline", "_scheduler", "_global"}, c.processNames()...))
	case more && (first == "process" || first == "cluster" || first == "block"):
		return nil
	case strings.Contains(text, "="):
		key, value, _ := strings.Cut(text, "=")
		key, _, _ = strings.Cut(strings.TrimSpace(strings.TrimSuffix(key, ":")), "[")
		return c.value(strings.TrimSpace(strings.TrimPrefix(key, "relativepath")), strings.TrimLeft(value, " \t"))
	case strings.Contains(text, "["):
		return c.names(text[strings.LastIndexAny(text, "[,")+1:], lang.Keyword, []string{"ro", "tunable"})
	case strings.HasPrefix(text, ":") && strings.ContainsAny(text, " \t"):
		key, value, _ := strings.Cut(text[1:], " ")
		return c.value(key, strings.TrimLeft(value, " \t"))
	case strings.ContainsAny(text, " \t"):
		return nil
	}
	return append(c.keys(strings.TrimPrefix(text, ":")), c.statements(text)...)
}

type completer struct {
	*Model
	file   *source.File
	offset int

	prefix string // the names of the enclosing section and blocks, with a colon at the end
	blocks int
	header bool // the cursor is right after `process NAME`, whose type is missing
}

// context finds the section and the blocks that enclose the cursor.
func (c *completer) context() {
	i := slices.IndexFunc(c.units, func(u *unit) bool { return u.tree.File() == c.file })
	if i < 0 {
		return
	}
	t := c.units[i].tree
	var open []string
	for i := range t.Stmts {
		s := &t.Stmts[i]
		if int(t.StmtSpan(s).Start) >= c.offset {
			break
		}
		switch s.Kind {
		case syntax.ProcessStmt, syntax.ConfigStmt, syntax.ClusterStmt:
			c.prefix, open = t.Name(s)+":", nil
			c.header = s.Kind == syntax.ProcessStmt && s.Value.Empty()
		case syntax.ConnectStmt:
			c.prefix, open = "", nil
		case syntax.BlockStmt:
			open = append(open, c.prefix)
			c.prefix += tidy(t.Of(s.Name)) + ":"
		case syntax.EndblockStmt:
			if n := len(open); n > 0 {
				c.prefix, open = open[n-1], open[:n-1]
			}
		}
	}
	c.blocks = len(open)
}

func (c *completer) replace(typed string) source.Span {
	return c.file.Span(c.offset-len(typed), c.offset)
}

func (c *completer) names(typed string, kind lang.Kind, names []string) []lang.Completion {
	typed = strings.TrimLeft(typed, " \t")
	var list []lang.Completion
	for _, name := range names {
		list = append(list, lang.Completion{Label: name, Kind: kind, Replace: c.replace(typed)})
	}
	return list
}

func (c *completer) processNames() []string {
	var list []string
	for i := range c.Processes {
		list = append(list, c.Processes[i].Name)
	}
	return list
}

// statements returns the words with which a line may begin at the cursor.
func (c *completer) statements(typed string) []lang.Completion {
	snippets := []lang.Completion{
		{Label: "process", Insert: "process ${1:name}\n  :: ${2:type}\n", Doc: "Declares a process of a type."},
		{Label: "connect", Insert: "connect from ${1:process.port}\n        to   ${2:process.port}\n", Doc: "Joins an output to an input."},
		{Label: "config", Insert: "config ${1:name}\n", Doc: "Begins a section of settings."},
		{Label: "include", Insert: "include ${1:file}\n", Doc: "Reads another file in this place."},
	}
	if strings.HasSuffix(c.file.Path(), ".cluster") {
		snippets = append(snippets,
			lang.Completion{Label: "cluster", Insert: "cluster ${1:name}\n  -- ${2:what it does}\n", Doc: "Begins the head of a cluster."},
			lang.Completion{Label: "imap", Insert: "imap from ${1:port}\n     to   ${2:process.port}\n", Doc: "An input of the cluster."},
			lang.Completion{Label: "omap", Insert: "omap from ${1:process.port}\n     to   ${2:port}\n", Doc: "An output of the cluster."})
	}
	if c.prefix != "" {
		snippets = append(snippets, lang.Completion{Label: "block", Insert: "block ${1:name}\n  $2\nendblock\n", Doc: "Puts a name before the keys in it."},
			lang.Completion{Label: "relativepath", Insert: "relativepath ${1:key} = ${2:file}", Doc: "An entry whose value is relative to the folder of this file."})
	}
	if c.blocks > 0 {
		snippets = append(snippets, lang.Completion{Label: "endblock", Doc: "Ends the block."})
	}
	if c.header {
		snippets = append(snippets, lang.Completion{Label: "::", Insert: ":: ${1:type}", Doc: "The type of the process."})
	}
	for i := range snippets {
		s := &snippets[i]
		s.Kind, s.Replace, s.Later = lang.Keyword, c.replace(typed), true
		s.Snippet = s.Insert != ""
	}
	return snippets
}

// keys returns the keys of the enclosing process that are not set yet.
func (c *completer) keys(typed string) []lang.Completion {
	if c.header {
		return nil
	}
	root, inner, _ := strings.Cut(c.prefix, ":")
	var list []lang.Completion
	add := func(k *pipe.Key, path, name string) {
		label, ok := strings.CutPrefix(name, inner)
		if !ok || label == "" {
			return
		}
		if _, set := c.last[path]; set {
			return
		}
		key := schemaKey(k)
		list = append(list, lang.Completion{Label: label, Kind: lang.Key, Detail: kindName(k.Kind), Doc: key.Describe(),
			Insert: label + " = $0", Snippet: true, Replace: c.replace(typed), Later: !k.Required && strings.HasPrefix(label, "_")})
	}
	if p := c.process(root); p != nil {
		if t, ok := c.Registry.Lookup(p.Type); ok {
			for _, keys := range [][]pipe.Key{t.Keys, pipe.ProcessKeys()} {
				for i := range keys {
					name := keys[i].Name
					if keys[i].Kind == pipe.Algo {
						name += ":type"
					}
					add(&keys[i], root+":"+name, name)
				}
			}
			for _, n := range c.Registry.ChosenKeys(t, func(key string) string { return c.valueOf(root + ":" + key) }) {
				name := n.Name
				if n.Choices != nil {
					if n.Of == nil {
						continue // skip a key that the type has
					}
					name += ":type"
				}
				add(&n.Key, root+":"+name, name)
			}
		}
		return list
	}
	for i := range specialKeys {
		if rest, ok := strings.CutPrefix(specialKeys[i].Name, root+":"); ok && specialKeys[i].pattern == "" {
			add(&specialKeys[i].Key, specialKeys[i].Name, rest)
		}
	}
	return list
}

// types returns the process types, and the clusters in the folder of the file.
func (c *completer) types(typed string) []lang.Completion {
	var list []lang.Completion
	for t := range c.Registry.All() {
		kind := lang.Type
		if t.Cluster != nil {
			kind = lang.Cluster
		}
		list = append(list, lang.Completion{Label: t.Name, Kind: kind, Doc: describeType(t), Replace: c.replace(typed), Later: t.Needs != ""})
	}
	if c.clusters != nil {
		c.clusters.scan(filepath.Dir(c.file.Path()))
		for _, def := range c.clusters.order {
			if t := def.model.clusterType(); !slices.ContainsFunc(list, func(o lang.Completion) bool { return o.Label == t.Name }) {
				list = append(list, lang.Completion{Label: t.Name, Kind: lang.Cluster, Doc: describeType(t), Replace: c.replace(typed)})
			}
		}
	}
	return list
}

// address completes `process.port` after `from` or `to`.
func (c *completer) address(text string) []lang.Completion {
	fields := strings.Fields(text)
	typed := ""
	if !strings.HasSuffix(text, " ") && !strings.HasSuffix(text, "\t") {
		typed = fields[len(fields)-1]
		fields = fields[:len(fields)-1]
	}
	side := ""
	if len(fields) > 0 {
		side = fields[len(fields)-1]
	}
	if side != "from" && side != "to" {
		return c.names(typed, lang.Keyword, []string{"from", "to"})
	}
	process, port, dotted := strings.Cut(typed, ".")
	if dotted {
		return c.ports(process, port, side == "from")
	}
	var list []lang.Completion
	for i := range c.Processes {
		p := &c.Processes[i]
		if len(c.ports(p.Name, "", side == "from")) > 0 {
			list = append(list, lang.Completion{Label: p.Name, Kind: lang.Process, Detail: p.Type, Replace: c.replace(typed), Insert: p.Name + "."})
		}
	}
	return list
}

// ports returns the outputs or inputs of a process. It leaves out connected inputs, because they accept no second edge, and lists outputs
// without an edge first.
func (c *completer) ports(process, typed string, output bool) []lang.Completion {
	p := c.process(process)
	if p == nil {
		return nil
	}
	t, ok := c.Registry.Lookup(p.Type)
	if !ok {
		return nil
	}
	taken := map[string]bool{}
	for i := range c.Connections {
		con := &c.Connections[i]
		if at := con.unit.tree.StmtSpan(con.stmt); at.File == c.file && at.Start <= c.offset && c.offset <= at.End {
			continue // skip the connection that is being written
		}
		if output && con.From.Process == process {
			taken[con.From.Port] = true
		} else if !output && con.To.Process == process {
			taken[con.To.Port] = true
		}
	}
	ports := t.In
	if output {
		ports = append(slices.Clone(t.Out), pipe.Port{Name: pipe.HeartbeatPort, Type: pipe.NoneType, Doc: "A datum for each step."})
	}
	var list []lang.Completion
	for i := range ports {
		port := &ports[i]
		if taken[port.Name] && !output {
			continue
		}
		item := lang.Completion{Label: port.Name, Kind: lang.Port, Detail: port.Type, Doc: portLine(port), Replace: c.replace(typed),
			Later: taken[port.Name] || port.Name == pipe.HeartbeatPort}
		if before, _, pattern := strings.Cut(port.Name, "<"); pattern {
			item.Insert, item.Snippet = before+"${1:name}", true
		}
		list = append(list, item)
	}
	return list
}

// value completes the value of a key.
func (c *completer) value(key, typed string) []lang.Completion {
	if i := strings.LastIndexByte(typed, '$'); i >= 0 && !strings.Contains(typed[i:], "}") {
		return c.macros(typed[i:])
	}
	path := c.prefix + key
	k, _ := c.declared(path)
	if k == nil {
		return nil
	}
	choices := k.Choices
	if k.Kind == pipe.Bool {
		choices = []string{"true", "false"}
	}
	return c.names(typed, lang.Word, choices)
}

// macros completes a macro from its `$` on.
func (c *completer) macros(typed string) []lang.Completion {
	name, inner, open := strings.Cut(typed[1:], "{")
	if !open {
		var list []lang.Completion
		for _, p := range []provider{fromConfig, fromLocal, fromEnv, fromSysenv} {
			list = append(list, lang.Completion{Label: "$" + string(p), Kind: lang.Macro, Insert: "\\$" + string(p) + "{$1}", Snippet: true, Replace: c.replace(typed)})
		}
		return list
	}
	var list []lang.Completion
	add := func(label, value string) {
		list = append(list, lang.Completion{Label: label, Kind: lang.Key, Detail: value, Replace: c.replace(inner)})
	}
	switch provider(name) {
	case fromConfig, fromLocal:
		seen := map[string]int{}
		for i := range c.Model.settings {
			s := &c.Model.settings[i]
			if s.unit != nil && s.unit.tree.File() == c.file && s.Span().End >= c.offset {
				break // a macro reads only settings above it, so stop at the cursor
			}
			label := s.Key
			if provider(name) == fromLocal {
				if !s.is(localName) {
					continue
				}
				label = s.unit.tree.Name(s.stmt)
			}
			if at, ok := seen[label]; ok {
				list[at].Detail = s.Value // the last of several settings counts
				continue
			}
			seen[label] = len(list)
			add(label, s.Value)
		}
	case fromSysenv:
		for _, n := range sysenvNames {
			add(n, "")
		}
	}
	return list
}

func (c *completer) includeDirs() []string {
	return append([]string{filepath.Dir(c.file.Path())}, c.env.Include...)
}

func isIncludable(name string) bool {
	switch filepath.Ext(name) {
	case ".pipe", ".conf", ".config", ".pipeline":
		return true
	}
	return false
}
