package pdi

import (
	"strings"

	"github.com/pentode-dev/pentode/run/data"
	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/plugin"
	"github.com/pentode-dev/pentode/run/data/plugin/usercode"
)

// plugins are the declarations of the plugins that trees can name.
type plugins []data.Plugin

// builtin are the plugins that Pentode provides. They accept any name as a function of the program, because only the program that reads the
// tree knows its functions.
var builtin = plugins(plugin.List(plugin.Program{
	Functions: func(string) (usercode.Function, error) { return nil, nil },
}))

// known returns all plugins: the built-in ones, and Options.Plugins.
func (o *Options) known() plugins {
	list := builtin[:len(builtin):len(builtin)]
	for _, p := range o.Plugins {
		if p.Config == nil {
			p.Config = &config.Rule{Keys: []config.Key{config.Log}} // the store itself reads the key for the log
		}
		list = append(list, p)
	}
	return list
}

// find returns the declaration of a plugin, or nil.
func (l plugins) find(name string) *data.Plugin {
	for i := range l {
		if l[i].Name == name {
			return &l[i]
		}
	}
	return nil
}

// names returns the names of the plugins in the current version of PDI.
func (l plugins) names() []string {
	var names []string
	for i := range l {
		if l[i].Removed == "" {
			names = append(names, l[i].Name)
		}
	}
	return names
}

// FindPlugin returns the declaration of a plugin that the tree can name, or nil.
func (m *Model) FindPlugin(name string) *data.Plugin { return m.known.find(name) }

// OwnPlugins returns the plugins that Options.Plugins added, for the store of the tree.
func (m *Model) OwnPlugins() []data.Plugin { return m.options.Plugins }

// whereRuns describes where a plugin runs and where it does not: in programs, in pipelines or in a replay.
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

// pluginDoc describes a plugin and the places where it runs.
func pluginDoc(p *data.Plugin) string { return p.Doc + " It " + whereRuns(p) + "." }

// typeOwner returns the plugin that provides a type, or nil.
func (l plugins) typeOwner(name string) *data.Plugin {
	for i := range l {
		p := &l[i]
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

// provideTypes adds the types of a plugin to the types that the engine knows.
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
