package report

// include adds the results of another maker, for other threads.
func (m *maker) include(o *maker) {
	switch {
	case o.events == 0:
	case m.events == 0:
		m.first, m.last = o.first, o.last
	default:
		m.first, m.last = min(m.first, o.first), max(m.last, o.last)
	}
	m.events += o.events
	m.unfinished += o.unfinished
	m.unknown += o.unknown
	for k, r := range o.rows {
		m.row(k).include(r)
	}
	for k, t := range o.traffic {
		sum := m.traffic[k]
		if sum == nil {
			m.traffic[k] = t
			continue
		}
		sum.Count, sum.Bytes = sum.Count+t.Count, sum.Bytes+t.Bytes
	}
	for k, s := range o.sizes {
		sum := m.sizes[k]
		if sum == nil {
			m.sizes[k] = s
			continue
		}
		sum.Count, sum.Bytes, sum.Total = sum.Count+s.Count, sum.Bytes+s.Bytes, sum.Total+s.Total
	}
}

func (r *row) include(o *row) {
	r.count += o.count
	r.total += o.total
	r.self += o.self
	r.wait += o.wait
	r.long = max(r.long, o.long)
	r.hist.include(&o.hist)
	r.shares = append(r.shares, o.shares...)
}

func (h *histogram) include(o *histogram) {
	h.sum += o.sum
	h.squares += o.squares
	h.count += o.count
	for exponent, fines := range o.ranges {
		switch {
		case fines == nil:
		case h.ranges[exponent] == nil:
			h.ranges[exponent] = fines
		default:
			for i, n := range fines {
				h.ranges[exponent][i] += n
			}
		}
	}
}
