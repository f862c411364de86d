package data

import (
	"io"
	"iter"
	"strings"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/run/data/expr"
	"github.com/pentode-dev/pentode/run/data/logging"
)

// Store holds references to a program's data, which plugins and expressions read.
//
// Only one goroutine may use a Store at a time. Callbacks run inside the call that caused
// them and may call the store again.
type Store struct {
	Log *logging.Logger

	env     Env
	options Options
	data    map[string]*datum
	order   []*datum // all data, in the order in which their names first occurred
	datums  slab[datum]
	last    *datum   // the datum of the last call, because the next call often uses it again
	known   [][]byte // memory to which pointers may point
	calls   callbacks
	plugins []*Context
	files   []io.Closer
	pattern string           // the pattern of the log, as the tree or SetPattern gives it
	block   string           // blocks that plugins have added to the pattern
	common  *logging.Pattern // the pattern of plugins that have none of their own; nil: the pattern of Log
	free    []*buffer

	transaction *transaction
	chain       chain
	closed      bool
}

// Options are the settings of a Store that its specification tree does not contain. The
// zero value stands for the documented dialect on x86-64, without plugins.
type Options struct {
	Machine *Machine
	Dialect Dialect
	Plugins []Plugin
	Place   Places // where the store runs, which determines the plugins that can run; 0: all plugins that have code run
	Host    Host
}

// New makes the store that a specification tree describes. It defines the types, loads
// the plugins, declares metadata and then data, and finally calls the OnInit callbacks.
func New(spec Spec, options Options) (*Store, error) {
	options.Host.fill()
	if options.Machine == nil {
		options.Machine = X86_64()
	}
	count := 0
	for _, sec := range spec.Sections {
		count += len(sec.Metadata.pairs()) + len(sec.Data.pairs())
	}
	s := &Store{options: options, data: make(map[string]*datum, count), order: make([]*datum, 0, count)}
	s.env = Env{Machine: options.Machine, Dialect: options.Dialect, Scope: s}
	if err := s.build(spec); err != nil {
		_ = s.closePlugins() // ignore further errors: New already returns one
		_ = s.closeLog()
		return nil, err
	}
	return s, nil
}

func (s *Store) build(spec Spec) error {
	if err := s.openLog(spec.Logging); err != nil {
		return err
	}
	for _, sec := range spec.Sections {
		if err := s.define(sec.Types); err != nil {
			return err
		}
	}
	if err := s.loadPlugins(spec.Sections); err != nil {
		return err
	}
	if err := s.fillPatterns(); err != nil {
		return err
	}
	for _, sec := range spec.Sections {
		if err := s.declare(sec.Metadata, "metadata", true); err != nil {
			return err
		}
	}
	for _, sec := range spec.Sections {
		if err := s.declare(sec.Data, "data", false); err != nil {
			return err
		}
	}
	if !s.declared() {
		s.Log.Warn("No data (or metadata) defined in specification tree")
	}
	for _, f := range s.calls.onInit {
		if err := f(); err != nil {
			return err
		}
	}
	s.Log.Info("Initialization successful")
	return s.Event("pdi_start_timer")
}

func (s *Store) declared() bool {
	for _, d := range s.order {
		if d.template != nil {
			return true
		}
	}
	return false
}

// define reads a `types` section.
func (s *Store) define(n *Node) error {
	return s.section(n, "types", func(name string, key, value *Node) error {
		if err := s.env.Define(name, value); err != nil {
			e := *asError(err)
			e.Node, e.Span = key, key.Span
			return &e
		}
		return nil
	})
}

// declare reads a `metadata` or `data` section.
func (s *Store) declare(n *Node, section string, metadata bool) error {
	return s.section(n, section, func(name string, key, value *Node) error {
		d := s.datum(name)
		switch {
		case d.template != nil:
			return declaredTwice(d, key)
		case len(d.stack) > 0 && (metadata || s.options.Dialect == Upstream): // a plugin has shared it
			return Errorf(StatusState, key, "`%s` cannot be declared: it is already shared", name).
				Upstream("Can not change the metadata status of a non-empty descriptor")
		}
		t, problems := s.env.Read(value)
		for _, e := range problems {
			e.Subject.Name = name
			if e.Severity == problem.Error {
				return e
			}
			s.Log.Warn("%s", e)
		}
		d.template, d.node, d.declared, d.typ = t, key, value, nil // set again, because a plugin may have used the name before it was declared
		if metadata {
			s.makeMetadata(d)
		}
		return nil
	})
}

// makeMetadata makes a datum a metadatum, by adding an entry for the value to be kept at
// the bottom of its stack.
func (s *Store) makeMetadata(d *datum) {
	d.metadata = true
	b := s.newBuffer()
	b.null, b.readable = true, true
	d.push(reference{buffer: b})
}

func declaredTwice(d *datum, again *Node) error {
	e := Errorf(StatusSpecTree, again, "`%s` is already declared", d.name)
	e.Upstream("redefinition of '%s'", d.name).upstream.earlier = d.declared
	e.Subject.Name = d.name
	if first := d.node; !first.Span.IsZero() {
		e.Message += " at " + first.Span.String()
		e.Related = []problem.Related{{Span: first.Span, Message: "first here"}}
	}
	return e
}

// section calls visit for each entry of a section.
func (s *Store) section(n *Node, section string, visit func(name string, key, value *Node) error) error {
	if s.options.Dialect == Documented && n != nil && n.Kind == SequenceNode {
		return Errorf(StatusSpecTree, n, "expected a mapping after `%s`, found a sequence", section)
	}
	path := "{"
	if section == "plugins" {
		path = ".plugins{"
	}
	return n.each("a mapping after `"+section+"`", path, visit)
}

// datum returns the datum of a name and makes it if the name is new.
func (s *Store) datum(name string) *datum {
	if s.last != nil && s.last.name == name {
		return s.last
	}
	d, ok := s.data[name]
	if !ok {
		name = strings.Clone(name) // copy the name, because it may lie in the program's memory
		d = &s.datums.take(1)[0]
		d.name = name
		d.cell.Datum.Big = s.options.Machine.BigEndian
		s.data[name] = d
		s.order = append(s.order, d)
		s.watch(d)
	}
	s.last = d
	return d
}

func (s *Store) usable() error {
	if s.closed {
		return Errorf(StatusState, nil, "the store is closed").Upstream("PDI not initialized")
	}
	return nil
}

// Close closes the plugins and then the store. Data that is still shared belongs to the
// program again.
func (s *Store) Close() error {
	if err := s.usable(); err != nil {
		return err
	}
	errs := []error{s.Event("pdi_stop_timer")}
	s.Log.Info("Finalization")
	for _, f := range s.calls.onFinalize {
		errs = append(errs, f())
	}
	errs = append(errs, s.closePlugins())
	s.remaining()
	errs = append(errs, s.closeLog())
	failed := errs[:0]
	for _, err := range errs {
		if err != nil {
			failed = append(failed, err)
		}
	}
	return Join(failed)
}

// closePlugins closes the plugins in reverse order.
func (s *Store) closePlugins() error {
	var errs []error
	for i := len(s.plugins) - 1; i >= 0; i-- {
		if err := s.plugins[i].close(); err != nil {
			errs = append(errs, err)
		}
	}
	return Join(errs)
}

// closeLog closes the log and marks the store as closed.
func (s *Store) closeLog() error {
	var errs []error
	s.closed = true
	for _, f := range s.files {
		if err := f.Close(); err != nil {
			errs = append(errs, err)
		}
	}
	return Join(errs)
}

// remaining logs which data is still shared. It is called after the plugins have closed,
// because plugins may share data too.
func (s *Store) remaining() {
	for _, d := range s.order {
		n := len(d.stack)
		if d.metadata {
			n--
		}
		if n > 0 {
			s.Log.Warn("Remaining %d reference(s) to `%s' in PDI after program end", n, d.name)
		} else if d.metadata {
			s.discard(d.pop().buffer)
		}
	}
}

func (s *Store) newBuffer() *buffer {
	if n := len(s.free); n > 0 {
		b := s.free[n-1]
		s.free = s.free[:n-1]
		b.null, b.life = false, b.life+1
		return b
	}
	return &buffer{}
}

// discard frees memory that the store has allocated, if nothing refers to it any more.
func (s *Store) discard(b *buffer) {
	if free := s.options.Host.Memory.Free; free != nil && len(b.holders) == 0 && !b.null && b.parent == nil {
		free(b.bytes)
	}
	s.recycle(b)
}

// recycle keeps a buffer for a later share if nothing refers to it any more.
func (s *Store) recycle(b *buffer) {
	if len(b.holders) == 0 {
		b.null, b.owned, b.readable, b.writable = true, false, false, false
		b.bytes, b.parent = nil, nil // do not keep the program's memory alive
		s.free = append(s.free, b)
	}
}

// Cell returns the cell of a name: the place from which expressions read its current
// value.
func (s *Store) Cell(name string) *expr.Cell { return &s.datum(name).cell }

// Env returns the environment in which the store reads types and expressions.
func (s *Store) Env() *Env { return &s.env }

// Host returns the host that the store's plugins use.
func (s *Store) Host() *Host { return &s.options.Host }

// Ref returns a reference to the current share of a name.
func (s *Store) Ref(name string) (Ref, error) {
	d := s.datum(name)
	if len(d.stack) == 0 {
		if err := s.fetch(d); err != nil {
			return Ref{}, err
		}
	}
	if len(d.stack) == 0 {
		return Ref{}, notShared(name)
	}
	return d.top().ref(), nil
}

// Metadata yields the names of the metadata that the tree declares, in the order of the
// declarations.
func (s *Store) Metadata() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, d := range s.order {
			if d.metadata && d.template != nil && !yield(d.name) {
				return
			}
		}
	}
}

// Template returns the declared type of a name.
func (s *Store) Template(name string) (*Template, bool) {
	d, ok := s.data[name]
	if !ok || d.template == nil {
		return nil, false
	}
	return d.template, true
}
