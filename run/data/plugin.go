package data

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/run/data/config"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// Plugin declares a plugin that specification trees can name. The store, the checker, editors and the
// reference use the same declaration.
//
// The store calls New once for each plugin, in alphabetical order of the names, before metadata and data are
// declared. New reads the configuration, registers callbacks and returns; all other work happens in the
// callbacks. Close functions run in reverse order.
type Plugin struct {
	Name    string // the key under `plugins`
	Title   string // the name in the plugin's log lines; empty: Name
	Doc     string
	Runs    Places // where the plugin runs; 0: nowhere, but its configuration is still checked
	Removed string // the last release of PDI that had the plugin; empty: PDI still has it

	Config *config.Rule  // nil: its only key is `logging`
	Parts  []config.Part // parts of the configuration with their own section in the reference

	Types func(*Machine) []*Scalar // returns types that the plugin provides; nil: none
	Data  []string                 // names of data that the plugin provides

	RunsCode bool // it calls functions of the program, which may share any data
	Tunes    bool // it sets metadata that the program then reads
	HearsAll bool // it may react to every event, not only to those in `on_event`

	New func(*Context) error
	// Check reads the configuration and returns the errors that New would return, but starts nothing. If
	// Check is nil, New is called instead, because it does nothing else.
	Check func(*Context) error
}

// Places is a set of places where a store can run.
type Places uint8

const (
	Programs  Places = 1 << iota // programs that call PDI
	Pipelines                    // pipelines with an `expose` process
	Replays                      // `pentode data replay`

	Everywhere = Programs | Pipelines | Replays
)

// Names returns descriptions of the places.
func (p Places) Names() []string {
	var names []string
	for i, name := range [...]string{"programs that call PDI", "pipelines", "`data replay`"} {
		if p&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// RankName is the name of the datum, provided by the plugin `mpi`, with the rank of the process. Log
// patterns may refer to it.
const RankName = "MPI_COMM_WORLD_rank"

// Context is what a plugin's New receives: the store, the plugin's configuration and its log.
type Context struct {
	*Store
	Config *Node
	Log    *logging.Logger

	name     string
	pattern  string // the plugin's own log pattern; empty: it uses the store's
	ownLevel bool
	closers  []func() error
}

// Timed runs f. It triggers one event before and one after it, so that the plugin `timer` can measure the
// time.
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

// Greet logs that the plugin is loaded now, and later, when the store closes, that the plugin is closing.
func (c *Context) Greet() {
	c.Log.Info("Plugin loaded successfully")
	c.OnClose(func() error {
		c.Log.Info("Closing plugin")
		return nil
	})
}

// OnClose makes the store call f when it closes, after everything else has finished.
func (c *Context) OnClose(f func() error) { c.closers = append(c.closers, f) }

func (c *Context) close() error {
	var errs []error
	for i := len(c.closers) - 1; i >= 0; i-- {
		if err := c.closers[i](); err != nil {
			errs = append(errs, err)
		}
	}
	return Join(errs)
}

// wanted is a plugin that a tree names, with its configuration.
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
	var errs []error
	for _, w := range ordered(list) {
		if err := s.loadPlugin(w); err != nil {
			errs = append(errs, Within(err, "while loading plugin `%s`", w.kind.Name))
		}
	}
	return Join(errs)
}

// checkPath checks the value of `plugin_path`. No plugin is loaded from there.
func checkPath(n *Node) error {
	if n == nil {
		return nil
	}
	if n.Kind == MappingNode {
		return Errorf(StatusSpecTree, n, "expected a path or a list of paths after `plugin_path`, found a mapping").
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
	c := &Context{Store: s, Config: w.config, Log: s.Log.Named(cmp.Or(w.kind.Title, w.kind.Name)), name: w.kind.Name}
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
	if err := s.provide(w.kind); err != nil {
		return err
	}
	return w.kind.New(c)
}

// provide adds the types that a plugin provides to the store.
func (s *Store) provide(p *Plugin) error {
	if p.Types == nil {
		return nil
	}
	for _, t := range p.Types(s.env.Machine) {
		if err := s.env.Provide(t.Name, t); err != nil {
			return err
		}
	}
	return nil
}

// Refused yields, for each plugin with an invalid configuration, its name and the error that New would
// return. Nothing on the system is read or changed. Plugins of the tree that the options do not list are
// ignored.
func Refused(spec Spec, options Options) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		options.Host = Host{Console: io.Discard}
		options.Host.fill()
		if options.Machine == nil {
			options.Machine = X86_64()
		}
		s := &Store{options: options, data: map[string]*datum{}, Log: &logging.Logger{Level: logging.Off}}
		s.env = Env{Machine: options.Machine, Dialect: options.Dialect, Scope: s}
		var list []wanted
		for _, sec := range spec.Sections {
			_ = s.define(sec.Types) // an error in a type is reported elsewhere, not for a plugin
			for _, p := range sec.Plugins.pairs() {
				kind, err := s.findPlugin(p.Key)
				if err == nil && !slices.ContainsFunc(list, func(w wanted) bool { return w.kind == kind }) {
					list = append(list, wanted{kind, p.Value})
				}
			}
		}
		for _, w := range ordered(list) {
			read := w.kind.Check
			if read == nil {
				read = w.kind.New
			}
			err := s.provide(w.kind)
			if err == nil {
				err = readSafely(read, &Context{Store: s, Config: w.config, Log: s.Log, name: w.kind.Name})
			}
			if err != nil && !yield(w.kind.Name, err) {
				return
			}
		}
	}
}

// readSafely reads a configuration and turns a panic into an error, so that a mistake in another program's
// plugin does not crash an editor.
func readSafely(read func(*Context) error, c *Context) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = Errorf(StatusPlugin, c.Config, "plugin `%s` panicked on its configuration: %v", c.name, v)
		}
	}()
	return read(c)
}

// ordered sorts plugins by the order in which they are loaded.
func ordered(list []wanted) []wanted {
	slices.SortFunc(list, func(a, b wanted) int { return cmp.Compare(a.kind.Name, b.kind.Name) })
	return list
}

func (s *Store) findPlugin(key *Node) (*Plugin, error) {
	var names []string
	elsewhere := ""
	for i := range s.options.Plugins {
		p := &s.options.Plugins[i]
		switch {
		case p.New == nil:
		case s.options.Place != 0 && p.Runs&s.options.Place == 0:
			if p.Name == key.Text {
				elsewhere = strings.Join(p.Runs.Names(), " and in ")
			}
		case p.Name == key.Text:
			return p, nil
		default:
			names = append(names, "`"+p.Name+"`")
		}
	}
	slices.Sort(names)
	built := strings.Join(names, ", ")
	if built == "" {
		built = "none"
	}
	if elsewhere != "" {
		here := strings.Join(s.options.Place.Names(), ", ")
		return nil, Errorf(StatusPlugin, key, "plugin `%s` does not run in %s, only in %s: the plugins here are %s", key.Text, here, elsewhere, built).
			Upstream("Unable to load plugin `%s': it does not run in %s, only in %s: here there are %s", key.Text, here, elsewhere, built)
	}
	return nil, Errorf(StatusPlugin, key, "plugin `%s` is not built in, and shared objects are not loaded: the plugins are %s", key.Text, built).
		Upstream("Unable to load plugin `%s': it is not built in, and shared objects are not loaded: there are %s", key.Text, built)
}
