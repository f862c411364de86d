package pdi

import (
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
)

// knownPlugins are all plugins, as they declare themselves. Every function of the
// program is there: only the program knows its own.
var knownPlugins = plugin.List(plugin.Program{
	Functions: func(string) (usercode.Function, error) { return nil, nil },
})

// FindPlugin returns the declaration of a plugin, or nil.
func FindPlugin(name string) *data.Plugin {
	for i := range knownPlugins {
		if knownPlugins[i].Name == name {
			return &knownPlugins[i]
		}
	}
	return nil
}

func pluginNames() []string {
	var names []string
	for i := range knownPlugins {
		if knownPlugins[i].Removed == "" {
			names = append(names, knownPlugins[i].Name)
		}
	}
	return names
}

// whereRuns says where a plugin runs, and where it does not.
func whereRuns(p *data.Plugin) string {
	runs, not := p.Runs.Names(), (data.Everywhere &^ p.Runs).Names()
	switch {
	case p.Removed != "":
		return "runs nowhere: PDI had it until release " + p.Removed
	case len(runs) == 0:
		return "runs nowhere: it is not built in, and only its configuration is checked"
	case len(not) == 0:
		return "runs everywhere"
	}
	return "runs in " + strings.Join(runs, " and in ") + ", not in " + strings.Join(not, " and not in ")
}

// pluginDoc is what a plugin does and where.
func pluginDoc(p *data.Plugin) string { return p.Doc + " It " + whereRuns(p) + "." }

// typeOwner is the plugin that provides a type, or nil.
func typeOwner(name string) *data.Plugin {
	for i := range knownPlugins {
		p := &knownPlugins[i]
		if p.Types == nil {
			continue
		}
		for _, t := range p.Types(data.X86_64()) {
			if t.Name == name {
				return p
			}
		}
	}
	return nil
}

// provideTypes adds the types of a plugin to those that the engine knows.
func provideTypes(p *data.Plugin, env *data.Env, m *data.Machine) error {
	if p == nil || p.Types == nil {
		return nil
	}
	for _, t := range p.Types(m) {
		if err := env.Provide(t.Name, t); err != nil {
			return err
		}
	}
	return nil
}
