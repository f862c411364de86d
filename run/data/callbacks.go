package data

import "strings"

// DataCallback is called when a datum was shared or is about to be removed.
type DataCallback func(name string, ref Ref) error

// EventCallback is called when an event is triggered.
type EventCallback func(name string) error

// callbacks are the callbacks for data of any name. Callbacks for a single datum are stored with
// the datum and are called before these.
type callbacks struct {
	onShare, onRemove []DataCallback
	beforeEvent       []func() error
	onEvent           []EventCallback
	onNamedEvent      map[string][]EventCallback
	onEmpty           []EventCallback
	onInit            []func() error
	onFinalize        []func() error
}

// OnShare calls f whenever the named datum is shared or accessed, or, if name is empty, any datum.
// If f returns an error, the share is undone.
func (s *Store) OnShare(name string, f DataCallback) {
	if name == "" {
		s.calls.onShare = append(s.calls.onShare, f)
		return
	}
	d := s.datum(name)
	d.onShare = append(d.onShare, f)
}

// OnRemove calls f whenever the named datum is about to be reclaimed or released, or, if name is
// empty, any datum.
func (s *Store) OnRemove(name string, f DataCallback) {
	if name == "" {
		s.calls.onRemove = append(s.calls.onRemove, f)
		return
	}
	d := s.datum(name)
	d.onRemove = append(d.onRemove, f)
}

// OnEvent calls f when the named event is triggered, or, if name is empty, any event.
func (s *Store) OnEvent(name string, f EventCallback) {
	if name == "" {
		s.calls.onEvent = append(s.calls.onEvent, f)
		return
	}
	if s.calls.onNamedEvent == nil {
		s.calls.onNamedEvent = map[string][]EventCallback{}
	}
	s.calls.onNamedEvent[name] = append(s.calls.onNamedEvent[name], f)
}

// BeforeEvent calls f before the callbacks of each event that the program triggers. It does not
// call f for events that plugins trigger while they handle that event.
func (s *Store) BeforeEvent(f func() error) {
	s.calls.beforeEvent = append(s.calls.beforeEvent, f)
}

// OnEmpty calls f when a datum is needed but is not shared. f may then share it.
func (s *Store) OnEmpty(f EventCallback) {
	s.calls.onEmpty = append(s.calls.onEmpty, f)
	for _, d := range s.data {
		s.watch(d)
	}
}

// OnInit calls f after all data is declared. OnFinalize calls f before the store closes.
func (s *Store) OnInit(f func() error)     { s.calls.onInit = append(s.calls.onInit, f) }
func (s *Store) OnFinalize(f func() error) { s.calls.onFinalize = append(s.calls.onFinalize, f) }

// watch makes the store call the OnEmpty callbacks when an expression needs the datum and it is not
// shared.
func (s *Store) watch(d *datum) {
	if len(s.calls.onEmpty) > 0 && d.cell.Fetch == nil {
		d.cell.Fetch = func() { s.fetch(d) }
	}
}

// fetch calls the OnEmpty callbacks until one of them has shared the datum. If none has, it returns
// their errors.
func (s *Store) fetch(d *datum) error {
	var errs []error
	err := s.nested(func() error {
		for i := 0; i < len(s.calls.onEmpty) && len(d.stack) == 0; i++ {
			if err := s.calls.onEmpty[i](d.name); err != nil {
				errs = append(errs, err)
			}
		}
		return Join(errs)
	})
	if err != nil && len(d.stack) == 0 {
		return Within(err, "while asking for `%s`", d.name)
	}
	return nil
}

// tell calls the callbacks of a datum. It calls all of them, even if one fails. doing describes the
// operation for error messages.
func (s *Store) tell(d *datum, named *[]DataCallback, all *[]DataCallback, doing string) error {
	if len(*named) == 0 && len(*all) == 0 {
		return nil
	}
	return s.nested(func() error {
		var errs []error
		for _, list := range []*[]DataCallback{named, all} {
			for i := 0; i < len(*list) && len(d.stack) > 0; i++ {
				if err := (*list)[i](d.name, d.top().ref()); err != nil {
					errs = append(errs, err)
				}
			}
		}
		return Within(Join(errs), "while %s `%s`", doing, d.name)
	})
}

// Callbacks can trigger each other. maxNesting limits how deep they nest, and maxCalls how many
// callbacks one call of the program may cause in all.
const (
	maxNesting = 100
	maxCalls   = 1 << 20
)

// chain counts the callbacks that one call of the program causes.
type chain struct {
	depth, calls int
	broken       error // set when a limit was exceeded: all further callbacks of the chain fail at once
}

// nested runs f, which calls callbacks, and counts it in the current chain.
func (s *Store) nested(f func() error) error {
	c := &s.chain
	if c.depth == 0 {
		*c = chain{}
	}
	c.calls++
	switch {
	case c.broken != nil:
	case c.depth >= maxNesting:
		c.broken = Errorf(StatusState, nil, "plugins trigger each other more than %d deep", maxNesting)
	case c.calls > maxCalls:
		c.broken = Errorf(StatusState, nil, "plugins trigger each other more than %d times", maxCalls)
	}
	if c.broken != nil {
		return c.broken
	}
	c.depth++
	defer func() { c.depth-- }()
	return f()
}

// Event triggers an event: it calls the plugins that listen to it.
func (s *Store) Event(name string) error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.chain.depth == 0 {
		for _, f := range s.calls.beforeEvent {
			if err := s.nested(f); err != nil {
				return Within(err, "before `%s`", name)
			}
		}
	}
	named := s.calls.onNamedEvent[name]
	if len(named) == 0 && len(s.calls.onEvent) == 0 {
		return nil
	}
	name = strings.Clone(name) // copy the name, because plugins may keep it after the call
	return s.nested(func() error {
		var errs []error
		for _, list := range [][]EventCallback{named, s.calls.onEvent} {
			for _, f := range list {
				if err := f(name); err != nil {
					errs = append(errs, err)
				}
			}
		}
		return Within(Join(errs), "while triggering `%s`", name)
	})
}
