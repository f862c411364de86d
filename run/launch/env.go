package launch

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/leaf/jsontext"
)

// tunableEnv turns tunables into variables, with the last value of each tunable.
func (b *planner) tunableEnv(tunables []Tunable) {
	owner := map[string]string{}
	at := map[string]int{}
	for _, t := range tunables {
		name := TunableVariable(t.Name)
		if other, ok := owner[name]; ok && other != t.Name {
			b.report(problem.Warning, TunableClash, t.Span, t.Name, "tunables `%s` and `%s` share the variable `%s`: it gets the last value", other, t.Name, name).
				Expected = "read `PARADYN_TUNABLES` instead, where names are exact"
		}
		owner[name] = t.Name
		if i, ok := at[name]; ok {
			b.tunables[i].Value = t.Value
			continue
		}
		at[name] = len(b.tunables)
		b.tunables = append(b.tunables, Var{name, t.Value})
	}
}

// TunableVariable is the variable in which a process finds a tunable constant.
func TunableVariable(name string) string { return "PARADYN_TUNABLE_" + Word(name) }

// Word replaces every character of a text by `_` unless it is a letter, a digit or `_`, as names of variables require.
func Word(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}

func (b *planner) env(n *Node, flavor string, local bool) []Var {
	if flavor == "" && n.Kind != KindVisi {
		flavor = "pvm"
	}
	env := make([]Var, 0, 9+len(b.tunables)) // room for the daemon, the rank and the size of a process
	env = append(env, Var{"PENTODE_RUN", b.Run}, Var{"PENTODE_NODE", n.ID}, Var{"PARADYN_NAME", n.ID}, Var{"PARADYN_HOST", n.Host})
	if flavor != "" {
		env = append(env, Var{"PARADYN_FLAVOR", flavor})
	}
	env = append(env, b.tunables...)
	if local && b.plan.TunablesFile != "" {
		env = append(env, Var{"PARADYN_TUNABLES", b.plan.TunablesFile})
	}
	return env
}

// TunablesJSON returns the content of the file that PARADYN_TUNABLES names: an object with the final value of every tunable, in the order in which
// they were first set.
func (p *Plan) TunablesJSON() []byte {
	final := map[string]string{}
	var order []string
	for _, t := range p.Tunables {
		if _, ok := final[t.Name]; !ok {
			order = append(order, t.Name)
		}
		final[t.Name] = t.Value
	}
	var buf bytes.Buffer
	buf.WriteString("{")
	for i, name := range order {
		if i > 0 {
			buf.WriteString(",")
		}
		buf.WriteString("\n  ")
		buf.WriteString(jsontext.Line(name))
		buf.WriteString(": ")
		buf.Write(jsonNumber(final[name]))
	}
	buf.WriteString("\n}\n")
	return buf.Bytes()
}

// jsonNumber keeps every digit of a decimal text and removes only leading zeros, which JSON forbids. Other text becomes a string.
func jsonNumber(text string) []byte {
	trimmed := strings.TrimLeft(text, "0")
	if trimmed == "" || trimmed[0] == '.' {
		trimmed = "0" + trimmed
	}
	var n json.Number
	if text != "" && json.Unmarshal([]byte(trimmed), &n) == nil && n.String() == trimmed {
		return []byte(trimmed)
	}
	return jsontext.Append(nil, text)
}
