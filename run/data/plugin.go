package data

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/data/logging"
)

// Plugin is a kind of plugin that specification trees can name.
//
// The store calls New once, in alphabetical order of the names, before metadata
// and data are declared. New reads the configuration, registers callbacks and
// returns; everything else happens in them. Close functions run in reverse order.
type Plugin struct {
	Name  string // the key under `plugins`
	Title string // how its log lines are headed
	Doc   string
	Keys  []Key
	New   func(*Context) error
}

// Key is one key of a plugin's configuration. `*` stands for any name.
type Key struct {
	Name, Doc string
}

// Context is what a plugin gets: the store, its configuration and its own log.
type Context struct {
	*Store
	Config *Node
	Log    *logging.Logger

	name     string
	pattern  string // its own, empty: the store's
	ownLevel bool
	closers  []func() error
}

// Timed runs f between the two events that the `timer` plugin measures a plugin
// by.
func (c *Context) Timed(f func() error) error {
	if err := c.Event(c.name + "_start_timer"); err != nil {
		return err
	}
	err := f()
	if stop := c.Event(c.name + "_stop_timer"); err == nil {
		err = stop
	}
	return err
}

// OnClose calls f when the store closes, after everything else.
func (c *Context) OnClose(f func() error) { c.closers = append(c.closers, f) }

func (c *Context) close() error {
	var errs []error
	for i := len(c.closers) - 1; i >= 0; i-- {
		if err := c.closers[i](); err != nil {
			errs = append(errs, err)
		}
	}
	return join(errs)
}

// wanted is one plugin that a tree asks for.
type wanted struct {
	kind   *Plugin
	config *Node
}

func (s *Store) loadPlugins(sections []Section) error {
	var list []wanted
	for _, sec := range sections {
		if err := checkPath(sec.PluginPath); err != nil {
			return err
		}
		err := s.section(sec.Plugins, "plugins", func(name string, key, value *Node) error {
			if slices.ContainsFunc(list, func(w wanted) bool { return w.kind.Name == name }) {
				return Errorf(StatusSpecTree, key, "plugin `%s` is loaded twice", name).
					UpstreamAt(sec.Plugins, "Duplicate load of plugin %s", name)
			}
			kind, err := s.findPlugin(key)
			list = append(list, wanted{kind, value})
			return err
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(list, func(a, b wanted) int { return cmp.Compare(a.kind.Name, b.kind.Name) })
	var errs []error
	for _, w := range list {
		if err := s.loadPlugin(w); err != nil {
			errs = append(errs, Within(err, "while loading plugin `%s`", w.kind.Name))
		}
	}
	return join(errs)
}

// checkPath looks at a `plugin_path`, from which nothing is loaded.
func checkPath(n *Node) error {
	if n == nil {
		return nil
	}
	if n.Kind == MappingNode {
		return Errorf(StatusSpecTree, n, "expected a path or a list of paths behind `plugin_path`, found a mapping").
			Upstream("plugin_path must be a single path or an array of paths")
	}
	for _, item := range n.Items {
		if _, err := item.Scalar("a path in `plugin_path`"); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) loadPlugin(w wanted) error {
	c := &Context{Store: s, Config: w.config, Log: s.Log.Named(w.kind.Title), name: w.kind.Name}
	if s.common != nil {
		c.Log.Pattern = s.common
	}
	log := w.config.Lookup("logging")
	var err error
	if c.pattern, err = s.configureLog(c.Log, log); err != nil {
		return err
	}
	c.ownLevel = !log.Blank() && (log.Kind == ScalarNode || log.Lookup("level") != nil)
	s.plugins = append(s.plugins, c)
	return w.kind.New(c)
}

func (s *Store) findPlugin(key *Node) (*Plugin, error) {
	names := make([]string, len(s.options.Plugins))
	for i := range s.options.Plugins {
		p := &s.options.Plugins[i]
		if p.Name == key.Text {
			return p, nil
		}
		names[i] = "`" + p.Name + "`"
	}
	slices.Sort(names)
	built := strings.Join(names, ", ")
	if built == "" {
		built = "none"
	}
	return nil, Errorf(StatusPlugin, key, "plugin `%s` is not built in, and shared objects are not loaded: there are %s", key.Text, built).
		Upstream("Unable to load plugin `%s': it is not built in, and shared objects are not loaded: there are %s", key.Text, built)
}
