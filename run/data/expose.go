package data

// Expose shares a datum and reclaims it at once: plugins see it in between, and
// metadata keeps a copy. Inside a transaction it is reclaimed at its end.
func (s *Store) Expose(name string, value any, access Access) error {
	if err := s.Share(name, value, access); err != nil {
		return err
	}
	if s.transaction != nil {
		s.transaction.names = append(s.transaction.names, name)
		return nil
	}
	return s.reclaim(s.datum(name))
}

// Item is one datum of a MultiExpose.
type Item struct {
	Name   string
	Value  any
	Access Access
}

// MultiExpose shares several data, triggers an event while all are there, and
// reclaims them in reverse. Where one cannot be shared there is no event.
func (s *Store) MultiExpose(event string, items ...Item) error {
	var first error
	shared := 0
	for _, item := range items {
		if first = s.Share(item.Name, item.Value, item.Access); first != nil {
			break
		}
		shared++
	}
	if first == nil {
		first = s.Event(event)
	}
	for i := shared - 1; i >= 0; i-- {
		if err := s.Reclaim(items[i].Name); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// transaction is a run of Expose calls whose data stay until its event.
type transaction struct {
	event string
	names []string
}

// Begin starts a transaction: what is exposed until End is reclaimed only then,
// after the event.
func (s *Store) Begin(event string) error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.transaction != nil {
		return Errorf(StatusState, nil, "the transaction `%s` is still open: end it before another begins", s.transaction.event)
	}
	s.transaction = &transaction{event: event}
	return nil
}

// End triggers the event of the transaction and reclaims its data in reverse.
func (s *Store) End() error {
	if err := s.usable(); err != nil {
		return err
	}
	t := s.transaction
	if t == nil {
		return Errorf(StatusState, nil, "there is no transaction to end")
	}
	s.transaction = nil
	first := s.Event(t.event)
	for i := len(t.names) - 1; i >= 0; i-- {
		if err := s.Reclaim(t.names[i]); err != nil && first == nil {
			first = err
		}
	}
	return first
}
