package pdi

import (
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/run/data"
)

// override applies the values of the command line: it replaces an existing setting, and adds a missing key to its mapping.
func (m *Model) override(list []load.Override) {
	for _, o := range list {
		parts, err := parseKey(o.Key)
		if err != nil {
			m.problems.Report(badOverride, m.main().top(), "-s %s: %s", o.Key, err)
			continue
		}
		v, found := m.locate(parts)
		switch {
		case found == len(parts) && v.is(data.ScalarNode):
			m.noteOverride(v.Node, o)
			v.Node.Text = o.Value
		case found == len(parts):
			m.problems.Report(badOverride, v.span(), "-s %s: the setting is %s, only a single value can be overridden", o.Key, v.name())
		case found == len(parts)-1 && found > 0 && v.is(data.MappingNode) && parts[found].index < 0:
			n := &data.Node{Text: o.Value}
			v.Node.Pairs = append(v.Node.Pairs, data.Pair{Key: data.Text(parts[found].name), Value: n})
			m.noteOverride(n, o)
		default:
			m.problems.Report(badOverride, m.main().top(), "-s %s: there is no such setting, and nothing to add it to", o.Key).
				Helped("`pentode show` lists the settings that a file has")
		}
	}
}

// noteOverride records the text of a node before it is replaced.
func (m *Model) noteOverride(n *data.Node, o load.Override) {
	if m.overrides == nil {
		m.overrides = map[*data.Node]overridden{}
	}
	m.overrides[n] = overridden{o, n.Text}
}
