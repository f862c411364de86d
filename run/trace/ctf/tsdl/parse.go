package tsdl

import (
	"slices"
	"strings"
)

// maxDepth is the maximum nesting depth of declarations.
const maxDepth = 64

// Parse reads the declarations of a trace. Its error is an *Error.
func Parse(source string) (_ *Trace, err error) {
	p := &parser{lexer: lexer{source: source}, trace: &Trace{Order: Native, Env: map[string]string{}, Clocks: map[string]Clock{}}}
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failed)
			if !ok {
				panic(r)
			}
			err = f.err
		}
	}()
	p.ahead = p.lexer.next()
	p.open()
	for p.ahead.kind != end {
		p.block()
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.trace, nil
}

// parser reads tokens, one of them ahead.
type parser struct {
	lexer
	ahead  token
	trace  *Trace
	events []streamEvent
	scopes []map[string]Type // names of types, the innermost scope last
	found  bool              // whether there was a trace block
	depth  int
}

// streamEvent is an event and the id of its stream.
type streamEvent struct {
	*Event
	stream uint64
	at     int
}

func (p *parser) take() token {
	t := p.ahead
	p.ahead = p.lexer.next()
	return t
}

// is reports whether the next token is this word or mark.
func (p *parser) is(s string) bool {
	return (p.ahead.kind == word || p.ahead.kind == mark) && p.ahead.text == s
}

// accept reads this word or mark if it is next.
func (p *parser) accept(s string) bool {
	if !p.is(s) {
		return false
	}
	p.take()
	return true
}

func (p *parser) expect(s, where string) {
	if !p.accept(s) {
		p.fail(p.ahead.at, "expected `%s` %s, found %s", s, where, p.ahead.shown())
	}
}

func (p *parser) open()  { p.scopes = append(p.scopes, map[string]Type{}) }
func (p *parser) close() { p.scopes = p.scopes[:len(p.scopes)-1] }

// name adds a type to the innermost scope.
func (p *parser) name(at int, name string, t Type) {
	scope := p.scopes[len(p.scopes)-1]
	if scope[name] != nil {
		p.fail(at, "the type `%.80s` is declared twice", name)
	}
	scope[name] = t
}

func (p *parser) lookup(name string) Type {
	for _, scope := range slices.Backward(p.scopes) {
		if t := scope[name]; t != nil {
			return t
		}
	}
	return nil
}

// attribute is `name = value;` or `name := type;` in a block.
type attribute struct {
	at    int
	name  string
	typ   Type   // after :=
	text  string // of a text or of words, such as `clock.monotonic.value`
	value uint64
	minus bool
	kind  kind
}

// block reads a top-level declaration.
func (p *parser) block() {
	if p.ahead.kind != word {
		p.fail(p.ahead.at, "expected a block such as `stream`, `event` or `typealias`, found %s", p.ahead.shown())
	}
	switch at := p.ahead.at; p.ahead.text {
	case "trace":
		if p.found {
			p.fail(at, "a second `trace` block")
		}
		p.found = true
		p.body(p.traceAttribute)
	case "env":
		p.body(func(a attribute) { p.trace.Env[a.name] = a.shown() })
	case "clock":
		p.clock()
	case "stream":
		s := &Stream{}
		p.body(func(a attribute) { p.streamAttribute(s, a) })
		if slices.ContainsFunc(p.trace.Streams, func(o *Stream) bool { return o.ID == s.ID }) {
			p.fail(at, "the stream %d is declared twice", s.ID)
		}
		p.trace.Streams = append(p.trace.Streams, s)
	case "event":
		e := streamEvent{&Event{}, 0, at}
		p.body(func(a attribute) { p.eventAttribute(&e, a) })
		p.events = append(p.events, e)
	case "callsite":
		p.body(func(attribute) {})
	default:
		if !p.alias() {
			p.declared()
		}
		p.expect(";", "after a declaration")
	}
}

// declared reads a struct, enum or variant that is only named for later use.
func (p *parser) declared() {
	at := p.ahead
	if t := p.specifier(); t == nil || !slices.Contains([]string{"struct", "enum", "variant"}, at.text) {
		p.fail(at.at, "expected a block such as `stream`, `event` or `typealias`, found %s", at.shown())
	}
}

// body reads a block's attributes, and the types declared in it.
func (p *parser) body(set func(attribute)) {
	name := p.take().text
	p.expect("{", "after `"+name+"`")
	p.open()
	for !p.accept("}") {
		if p.ahead.kind == end {
			p.fail(p.ahead.at, "the block `%s` does not end: a `}` is missing", name)
		}
		if !p.alias() {
			set(p.attribute())
		}
		p.expect(";", "after an attribute of `"+name+"`")
	}
	p.close()
	p.accept(";")
}

func (p *parser) attribute() attribute {
	a := attribute{at: p.ahead.at}
	a.name = p.path()
	if p.accept(":=") {
		a.typ = p.typ()
		return a
	}
	p.expect("=", "after `"+a.name+"`")
	a.minus = p.accept("-")
	if !a.minus {
		p.accept("+")
	}
	a.kind = p.ahead.kind
	switch a.kind {
	case number:
		a.value = p.take().value
	case text:
		a.text = p.take().text
		for p.ahead.kind == text { // as in C, adjacent texts are joined
			a.text += p.take().text
		}
	case word:
		a.text = p.path()
	default:
		p.fail(p.ahead.at, "expected a value for `%s`, found %s", a.name, p.ahead.shown())
	}
	return a
}

// path reads words separated by dots.
func (p *parser) path() string {
	if p.ahead.kind != word {
		p.fail(p.ahead.at, "expected a name, found %s", p.ahead.shown())
	}
	path := p.take().text
	for p.accept(".") {
		if p.ahead.kind != word {
			p.fail(p.ahead.at, "expected a name after `%s.`, found %s", path, p.ahead.shown())
		}
		path += "." + p.take().text
	}
	return path
}

func (p *parser) traceAttribute(a attribute) {
	switch a.name {
	case "major":
		if p.number(a) != 1 {
			p.fail(a.at, "the trace has version %d of the format; only 1.8 can be read", a.value)
		}
	case "byte_order":
		p.trace.Order = p.order(a)
		if p.trace.Order == Native {
			p.fail(a.at, "the `byte_order` of a trace is `le` or `be`")
		}
	case "uuid":
		p.trace.UUID = a.text
	case "packet.header":
		p.trace.Header = p.structOf(a)
	}
}

func (p *parser) streamAttribute(s *Stream, a attribute) {
	switch a.name {
	case "id":
		s.ID = p.number(a)
	case "packet.context":
		s.PacketContext = p.structOf(a)
	case "event.header":
		s.EventHeader = p.structOf(a)
	case "event.context":
		s.EventContext = p.structOf(a)
	}
}

func (p *parser) eventAttribute(e *streamEvent, a attribute) {
	switch a.name {
	case "id":
		e.ID = p.number(a)
	case "name":
		e.Name = a.text
	case "stream_id":
		e.stream = p.number(a)
	case "context":
		e.Context = p.structOf(a)
	case "fields":
		e.Fields = p.structOf(a)
	}
}

func (p *parser) clock() {
	c, name, at := Clock{Frequency: 1e9}, "", p.ahead.at
	p.body(func(a attribute) {
		switch a.name {
		case "name":
			name = a.text
		case "freq":
			if c.Frequency = p.number(a); c.Frequency == 0 {
				p.fail(a.at, "a clock must not have `freq = 0`")
			}
		case "offset_s":
			c.Seconds = p.signed(a)
		case "offset":
			c.Ticks = p.signed(a)
		}
	})
	if name == "" {
		p.fail(at, "a clock without a `name`")
	}
	if _, twice := p.trace.Clocks[name]; twice {
		p.fail(at, "the clock `%.80s` is declared twice", name)
	}
	p.trace.Clocks[name] = c
}

// finish adds events to their streams.
func (p *parser) finish() error {
	if !p.found {
		return &Error{1, 1, "there is no `trace` block: this is not the description of a trace"}
	}
	if p.trace.Order == Native {
		return &Error{1, 1, "the `trace` block has no `byte_order`"}
	}
	type key struct{ stream, id uint64 }
	seen := map[key]bool{}
	streams := map[uint64]*Stream{}
	for _, s := range p.trace.Streams {
		streams[s.ID] = s
	}
	for _, e := range p.events {
		s := streams[e.stream]
		if s == nil && len(p.trace.Streams) == 0 { // the only stream of a trace need not be declared
			s = &Stream{}
			p.trace.Streams, streams[0] = []*Stream{s}, s
		}
		switch {
		case s == nil:
			return p.mistake(e.at, "the event `%.80s` belongs to the stream %d, which is not declared", e.Name, e.stream)
		case seen[key{e.stream, e.ID}]:
			return p.mistake(e.at, "the stream %d has two events with the id %d", e.stream, e.ID)
		}
		seen[key{e.stream, e.ID}] = true
		s.Events = append(s.Events, e.Event)
	}
	return nil
}

// shown returns the value of an attribute as a text.
func (a attribute) shown() string {
	if a.kind != number {
		return a.text
	}
	sign := ""
	if a.minus {
		sign = "-"
	}
	return sign + token{kind: number, value: a.value}.shown()
}

func (p *parser) number(a attribute) uint64 {
	if a.kind != number || a.minus {
		p.fail(a.at, "`%s` takes a number that is not negative", a.name)
	}
	return a.value
}

func (p *parser) signed(a attribute) int64 {
	if a.kind != number || a.value > 1<<63-1 {
		p.fail(a.at, "`%s` takes a number of at most 63 bits", a.name)
	}
	if a.minus {
		return -int64(a.value)
	}
	return int64(a.value)
}

func (p *parser) structOf(a attribute) *Struct {
	s, ok := a.typ.(*Struct)
	if !ok {
		p.fail(a.at, "`%s` takes a struct after `:=`", a.name)
	}
	return s
}

func (p *parser) order(a attribute) Order {
	switch a.text {
	case "le":
		return Little
	case "be", "network":
		return Big
	case "native":
		return Native
	}
	p.fail(a.at, "`byte_order` is `le`, `be`, `network` or `native`")
	return Native
}

// words reads the name of a type, such as `unsigned long`, and the name of the field after it if one is expected.
func (p *parser) words() []string {
	var list []string
	for p.ahead.kind == word || p.is("*") {
		list = append(list, p.take().text)
	}
	return list
}

func spaced(words []string) string { return strings.Join(words, " ") }
