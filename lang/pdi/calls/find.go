package calls

import (
	"slices"
	"strings"
)

// procedure describes the arguments of a PDI function.
type procedure struct {
	kind      Kind
	memory    int // the number of the argument with the memory; 0 if there is none
	direction int // the number of the argument with the direction; 0 if there is none
	given     Direction
	keeps     bool // the data stay shared after the call
	many      bool // PDI_multi_expose
}

// procedures maps the functions of C and Fortran to their arguments. In Python they are called through the module `pdi`, without the prefix.
var procedures = map[string]procedure{
	"PDI_share":             {kind: Share, memory: 1, direction: 2, keeps: true},
	"PDI_expose":            {kind: Share, memory: 1, direction: 2},
	"PDI_export":            {kind: Share, memory: 1, given: Out},
	"PDI_import":            {kind: Share, memory: 1, given: In},
	"PDI_multi_expose":      {kind: Event, many: true},
	"PDI_reclaim":           {kind: Take},
	"PDI_release":           {kind: Take},
	"PDI_access":            {kind: Access, direction: 2},
	"PDI_event":             {kind: Event},
	"PDI_transaction_begin": {kind: begin},
	"PDI_transaction_end":   {kind: end},
}

// byLower has the same procedures by their names in lower case, since Fortran ignores case.
var byLower = func() map[string]procedure {
	list := map[string]procedure{}
	for name, p := range procedures {
		list[strings.ToLower(name)] = p
	}
	return list
}()

// DDC is a C++ wrapper of PDI. It has a class for an event and the data shared during the event, and a function that triggers an event named
// after its datum.
const (
	eventClass     = "PdiEvent"
	exposeFunction = "expose_to_pdi"
)

// find lists the PDI calls of a source file.
func (s *File) find() {
	f := finder{File: s, module: "pdi", imported: map[string]string{}, events: map[scoped]int{}}
	for i, t := range s.toks {
		switch {
		case t.kind != word:
		case s.language == python:
			f.python(i)
		case s.language == fortran:
			if p, ok := byLower[t.value]; ok && i > 0 && s.toks[i-1].is("call") {
				f.call(p, i)
			}
		case t.value == eventClass:
			f.event(i)
		case t.value == exposeFunction:
			f.exposed(i)
		case t.value == "with" || t.value == "and_with":
			f.later(i)
		default:
			if p, ok := procedures[t.value]; ok && !f.declares(i) {
				f.call(p, i)
			}
		}
	}
}

type finder struct {
	*File
	module      string            // the name under which the source imports the module pdi
	imported    map[string]string // functions imported from the module: their original names by their names in the source
	events      map[scoped]int    // variables of DDC's event class, and the tokens at which they end
	transaction int               // the index of the first call of an open transaction, plus one
}

// declares reports whether a name follows its type, so that it is a declaration and not a use.
func (f *finder) declares(i int) bool {
	if i == 0 {
		return false
	}
	before := f.toks[i-1]
	return before.kind == word && !slices.Contains([]string{"return", "else", "do", "co_return", "throw"}, before.value) || before.is("*") || before.is("&") || before.is(">")
}

// open returns the bracket after a name, or after the arguments of its template, or -1 if there is none.
func (s *File) open(i int) int {
	const maxTemplate = 200
	i++
	if i < len(s.toks) && s.toks[i].is("<") {
		depth := 0
		for n := 0; i < len(s.toks) && n < maxTemplate; n++ {
			switch t := s.toks[i]; {
			case t.is("<"):
				depth++
			case t.is(">"):
				depth--
			case t.is(";") || t.is("{"):
				return -1
			}
			i++
			if depth == 0 {
				break
			}
		}
	}
	if i < len(s.toks) && (s.toks[i].is("(") || s.toks[i].is("{") && s.language == c) {
		return i
	}
	return -1
}

// arguments returns the arguments after an opening bracket. If one of them is empty, it is not a call, and arguments returns none.
func (s *File) arguments(open int) (args [][]token) {
	close := int(s.match[open])
	if close < 0 {
		return nil
	}
	start, angles := open+1, 0
	for i := start; i < close; i++ {
		t := s.toks[i]
		switch {
		case s.match[i] > int32(i):
			i = int(s.match[i])
		case t.is("<"):
			angles++
		case t.is(">"):
			angles = max(0, angles-1)
		case t.is(",") && (angles == 0 || !s.generic(start, i)):
			if start == i {
				return nil
			}
			args = append(args, s.toks[start:i])
			start, angles = i+1, 0
		}
	}
	if start < close {
		args = append(args, s.toks[start:close])
	}
	return args
}

// generic reports whether the `<` at start opens template arguments: it follows a word, and only types come after it.
func (s *File) generic(start, end int) bool {
	for _, t := range s.toks[start:end] {
		if t.kind != word && !t.is("<") && !t.is(">") && !t.is("::") && !t.is(",") && !t.is("*") && !t.is("&") {
			return false
		}
	}
	return s.language == c
}

// call records a call of a procedure.
func (f *finder) call(p procedure, i int) {
	open := f.open(i)
	if open < 0 || f.match[open] < 0 {
		return
	}
	f.noted(p, i, f.arguments(open), int(f.match[open]))
}

func (f *finder) noted(p procedure, i int, args [][]token, close int) {
	base := Call{Kind: p.kind, file: f.File, function: f.toks[i].function, block: f.toks[i].block, at: i, branch: f.branch(i)}
	switch {
	case p.kind == end:
		f.commit(i)
		return
	case len(args) == 0:
		return
	case p.many:
		f.many(base, args, close)
		return
	}
	one := base
	one.name, one.Span = f.expression(args[0]), f.place(args[0])
	one.Direction = p.given
	if p.direction > 0 && p.direction < len(args) {
		one.Direction = f.direction(args[p.direction])
	}
	if p.memory > 0 && p.memory < len(args) {
		one.Element = f.element(args[p.memory], one.function)
	}
	if p.kind == Share && !p.keeps && f.transaction == 0 {
		one.until = close
	}
	f.Calls = append(f.Calls, one)
	if p.kind == begin {
		f.transaction = len(f.Calls)
	}
}

// commit ends a transaction. Data exposed since it began are shared up to this place, where the event is triggered.
func (f *finder) commit(i int) {
	if f.transaction == 0 {
		return
	}
	for j := f.transaction - 1; j < len(f.Calls); j++ {
		switch call := &f.Calls[j]; {
		case call.Kind == begin:
			call.Kind = Event
		case call.Kind == Share && call.until == 0:
			call.until = i
		}
	}
	f.transaction = 0
}

// many records a call with an event and any number of data.
func (f *finder) many(base Call, args [][]token, close int) {
	event := base
	event.name, event.Span = f.expression(args[0]), f.place(args[0])
	f.Calls = append(f.Calls, event)
	rest := args[1:]
	if f.language == python {
		rest = f.tuples(rest)
	}
	for ; len(rest) >= 3; rest = rest[3:] {
		one := base
		one.Kind, one.until = Share, close
		one.name, one.Span = f.expression(rest[0]), f.place(rest[0])
		one.at = f.index(rest[0])
		one.Element, one.Direction = f.element(rest[1], one.function), f.direction(rest[2])
		f.Calls = append(f.Calls, one)
	}
}

// tuples returns the elements of the tuples in `[(name, value, access), …]`, one after the other. For anything but such a list, it returns one
// unknown name.
func (f *finder) tuples(args [][]token) (list [][]token) {
	if len(args) == 0 {
		return nil
	}
	if first := args[0][0]; first.is("[") || first.is("(") {
		for _, item := range f.arguments(f.index(args[0])) {
			if item[0].is("(") || item[0].is("[") {
				if parts := f.arguments(f.index(item)); len(parts) == 3 {
					list = append(list, parts...)
				}
			}
		}
	}
	if list == nil {
		list = [][]token{args[0], args[0], args[0]}
	}
	return list
}

// index returns the position of tokens in the list of all tokens.
func (s *File) index(list []token) int {
	i, _ := slices.BinarySearchFunc(s.toks, list[0].start, func(t token, at int32) int { return int(t.start - at) })
	return i
}

// branch reports whether a statement is the body of a condition without a block.
func (f *finder) branch(i int) bool {
	for i--; i >= 0; i-- {
		switch t := f.toks[i]; {
		case t.is("::") || t.is("=") || t.is("call") || t.is(".") || t.kind == word && t.value != "else" && t.value != "do":
			continue
		case t.is(")") || t.is("else") || t.is("do") || t.is("?") || t.is(":") || t.is("&&") || t.is("||"):
			return !t.is(":") || f.language != python
		default:
			return false
		}
	}
	return false
}

// direction reads PDI_IN, PDI_OUT, PDI_INOUT, or a combination of them. It returns 0 for any other expression.
func (f *finder) direction(arg []token) (d Direction) {
	for i, t := range arg {
		if t.kind != word || i+1 < len(arg) && arg[i+1].is(".") {
			continue
		}
		switch strings.TrimPrefix(strings.ToUpper(t.value), "PDI_") {
		case "IN":
			d |= In
		case "OUT":
			d |= Out
		case "INOUT":
			d |= In | Out
		case "IOR":
		default:
			return 0
		}
	}
	return d
}

// event records the event that an object of DDC's class triggers, with the data in the chain of calls that follows.
func (f *finder) event(i int) {
	open := f.open(i)
	object := -1
	if open < 0 && i+1 < len(f.toks) && f.toks[i+1].kind == word {
		object = i + 1
		open = f.open(object)
	}
	if open < 0 || f.match[open] < 0 || object < 0 && f.declares(i) {
		return
	}
	args := f.arguments(open)
	if len(args) != 1 || slices.ContainsFunc(args[0], func(t token) bool { return t.is("const") || t.is(eventClass) }) {
		return
	}
	call := Call{Kind: Event, file: f.File, function: f.toks[i].function, block: f.toks[i].block, at: i, branch: f.branch(i)}
	call.name, call.Span = f.expression(args[0]), f.place(args[0])
	f.Calls = append(f.Calls, call)
	last := int(f.match[open])
	var data []int
	for last+2 < len(f.toks) && f.toks[last+1].is(".") && isWith(f.toks[last+2]) {
		open := f.open(last + 2)
		if open < 0 || f.match[open] < 0 {
			break
		}
		data = append(data, last+2)
		last = int(f.match[open])
	}
	for _, at := range data {
		f.with(at, last)
	}
	if object >= 0 {
		f.events[scoped{call.function, f.toks[object].value}] = len(f.toks) // the object lives to the end of its block, and the block of a later call is no larger
	}
}

func isWith(t token) bool { return t.is("with") || t.is("and_with") }

// later records a datum that is added to an object of DDC's class after its declaration.
func (f *finder) later(i int) {
	if i < 2 || !f.toks[i-1].is(".") || f.toks[i-2].kind != word {
		return
	}
	if until, ok := f.events[scoped{f.toks[i].function, f.toks[i-2].value}]; ok {
		f.with(i, until)
	}
}

// with records the data that DDC shares for one array: its rank, its extents, then the array itself.
func (f *finder) with(i, until int) {
	open := f.open(i)
	if open < 0 {
		return
	}
	if args := f.arguments(open); len(args) > 0 {
		f.datum(i, args[0], f.toks[i+1:open], until)
	}
}

func (f *finder) datum(i int, arg, template []token, until int) {
	call := Call{Kind: Share, file: f.File, function: f.toks[i].function, block: f.toks[i].block, until: until}
	call.name, call.Span = f.expression(arg), f.place(arg)
	for at, suffix := range []string{"_rank", "_extents", ""} {
		one := call
		one.at = i + at - 2 // puts the three calls in order
		if suffix != "" {
			one.name = append(one.name[:len(one.name):len(one.name)], part{value: suffix})
			one.Implied, one.Direction = true, Out
		} else {
			one.Direction = f.direction(template)
		}
		f.Calls = append(f.Calls, one)
	}
}

// exposed records a call of DDC's function, which triggers an event with the name of the datum.
func (f *finder) exposed(i int) {
	open := f.open(i)
	if open < 0 || f.match[open] < 0 || f.declares(i) {
		return
	}
	args := f.arguments(open)
	if len(args) != 2 {
		return
	}
	call := Call{Kind: Event, Lone: true, file: f.File, function: f.toks[i].function, block: f.toks[i].block, at: i}
	call.name, call.Span = f.expression(args[0]), f.place(args[0])
	f.Calls = append(f.Calls, call)
	f.datum(i, args[0], f.toks[i+1:open], int(f.match[open]))
}

// python records a call through the module, or of a function imported from it.
func (f *finder) python(i int) {
	t := f.toks[i]
	switch {
	case t.value == "import" && i+1 < len(f.toks):
		f.importing(i)
	case i > 1 && f.toks[i-1].is(".") && f.toks[i-2].is(f.module):
		if p, ok := procedures["PDI_"+t.value]; ok {
			f.call(p, i)
		}
	case i == 0 || !f.toks[i-1].is(".") && !f.toks[i-1].is("def"):
		if p, ok := procedures["PDI_"+f.imported[t.value]]; ok {
			f.call(p, i)
		}
	}
}

// importing records the names under which a source imports the module or its functions.
func (f *finder) importing(i int) {
	from := i >= 2 && f.toks[i-2].is("from") && f.toks[i-1].is("pdi")
	for j := i + 1; j < len(f.toks) && f.toks[j].kind != stop; j++ {
		t := f.toks[j]
		if t.kind != word || t.value == "as" || f.toks[j-1].is("as") {
			continue
		}
		name := t.value
		if j+2 < len(f.toks) && f.toks[j+1].is("as") {
			name = f.toks[j+2].value
		}
		switch {
		case from:
			f.imported[name] = t.value
		case t.value == "pdi" && !(i >= 2 && f.toks[i-2].is("from")):
			f.module = name
		}
	}
}
