package syntax

const (
	processForm = "process NAME :: TYPE"
	connectForm = "connect from PROCESS.PORT to PROCESS.PORT"
	imapForm    = "imap from PORT to PROCESS.PORT"
	omapForm    = "omap from PROCESS.PORT to PORT"
)

// process reads `process NAME :: TYPE`, on one line or on several.
func (p *parser) process(s *Stmt) bool {
	s.Kind = ProcessStmt
	name, ok := p.word("the name of a process")
	if !ok {
		return false
	}
	s.Name = name
	if p.next.kind != DoubleColon {
		p.report(ExpectedWord, "expected `::` and a type after process `%s`, but found %s", p.tree.Of(name), p.found()).Helped("write `%s`", processForm)
		return false
	}
	p.advance()
	s.Value, ok = p.word("the type of the process")
	return ok
}

// config reads `config PATH`, alone on its line.
func (p *parser) config(s *Stmt) bool {
	s.Kind = ConfigStmt
	if p.next.line || p.next.kind == end {
		head := p.toks[s.Tokens.First]
		p.tree.Report(ExpectedName, p.tree.File().Span(int(head.Start), int(head.End)), "expected the name of a section after `config`")
		return false
	}
	s.Name = Text{Start: p.next.start, End: p.next.start}
	for {
		word, ok := p.sectionPart(s)
		if !ok {
			return false
		}
		s.Name.End = word.End
		if p.next.line || p.next.kind == end {
			return true
		}
		if p.next.kind != Colon {
			p.report(ConfigHeader, "the header of a section ends with its line, but %s follows", p.found()).
				Helped("put it on the next line")
			return false
		}
		if p.next.space {
			s.Flags |= Scattered
		}
		p.advance()
	}
}

// sectionPart reads one word of a section's path.
func (p *parser) sectionPart(s *Stmt) (Text, bool) {
	if p.next.line || p.next.kind == end {
		d := p.report(ExpectedName, "expected a name after the `:` of the section")
		d.Span = p.tree.Span(s.Name)
		return Text{}, false
	}
	if p.next.space && !s.Name.Empty() {
		s.Flags |= Scattered
	}
	return p.word("the name of a section")
}

// noRefs returns an empty range, which begins at the next port address to be
// stored.
func (p *parser) noRefs() Range {
	n := int32(len(p.tree.refs))
	return Range{First: n, End: n}
}

// connect reads `connect from PROCESS.PORT to PROCESS.PORT`.
func (p *parser) connect(s *Stmt) bool {
	s.Kind = ConnectStmt
	s.refs = p.noRefs()
	if !p.keyword(From, "from", connectForm) || !p.port(s) || !p.keyword(To, "to", connectForm) || !p.port(s) {
		return false
	}
	if p.next.kind == To {
		p.report(UnexpectedToken, "a connection leads to one port only").Helped("write another `connect from … to …` for every further port")
		return false
	}
	if p.next.kind == Word && !p.next.line && !p.assigns() {
		p.report(UnexpectedToken, "a connection ends with its port, but %s follows", p.found()).Helped("remove it, or put a `#` before it")
		return false
	}
	return true
}

// cluster reads `cluster NAME`.
func (p *parser) cluster(s *Stmt) (ok bool) {
	s.Kind = ClusterStmt
	s.Name, ok = p.word("the name of the cluster")
	return ok
}

// imap reads `imap from PORT to PROCESS.PORT`, with any number of targets.
func (p *parser) imap(s *Stmt) bool {
	s.Kind = ImapStmt
	s.refs = p.noRefs()
	if !p.keyword(From, "from", imapForm) {
		return false
	}
	var ok bool
	if s.Name, ok = p.path("a port of the cluster"); !ok {
		return false
	}
	s.Flags |= Scattered
	for {
		if !p.keyword(To, "to", imapForm) || !p.port(s) {
			return false
		}
		if p.next.kind != To {
			return true
		}
	}
}

// omap reads `omap from PROCESS.PORT to PORT`.
func (p *parser) omap(s *Stmt) bool {
	s.Kind = OmapStmt
	s.refs = p.noRefs()
	if !p.keyword(From, "from", omapForm) || !p.port(s) || !p.keyword(To, "to", omapForm) {
		return false
	}
	var ok bool
	if s.Name, ok = p.word("a port of the cluster"); !ok {
		return false
	}
	if p.next.kind == Slash {
		p.report(ExpectedName, "an output port of a cluster is one word, without `/`")
		return false
	}
	return true
}

// port reads `process.port`. Both may consist of parts separated by slashes.
func (p *parser) port(s *Stmt) bool {
	process, ok := p.path("the name of a process")
	if !ok {
		return false
	}
	if p.next.kind != Dot {
		p.report(ExpectedWord, "expected `.` and a port after process `%s`, but found %s", p.tree.Of(process), p.found())
		return false
	}
	p.advance()
	port, ok := p.path("the name of a port")
	if !ok {
		return false
	}
	p.tree.refs = append(p.tree.refs, Ref{process, port})
	s.refs.End++
	return true
}

// path reads words separated by slashes.
func (p *parser) path(what string) (Text, bool) {
	t, ok := p.word(what)
	for ok && p.next.kind == Slash {
		p.advance()
		var part Text
		part, ok = p.word(what)
		t.End = part.End
	}
	return t, ok
}
