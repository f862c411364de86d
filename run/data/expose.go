package data

// Expose shares a datum and reclaims it at once. In between, plugins can read it; a metadatum
// keeps a copy. Inside a transaction, the datum is reclaimed only at the end of the transaction.
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

// MultiExpose shares several data, triggers an event while all are shared, and reclaims
// them in reverse order. If one of them cannot be shared, the event is not triggered.
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

// transaction collects the data that Expose shares between Begin and End.
type transaction struct {
	event string
	names []string
}

// Begin starts a transaction: data exposed before End is reclaimed only at End, after the event.
func (s *Store) Begin(event string) error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.transaction != nil {
		return Errorf(StatusState, nil, "the transaction `%s` is still open: end it before you begin another one", s.transaction.event)
	}
	s.transaction = &transaction{event: event}
	return nil
}

// End triggers the event of the transaction and reclaims its data in reverse order.
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
