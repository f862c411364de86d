package debuginfo

// eachRange calls add with the addresses that an entry says: from low to high, or
// a list.
func (s *scan) eachRange(u *scanUnit, low, high, ranges value, add func(Range)) {
	if ranges.class != nothing {
		s.list(u, ranges, add)
		return
	}
	if low.class == nothing || high.class == nothing {
		return
	}
	r := Range{Low: s.address(u, low)}
	if r.High = high.number; high.class == constant {
		r.High += r.Low
	} else {
		r.High = s.address(u, high)
	}
	s.keep(r, add)
}

// keep passes code on that is there: what the linker left out begins at 0.
func (s *scan) keep(r Range, add func(Range)) {
	s.budget--
	if r.Low != 0 && r.Low < r.High && s.budget >= 0 {
		add(r)
	}
}

// address is the address that a value says, or 0.
func (s *scan) address(u *scanUnit, v value) uint64 {
	if v.class == addressIndex {
		return s.indexed(u, v.number)
	}
	return v.number
}

// indexed is an address of the table of addresses.
func (s *scan) indexed(u *scanUnit, i uint64) uint64 {
	c := s.cursor(s.addr, min(u.addrBase, maxSection)+min(i, maxSection)*uint64(u.address))
	return c.uint(u.address)
}

// list reads a list of ranges.
func (s *scan) list(u *scanUnit, at value, add func(Range)) {
	if u.version < 5 {
		s.oldList(u, at.number+u.rangesBase, add)
		return
	}
	place := at.number
	if at.class == listIndex {
		c := s.cursor(s.rnglists, min(u.listsBase, maxSection)+min(at.number, maxSection)*uint64(u.offset))
		c.wide = u.offset == 8
		place = u.listsBase + c.offset()
	}
	const (
		end = iota
		baseIndex
		startIndexEndIndex
		startIndexLength
		offsets
		base
		startEnd
		startLength
	)
	c := s.cursor(s.rnglists, place)
	from := u.low
	for !c.failed && s.budget >= 0 {
		switch c.uint(1) {
		case baseIndex:
			from = s.indexed(u, c.uleb())
		case startIndexEndIndex:
			low := s.indexed(u, c.uleb())
			s.keep(Range{low, s.indexed(u, c.uleb())}, add)
		case startIndexLength:
			low := s.indexed(u, c.uleb())
			s.keep(Range{low, low + c.uleb()}, add)
		case offsets:
			low := from + c.uleb()
			s.keep(Range{low, from + c.uleb()}, add)
		case base:
			from = c.uint(u.address)
		case startEnd:
			low := c.uint(u.address)
			s.keep(Range{low, c.uint(u.address)}, add)
		case startLength:
			low := c.uint(u.address)
			s.keep(Range{low, low + c.uleb()}, add)
		default: // also end
			return
		}
	}
}

// oldList reads a list as it was before version 5: pairs of addresses.
func (s *scan) oldList(u *scanUnit, at uint64, add func(Range)) {
	c := s.cursor(s.ranges, at)
	from, mark := u.low, ^uint64(0)>>(64-8*u.address)
	for !c.failed && s.budget >= 0 {
		switch low, high := c.uint(u.address), c.uint(u.address); {
		case low == 0 && high == 0:
			return
		case low == mark:
			from = high
		default:
			s.keep(Range{from + low, from + high}, add)
		}
	}
}
