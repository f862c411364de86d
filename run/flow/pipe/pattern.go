package pipe

import (
	"slices"
	"strings"
)

// FindIn finds the declaration of an input port: a port with exactly this name, or else a pattern
// that the name matches. For a pattern, p is a copy that has this name and a type in which the
// variables are replaced, and group is the text that matches the pattern's first variable.
func (t *Type) FindIn(name string) (p *Port, group string) { return find(t.In, name) }

// FindOut is FindIn for output ports. It also finds HeartbeatPort, which every type has.
func (t *Type) FindOut(name string) (p *Port, group string) {
	if name == HeartbeatPort {
		return &Port{Name: HeartbeatPort, Type: NoneType, Doc: "An empty datum after every step."}, ""
	}
	return find(t.Out, name)
}

func find(ports []Port, name string) (*Port, string) {
	for i := range ports {
		if ports[i].Name == name && !ports[i].Pattern() {
			return &ports[i], ""
		}
	}
	for i := range ports {
		if !ports[i].Pattern() {
			continue
		}
		if vars, ok := ports[i].match(name); ok {
			p := ports[i]
			p.Name = name
			for v, text := range vars {
				p.Type = strings.ReplaceAll(p.Type, v, text)
			}
			return &p, vars[ports[i].groupVar()]
		}
	}
	return nil, ""
}

// Pattern reports whether the declared name is a pattern, so that the pipeline chooses the name.
func (p *Port) Pattern() bool { return strings.Contains(p.Name, "<") }

func (p *Port) groupVar() string {
	_, rest, _ := strings.Cut(p.Name, "<")
	v, _, _ := strings.Cut(rest, ">")
	return "<" + v + ">"
}

// match matches a name against the pattern and returns the text for each variable.
func (p *Port) match(name string) (map[string]string, bool) {
	if p.Name == "<any>" {
		return map[string]string{"<any>": name}, name != "" && !strings.HasPrefix(name, "_")
	}
	want, have := strings.Split(p.Name, "/"), strings.Split(name, "/")
	if len(want) != len(have) {
		return nil, false
	}
	vars := map[string]string{}
	for i, w := range want {
		before, rest, isVar := strings.Cut(w, "<")
		v, after, _ := strings.Cut(rest, ">")
		if !isVar {
			if w != have[i] {
				return nil, false
			}
			continue
		}
		text, ok := strings.CutPrefix(have[i], before)
		if ok {
			text, ok = strings.CutSuffix(text, after)
		}
		if !ok || text == "" || i == 0 && text[0] == '_' {
			return nil, false
		}
		if v == "n" && strings.Trim(text, "0123456789") != "" {
			return nil, false
		}
		vars["<"+v+">"] = text
	}
	return vars, true
}

// PortNames returns the declared names and patterns of ports, in order.
func PortNames(ports []Port) []string {
	names := make([]string, len(ports))
	for i := range ports {
		names[i] = ports[i].Name
	}
	return slices.Clip(names)
}
